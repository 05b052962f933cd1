//! Agents as tables.

mod member;
mod trust;

use jiff::Timestamp;
use serde_json::Value;

pub(crate) use self::trust::changes_in_full;
use self::{
    member::{entries, text, time, until},
    trust::{changes, signature, withheld},
};
use super::{counted, new_table};

/// Renders all agents, one line each.
pub(crate) fn table(answer: &Value, now: Timestamp) -> String {
    let mut table = new_table([
        "agent",
        "state",
        "card",
        "versions",
        "skills",
        "stream",
        "findings",
        "age",
        "next fetch",
        "answers",
        "latency",
        "problem",
    ]);
    for agent in entries(&answer["agents"]) {
        let card = &agent["card"];
        table.add_row([
            text(&agent["id"]),
            text(&agent["state"]),
            text(&card["name"]),
            versions(card),
            text(&card["skills"]),
            if card["streaming"] == true {
                "yes".to_owned()
            } else {
                String::new()
            },
            findings(card),
            card["age_seconds"].as_i64().map(time).unwrap_or_default(),
            until(&agent["next_fetch_at"], now).unwrap_or_default(),
            text(&agent["answers"]),
            agent["latency_ms"]["unary"]
                .as_u64()
                .map(|ms| format!("{ms} ms"))
                .unwrap_or_default(),
            text(&agent["problem"]),
        ]);
    }
    let lines = [Some(table.to_string()), left_out(&answer["federated_card"])];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Says how many skills the federated card has no place for.
fn left_out(listing: &Value) -> Option<String> {
    let left_out = listing["left_out"].as_u64().filter(|count| *count > 0)?;
    let skills = listing["skills"].as_u64().unwrap_or_default();
    Some(format!(
        "The federated card lists {} and has no place for {left_out} more.",
        counted(skills, "skill")
    ))
}

/// Renders one agent with every place its card was looked for and everything found wrong with it.
pub(crate) fn detail(agent: &Value, now: Timestamp) -> String {
    let card = &agent["card"];
    let mut lines = vec![format!(
        "agent    {} · {}",
        text(&agent["id"]),
        text(&agent["state"])
    )];
    lines.push(format!("address  {}", text(&agent["url"])));
    if card.is_object() {
        lines.push(format!(
            "card     {} {} · {} · {}",
            text(&card["name"]),
            text(&card["version"]),
            counted(card["skills"].as_u64().unwrap_or_default(), "skill"),
            text(&card["location"]),
        ));
        lines.push(age(agent, now));
    }
    if let Some(next) = until(&agent["next_fetch_at"], now) {
        lines.push(format!("next     fetched in {next}"));
    }
    if card.is_object() {
        lines.push(format!("signed   {}", signature(card)));
    }
    for endpoint in entries(&card["endpoints"]) {
        lines.push(format!(
            "speaks   A2A {} at {}",
            text(&endpoint["version"]),
            text(&endpoint["url"])
        ));
    }
    if !agent["problem"].is_null() {
        lines.push(format!("problem  {}", text(&agent["problem"])));
    }
    lines.extend(changes(agent));
    for place in entries(&agent["tried"]) {
        lines.push(format!(
            "tried    {} · {}",
            text(&place["url"]),
            text(&place["outcome"])
        ));
    }
    lines.extend(withheld(&card["withheld"]));
    for finding in entries(&card["findings"]) {
        let (severity, pointer) = (text(&finding["severity"]), text(&finding["pointer"]));
        lines.push(format!(
            "{severity:<8} {pointer} {} ({})",
            text(&finding["message"]),
            text(&finding["hint"])
        ));
    }
    lines.join("\n")
}

fn age(agent: &Value, now: Timestamp) -> String {
    let card = &agent["card"];
    let seconds = |member: &str| card[member].as_i64().map(time).unwrap_or_default();
    let from_before = if card["from_before_start"] == true {
        ", before the gateway started"
    } else {
        ""
    };
    let mut line = format!(
        "age      confirmed {} ago{from_before}, fresh for {}",
        seconds("age_seconds"),
        seconds("fresh_for_seconds")
    );
    if let Some(left) = until(&card["usable_until"], now) {
        let condition = if agent["state"] == "stale" {
            ""
        } else {
            " if the agent goes down"
        };
        line += &format!(", usable for {left} more{condition}");
    }
    line
}

/// Counts findings by their severity: `1 error, 2 warnings`.
fn findings(card: &Value) -> String {
    let found = ["error", "warning"].into_iter().filter_map(|severity| {
        let findings = entries(&card["findings"]);
        let count = findings
            .filter(|finding| finding["severity"] == severity)
            .count();
        (count > 0).then(|| counted(count as u64, severity))
    });
    found.collect::<Vec<_>>().join(", ")
}

/// Names each version once, in the order of the card.
fn versions(card: &Value) -> String {
    let mut versions: Vec<String> = Vec::new();
    for endpoint in entries(&card["endpoints"]) {
        let version = text(&endpoint["version"]);
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    versions.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stale() -> Value {
        json!({
            "id": "alpha", "url": "http://alpha.test/", "state": "stale",
            "problem": "the agent answered 500 when asked for its card; look in the agent's log",
            "next_fetch_at": "2026-11-30T10:00:08Z",
            "tried": [{ "url": "http://alpha.test/.well-known/agent-card.json", "outcome": "500" }],
            "card": {
                "name": "Alpha", "version": "1.2", "skills": 1, "age_seconds": 400, "fresh_for_seconds": 60,
                "usable_until": "2026-12-01T09:00:00Z",
                "location": "http://alpha.test/.well-known/agent-card.json",
                "endpoints": [{ "version": "1.0", "url": "http://alpha.test/rpc" }],
                "findings": [
                    { "severity": "warning", "pointer": "/skills", "message": "no tags", "hint": "add tags" },
                    { "severity": "warning", "pointer": "", "message": "unsigned", "hint": "sign it" },
                    { "severity": "error", "pointer": "/url", "message": "no host", "hint": "add one" },
                ],
            },
        })
    }

    fn now() -> Timestamp {
        "2026-11-30T10:00:00Z".parse().unwrap()
    }

    #[test]
    fn a_stale_card_shows_its_age_its_end_and_the_next_try() {
        let text = detail(&stale(), now());
        for line in [
            "age      confirmed 6 min ago, fresh for 60 s, usable for 23 h more",
            "next     fetched in 8 s",
            "tried    http://alpha.test/.well-known/agent-card.json · 500",
            "error    /url no host (add one)",
        ] {
            assert!(
                text.lines().any(|shown| shown == line),
                "{line} is not in:\n{text}"
            );
        }
    }

    #[test]
    fn each_version_is_named_once() {
        let endpoint = |version: &str| json!({ "version": version });
        let endpoints = ["1.0", "0.3", "1.0", "0.3"].map(endpoint);
        assert_eq!(versions(&json!({ "endpoints": endpoints })), "1.0, 0.3");
    }

    #[test]
    fn a_card_from_before_the_start_is_told_as_such() {
        let mut agent = stale();
        agent["card"]["from_before_start"] = json!(true);
        let text = detail(&agent, now());
        let told = "age      confirmed 6 min ago, before the gateway started, fresh for 60 s";
        assert!(text.contains(told), "{text}");
    }

    #[test]
    fn skills_that_the_federated_card_leaves_out_are_counted() {
        let shown = |left_out: u64| {
            let listing = json!({ "skills": 69, "left_out": left_out });
            table(&json!({ "agents": [], "federated_card": listing }), now())
        };
        let told = "The federated card lists 69 skills and has no place for 432 more.";
        assert!(shown(432).ends_with(told), "{}", shown(432));
        assert!(!shown(0).contains("federated"), "{}", shown(0));
    }

    #[test]
    fn the_list_counts_findings_and_says_when_the_card_is_fetched_next() {
        let text = table(&json!({ "agents": [stale()] }), now());
        let unbroken: String = text.split_whitespace().collect();
        assert!(
            unbroken.contains("8s") && unbroken.contains("6min"),
            "{text}"
        );
        assert_eq!(findings(&stale()["card"]), "1 error, 2 warnings");
        assert_eq!(findings(&Value::Null), "");
        assert_eq!(until(&json!("2026-11-30T09:59:59Z"), now()), None);
    }
}
