//! What an agent's card is worth: who signed it, what of it callers are not shown, and what changed.

use serde_json::Value;

use super::member::{entries, listed, text};
use crate::show::counted;

/// Says what the signatures of a card are worth.
pub(super) fn signature(card: &Value) -> String {
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

/// Says what of the card callers are not shown.
pub(super) fn withheld(withheld: &Value) -> Option<String> {
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
pub(super) fn changes(agent: &Value) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
}
