//! Where the card of an agent may be, most specific place first.

use gateway_core::agent::AgentSpec;
use url::Url;

/// The well-known names, the current one first; the second is from before 0.3.
const NAMES: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// Returns the places to look at, in order, each once. Queries and credentials in the registered address
/// stay.
pub(super) fn of(agent: &AgentSpec) -> Vec<Url> {
    if let Some(exact) = &agent.card.url {
        return vec![exact.clone()];
    }
    let at = |path: &str| {
        let mut place = agent.url.clone();
        place.set_path(path);
        place.set_fragment(None);
        place
    };
    let path = agent.url.path().trim_end_matches('/');
    let mut places = if path.ends_with(".json") {
        vec![at(path)]
    } else {
        NAMES
            .iter()
            .map(|name| at(&format!("{path}{name}")))
            .collect()
    };
    for place in NAMES.map(at) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::{guard::shown, tests::agent};

    fn places(url: &str) -> Vec<String> {
        of(&agent(url)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn c002_most_specific_place_comes_first() {
        let expected = [
            "http://m/t/abc/.well-known/agent-card.json",
            "http://m/t/abc/.well-known/agent.json",
            "http://m/.well-known/agent-card.json",
            "http://m/.well-known/agent.json",
        ];
        assert_eq!(places("http://m/t/abc"), expected);
        assert_eq!(places("http://m/t/abc/"), expected);
    }

    #[test]
    fn c001_origin_has_two_places_only() {
        let expected = [
            "http://m/.well-known/agent-card.json",
            "http://m/.well-known/agent.json",
        ];
        assert_eq!(places("http://m"), expected);
    }

    #[test]
    fn an_address_of_a_card_is_tried_as_it_is() {
        assert_eq!(
            places("http://m/x/card.json").first().unwrap(),
            "http://m/x/card.json"
        );
        let registered = "http://m/.well-known/agent.json";
        assert_eq!(
            places(registered),
            [registered, "http://m/.well-known/agent-card.json"]
        );
    }

    #[test]
    fn a_configured_place_is_the_only_one() {
        let mut agent = agent("http://m/a2a");
        agent.card.url = Some("http://cards/x?key=1".parse().unwrap());
        assert_eq!(of(&agent), [agent.card.url.clone().unwrap()]);
    }

    #[test]
    fn secrets_of_the_address_are_used_but_not_shown() {
        let place = of(&agent("http://user:word@m/a?token=t#x")).remove(0);
        assert_eq!(
            place.as_str(),
            "http://user:word@m/a/.well-known/agent-card.json?token=t"
        );
        assert_eq!(
            shown(&place).as_str(),
            "http://m/a/.well-known/agent-card.json"
        );
    }
}
