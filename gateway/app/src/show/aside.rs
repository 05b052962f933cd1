//! What stands below the candidates of a decision: chance, a rival, and what other profiles would have done.

use gateway_core::{
    RouteDecision,
    decision::{Ambiguity, Explored, ShadowChoice},
};

/// Renders one line for each of them that a decision has.
pub(super) fn lines(decision: &RouteDecision) -> impl Iterator<Item = String> {
    let explored = decision.exploration.as_ref();
    let explored = explored.map(|chance| exploration(chance, decision.propensity));
    let ambiguity = decision.ambiguity.as_ref().map(ambiguity);
    let shadows = decision
        .shadow
        .iter()
        .map(|(name, choice)| shadow(name, choice));
    explored.into_iter().chain(ambiguity).chain(shadows)
}

fn exploration(chance: &Explored, propensity: f64) -> String {
    let taken = match &chance.best {
        Some(best) => format!("another than the best, `{best}`, was taken"),
        None => "the best was taken".to_owned(),
    };
    format!(
        "explored {taken} · {} among {} · probability {propensity:.4}",
        chance.method.as_str(),
        chance.among
    )
}

fn ambiguity(rival: &Ambiguity) -> String {
    let skill = rival.skill.as_deref().map(|skill| format!(" ({skill})"));
    format!(
        "rival    {}{} · likeness {:.2} · margin {:.4}{}",
        rival.agent,
        skill.unwrap_or_default(),
        rival.likeness,
        rival.margin,
        if rival.guess {
            " · the choice is a guess"
        } else {
            ""
        }
    )
}

fn shadow(name: &str, choice: &ShadowChoice) -> String {
    let chosen = match (&choice.agent, &choice.skill, choice.score) {
        (Some(agent), Some(skill), Some(score)) => format!("{agent} ({skill}) · {score:.4}"),
        (Some(agent), None, Some(score)) => format!("{agent} · {score:.4}"),
        (Some(agent), _, None) => agent.to_string(),
        (None, ..) => "nobody".to_owned(),
    };
    format!(
        "shadow   {name}: {chosen} · {} · profile {}",
        choice.kind.as_str(),
        choice.profile
    )
}

#[cfg(test)]
mod tests {
    use gateway_core::{AgentId, decision::DecisionKind, profile::Method};

    use super::*;

    #[test]
    fn each_line_says_what_happened() {
        let agent = |name| AgentId::parse(name).unwrap();
        let chance = Explored {
            method: Method::Epsilon,
            among: 3,
            explored: true,
            best: Some(agent("alpha")),
        };
        assert_eq!(
            exploration(&chance, 0.01),
            "explored another than the best, `alpha`, was taken · epsilon among 3 · probability 0.0100"
        );
        let rival = Ambiguity {
            agent: agent("beta"),
            skill: Some("main".to_owned()),
            likeness: 0.75,
            margin: 0.01,
            guess: true,
        };
        assert_eq!(
            ambiguity(&rival),
            "rival    beta (main) · likeness 0.75 · margin 0.0100 · the choice is a guess"
        );
        let nobody = ShadowChoice {
            agent: None,
            skill: None,
            score: None,
            profile: "strict@01020304".to_owned(),
            kind: DecisionKind::NoFit,
        };
        assert_eq!(
            shadow("strict", &nobody),
            "shadow   strict: nobody · no_fit · profile strict@01020304"
        );
    }
}
