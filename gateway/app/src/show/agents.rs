//! Agents as tables.

use serde_json::Value;

use super::new_table;

/// Renders all agents, one line each.
pub(crate) fn table(answer: &Value) -> String {
    let mut table = new_table([
        "agent", "state", "card", "versions", "skills", "stream", "age", "answers", "latency",
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
            card["age_seconds"]
                .as_i64()
                .map(|seconds| format!("{seconds} s"))
                .unwrap_or_default(),
            text(&agent["answers"]),
            agent["latency_ms"]["unary"]
                .as_u64()
                .map(|ms| format!("{ms} ms"))
                .unwrap_or_default(),
            text(&agent["problem"]),
        ]);
    }
    table.to_string()
}

/// Renders one agent with every place its card was looked for and everything found wrong with it.
pub(crate) fn detail(agent: &Value) -> String {
    let card = &agent["card"];
    let mut lines = vec![format!(
        "agent    {} · {}",
        text(&agent["id"]),
        text(&agent["state"])
    )];
    lines.push(format!("address  {}", text(&agent["url"])));
    if card.is_object() {
        lines.push(format!(
            "card     {} {} · {} skills · {} · confirmed {} s ago, fresh for {} s",
            text(&card["name"]),
            text(&card["version"]),
            text(&card["skills"]),
            text(&card["location"]),
            text(&card["age_seconds"]),
            text(&card["fresh_for_seconds"]),
        ));
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
    for place in entries(&agent["tried"]) {
        lines.push(format!(
            "tried    {} · {}",
            text(&place["url"]),
            text(&place["outcome"])
        ));
    }
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
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
