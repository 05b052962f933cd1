//! Errors: nine A2A codes and the generic ones, both ways.

use super::*;
use crate::{ErrorKind, Version};

#[test]
fn code_and_message_stay_and_an_error_info_is_added() {
    for kind in ErrorKind::ALL {
        let old = read(&format!(r#"{{"code":{},"message":"no"}}"#, kind.code()));
        let new = error(&old, Version::V03, Version::V1);
        assert_eq!(
            (&new["code"], &new["message"]),
            (&old["code"], &old["message"])
        );
        if kind.is_a2a() {
            assert_eq!(new["data"][0]["reason"], kind.reason());
            assert_eq!(new["data"][0]["domain"], "a2a-protocol.org");
        } else {
            assert!(new.get("data").is_none(), "{new}");
        }
        assert_eq!(error(&new, Version::V1, Version::V03), new);
        assert_eq!(error(&old, Version::V03, Version::V03), old);
    }
}

#[test]
fn free_data_becomes_a_typed_detail() {
    for (data, expected) in [
        (
            r#""why""#,
            r#"[{"@type":"type.googleapis.com/google.protobuf.Value","value":"why"}]"#,
        ),
        (
            r#"[1]"#,
            r#"[{"@type":"type.googleapis.com/google.protobuf.Value","value":[1]}]"#,
        ),
        (
            r#"{"a":1}"#,
            r#"[{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"a":1}}]"#,
        ),
        (r#"[{"@type":"t/x","a":1}]"#, r#"[{"@type":"t/x","a":1}]"#),
    ] {
        let old = read(&format!(
            r#"{{"code":-32603,"message":"no","data":{data}}}"#
        ));
        let new = error(&old, Version::V03, Version::V1);
        assert_eq!(new["data"], read(expected), "{data}");
    }
}

#[test]
fn an_error_info_is_not_repeated() {
    let info =
        r#"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d"}]"#;
    let old = read(&format!(
        r#"{{"code":-32001,"message":"no","data":{info}}}"#
    ));
    assert_eq!(error(&old, Version::V03, Version::V1)["data"], read(info));
}

#[test]
fn broken_errors_become_internal_ones() {
    for text in ["null", "[]", "{}", r#"{"code":"x","message":1}"#] {
        let converted = error(&read(text), Version::V03, Version::V1);
        let expected = r#"{"code":-32603,"message":"the agent gave no message"}"#;
        assert_eq!(converted, read(expected), "{text}");
    }
    let own = read(r#"{"code":-32050,"message":"mine","data":null}"#);
    let expected = read(r#"{"code":-32050,"message":"mine"}"#);
    assert_eq!(error(&own, Version::V1, Version::V03), expected);
}
