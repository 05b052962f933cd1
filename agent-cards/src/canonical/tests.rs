//! The canonical forms against the specification, RFC 8785 and a second implementation of it.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn card(value: &Value) -> Card {
    Card::parse(value.to_string().as_bytes()).unwrap()
}

fn written(value: &Value, form: CanonicalForm) -> String {
    String::from_utf8(canonicalize(&card(value), form).unwrap()).unwrap()
}

#[test]
fn c085_example_of_the_specification_gives_its_bytes() {
    let example = json!({
        "name": "Example Agent", "description": "",
        "capabilities": {"streaming": false, "pushNotifications": false, "extensions": []},
        "skills": [],
    });
    assert_eq!(
        written(&example, CanonicalForm::Specification),
        r#"{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}"#
    );
}

#[test]
fn required_members_that_the_card_leaves_out_can_be_filled_in() {
    let sparse = json!({
        "name": "a", "supportedInterfaces": [{"url": "https://a.example"}],
        "skills": [{"id": "s", "securityRequirements": [{"schemes": {"o": {}}}]}],
    });
    assert_eq!(
        written(&sparse, CanonicalForm::RequiredFilled),
        concat!(
            r#"{"capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],"description":"","name":"a","#,
            r#""skills":[{"description":"","id":"s","name":"","securityRequirements":[{"schemes":{"o":{}}}],"tags":[]}],"#,
            r#""supportedInterfaces":[{"protocolBinding":"","protocolVersion":"","url":"https://a.example"}],"version":""}"#
        )
    );
}

#[test]
fn presence_decides_what_is_written_of_each_member() {
    let rich = json!({
        "name": "a", "provider": {"url": "", "organization": "", "x": 1}, "documentationUrl": "", "iconUrl": null,
        "supportedInterfaces": [{"url": "u", "protocolBinding": "JSONRPC", "protocol_version": "1.0", "tenant": ""}],
        "url": "legacy", "x-unknown": true, "signatures": [{}],
        "capabilities": {"streaming": false, "x": 1, "extensions": [
            {"uri": "urn:x", "required": false, "params": {"empty": "", "null": null}}]},
        "securitySchemes": {"m_tls": {"type": "mutualTLS", "mtlsSecurityScheme": {"description": ""}}, "o":
            {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": "t", "scopes": {}, "refreshUrl": ""}}}}},
        "securityRequirements": [{"schemes": {"o": {"list": []}}}],
        "skills": [{"id": "s", "examples": [], "tags": [], "security": []}],
    });
    assert_eq!(
        written(&rich, CanonicalForm::Specification),
        concat!(
            r#"{"capabilities":{"extensions":[{"params":{"empty":"","null":null},"uri":"urn:x"}],"streaming":false},"#,
            r#""documentationUrl":"","name":"a","provider":{"organization":"","url":""},"#,
            r#""securityRequirements":[{"schemes":{"o":{}}}],"securitySchemes":{"m_tls":{"mtlsSecurityScheme":{}},"#,
            r#""o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"scopes":{},"tokenUrl":"t"}}}}},"#,
            r#""skills":[{"id":"s","tags":[]}],"#,
            r#""supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"u"}]}"#
        )
    );
    assert_eq!(
        written(&rich, CanonicalForm::WithoutEmpty),
        concat!(
            r#"{"capabilities":{"extensions":[{"uri":"urn:x"}],"streaming":false},"name":"a","#,
            r#""securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"t"}}}}},"#,
            r#""skills":[{"id":"s"}],"#,
            r#""supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"u"}]}"#
        )
    );
}

#[test]
fn legacy_form_leaves_out_the_defaults_of_0_3() {
    let legacy = json!({
        "name": "caf\u{e9}", "description": "", "url": "https://a.example", "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0", "version": "1", "supportedInterfaces": [{"url": "https://b.example"}],
        "capabilities": {"streaming": false}, "security": [{"k": []}, {"o": ["s"]}],
        "securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}}, "skills": [],
    });
    assert_eq!(
        written(&legacy, CanonicalForm::LegacyWithoutEmpty),
        concat!(
            r#"{"capabilities":{"streaming":false},"name":"caf\u00e9","security":[{"o":["s"]}],"#,
            r#""securitySchemes":{"k":{"in":"header","name":"X-Key"}},"url":"https://a.example","version":"1"}"#
        )
    );
}

#[test]
fn form_as_received_keeps_everything_but_the_signatures() {
    let odd = json!({"name": "a", "url": "u", "x": {"b": 1.0, "a": null}, "signatures": [1]});
    assert_eq!(
        written(&odd, CanonicalForm::AsReceived),
        r#"{"name":"a","url":"u","x":{"a":null,"b":1}}"#
    );
}

#[test]
fn numbers_are_written_as_in_rfc_8785_appendix_b() {
    let samples: [(u64, &str); 24] = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, expected) in samples {
        let text = format!("{:e}", f64::from_bits(bits));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(jcs(&value).unwrap(), expected.as_bytes(), "{text}");
    }
}

#[test]
fn names_and_strings_are_written_as_in_rfc_8785_section_3_2() {
    let example: Value = serde_json::from_str(
        r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#,
    )
    .unwrap();
    assert_eq!(
        String::from_utf8(jcs(&example).unwrap()).unwrap(),
        concat!(
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
            "\"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
        )
    );
    let names: Value = serde_json::from_str(
        r#"{"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7}"#,
    )
    .unwrap();
    let text = String::from_utf8(jcs(&names).unwrap()).unwrap();
    let order: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
    // The name `1` and its value are both digits.
    assert_eq!(order, ['2', '1', '4', '6', '7', '1', '5', '3']);
}

#[test]
fn number_beyond_a_double_has_no_canonical_form() {
    let body = br#"{"name": "a", "url": "u", "x": 1e999}"#;
    let card = Card::parse(body).unwrap();
    let error = canonicalize(&card, CanonicalForm::AsReceived).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the card has no canonical form: "),
        "{error}"
    );
}

