//! Compares a decision with what was expected.

use gateway_core::{RouteDecision, decision::Candidate};

use super::case::Expect;

/// Returns each expectation that did not come true, in words.
pub(super) fn deviations(expect: &Expect, decision: &RouteDecision) -> Vec<String> {
    let chosen = decision.chosen();
    let mut found = Vec::new();
    found.extend(wrong_agent(expect, chosen));
    found.extend(forbidden(expect, decision).map(|agent| format!("`{agent}` must not get it")));
    if let Some(wanted) = &expect.skill {
        let skill = chosen
            .and_then(|chosen| chosen.skill.as_deref())
            .unwrap_or("none");
        if skill != wanted {
            found.push(format!("expected the skill `{wanted}`, got `{skill}`"));
        }
    }
    if let Some(wanted) = &expect.rule {
        let rule = decision
            .rule
            .as_ref()
            .map_or("none", |rule| rule.name.as_str());
        if rule != wanted {
            found.push(format!("expected the rule `{wanted}`, got `{rule}`"));
        }
    }
    found.extend(too_much(expect, chosen));
    found.extend(expect.why.iter().flat_map(|(agent, words)| {
        let candidate = decision
            .candidates
            .iter()
            .find(|other| other.agent.as_str() == agent);
        let missing = words
            .as_slice()
            .iter()
            .filter(move |word| !speaks(candidate, word));
        missing.map(move |word| format!("nothing says `{word}` about `{agent}`"))
    }));
    found
}

/// Returns the agent that got the message although the case forbids it.
pub(super) fn forbidden<'d>(expect: &Expect, decision: &'d RouteDecision) -> Option<&'d str> {
    let chosen = decision.chosen()?.agent.as_str();
    expect
        .not
        .iter()
        .any(|agent| agent == chosen)
        .then_some(chosen)
}

fn wrong_agent(expect: &Expect, chosen: Option<&Candidate>) -> Option<String> {
    let got = chosen.map(|chosen| chosen.agent.as_str());
    let shown = got.map_or_else(|| "nobody".to_owned(), |agent| format!("`{agent}`"));
    if expect.none {
        return got
            .is_some()
            .then(|| format!("expected nobody, got {shown}"));
    }
    let mut wanted = expect.agent.iter().chain(&expect.agents).peekable();
    wanted.peek()?;
    let wanted: Vec<&str> = wanted.map(String::as_str).collect();
    let is_wanted = got.is_some_and(|agent| wanted.contains(&agent));
    (!is_wanted).then(|| format!("expected `{}`, got {shown}", wanted.join("` or `")))
}

fn too_much(expect: &Expect, chosen: Option<&Candidate>) -> Vec<String> {
    let signals = chosen.and_then(|chosen| chosen.signals.as_ref());
    let limits = [
        (
            "cost",
            expect.max_cost,
            signals.map(|signals| signals.cost.raw),
        ),
        (
            "latency in ms",
            expect.max_latency_ms,
            signals.map(|signals| signals.latency.raw),
        ),
    ];
    let over = limits
        .into_iter()
        .filter_map(|(what, limit, value)| match (limit?, value) {
            (limit, Some(value)) if value <= limit => None,
            (limit, Some(value)) => Some(format!("expected a {what} up to {limit}, got {value}")),
            (limit, None) => Some(format!(
                "expected a {what} up to {limit}, and nobody was chosen"
            )),
        });
    over.collect()
}

/// Returns whether a word is the reason an agent was discarded for, or one that matched its card.
fn speaks(candidate: Option<&Candidate>, word: &str) -> bool {
    let Some(candidate) = candidate else {
        return false;
    };
    let is_reason = candidate
        .reason
        .is_some_and(|reason| reason.as_str() == word);
    let signals = candidate.signals.as_ref();
    is_reason || signals.is_some_and(|signals| signals.fit.why.iter().any(|known| known == word))
}
