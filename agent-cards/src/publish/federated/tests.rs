//! The federated card: names, limits, union of modes.

use super::super::{PublishedInterface, ServedShape};
use super::*;
use crate::{InterfaceBinding, ProtocolVersion, Security, check};

fn card(name: &str, skills: &Value) -> Card {
    let card = json!({"name": name, "url": "http://10.0.0.7", "skills": skills, "x": 1,
        "defaultInputModes": ["text/plain", "application/pdf"]});
    Card::parse(card.to_string().as_bytes()).unwrap()
}

fn offers<'a>(agents: &'a [(&'a str, Card)]) -> Vec<Offer<'a>> {
    let of_agent = |(agent, card): &'a (&'a str, Card)| {
        card.skills()
            .iter()
            .map(move |skill| Offer { agent, card, skill })
    };
    agents.iter().flat_map(of_agent).collect()
}

fn publish(agents: &[(&str, Card)], limits: SkillLimits) -> FederatedCard {
    let identity = Federation {
        name: "University".to_owned(),
        description: "All agents.".to_owned(),
        version: "7".to_owned(),
        provider: Some(Provider {
            organization: "UNED".to_owned(),
            url: "https://uni.example".to_owned(),
        }),
        documentation_url: Some("https://uni.example/docs".to_owned()),
        limits,
    };
    let options = Publish {
        interfaces: vec![PublishedInterface {
            url: "https://gateway.example/a2a".to_owned(),
            binding: InterfaceBinding::JsonRpc,
            version: ProtocolVersion::V1_0,
            tenant: None,
        }],
        shape: ServedShape::V1,
        streaming: true,
        push_notifications: false,
        extended_card: false,
        extensions: Vec::new(),
        security: Security::default(),
        original: None,
    };
    federated(&identity, offers(agents), &options)
}

fn column(published: &FederatedCard, name: &str) -> Vec<String> {
    let skills = published.card["skills"].as_array().unwrap();
    let text = |skill: &Value| skill[name].as_str().unwrap().to_owned();
    skills.iter().map(text).collect()
}

fn skills(ids: &[&str]) -> Value {
    ids.iter()
        .map(|id| json!({"id": id, "name": "Ask", "tags": []}))
        .collect()
}

#[test]
fn skills_of_all_agents_are_listed_under_their_agents() {
    let agents = [
        (
            "pay",
            card(
                "Payments",
                &json!([{"id": "refund", "description": "d", "tags": ["t"], "examples": ["e"], "x": 1}]),
            ),
        ),
        (
            "help",
            card(
                "Help",
                &json!([{"id": "any", "outputModes": ["image/png"]}]),
            ),
        ),
    ];
    let published = publish(&agents, SkillLimits::default());
    assert_eq!(
        published.card["skills"][0],
        json!({"id": "pay.refund", "name": "refund", "description": "d", "tags": ["t"], "examples": ["e"],
            "inputModes": ["text/plain", "application/pdf"], "outputModes": ["text/plain"]})
    );
    assert_eq!(column(&published, "id"), ["pay.refund", "help.any"]);
    assert_eq!(published.skills[1].agent, "help");
    assert_eq!(published.skills[1].skill, "any");
    assert_eq!(
        published.card["defaultInputModes"],
        json!(["text/plain", "application/pdf"])
    );
    assert_eq!(
        published.card["defaultOutputModes"],
        json!(["text/plain", "image/png"])
    );
    assert_eq!(published.left_out, 0);
}

#[test]
fn identifiers_are_unique_whatever_agents_call_their_skills() {
    let agents = [
        ("a", card("A", &skills(&["b.c", "x", "x", "x-2"]))),
        ("a.b", card("AB", &skills(&["c"]))),
    ];
    let published = publish(&agents, SkillLimits::default());
    assert_eq!(
        column(&published, "id"),
        ["a.b.c", "a.x", "a.x-2", "a.x-2-2", "a.b.c-2"]
    );
}

#[test]
fn shared_names_are_told_apart_by_agent_then_by_identifier() {
    let agents = [
        ("one", card("Same", &skills(&["x"]))),
        ("two", card("Same", &skills(&["x"]))),
        ("three", card("Other", &skills(&["x"]))),
    ];
    let published = publish(&agents, SkillLimits::default());
    assert_eq!(
        column(&published, "name"),
        ["Ask (one.x)", "Ask (two.x)", "Ask (Other)"]
    );
}

#[test]
fn names_that_look_like_what_tells_others_apart_are_told_apart_too() {
    let named = |names: &[&str]| -> Value {
        let skills = names.iter().enumerate();
        skills
            .map(|(id, name)| json!({"id": id.to_string(), "name": name, "tags": []}))
            .collect()
    };
    let agents = [
        (
            "a",
            card("Same", &named(&["Ask", "Ask (b.0)", "Ask (b.0) 2"])),
        ),
        ("b", card("Same", &named(&["Ask"]))),
    ];
    let published = publish(&agents, SkillLimits::default());
    assert_eq!(
        column(&published, "name"),
        ["Ask (a.0)", "Ask (b.0)", "Ask (b.0) 2", "Ask (b.0) 3"]
    );
}

#[test]
fn agents_take_turns_when_not_every_skill_fits() {
    let agents = [
        ("big", card("Big", &skills(&["1", "2", "3", "4"]))),
        ("small", card("Small", &skills(&["1"]))),
    ];
    let published = publish(
        &agents,
        SkillLimits {
            most: 3,
            ..SkillLimits::default()
        },
    );
    assert_eq!(column(&published, "id"), ["big.1", "big.2", "small.1"]);
    assert_eq!(published.left_out, 2);
}

#[test]
fn skill_too_large_is_left_out_whole_and_the_rest_stays() {
    let long = "x".repeat(2_000);
    let agents = [(
        "a",
        card(
            "A",
            &json!([{"id": "long", "description": long}, {"id": "short"}]),
        ),
    )];
    let limits = SkillLimits {
        bytes: 1_000,
        ..SkillLimits::default()
    };
    let published = publish(&agents, limits);
    assert_eq!(column(&published, "id"), ["a.short"]);
    assert_eq!(published.left_out, 1);
    assert!(published.card["skills"].to_string().len() <= 1_000);
}

#[test]
fn skills_without_a_place_are_not_written() {
    let large =
        json!([{ "id": "large", "name": "l", "description": "x".repeat(5000), "tags": [] }]);
    let agents = [
        ("a", card("A", &large)),
        ("b", card("B", &skills(&["one", "two", "three"]))),
        ("c", card("C", &skills(&["one", "two", "three"]))),
    ];
    let written = std::cell::RefCell::new(Vec::new());
    let write = |index| {
        written.borrow_mut().push(index);
        json!({ "id": index })
    };
    let limits = SkillLimits {
        most: 3,
        bytes: 4096,
    };
    let entries = within(limits, &offers(&agents), &write);
    assert_eq!(written.into_inner(), [1, 4, 2]);
    assert_eq!(entries.iter().flatten().count(), 3);
}

#[test]
fn federation_without_skills_is_still_a_readable_card() {
    let published = publish(&[], SkillLimits::default());
    assert_eq!(published.card["skills"], json!([]));
    assert_eq!(published.card["defaultInputModes"], json!(["text/plain"]));
    let card = Card::parse(published.card.to_string().as_bytes()).unwrap();
    let pointers: Vec<String> = check(&card)
        .into_iter()
        .map(|finding| finding.pointer)
        .collect();
    assert_eq!(pointers, ["/skills"]);
}
