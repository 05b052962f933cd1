//! What queries say, and what is refused.

use serde_json::{Value, json};

use super::*;

fn read(operation: Operation, query: &str) -> Result<Value, Error> {
    let read = Query::read(Version::V1, operation, Some(query))?;
    let members = read
        .members
        .iter()
        .map(|(name, json)| (*name, json.as_str()));
    let text = format!("{{{}}}", join(members));
    Ok(serde_json::from_str(&text).unwrap())
}

#[test]
fn every_parameter_of_a_listing_has_its_type() {
    let query = "contextId=c%201&status=TASK_STATE_INPUT_REQUIRED&pageSize=20&pageToken=a%2Bb&\
                 historyLength=0&statusTimestampAfter=2026-01-31T08:00:00%2B02:00&includeArtifacts=true";
    assert_eq!(
        read(Operation::ListTasks, query).unwrap(),
        json!({
            "contextId": "c 1", "status": "TASK_STATE_INPUT_REQUIRED", "pageSize": 20, "pageToken": "a+b",
            "historyLength": 0, "statusTimestampAfter": "2026-01-31T06:00:00Z", "includeArtifacts": true,
        })
    );
}

#[test]
fn other_spellings_are_understood() {
    for (query, expected) in [
        (
            "page_size=5&include_artifacts=False",
            json!({ "pageSize": 5, "includeArtifacts": false }),
        ),
        ("status=2", json!({ "status": "TASK_STATE_WORKING" })),
        (
            "status=TASK_STATE_CANCELLED",
            json!({ "status": "TASK_STATE_CANCELED" }),
        ),
        ("status=TASK_STATE_UNSPECIFIED&status=0", json!({})),
        ("pageToken=&status=&pageSize=", json!({})),
        ("pageSize=5&page_size=5", json!({ "pageSize": 5 })),
        (
            "status_timestamp_after=2026-01-31T08:00:00+02:00",
            json!({ "statusTimestampAfter": "2026-01-31T06:00:00Z" }),
        ),
        (
            "statusTimestampAfter=2026-01-31T08:00:00",
            json!({ "statusTimestampAfter": "2026-01-31T08:00:00Z" }),
        ),
        ("A2A-Version=1.0&key=secret&&=&%FF=1", json!({})),
    ] {
        assert_eq!(
            read(Operation::ListTasks, query).unwrap(),
            expected,
            "{query}"
        );
    }
}

#[test]
fn unusable_values_are_refused_by_name() {
    for (query, name) in [
        ("pageSize=ten", "pageSize"),
        ("page_size=3000000000", "pageSize"),
        ("historyLength=1.5", "historyLength"),
        ("includeArtifacts=yes", "includeArtifacts"),
        ("status=TASK_STATE_NEW", "status"),
        ("status=TASK_STATE_WORKING,TASK_STATE_FAILED", "status"),
        ("statusTimestampAfter=yesterday", "statusTimestampAfter"),
        ("contextId=%FF", "contextId"),
        ("pageSize=5&pageSize=6", "pageSize"),
    ] {
        let error = read(Operation::ListTasks, query).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidParams, "{query}");
        assert!(error.message.starts_with(&format!("`{name}` ")), "{error}");
        assert_eq!(error.data()[0]["fieldViolations"][0]["field"], name);
    }
}

#[test]
fn operations_take_their_own_parameters_alone() {
    let query = "historyLength=3&pageSize=2&configId=c&status=x";
    for (operation, expected) in [
        (Operation::GetTask, json!({ "historyLength": 3 })),
        (
            Operation::ListTaskPushNotificationConfigs,
            json!({ "pageSize": 2 }),
        ),
        (Operation::CreateTaskPushNotificationConfig, json!({})),
        (Operation::SendMessage, json!({})),
    ] {
        assert_eq!(read(operation, query).unwrap(), expected, "{operation}");
    }
    let create = Operation::CreateTaskPushNotificationConfig;
    let old = Query::read(Version::V03, create, Some("config_id=c&tenant=x")).unwrap();
    assert_eq!(
        (old.tenant, old.members),
        (None, vec![("configId", "\"c\"".to_owned())])
    );
}
