//! The help lines of reports: the nearest known name, the allowed ones, an example.

use super::tree::Node;

/// How many known names are listed.
const LISTED: usize = 20;

/// Names the nearest known name, if one is near, and all of them.
pub(super) fn known(what: &str, given: &str, known: &[&str]) -> String {
    let mut names: Vec<String> = known.iter().take(LISTED).map(|name| shown(name)).collect();
    if known.len() > LISTED {
        names.push("…".to_owned());
    }
    let list = format!("known {what}: {}", names.join(", "));
    match nearest(given, known) {
        Some(name) => format!("did you mean `{}`? {list}", shown(name)),
        None => list,
    }
}

/// Makes a name from the file fit for a message: no control characters, and not longer than a line.
pub(super) fn shown(name: &str) -> String {
    const LONGEST: usize = 60;
    let mut characters = name.chars().map(|character| {
        if character.is_control() {
            '\u{fffd}'
        } else {
            character
        }
    });
    let mut shown: String = characters.by_ref().take(LONGEST).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

fn nearest<'n>(given: &str, known: &[&'n str]) -> Option<&'n str> {
    let given: String = given
        .chars()
        .take(64)
        .collect::<String>()
        .to_lowercase()
        .replace('-', "_");
    let distance = |name: &str| strsim::damerau_levenshtein(&given, &name.replace('-', "_"));
    let limit = given.chars().count().max(3) / 3;
    known
        .iter()
        .copied()
        .filter(|name| distance(name) <= limit)
        .min_by_key(|name| distance(name))
}

/// Shows how a required key is written.
pub(super) fn example(key: &str) -> String {
    match key {
        "agents" => "name at least one agent: `agents: [{ id: billing, url: \"https://billing.example.edu\" }]`".to_owned(),
        "id" => "add a name of your choice: `id: billing`".to_owned(),
        "url" => "add its base address: `url: https://billing.example.edu`".to_owned(),
        key => format!("add `{key}:`"),
    }
}

/// Turns serde's name of a type into words for people.
pub(super) fn plain_type(expected: &str) -> &str {
    match expected {
        "u32" | "u64" => "a whole number",
        "i32" => "a whole number from -2147483648 to 2147483647",
        "f64" => "a number",
        "a string" => "text",
        "a sequence" => "a list",
        "a map" => "a mapping",
        "path string" => "a path",
        other => other,
    }
}

/// Says how a value of another type becomes the expected one.
pub(super) fn for_type(expected: &str, node: &Node) -> String {
    let numeric = matches!(expected, "u32" | "u64" | "i32" | "f64");
    match (expected, node.kind()) {
        ("a boolean", _) => "write `true` or `false`".to_owned(),
        (_, "nothing") if node.is_interpolated() => "the environment variable is set but empty".to_owned(),
        (_, "nothing") => "give it a value, or remove the key".to_owned(),
        (_, "text") if numeric && node.is_interpolated() => {
            "the value of the environment variable must be a number, and the reference must have no quotes".to_owned()
        }
        (_, "text") if numeric => "write a number, without quotes".to_owned(),
        _ => String::new(),
    }
}
