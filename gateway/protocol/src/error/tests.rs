//! The error table and its JSON.

use super::*;

fn rendered(error: &Error) -> Value {
    serde_json::to_value(error).unwrap()
}

#[test]
fn codes_are_those_of_the_specification() {
    let codes: Vec<i32> = ErrorKind::ALL.into_iter().map(ErrorKind::code).collect();
    let expected: Vec<i32> = (-32009..=-32001)
        .rev()
        .chain([-32700, -32600, -32601, -32602, -32603])
        .collect();
    assert_eq!(codes, expected);
    for kind in ErrorKind::ALL {
        assert_eq!(ErrorKind::from_code(i64::from(kind.code())), Some(kind));
        assert_eq!(kind.is_a2a(), kind.code() >= -32009, "{kind:?}");
    }
    assert_eq!(ErrorKind::from_code(-32042), None);
}

#[test]
fn protocol_errors_carry_error_info_first() {
    let error = Error::new(ErrorKind::TaskNotFound, "task `t` not found").with_info(
        GATEWAY_DOMAIN,
        "OWNER_GONE",
        [("agent", "billing")],
    );
    assert_eq!(
        rendered(&error),
        json!({
            "code": -32001,
            "message": "task `t` not found",
            "data": [
                { "@type": ERROR_INFO, "reason": "TASK_NOT_FOUND", "domain": A2A_DOMAIN },
                { "@type": ERROR_INFO, "reason": "OWNER_GONE", "domain": GATEWAY_DOMAIN,
                  "metadata": { "agent": "billing" } },
            ],
        })
    );
}

#[test]
fn given_protocol_info_replaces_the_automatic_one() {
    let error = Error::new(ErrorKind::VersionNotSupported, "no 2.0 here").with_info(
        A2A_DOMAIN,
        "VERSION_NOT_SUPPORTED",
        [("supportedVersions", "0.3,1.0")],
    );
    let data = error.data();
    assert_eq!(data.len(), 1);
    assert_eq!(data[0]["metadata"]["supportedVersions"], "0.3,1.0");
}

#[test]
fn generic_errors_have_data_only_when_there_is_some() {
    let error = Error::new(ErrorKind::Internal, "agent `billing` is down");
    assert_eq!(
        serde_json::to_string(&error).unwrap(),
        r#"{"code":-32603,"message":"agent `billing` is down"}"#
    );
}

#[test]
fn field_violations_share_one_entry() {
    let error = Error::new(ErrorKind::InvalidParams, "two things wrong")
        .field_violation("message.role", "is missing")
        .field_violation("message.parts", "is empty");
    let data = error.data();
    assert_eq!(data.len(), 1);
    assert_eq!(data[0]["@type"], BAD_REQUEST);
    assert_eq!(
        data[0]["fieldViolations"],
        json!([
            { "field": "message.role", "description": "is missing" },
            { "field": "message.parts", "description": "is empty" },
        ])
    );
}
