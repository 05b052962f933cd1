//! Signals as a table: one line for each skill, with what was configured beside what was learned.

use serde_json::Value;

use super::new_table;

/// Renders the signals of agents as `/v1/signals` tells them.
pub(crate) fn table(found: &Value) -> String {
    let columns = [
        "agent",
        "skill",
        "quality",
        "prior",
        "decisions",
        "cost",
        "prior",
        "known",
        "unary ms",
        "first event ms",
        "in flight",
        "answers",
    ];
    let mut table = new_table(columns);
    for agent in list(&found["agents"]) {
        table.add_row([
            text(&agent["agent"]),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            latency(&agent["latency_ms"]["unary"]),
            latency(&agent["latency_ms"]["first_event"]),
            format!("{}/{}", agent["in_flight"], agent["max_in_flight"]),
            format!(
                "{:.0} %",
                100.0 * agent["answer_ratio"].as_f64().unwrap_or_default()
            ),
        ]);
        for skill in list(&agent["skills"]) {
            table.add_row(skill_row(skill, &agent["currency"]));
        }
    }
    let learning = &found["learning"];
    let days = learning["half_life_seconds"].as_f64().unwrap_or_default() / 86_400.0;
    format!(
        "{table}\na configured quality weighs as much as {} tasks; what was learned weighs half after {days} days",
        learning["prior_strength"]
    )
}

fn skill_row(skill: &Value, currency: &Value) -> [String; 12] {
    let (quality, cost) = (&skill["quality"], &skill["cost"]);
    [
        String::new(),
        match skill["skill"].as_str() {
            Some(name) => name.to_owned(),
            None => "(none named)".to_owned(),
        },
        share(&quality["value"]),
        share(&quality["prior"]),
        quality["decisions"].to_string(),
        format!(
            "{:.4} {}",
            cost["value"].as_f64().unwrap_or_default(),
            text(currency)
        ),
        format!("{:.4}", cost["prior"].as_f64().unwrap_or_default()),
        cost["known"].to_string(),
        latency(&skill["latency_ms"]["unary"]),
        latency(&skill["latency_ms"]["first_event"]),
        String::new(),
        String::new(),
    ]
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn share(value: &Value) -> String {
    format!("{:.3}", value.as_f64().unwrap_or_default())
}

fn latency(measured: &Value) -> String {
    match (measured["median"].as_u64(), measured["answers"].as_u64()) {
        (Some(median), Some(answers)) => format!("{median} of {answers}"),
        _ => "–".to_owned(),
    }
}
