//! Errors of every kind, written and read, and the forms that agents send.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;
use crate::jsonrpc::Malformed;
use crate::rest::{Answer, read_answer, result_body, stream_error};
use crate::{Error, ErrorKind, Operation, Version};

mod agents;

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

fn value(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn read(status: u16, body: &Value) -> Value {
    let error = error_from(Operation::GetTask, status, body.to_string().as_bytes());
    assert_eq!(error.malformed, None, "{body}");
    value(error.object.get().as_bytes())
}

const A2A: [(ErrorKind, u16, &str, u16); 9] = [
    (ErrorKind::TaskNotFound, 404, "NOT_FOUND", 404),
    (
        ErrorKind::TaskNotCancelable,
        400,
        "FAILED_PRECONDITION",
        409,
    ),
    (
        ErrorKind::PushNotificationNotSupported,
        400,
        "FAILED_PRECONDITION",
        501,
    ),
    (
        ErrorKind::UnsupportedOperation,
        400,
        "FAILED_PRECONDITION",
        501,
    ),
    (
        ErrorKind::ContentTypeNotSupported,
        400,
        "INVALID_ARGUMENT",
        415,
    ),
    (ErrorKind::InvalidAgentResponse, 500, "INTERNAL", 502),
    (
        ErrorKind::ExtendedAgentCardNotConfigured,
        400,
        "FAILED_PRECONDITION",
        404,
    ),
    (
        ErrorKind::ExtensionSupportRequired,
        400,
        "FAILED_PRECONDITION",
        400,
    ),
    (
        ErrorKind::VersionNotSupported,
        400,
        "FAILED_PRECONDITION",
        400,
    ),
];

#[test]
fn nine_kinds_have_their_form_in_both_versions() {
    for (kind, http, name, legacy_http) in A2A {
        let error = Error::new(kind, "told");
        let (status, body) = error_body(Version::V1, &error);
        assert_eq!(status, http, "{kind:?}");
        let info = json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": kind.reason(), "domain": "a2a-protocol.org",
        });
        let expected = json!({ "error": { "code": http, "status": name, "message": "told", "details": [info] } });
        assert_eq!(value(&body), expected);

        let (status, body) = error_body(Version::V03, &error);
        assert_eq!(status, legacy_http, "{kind:?}");
        let type_name = crate::rest::status::type_name(kind);
        let expected =
            json!({ "code": kind.code(), "message": "told", "data": [info], "type": type_name });
        assert_eq!(value(&body), expected);
    }
}

#[test]
fn every_kind_is_read_back_in_both_versions() {
    for kind in ErrorKind::ALL {
        let error = Error::new(kind, "told");
        for version in [Version::V1, Version::V03] {
            let (status, body) = error_body(version, &error);
            let back = read(status, &value(&body));
            assert_eq!(back["code"], kind.code(), "{version}");
            assert_eq!(back["message"], "told");
        }
    }
}

#[test]
fn c061_code_message_and_data_pass_in_both_versions() {
    let data = json!([
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "R", "domain": "a2a-protocol.org", "metadata": { "k": "v" } },
        { "@type": "x", "n": 1 },
    ]);
    for code in (-32009..=-32001).chain([-32602, -32042, 7000]) {
        let error = raw(&json!({ "code": code, "message": "said \"so\"", "data": data }));
        for version in [Version::V1, Version::V03] {
            let (status, body) = error_to(version, &error);
            let back = read(status, &value(&body));
            assert_eq!(
                (&back["code"], &back["message"]),
                (&json!(code), &json!("said \"so\"")),
                "{version}"
            );
            let entries = back["data"].as_array().unwrap();
            assert!(
                entries.ends_with(data.as_array().unwrap()),
                "{version} {code} {entries:?}"
            );
            let added = entries.len() - 2;
            assert_eq!(
                added,
                usize::from(version == Version::V1),
                "{version} {code}"
            );
        }
    }
}

#[test]
fn details_that_tell_the_code_stay_alone() {
    let error = Error::new(ErrorKind::VersionNotSupported, "m").with_info(
        crate::error::A2A_DOMAIN,
        "VERSION_NOT_SUPPORTED",
        [("supportedVersions", "0.3,1.0")],
    );
    let body = value(&error_body(Version::V1, &error).1);
    assert_eq!(body["error"]["details"], json!(error.data()));
    let number = RawValue::from_string(
        r#"{"code":-32001,"message":"m","data":[{"@type":"x","n":1E2}]}"#.to_owned(),
    )
    .unwrap();
    let text = String::from_utf8(error_to(Version::V1, &number).1).unwrap();
    assert!(text.ends_with(r#",{"@type":"x","n":1E2}]}}"#), "{text}");
}

#[test]
fn untyped_data_is_wrapped_in_the_new_version_only() {
    for (data, kind) in [
        (json!({ "why": 1 }), "Struct"),
        (json!("text"), "Value"),
        (json!([{ "why": 1 }]), "Value"),
    ] {
        let error = raw(&json!({ "code": -32001, "message": "m", "data": data }));
        let body = value(&error_to(Version::V1, &error).1);
        let wrapped = json!({ "@type": format!("type.googleapis.com/google.protobuf.{kind}"), "value": data });
        assert_eq!(body["error"]["details"][1], wrapped);
        assert_eq!(value(&error_to(Version::V03, &error).1)["data"], data);
    }
}

#[test]
fn odd_error_objects_are_internal_errors() {
    for object in ["{}", r#"{"code":"x","message":1,"data":null}"#] {
        let error = RawValue::from_string(object.to_owned()).unwrap();
        let (status, body) = error_to(Version::V03, &error);
        assert_eq!(status, 500);
        let expected = json!({ "code": -32603, "message": "the agent gave no message", "type": "InternalError" });
        assert_eq!(value(&body), expected);
    }
}

#[test]
fn own_failures_go_out_with_their_own_status() {
    let error = Error::new(ErrorKind::Internal, "agent `a` is down");
    for (status, name) in [
        (405, "UNIMPLEMENTED"),
        (413, "RESOURCE_EXHAUSTED"),
        (401, "UNAUTHENTICATED"),
        (403, "PERMISSION_DENIED"),
        (429, "RESOURCE_EXHAUSTED"),
        (503, "UNAVAILABLE"),
        (504, "DEADLINE_EXCEEDED"),
        (500, "INTERNAL"),
    ] {
        let body = value(&error_body_as(Version::V1, status, &error));
        assert_eq!(
            (&body["error"]["code"], &body["error"]["status"]),
            (&json!(status), &json!(name))
        );
    }
}
