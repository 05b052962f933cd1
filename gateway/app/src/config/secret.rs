//! The places of credentials written into the file, which no report may repeat.

use super::{
    report::Place,
    tree::{Entry, Node},
};

/// The keys whose values are credentials.
const KEYS: [&str; 2] = ["bearer", "value"];

/// Finds the credentials of a tree. References to variables are no secrets.
pub(super) fn places(node: &Node) -> Vec<Place> {
    let nested = node
        .items()
        .iter()
        .chain(node.entries().iter().map(|entry| &entry.value));
    let mut places: Vec<Place> = nested.flat_map(places).collect();
    let literal = |entry: &&Entry| KEYS.contains(&entry.name()) && !entry.value.is_interpolated();
    places.extend(
        node.entries()
            .iter()
            .filter(literal)
            .map(|entry| entry.value.place),
    );
    places
}

/// Finds what may be a credential in a text that is not valid YAML.
pub(super) fn places_in_text(text: &str) -> Vec<Place> {
    let place = |(index, line): (usize, &str)| {
        let (before, after) = KEYS
            .iter()
            .find_map(|key| line.split_once(&format!("{key}:")).zip(Some(key)))
            .map(|((before, after), key)| (before.chars().count() + key.len() + 1, after))?;
        let reference = after.trim_start_matches([' ', '"', '\'']).starts_with("${");
        (!reference).then_some(Place {
            line: index + 1,
            column: before + 1,
            width: usize::MAX,
        })
    };
    text.lines().enumerate().filter_map(place).collect()
}
