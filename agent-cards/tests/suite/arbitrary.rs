//! Whatever JSON arrives, reading, checking and publishing it do not panic, and what is
//! published can be read again.

use agent_cards::publish::{self, Federation, Offer, ServedShape, SkillLimits};
use agent_cards::{
    Card, ProtocolVersion, Severity, Shape, TrustedKeys, check, check_registered, convert, diff,
    verify,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::offered;

/// Member names that mean something in a card, in every spelling.
const NAMES: [&str; 34] = [
    "name",
    "description",
    "version",
    "url",
    "preferredTransport",
    "preferred_transport",
    "protocolVersion",
    "protocol_version",
    "additionalInterfaces",
    "supportedInterfaces",
    "supported_interfaces",
    "transport",
    "protocolBinding",
    "tenant",
    "provider",
    "organization",
    "capabilities",
    "streaming",
    "pushNotifications",
    "extensions",
    "uri",
    "required",
    "params",
    "security",
    "securitySchemes",
    "securityRequirements",
    "skills",
    "id",
    "tags",
    "examples",
    "inputModes",
    "default_input_modes",
    "defaultOutputModes",
    "signatures",
];

const TEXTS: [&str; 12] = [
    "",
    "a",
    "JSONRPC",
    "grpc",
    "1.0",
    "0.3.0",
    "-",
    "http://[::]/",
    "https://a.example/x",
    "https://a.example/.well-known/agent.json",
    "host:1",
    "\u{0}é\u{1F600}",
];

fn arbitrary_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(&TEXTS[..]).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 6, |inner| {
        let name = prop_oneof![
            8 => proptest::sample::select(&NAMES[..]).prop_map(str::to_owned),
            1 => any::<String>(),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Objects that are cards often enough: an arbitrary one over the members that make a card.
pub(crate) fn arbitrary_card() -> impl Strategy<Value = Value> {
    let list = || prop::collection::vec(arbitrary_json(), 0..5);
    (arbitrary_json(), list(), list(), any::<bool>()).prop_map(
        |(other, skills, interfaces, current)| {
            let mut card = Map::new();
            card.insert("name".to_owned(), json!("a"));
            card.insert("skills".to_owned(), Value::Array(skills));
            let name = if current {
                "supportedInterfaces"
            } else {
                "additionalInterfaces"
            };
            card.insert(name.to_owned(), Value::Array(interfaces));
            if let Value::Object(other) = other {
                card.extend(other);
            }
            Value::Object(card)
        },
    )
}

fn served_cards(card: &Card) -> Vec<Value> {
    let both = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    let mut served = Vec::new();
    for shape in [ServedShape::V1, ServedShape::Hybrid] {
        for versions in [&both[..], &both[..1], &both[1..]] {
            served.push(publish::agent(card, &offered(shape, versions)));
        }
    }
    served
}

fn federation(card: &Card) -> Value {
    let identity = Federation {
        name: "f".to_owned(),
        description: String::new(),
        version: String::new(),
        provider: None,
        documentation_url: None,
        limits: SkillLimits {
            most: 3,
            bytes: 500,
        },
    };
    let offers = card.skills().iter().map(|skill| Offer {
        agent: "a",
        card,
        skill,
    });
    let options = offered(ServedShape::Hybrid, &[ProtocolVersion::V0_3]);
    publish::federated(&identity, offers, &options).card
}

proptest! {
    #[test]
    fn bytes_never_panic(body in any::<Vec<u8>>()) {
        drop(Card::parse(&body).map(|card| check(&card)));
    }

    #[test]
    fn json_never_panics(value in arbitrary_json()) {
        if let Ok(card) = Card::parse(value.to_string().as_bytes()) {
            drop(check(&card));
            drop(served_cards(&card));
            drop(verify(&card, &TrustedKeys::new()));
            drop(diff(&card, &card));
        }
    }

    #[test]
    fn what_is_published_is_a_card_without_errors(value in arbitrary_card()) {
        let Ok(card) = Card::parse(value.to_string().as_bytes()) else {
            return Ok(());
        };
        let registered = "http://127.0.0.1:9001".parse().unwrap();
        drop(check_registered(&card, &registered));
        let mut served = served_cards(&card);
        served.push(federation(&card));
        for value in served {
            let again = Card::parse(value.to_string().as_bytes()).unwrap();
            let errors: Vec<_> = check(&again)
                .into_iter()
                .filter(|finding| finding.severity == Severity::Error)
                // What the agent leaves unnamed or names twice stays so.
                .filter(|finding| finding.pointer != "/name" && !finding.message.contains("already used"))
                .collect();
            prop_assert!(errors.is_empty(), "{errors:?} in {value}");
            prop_assert!(value.get("signatures").is_none());
            prop_assert_eq!(again.security(), &offered(ServedShape::V1, &[]).security);
        }
    }

    #[test]
    fn what_is_converted_means_the_same_but_for_what_is_named(value in arbitrary_card()) {
        let Ok(card) = Card::parse(value.to_string().as_bytes()) else {
            return Ok(());
        };
        for shape in [Shape::V03, Shape::V1, Shape::Hybrid] {
            let Ok(converted) = convert(&card, shape) else {
                continue;
            };
            let changes = diff(&card, &converted.card);
            prop_assert!(changes.len() <= converted.losses.len(), "{changes:?}");
            let twice = convert(&converted.card, shape).unwrap();
            prop_assert_eq!(twice.card.value(), converted.card.value());
        }
    }
}
