use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::*;

const ROUND_TRIPS: [(Service, &str); 2] = [
    (Service::V1, include_str!("../../tests/round_trips/v1.json")),
    (
        Service::V03,
        include_str!("../../tests/round_trips/v03.json"),
    ),
];

/// Compares with what the official SDK's protobuf library makes of realistic objects.
#[test]
fn json_and_bytes_equal_those_of_the_official_sdk() {
    for (service, cases) in ROUND_TRIPS {
        let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
        assert!(cases.len() > 10);
        for case in &cases {
            let name = format!("{service}: {}", case["name"]);
            let method = Method::of(service, case["rpc"].as_str().unwrap()).unwrap();
            let message = match case["side"].as_str().unwrap() {
                "request" => &method.0.request,
                "response" => &method.0.response,
                other => panic!("{name}: side `{other}`"),
            };
            let theirs = BASE64_STANDARD
                .decode(case["bytes"].as_str().unwrap())
                .unwrap();
            let ours = message.encode(Json::Tree(&case["given"])).unwrap();
            let text = message
                .encode(Json::Text(&case["given"].to_string()))
                .unwrap();

            assert_eq!(
                message.decode(&theirs).unwrap().json,
                case["printed"],
                "{name}: their bytes"
            );
            assert_eq!(
                message.decode(&ours).unwrap().json,
                case["printed"],
                "{name}: our bytes"
            );
            assert_eq!(
                message.decode(&text).unwrap().json,
                case["printed"],
                "{name}: our bytes from text"
            );
            // Maps have no order, so only their length is bound to be the same.
            assert_eq!(ours.len(), theirs.len(), "{name}: length of the bytes");
        }
    }
}

#[test]
fn every_rpc_of_both_services_is_found_by_path_and_by_name() {
    assert_eq!(Method::all().count(), 21);
    for method in Method::all() {
        assert_eq!(Method::of_path(method.path()), Some(method));
        assert_eq!(Method::of(method.service(), method.rpc()), Some(method));
    }
    let send = Method::of_path("/lf.a2a.v1.A2AService/SendMessage").unwrap();
    assert_eq!((send.service(), send.rpc()), (Service::V1, "SendMessage"));
    assert_eq!(
        Method::of(Service::V03, "GetAgentCard").unwrap().path(),
        "/a2a.v1.A2AService/GetAgentCard"
    );
}

#[test]
fn other_paths_and_names_are_not_found() {
    for path in [
        "",
        "/",
        "/lf.a2a.v1.A2AService/",
        "lf.a2a.v1.A2AService/GetTask",
        "/a2a.v1.A2AService/ListTasks",
    ] {
        assert_eq!(Method::of_path(path), None, "{path}");
    }
    assert_eq!(Method::of(Service::V03, "SubscribeToTask"), None);
}

#[test]
fn only_the_two_streams_of_each_service_stream() {
    let streaming: Vec<_> = Method::all()
        .filter(|method| method.server_streaming())
        .map(Method::rpc)
        .collect();
    assert_eq!(
        streaming,
        [
            "SendStreamingMessage",
            "SubscribeToTask",
            "SendStreamingMessage",
            "TaskSubscription"
        ]
    );
}

#[test]
fn a_request_is_not_read_as_the_response() {
    let cancel = Method::of(Service::V1, "CancelTask").unwrap();
    let bytes = cancel.request_from_json(&json!({"id": "t-1"})).unwrap();
    assert_eq!(
        cancel.request_to_json(&bytes).unwrap().json,
        json!({"id": "t-1"})
    );
    assert_eq!(
        cancel.response_to_json(&bytes).unwrap().json,
        json!({"contextId": "t-1"})
    );
}

#[test]
fn an_empty_response_may_be_null_or_any_object() {
    let delete = Method::of(Service::V1, "DeleteTaskPushNotificationConfig").unwrap();
    for given in [json!(null), json!({}), json!({"ok": true})] {
        assert!(delete.response_from_json(&given).unwrap().is_empty());
    }
    assert_eq!(delete.response_to_json(b"").unwrap().json, json!({}));
}

mod properties;
