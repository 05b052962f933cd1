//! Cards signed by the official SDKs verify; `tests/interop/signatures` makes them anew.

use agent_cards::{Card, Outcome, TrustedKeys, verify};

macro_rules! signed {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../signed/", $name, ".json")))),*]
    };
}

const CARDS: [(&str, &str); 9] = signed![
    "python-1.x-es256",
    "python-1.x-eddsa",
    "python-1.x-ps256",
    "javascript-1.x-es256",
    "javascript-1.x-eddsa",
    "javascript-1.x-ps256",
    "python-0.3-es256",
    "python-0.3-eddsa",
    "python-0.3-ps256",
];

const KEYS: &[u8] = include_bytes!("../signed/jwks.json");

/// Made once by a2a-sdk 1.1.0 for Python: later releases write canonical JSON.
const OLDER: (&str, &[u8]) = (
    include_str!("../signed/python-1.1-es256.json"),
    include_bytes!("../signed/python-1.1-jwks.json"),
);

fn outcome(body: &str, keys: &[u8]) -> Outcome {
    let mut trusted = TrustedKeys::new();
    trusted.add(keys).expect("the keys are a JWK set");
    let card = Card::parse(body.as_bytes()).expect("the card is readable");
    verify(&card, &trusted).outcome().clone()
}

#[test]
fn c085_cards_signed_by_the_official_sdks_verify_and_changed_ones_do_not() {
    for (name, body) in CARDS {
        let expected = if name.starts_with("python-0.3") {
            "legacy-without-empty"
        } else {
            "without-empty"
        };
        match outcome(body, KEYS) {
            Outcome::Valid { form, key, .. } => {
                assert_eq!(form.as_str(), expected, "{name}");
                assert!(name.ends_with(&key.to_lowercase()), "{name} by {key}");
            }
            other => panic!("{name}: {other:?}"),
        }
        let changed = body.replace("Fees", "Fines");
        assert!(
            matches!(outcome(&changed, KEYS), Outcome::Invalid { .. }),
            "{name}"
        );
    }
}

#[test]
fn what_the_sdks_leave_open_is_told() {
    // Both SDKs drop what is empty, and with it that a certificate alone is enough.
    for name in ["python-1.x-es256", "javascript-1.x-es256"] {
        let (_, body) = CARDS
            .iter()
            .find(|(known, _)| *known == name)
            .expect("it is listed");
        let Outcome::Valid { uncovered, .. } = outcome(body, KEYS) else {
            panic!("{name} is not valid");
        };
        for open in ["/securitySchemes/certificate", "/securityRequirements"] {
            assert!(
                uncovered.iter().any(|pointer| pointer == open),
                "{name}: {uncovered:?}"
            );
        }
    }
}

#[test]
fn card_signed_by_an_older_python_sdk_verifies_in_its_escaped_form() {
    let (body, keys) = OLDER;
    let Outcome::Valid { form, .. } = outcome(body, keys) else {
        panic!("{:?}", outcome(body, keys));
    };
    assert_eq!(form.as_str(), "without-empty-escaped");
}
