//! Skills: what a router and a caller need to tell them apart.

use std::collections::HashMap;

use super::finding::Findings;
use super::types::{self, Kind, Need, Rule};
use crate::Card;
use crate::members::{self, Object};

const SKILL: &[Rule] = &[
    Rule::new("id", Kind::Text, Need::Must),
    Rule::new("name", Kind::Text, Need::Should),
    Rule::new("description", Kind::Text, Need::Should),
    Rule::new("tags", Kind::Texts, Need::Should),
    Rule::new("examples", Kind::Texts, Need::May),
    Rule::new("inputModes", Kind::Texts, Need::May),
    Rule::new("outputModes", Kind::Texts, Need::May),
    Rule::new("securityRequirements", Kind::List, Need::May),
    Rule::new("security", Kind::List, Need::May),
];

pub(super) fn check(card: &Card, findings: &mut Findings) {
    let members = card.members();
    check_modes(
        members,
        "",
        ["defaultInputModes", "defaultOutputModes"],
        findings,
    );
    let skills = members::list(members, "skills");
    let given = members::member(members, "skills").is_some();
    if given && skills.is_empty() {
        findings.warning(
            "/skills",
            "no skill is listed",
            "list what the agent can do, callers choose by it",
        );
    }
    let mut first_use = HashMap::new();
    for (index, skill) in skills.iter().enumerate() {
        let pointer = format!("/skills/{index}");
        let Some(skill) = types::entry(skill, &pointer, findings) else {
            continue;
        };
        types::check(skill, &pointer, SKILL, findings);
        check_modes(skill, &pointer, ["inputModes", "outputModes"], findings);
        let Some(id) = members::text(skill, "id").filter(|id| !id.is_empty()) else {
            continue;
        };
        let first = *first_use.entry(id).or_insert(index);
        if first != index {
            let message = format!(
                "skill id `{}` is already used at /skills/{first}",
                members::shown(id)
            );
            findings.error(
                &format!("{pointer}/id"),
                message,
                "give each skill its own id",
            );
        }
    }
}

fn check_modes(object: &Object, pointer: &str, names: [&str; 2], findings: &mut Findings) {
    for name in names {
        let list = members::pointer(object, pointer, name);
        let modes = members::list(object, name);
        for (index, mode) in modes.iter().enumerate() {
            let Some(mode) = mode.as_str().filter(|mode| !mode.contains('/')) else {
                continue;
            };
            let message = format!("`{}` is not a media type", members::shown(mode));
            let hint = match usual(mode) {
                Some(usual) => format!("write `{usual}`"),
                None => "write type/subtype, such as `application/json`".to_owned(),
            };
            findings.warning(&format!("{list}/{index}"), message, hint);
        }
    }
}

/// Returns the media type that a short name usually means.
fn usual(mode: &str) -> Option<&'static str> {
    Some(match mode.to_ascii_lowercase().as_str() {
        "text" | "text_plain" | "plain" | "string" => "text/plain",
        "json" | "data" | "structured" => "application/json",
        "markdown" | "md" => "text/markdown",
        "html" => "text/html",
        "csv" => "text/csv",
        "pdf" => "application/pdf",
        "image" | "images" => "image/png",
        "audio" | "voice" => "audio/mpeg",
        "video" => "video/mp4",
        "file" | "binary" => "application/octet-stream",
        _ => return None,
    })
}
