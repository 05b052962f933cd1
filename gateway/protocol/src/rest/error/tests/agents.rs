//! What agents answer in place of a result.

use super::*;

/// Answers that mean an error with the message `m`: HTTP status, code, body; `INFO` and `ENDINFO` stand around a reason.
const FORMS: &str = r#"
Python and JavaScript 1.x
400 -32002 {"error":{"code":400,"status":"FAILED_PRECONDITION","message":"m","details":[INFO"TASK_NOT_CANCELABLE"ENDINFO]}}
400 -32602 {"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m","details":[INFO"INVALID_PARAMS"ENDINFO]}}
500 -32603 {"error":{"code":500,"status":"INTERNAL","message":"m","details":[INFO"INTERNAL_ERROR"ENDINFO]}}
500 -32603 {"error":{"code":500,"status":"INTERNAL","message":"m","details":[INFO"UNKNOWN_ERROR"ENDINFO]}}
400 -32004 {"error":{"code":400,"status":"FAILED_PRECONDITION","message":"m"}}
Python 0.3 and what its reader in 1.x looks for
404 -32001 {"message":"m"}
409 -32002 {"message":"m"}
501 -32004 {"message":"m"}
422 -32602 {"message":"m"}
500 -32001 {"message":"m","type":"TaskNotFoundError"}
JavaScript 0.3
400 -32004 {"code":-32004,"message":"m","data":{"a":1}}
A JSON-RPC envelope, a class name before the message, a number of gRPC
400 -32003 {"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"m"}}
500 -32003 {"error":{"code":500,"message":"PushNotificationNotSupportedError: m"}}
400 -32001 {"code":5,"message":"m","details":[]}
Problem details
404 -32001 {"type":"https://a2a-protocol.org/errors/task-not-found","title":"Task Not Found","status":404,"detail":"m"}
400 -32602 {"type":"about:blank","title":"m","status":400}
"#;

#[test]
fn forms_of_every_sdk_are_read() {
    let info = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"#;
    let forms = FORMS.replace("INFO\"", &format!("{info}\""));
    let forms = forms.replace("ENDINFO", r#","domain":"a2a-protocol.org","metadata":{}}"#);
    let mut count = 0;
    for row in forms.lines().filter(|row| row.contains(" {")) {
        let mut cells = row.splitn(3, ' ');
        let status = cells.next().unwrap().parse().unwrap();
        let code: i64 = cells.next().unwrap().parse().unwrap();
        let read = read(status, &value(cells.next().unwrap().as_bytes()));
        assert_eq!(read["code"], code, "{row}");
        assert!(read["message"].as_str().unwrap().ends_with('m'), "{read}");
        count += 1;
    }
    assert_eq!(count, 16);
}

#[test]
fn listing_configurations_that_python_lacks_is_unsupported() {
    let list = Operation::ListTaskPushNotificationConfigs;
    let code =
        |body: &[u8]| value(error_from(list, 500, body).object.get().as_bytes())["code"].clone();
    assert_eq!(code(br#"{"message":"unknown exception"}"#), -32004);
    assert_eq!(
        code(br#"{"error":{"code":500,"message":"unknown exception"}}"#),
        -32603
    );
}

#[test]
fn reason_beats_code_beats_name_beats_status() {
    let reason = json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org" }]);
    let foreign = json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "example.org" }]);
    for (body, code) in [
        (
            json!({ "code": -32002, "message": "UnsupportedOperationError: m", "data": reason }),
            -32001,
        ),
        (
            json!({ "code": -32002, "message": "UnsupportedOperationError: m", "data": foreign }),
            -32002,
        ),
        (
            json!({ "code": 415, "message": "UnsupportedOperationError: m" }),
            -32004,
        ),
        (json!({ "code": 415, "message": "m" }), -32005),
    ] {
        assert_eq!(read(415, &body)["code"], code, "{body}");
    }
}

#[test]
fn c063_what_is_no_json_is_named_and_never_quoted() {
    for (status, body, malformed, code) in [
        (502, "<html>secret</html>", Malformed::Html, -32603),
        (500, "", Malformed::Empty, -32603),
        (
            404,
            "Not Found secret",
            Malformed::InvalidJson { line: 1, column: 1 },
            -32004,
        ),
        (405, "{\"detail\":\"secret\"}", Malformed::NoOutcome, -32004),
        (
            500,
            "[\"secret\"]",
            Malformed::NotObject("an array"),
            -32603,
        ),
        (
            500,
            "{\"error\":\"secret\"}",
            Malformed::ErrorNotObject("a string"),
            -32603,
        ),
        (500, "{\"result\":\"secret\"}", Malformed::NoOutcome, -32603),
    ] {
        let error = error_from(Operation::GetTask, status, body.as_bytes());
        match (error.malformed, malformed) {
            (Some(Malformed::InvalidJson { .. }), Malformed::InvalidJson { .. }) => {}
            (found, expected) => assert_eq!(found, Some(expected), "{body}"),
        }
        let object = value(error.object.get().as_bytes());
        assert_eq!(object["code"], code, "{body}");
        let message = object["message"].as_str().unwrap();
        assert!(
            message.contains(&status.to_string()) && !message.contains("secret"),
            "{message}"
        );
    }
}

#[test]
fn answers_are_results_or_errors() {
    let answer = |operation, status, body: &str| match read_answer(
        Version::V1,
        operation,
        status,
        body.as_bytes(),
    ) {
        Ok(Answer::Result(result)) => Ok(result.get().to_owned()),
        Ok(Answer::Error(error)) => Err(value(error.object.get().as_bytes())["code"].clone()),
        Err(malformed) => Err(json!(malformed.to_string())),
    };
    let get = Operation::GetTask;
    assert_eq!(
        answer(get, 201, " {\"id\":\"t\",\"n\":1E2} "),
        Ok("{\"id\":\"t\",\"n\":1E2}".to_owned())
    );
    assert_eq!(
        answer(get, 200, r#"{"error":{"code":-32042,"message":"m"}}"#),
        Err(json!(-32042))
    );
    assert_eq!(answer(get, 404, r#"{"message":"m"}"#), Err(json!(-32001)));
    for (body, what) in [
        ("", "an empty body"),
        ("<p>", "HTML instead of JSON"),
        ("[]", "an array instead of a JSON-RPC object"),
        ("data: {}\n\n", "an event stream instead of JSON"),
    ] {
        assert_eq!(answer(get, 200, body), Err(json!(what)));
    }
    let delete = Operation::DeleteTaskPushNotificationConfig;
    for (status, body) in [(204, ""), (200, "{}"), (200, "null"), (202, "<p>")] {
        assert_eq!(answer(delete, status, body), Ok("null".to_owned()));
    }
    assert_eq!(
        answer(delete, 200, r#"{"error":{"code":-32001}}"#),
        Err(json!(-32001))
    );
}

#[test]
fn bare_lists_are_read_in_the_old_version_only() {
    let list = Operation::ListTaskPushNotificationConfigs;
    assert!(matches!(
        read_answer(Version::V03, list, 200, b"[]"),
        Ok(Answer::Result(_))
    ));
    assert!(read_answer(Version::V1, list, 200, b"[]").is_err());
    let Ok(Answer::Result(nothing)) = read_answer(
        Version::V03,
        Operation::DeleteTaskPushNotificationConfig,
        204,
        b"",
    ) else {
        panic!("no result");
    };
    assert_eq!(nothing.get(), "{}");
}

#[test]
fn deletion_is_the_only_result_with_another_body() {
    let result = RawValue::from_string("null".to_owned()).unwrap();
    for operation in Operation::ALL {
        let is_deletion = operation == Operation::DeleteTaskPushNotificationConfig;
        let expected: &[u8] = if is_deletion { b"{}" } else { b"null" };
        assert_eq!(&*result_body(operation, &result), expected);
    }
}

#[test]
fn streams_end_with_named_and_unnamed_errors() {
    for (name, data, code) in [
        (
            "error",
            r#"{"error":{"code":404,"status":"NOT_FOUND","message":"m"}}"#,
            Some(-32001),
        ),
        (
            "",
            r#"{"error":{"code":-32004,"message":"m"}}"#,
            Some(-32004),
        ),
        ("error", r#"{"code":-32042,"message":"m"}"#, Some(-32042)),
        ("message", r#"{"code":-32001,"message":"m"}"#, Some(-32001)),
        (
            "error",
            r#"{"error":{"code":409,"message":"m"}}"#,
            Some(-32002),
        ),
        ("error", "oops", Some(-32603)),
        ("error", "{}", Some(-32603)),
        ("", r#"{"task":{"id":"t"}}"#, None),
        ("", r#"{"message":{"messageId":"m"}}"#, None),
        ("message", r#"{"statusUpdate":{"taskId":"t"}}"#, None),
        ("", "oops", None),
    ] {
        let error = stream_error(Operation::SubscribeToTask, name, data);
        let found = error.map(|error| value(error.get().as_bytes())["code"].as_i64().unwrap());
        assert_eq!(found, code, "{name} {data}");
    }
}
