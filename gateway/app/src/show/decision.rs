//! Decisions as tables.

use comfy_table::ColumnConstraint;
use gateway_core::{
    Feedback,
    decision::{Attempt, Candidate, Contributions, DecisionKind, Outcome, RouteDecision, Signals},
};

mod rule;

use super::{aside, new_table};

/// Renders many decisions, one line each.
pub(crate) fn list(decisions: &[RouteDecision], next: Option<&str>) -> String {
    if decisions.is_empty() {
        return "no decisions match".to_owned();
    }
    let columns = [
        "decision",
        "at",
        "kind",
        "operation",
        "agent",
        "skill",
        "score",
        "margin",
        "outcome",
        "caller",
    ];
    let mut table = new_table(columns);
    // Ids are there to be copied, so they are never broken over lines.
    if let Some(ids) = table.column_mut(0) {
        ids.set_constraint(ColumnConstraint::ContentWidth);
    }
    for decision in decisions {
        let chosen = decision.chosen();
        table.add_row([
            decision.id.clone(),
            format!("{:.0}", decision.at),
            decision.kind.as_str().to_owned(),
            decision.operation.clone(),
            chosen.map_or_else(|| "–".to_owned(), |chosen| chosen.agent.to_string()),
            chosen
                .and_then(|chosen| chosen.skill.clone())
                .unwrap_or_default(),
            number(chosen.and_then(|chosen| chosen.score)),
            number(decision.margin),
            decision
                .outcome
                .as_ref()
                .map_or_else(|| "open".to_owned(), |outcome| outcome.state.clone()),
            decision.caller.subject.clone(),
        ]);
    }
    match next {
        Some(next) => format!("{table}\nolder ones: --before {next}"),
        None => table.to_string(),
    }
}

/// Renders one decision with every candidate.
pub(crate) fn whole(decision: &RouteDecision) -> String {
    let mut lines = vec![
        format!("decision {} · {}", decision.id, decision.at),
        format!(
            "{} · {} from an A2A {} client · caller {} · profile {} · catalog {}{}",
            decision.kind.as_str(),
            decision.operation,
            decision.client_version,
            decision.caller.subject,
            decision.versions.profile,
            decision.versions.catalog,
            fit_engine(decision)
        ),
    ];
    lines.extend(decision.rule.as_ref().map(rule::line));
    lines.push(if decision.kind == DecisionKind::Rejected {
        "nobody was considered".to_owned()
    } else {
        candidates(decision)
    });
    lines.extend(chosen_because(decision));
    lines.extend(aside::lines(decision));
    lines.extend(decision.attempts.iter().map(|attempt| {
        let detail = attempt
            .detail
            .as_deref()
            .map(|detail| format!(": {detail}"))
            .unwrap_or_default();
        format!(
            "attempt  {} · {} · {} · {} ms{detail}{}",
            attempt.agent,
            attempt.phase,
            attempt.outcome,
            attempt.ms,
            lost(attempt)
        )
    }));
    lines.extend(decision.outcome.as_ref().map(outcome));
    lines.extend(decision.feedback.as_ref().map(feedback));
    lines.join("\n")
}

/// Names the engine of fit; records of earlier versions name none.
fn fit_engine(decision: &RouteDecision) -> String {
    match decision.versions.fit.as_str() {
        "" => String::new(),
        fit => format!(" · fit {fit}"),
    }
}

/// Says what conversions lost in an attempt.
fn lost(attempt: &Attempt) -> String {
    if attempt.losses.is_empty() {
        return String::new();
    }
    let counts = attempt.losses.iter();
    let counts: Vec<_> = counts
        .map(|(name, count)| format!("{name} ×{count}"))
        .collect();
    format!("\nlost     {}", counts.join(", "))
}

