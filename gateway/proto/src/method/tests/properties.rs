//! Whatever a peer sends is converted or refused, never a panic, and what was converted once stays as it is.

use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use serde_json::Map;

use super::*;

const NAMES: [&str; 24] = [
    "append",
    "artifact",
    "configuration",
    "content",
    "data",
    "file",
    "fileWithBytes",
    "flows",
    "historyLength",
    "id",
    "message",
    "metadata",
    "parts",
    "raw",
    "role",
    "scopes",
    "securitySchemes",
    "skills",
    "state",
    "status",
    "task",
    "text",
    "timestamp",
    "unheard_of",
];
const TEXTS: [&str; 12] = [
    "",
    "t-1",
    "ROLE_USER",
    "TASK_STATE_WORKING",
    "QUJD",
    "_-8",
    "%",
    "5",
    "2026-11-30T10:20:30.5Z",
    "9999-12-31T23:59:60+23:59",
    "0000-00-00T00:00:00Z",
    "ñ学\u{0}",
];
const NUMBERS: [&str; 10] = [
    "0",
    "-1",
    "1.0",
    "1e2",
    "2147483648",
    "9007199254740993",
    "1e400",
    "-1e-400",
    "184467440737095516160",
    "0.1",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        proptest::sample::select(&TEXTS[..]).prop_map(Value::from),
        proptest::sample::select(&NUMBERS[..]).prop_map(|text| serde_json::from_str(text).unwrap()),
    ];
    leaf.prop_recursive(8, 64, 6, |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::Array),
            3 => hash_map(proptest::sample::select(&NAMES[..]), inner, 0..6).prop_map(|members| {
                Value::Object(members.into_iter().map(|(name, member)| (name.to_owned(), member)).collect::<Map<_, _>>())
            }),
        ]
    })
}

fn messages() -> impl Iterator<Item = &'static MessageType> {
    METHODS
        .iter()
        .flat_map(|method| [&method.request, &method.response])
}

proptest! {
    #[test]
    fn json_is_converted_or_refused(json in any_json()) {
        for message in messages() {
            let Ok(bytes) = message.encode(Json::Tree(&json)) else { continue };
            let mut written = message.decode(&bytes).unwrap().json;
            prop_assert!(message.strip(&mut written).is_empty());
            let again = message.encode(Json::Tree(&written)).unwrap();
            prop_assert_eq!(message.decode(&again).unwrap().json, written);
        }
    }

    #[test]
    fn bytes_are_converted_or_refused(bytes in vec(any::<u8>(), 0..64)) {
        for message in messages() {
            if let Ok(Decoded { json, .. }) = message.decode(&bytes) {
                prop_assert!(message.encode(Json::Tree(&json)).is_ok());
            }
        }
    }

    #[test]
    fn damaged_bytes_are_converted_or_refused(case: proptest::sample::Index, at: proptest::sample::Index, byte: u8) {
        for (service, cases) in ROUND_TRIPS {
            let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
            let case = &cases[case.index(cases.len())];
            let mut bytes = BASE64_STANDARD.decode(case["bytes"].as_str().unwrap()).unwrap();
            if bytes.is_empty() {
                continue;
            }
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let method = Method::of(service, case["rpc"].as_str().unwrap()).unwrap();
            for message in [&method.0.request, &method.0.response] {
                if let Ok(Decoded { json, .. }) = message.decode(&bytes) {
                    prop_assert!(message.encode(Json::Tree(&json)).is_ok(), "{json}");
                }
            }
        }
    }
}
