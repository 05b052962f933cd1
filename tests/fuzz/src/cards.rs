//! Agent cards: what is published for a card that could be read is a card without errors, and stays as it is when it is
//! published again.

use agent_cards::publish::{
    self, Federation, Offer, Publish, PublishedInterface, ServedShape, SkillLimits,
};
use agent_cards::{
    Card, Extension, Finding, InterfaceBinding, ProtocolVersion, Security, Severity, Skill, check,
    check_registered,
};
use serde_json::Value;

use crate::input::tree;

const BOTH: [ProtocolVersion; 2] = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];

/// Reads a card, checks it and publishes it in every form, alone and among others.
///
/// # Panics
/// When a published card has errors, names other addresses than it was told to, or changes when it is published again.
pub fn cards(input: &[u8]) {
    let Ok(card) = Card::parse(input) else {
        return;
    };
    assert_eq!(
        tree(card.value().to_string().as_bytes()).as_ref(),
        Some(card.value())
    );
    let registered = "http://127.0.0.1:9001".parse().expect("a URL");
    assert_eq!(
        count_errors(&check(&card)),
        count_errors(&check_registered(&card, &registered)),
        "the address of the agent makes an error"
    );
    for shape in [ServedShape::V1, ServedShape::Hybrid] {
        for versions in [&BOTH[..], &BOTH[..1], &BOTH[1..]] {
            let options = options(shape, versions);
            let served = publish::agent(&card, &options);
            let again = check_published(&served, &options);
            check_kept(&card, &again);
            assert_eq!(
                publish::agent(&again, &options).to_string(),
                served.to_string()
            );
        }
        check_federated(&card, &options(shape, &BOTH));
    }
}

/// Checks that clients of the gateway read what the agent says of itself.
fn check_kept(card: &Card, served: &Card) {
    let words = |card: &Card| [card.name(), card.description(), card.version()].map(str::to_owned);
    assert_eq!(words(served), words(card));
    assert_eq!(served.skills(), card.skills());
    assert_eq!(served.default_input_modes(), card.default_input_modes());
    assert_eq!(served.default_output_modes(), card.default_output_modes());
}

fn count_errors(findings: &[Finding]) -> usize {
    let is_error = |finding: &&Finding| finding.severity == Severity::Error;
    findings.iter().filter(is_error).count()
}

fn options(shape: ServedShape, versions: &[ProtocolVersion]) -> Publish {
    let interface = |version: &ProtocolVersion| PublishedInterface {
        url: "https://gateway.example/agents/it".to_owned(),
        binding: InterfaceBinding::JsonRpc,
        version: *version,
        tenant: None,
    };
    Publish {
        interfaces: versions.iter().map(interface).collect(),
        shape,
        streaming: true,
        push_notifications: false,
        extended_card: false,
        extensions: vec![Extension {
            uri: "urn:example:routing:1".to_owned(),
            description: None,
            required: false,
        }],
        security: Security::default(),
        original: None,
    }
}

/// Reads a published card as clients do.
fn check_published(served: &Value, options: &Publish) -> Card {
    let card = Card::parse(served.to_string().as_bytes());
    let card = card.unwrap_or_else(|error| panic!("{error} in {served}"));
    let errors: Vec<_> = check(&card)
        .into_iter()
        .filter(|finding| {
            finding.severity == Severity::Error || finding.message.ends_with("is missing")
        })
        // What the agent leaves unnamed or names twice stays so.
        .filter(|finding| finding.pointer != "/name" && !finding.message.contains("already used"))
        .collect();
    assert!(errors.is_empty(), "{errors:?} in {served}");
    for interface in card.interfaces() {
        let is_offered = |offered: &PublishedInterface| {
            (&offered.url, offered.version) == (&interface.url, interface.version)
        };
        assert!(options.interfaces.iter().any(is_offered), "{interface:?}");
    }
    for name in [
        "security",
        "securitySchemes",
        "securityRequirements",
        "signatures",
    ] {
        assert!(served.get(name).is_none(), "{name} is published");
    }
    card
}

/// Publishes a card as that of two agents, whose skills share ids and names.
fn check_federated(card: &Card, options: &Publish) {
    let limits = SkillLimits {
        most: 3,
        bytes: 500,
    };
    let identity = Federation {
        name: "all".to_owned(),
        description: String::new(),
        version: String::new(),
        provider: None,
        documentation_url: None,
        limits,
    };
    let offers: Vec<_> = ["one", "other"]
        .into_iter()
        .flat_map(|agent| {
            let offer = move |skill| Offer { agent, card, skill };
            card.skills().iter().map(offer)
        })
        .collect();
    let count = offers.len();
    let federated = publish::federated(&identity, offers, options);
    let card = check_published(&federated.card, options);
    assert_eq!(federated.skills.len() + federated.left_out, count);
    assert!(federated.skills.len() <= limits.most);
    let ids =
        |skills: &[Skill]| -> Vec<String> { skills.iter().map(|skill| skill.id.clone()).collect() };
    let listed: Vec<_> = federated
        .skills
        .iter()
        .map(|skill| skill.id.clone())
        .collect();
    assert_eq!(ids(card.skills()), listed);
}