/// Renders the candidates: for each signal its value and, below, what it adds to the score.
pub(crate) fn candidates(decision: &RouteDecision) -> String {
    let mut table = new_table([
        "agent",
        "skill",
        "fit",
        "quality",
        "availability",
        "latency",
        "cost",
        "risk",
        "score",
        "verdict",
        "why",
    ]);
    for candidate in &decision.candidates {
        let [fit, quality, availability, latency, cost, risk] = cells(candidate);
        table.add_row([
            candidate.agent.to_string(),
            candidate.skill.clone().unwrap_or_default(),
            fit,
            quality,
            availability,
            latency,
            cost,
            risk,
            number(candidate.score),
            candidate.verdict.as_str().to_owned(),
            why(candidate),
        ]);
    }
    if decision.unlisted.is_empty() {
        return table.to_string();
    }
    let outscored = Some(decision.unlisted.outscored).filter(|count| *count > 0);
    let outscored = outscored.map(|count| format!("{count} outscored"));
    let discarded = &decision.unlisted.discarded;
    let discarded = discarded
        .iter()
        .map(|(reason, count)| format!("{count} {reason}"));
    let counts: Vec<_> = outscored.into_iter().chain(discarded).collect();
    format!("{table}\nand not listed: {}", counts.join(", "))
}

fn cells(candidate: &Candidate) -> [String; 6] {
    let (Some(signals), Some(parts)) = (&candidate.signals, &candidate.contributions) else {
        return Default::default();
    };
    let Signals {
        fit,
        quality,
        availability,
        latency,
        cost,
        risk,
    } = signals;
    let Contributions {
        fit: f,
        quality: q,
        availability: a,
        latency: l,
        cost: c,
        risk: k,
    } = *parts;
    [
        (fit, f),
        (quality, q),
        (availability, a),
        (latency, l),
        (cost, c),
        (risk, k),
    ]
    // Adding zero turns a negative zero into a plain one.
    .map(|(signal, part)| format!("{:.2}\n{:+.3}", signal.value, part + 0.0))
}

fn why(candidate: &Candidate) -> String {
    match (candidate.reason, candidate.detail.as_deref()) {
        (Some(reason), Some(detail)) => format!("{reason}: {detail}"),
        (Some(reason), None) => reason.to_string(),
        (None, detail) => detail.unwrap_or_default().to_owned(),
    }
}

fn chosen_because(decision: &RouteDecision) -> Option<String> {
    let chosen = decision.chosen()?;
    let words = &chosen.signals.as_ref()?.fit.why;
    let margin = decision
        .margin
        .map(|margin| format!(" · margin {margin:.4}"))
        .unwrap_or_default();
    Some(format!(
        "matched  {}{margin}",
        if words.is_empty() {
            "nothing".to_owned()
        } else {
            words.join(", ")
        }
    ))
}

fn outcome(outcome: &Outcome) -> String {
    let task = outcome
        .task_id
        .as_deref()
        .map(|id| format!(" · task {id}"))
        .unwrap_or_default();
    let error = outcome
        .error
        .as_ref()
        .map(|error| format!(" · {} {}", error.code, error.message));
    let cost = outcome.cost.map(|cost| format!(" · cost {cost}"));
    let cost = cost.unwrap_or_default();
    let running = if outcome.finished_at.is_none() {
        " · not finished"
    } else {
        ""
    };
    format!(
        "outcome  {} after {} ms{task}{cost}{}{running}",
        outcome.state,
        outcome.ms,
        error.unwrap_or_default()
    )
}

fn feedback(feedback: &Feedback) -> String {
    let accepted = match feedback.accepted {
        Some(true) => Some("accepted".to_owned()),
        Some(false) => Some("not accepted".to_owned()),
        None => None,
    };
    let score = feedback.score.map(|score| format!("score {score}"));
    let cost = feedback.cost.map(|cost| format!("cost {cost}"));
    let said = [accepted, score, cost, feedback.note.clone()];
    let said: Vec<_> = said.into_iter().flatten().collect();
    format!("feedback {}", said.join(" · "))
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
}

#[cfg(test)]
mod tests {
    use gateway_core::agent::AgentId;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn losses_stand_below_their_attempt() {
        let mut attempt = Attempt {
            agent: AgentId::parse("letters").unwrap(),
            started_at: Timestamp::UNIX_EPOCH,
            phase: "response".to_owned(),
            outcome: "ok".to_owned(),
            detail: None,
            ms: 7,
            losses: [("tenant".to_owned(), 1), ("part_filename".to_owned(), 3)].into(),
        };
        assert_eq!(lost(&attempt), "\nlost     part_filename ×3, tenant ×1");
        attempt.losses.clear();
        assert_eq!(lost(&attempt), "");
    }
}
