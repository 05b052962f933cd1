//! Agents as tables.

use jiff::Timestamp;
use serde_json::Value;

use super::{new_table, one_line};

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

/// Says what the signatures of a card are worth.
fn signature(card: &Value) -> String {
    let outcome = &card["signature"];
    match outcome["outcome"].as_str() {
        Some("valid") => {
            let (key, algorithm) = (text(&outcome["key"]), text(&outcome["algorithm"]));
            let open = entries(&outcome["uncovered"]).count();
            let rest = if open > 0 {
                format!(", {open} members not covered")
            } else {
                String::new()
            };
            format!("by key {key} ({algorithm}){rest}")
        }
        Some("unknown-key") => format!(
            "by a key that is not known ({}){}",
            listed(entries(&outcome["kids"])),
            key_sets(card)
        ),
        Some("invalid") => format!(
            "and the signature does not hold: {}",
            text(&outcome["reason"])
        ),
        _ => "no".to_owned(),
    }
}

/// Names the key sets that signatures of unknown keys name.
fn key_sets(card: &Value) -> String {
    let allowed = listed(entries(&card["signature"]["jkus"]));
    if !allowed.is_empty() {
        return format!(" of {allowed}");
    }
    let named = entries(&card["signatures"]).map(|report| &report["jku"]);
    match listed(named.filter(|jku| !jku.is_null())) {
        named if named.is_empty() => named,
        named => format!(" of {named}, which is not allowed"),
    }
}

fn listed<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    values.map(text).collect::<Vec<_>>().join(", ")
}

/// Says what of the card callers are not shown.
fn withheld(withheld: &Value) -> Option<String> {
    const SHOWN: usize = 5;
    let count = withheld["count"].as_u64().filter(|count| *count > 0)?;
    let mut named: Vec<_> = entries(&withheld["members"])
        .take(SHOWN)
        .map(text)
        .collect();
    let others = count.saturating_sub(named.len() as u64);
    if others > 0 {
        named.push(format!("{others} more"));
    }
    Some(format!(
        "withheld {} that {} inner addresses: {}",
        counted(count, "value"),
        if count == 1 { "names" } else { "name" },
        named.join(", ")
    ))
}

/// Lists what changed in the card that waits to be accepted, with what was there and what is.
pub(crate) fn changes_in_full(agent: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    if !agent["held"]["unknown"].is_null() {
        return changes(agent);
    }
    for (line, change) in changes(agent)
        .into_iter()
        .zip(entries(&agent["held"]["changes"]))
    {
        lines.push(line);
        for (title, member) in [("was", "before"), ("is", "after")] {
            if !change[member].is_null() {
                lines.push(format!("           {title:<4} {}", change[member]));
            }
        }
    }
    lines
}

/// Lists what changed in the card that waits to be accepted, else in the one in use.
fn changes(agent: &Value) -> Vec<String> {
    let (title, departure) = departure(agent);
    if !departure["unknown"].is_null() {
        return vec![format!(
            "{title:<8} unknown: {}",
            text(&departure["unknown"])
        )];
    }
    let line = |change: &Value| {
        let (kind, pointer) = (text(&change["kind"]), text(&change["pointer"]));
        format!(
            "{title:<8} {kind}: {} ({pointer})",
            text(&change["message"])
        )
    };
    entries(&departure["changes"]).map(line).collect()
}

fn departure(agent: &Value) -> (&'static str, &Value) {
    if agent["held"].is_object() {
        ("waits", &agent["held"])
    } else {
        ("changed", &agent["drift"])
    }
}

fn age(agent: &Value, now: Timestamp) -> String {
    let card = &agent["card"];
    let seconds = |member: &str| card[member].as_i64().map(time).unwrap_or_default();
    let mut line = format!(
        "age      confirmed {} ago, fresh for {}",
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

fn counted(count: u64, of: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {of}{ending}")
}

/// Returns the time from now to a moment, none for a moment that has passed.
fn until(moment: &Value, now: Timestamp) -> Option<String> {
    let moment: Timestamp = moment.as_str()?.parse().ok()?;
    let seconds = moment.duration_since(now).as_secs();
    (seconds >= 0).then(|| time(seconds))
}

/// Renders seconds in the largest unit that fits.
fn time(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

fn versions(card: &Value) -> String {
    let mut versions: Vec<_> = entries(&card["endpoints"])
        .map(|endpoint| text(&endpoint["version"]))
        .collect();
    versions.dedup();
    versions.join(", ")
}

fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    value
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => one_line(text),
        other => other.to_string(),
    }
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
    fn an_unknown_key_is_shown_with_its_key_set() {
        let shown = |jkus: Value, jku: Value| {
            signature(&json!({
                "signature": { "outcome": "unknown-key", "kids": ["k"], "jkus": jkus },
                "signatures": [{ "jku": jku }],
            }))
        };
        let unknown = "by a key that is not known (k)";
        assert_eq!(shown(json!([]), Value::Null), unknown);
        assert_eq!(
            shown(json!([]), json!("https://k.test/")),
            format!("{unknown} of https://k.test/, which is not allowed")
        );
        assert_eq!(
            shown(json!(["https://k.test/"]), json!("https://k.test/")),
            format!("{unknown} of https://k.test/")
        );
    }

    #[test]
    fn what_callers_are_not_shown_is_counted_and_named() {
        let withheld = |count: u64, members: Value| {
            withheld(&json!({ "count": count, "members": members })).unwrap_or_default()
        };
        assert_eq!(withheld(0, json!([])), "");
        assert_eq!(
            withheld(1, json!(["/x"])),
            "withheld 1 value that names inner addresses: /x"
        );
        assert_eq!(
            withheld(300, json!(["/a", "/b", "/c", "/d", "/e", "/f"])),
            "withheld 300 values that name inner addresses: /a, /b, /c, /d, /e, 295 more"
        );
        assert_eq!(super::withheld(&Value::Null), None);
    }

    #[test]
    fn an_unknown_departure_is_said_in_place_of_changes() {
        let held = json!({ "held": { "changes": [], "unknown": "it is\ncut off" } });
        assert_eq!(changes(&held), changes_in_full(&held));
        assert!(changes(&held)[0].starts_with("waits    unknown: it is"));
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
