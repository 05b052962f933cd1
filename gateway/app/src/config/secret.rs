//! The places of credentials written into the file, which no report may repeat.

use super::{
    report::Place,
    tree::{Entry, Node},
};

/// The keys whose values are credentials.
const KEYS: [&str; 2] = ["bearer", "value"];

/// Finds the credentials of a file that was read as this tree. References to variables are no secrets.
pub(super) fn places(text: &str, root: &Node) -> Vec<Place> {
    let mut places = places_in(root);
    places.extend(in_addresses(text));
    places
}

fn places_in(node: &Node) -> Vec<Place> {
    let nested = node
        .items()
        .iter()
        .chain(node.entries().iter().map(|entry| &entry.value));
    let mut places: Vec<Place> = nested.flat_map(places_in).collect();
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
    let numbered = text.lines().enumerate();
    numbered
        .filter_map(|(index, line)| place_in_line(index + 1, line))
        .chain(in_addresses(text))
        .collect()
}

/// Finds user and password of each address in a text.
fn in_addresses(text: &str) -> impl Iterator<Item = Place> {
    let numbered = text.lines().enumerate();
    numbered.flat_map(|(index, line)| {
        let schemes = line.match_indices("://");
        schemes.filter_map(move |(at, scheme)| {
            let (before, rest) = line.split_at_checked(at + scheme.len())?;
            let address = rest.split([' ', '\t', '"', '\'']).next()?;
            let (login, _host) = address.rsplit_once('@')?;
            Some(Place {
                line: index + 1,
                column: before.chars().count() + 1,
                width: login.chars().count(),
            })
        })
    })
}

fn place_in_line(number: usize, line: &str) -> Option<Place> {
    let split = |key: &str| {
        let (before, after) = line.split_once(key)?;
        let value = after
            .trim_start_matches(['"', '\'', ' '])
            .strip_prefix(':')?;
        let is_reference = value.trim_start_matches([' ', '"', '\'']).starts_with("${");
        (!is_reference).then_some(before.chars().count() + key.len())
    };
    let end_of_key = KEYS.into_iter().filter_map(split).min()?;
    Some(Place {
        line: number,
        column: end_of_key + 2,
        width: usize::MAX,
    })
}