#[test]
fn what_a_form_does_not_cover_is_listed() {
    let hybrid = card(&json!({
        "name": "a", "url": "https://a.example", "x-note": 1, "x-empty": [], "skills": [],
        "supportedInterfaces": [{"url": "https://a.example", "protocolVersion": "1.0", "x/y": "z"}],
        "securityRequirements": [{"schemes": {"o": {"list": []}}}],
        "capabilities": {"extensions": [{"uri": "urn:x", "required": false, "params": {"n": 1.0}}]},
    }));
    let missing = |form| {
        let signed: Value = serde_json::from_slice(&canonicalize(&hybrid, form).unwrap()).unwrap();
        uncovered(hybrid.members(), signed.as_object().unwrap())
    };
    assert_eq!(missing(CanonicalForm::AsReceived), [""; 0]);
    assert_eq!(
        missing(CanonicalForm::Specification),
        ["/url", "/x-note", "/supportedInterfaces/0/x~1y"]
    );
    assert_eq!(
        missing(CanonicalForm::WithoutEmpty),
        [
            "/url",
            "/x-note",
            "/supportedInterfaces/0/x~1y",
            "/securityRequirements"
        ]
    );
}

fn arbitrary_json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |double| double.is_finite())
            .prop_map(|double| format!("{double:e}")),
        (any::<i32>(), -290..290_i32)
            .prop_map(|(digits, exponent)| format!("{digits}.5E{exponent}")),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number.prop_map(|text| serde_json::from_str(&text).unwrap()),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::hash_map(any::<String>(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn two_implementations_of_rfc_8785_agree(value in arbitrary_json()) {
        // The second one knows numbers as doubles only, so it is handed those.
        let second = serde_jcs::to_vec(&doubles(&value)).unwrap();
        prop_assert_eq!(jcs(&value).unwrap(), second);
    }

    #[test]
    fn canonical_bytes_are_their_own_canonical_form(value in arbitrary_json()) {
        let once = jcs(&value).unwrap();
        let again: Value = serde_json::from_slice(&once).unwrap();
        prop_assert_eq!(jcs(&again).unwrap(), once);
    }
}

/// JSON whose numbers are doubles.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Doubles {
    Plain(Value),
    Number(f64),
    List(Vec<Self>),
    Members(std::collections::BTreeMap<String, Self>),
}

fn doubles(value: &Value) -> Doubles {
    match value {
        Value::Number(number) => Doubles::Number(number.as_str().parse().unwrap()),
        Value::Array(entries) => Doubles::List(entries.iter().map(doubles).collect()),
        Value::Object(members) => Doubles::Members(
            members
                .iter()
                .map(|(name, value)| (name.clone(), doubles(value)))
                .collect(),
        ),
        other => Doubles::Plain(other.clone()),
    }
}
