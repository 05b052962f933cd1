//! Push configurations, alone and in lists.

use super::*;
use Operation::{
    CreateTaskPushNotificationConfig as Create, DeleteTaskPushNotificationConfig as Delete,
    GetTaskPushNotificationConfig as Get, ListTaskPushNotificationConfigs as List,
};

const OLD: &str = r#"{"taskId":"t-1","pushNotificationConfig":{"id":"p1","url":"https://hook.example/p",
    "token":"tk","authentication":{"schemes":["Bearer"],"credentials":"cr"}}}"#;
const NAMED: &str = r#"{"name":"tasks/t-1/pushNotificationConfigs/p1","pushNotificationConfig":
    {"id":"p1","url":"https://hook.example/p",
    "token":"tk","authentication":{"schemes":["Bearer"],"credentials":"cr"}}}"#;
const NEW: &str = r#"{"taskId":"t-1","id":"p1","url":"https://hook.example/p",
    "token":"tk","authentication":{"scheme":"Bearer","credentials":"cr"}}"#;

#[test]
fn c028_a_registration_changes_shape() {
    let request = format!(r#"{{"parent":"tasks/t-1","configId":"p1","config":{NAMED}}}"#);
    assert_same_params(Create, [OLD, &request, NEW]);
    assert_same_result(Create, [OLD, NAMED, NEW]);
    assert_same_result(Get, [OLD, NAMED, NEW]);
}

#[test]
fn c028_references_change_shape() {
    let forms = [
        r#"{"id":"t-1","pushNotificationConfigId":"p1"}"#,
        r#"{"name":"tasks/t-1/pushNotificationConfigs/p1"}"#,
        r#"{"taskId":"t-1","id":"p1"}"#,
    ];
    assert_same_params(Get, forms);
    assert_same_params(Delete, forms);
    assert_same_params(
        List,
        [
            r#"{"id":"t-1"}"#,
            r#"{"parent":"tasks/t-1"}"#,
            r#"{"taskId":"t-1"}"#,
        ],
    );
}

#[test]
fn c028_of_several_schemes_the_first_is_kept() {
    let old = r#"{"taskId":"t","pushNotificationConfig":{"url":"https://h.example","authentication":
        {"schemes":["Bearer","Basic","Digest"],"credentials":"c"}}}"#;
    let mut losses = Losses::default();
    let new = Translator::new(V03, V1)
        .params(Create, read(old), &mut losses)
        .unwrap();
    assert_eq!(
        new["authentication"],
        read(r#"{"scheme":"Bearer","credentials":"c"}"#)
    );
    assert_eq!(losses.count(Loss::ExtraAuthenticationSchemes), 2);
    let (proto, lost) = params(Create, (V03, V03Proto), old);
    let schemes = &proto["config"]["pushNotificationConfig"]["authentication"]["schemes"];
    assert_eq!((schemes.as_array().unwrap().len(), lost), (3, vec![]));
}

#[test]
fn no_scheme_is_an_empty_list() {
    let old = r#"{"taskId":"t","pushNotificationConfig":{"url":"https://h.example","authentication":{"schemes":[]}}}"#;
    let new = r#"{"taskId":"t","url":"https://h.example","authentication":{}}"#;
    assert_eq!(params(Create, (V03, V1), old), (read(new), vec![]));
    assert_eq!(params(Create, (V1, V03), new), (read(old), vec![]));
}

#[test]
fn all_forms_of_a_rest_registration_are_read() {
    let inner = r#""url":"https://h.example","id":"p1""#;
    let expected = read(
        r#"{"parent":"tasks/t-1","configId":"p1","config":{"name":"tasks/t-1/pushNotificationConfigs/p1",
            "pushNotificationConfig":{"id":"p1","url":"https://h.example"}}}"#,
    );
    for body in [
        format!(r#"{{"parent":"tasks/t-1",{inner}}}"#),
        format!(r#"{{"parent":"tasks/t-1","config":{{{inner}}}}}"#),
        format!(r#"{{"parent":"tasks/t-1","pushNotificationConfig":{{{inner}}}}}"#),
        format!(
            r#"{{"parent":"tasks/t-1","config_id":"p1","config":{{"push_notification_config":{{{inner}}}}}}}"#
        ),
        format!(
            r#"{{"config":{{"name":"tasks/t-1/pushNotificationConfigs/p1","pushNotificationConfig":{{{inner}}}}}}}"#
        ),
    ] {
        for (to, expected) in [
            (V1, read(&format!(r#"{{"taskId":"t-1",{inner}}}"#))),
            (V03Proto, expected.clone()),
        ] {
            assert_eq!(
                params(Create, (V03Proto, to), &body),
                (expected, vec![]),
                "{body}"
            );
        }
    }
}

#[test]
fn a_registration_without_an_id_is_named_after_its_task() {
    let new = r#"{"taskId":"t-1","url":"https://h.example"}"#;
    let (request, _) = params(Create, (V1, V03Proto), new);
    let expected =
        r#"{"parent":"tasks/t-1","config":{"pushNotificationConfig":{"url":"https://h.example"}}}"#;
    assert_eq!(request, read(expected));
    let (stored, _) = result(Create, (V1, V03Proto), new);
    assert_eq!(stored["name"], "tasks/t-1/pushNotificationConfigs/t-1");
    assert_eq!(stored["pushNotificationConfig"]["id"], "t-1");
}

#[test]
fn the_id_of_a_configuration_may_be_left_out_of_an_old_read_only() {
    let (new, lost) = params(Get, (V03, V1), r#"{"id":"t-1"}"#);
    assert_eq!(new, read(r#"{"taskId":"t-1","id":"t-1"}"#));
    assert_eq!(lost, ["push_config_id"]);
    let (message, field) = refused(Delete, V03, r#"{"id":"t-1"}"#);
    assert_eq!(message, "`pushNotificationConfigId` is missing");
    assert_eq!(field, "pushNotificationConfigId");
    assert_eq!(refused(Delete, V1, r#"{"taskId":"t-1"}"#).1, "id");
    assert_eq!(
        refused(Delete, V03Proto, r#"{"name":"tasks/t-1"}"#).1,
        "name"
    );
}

#[test]
fn lists_are_arrays_in_old_json_alone() {
    assert_same_result(
        List,
        [
            &format!("[{OLD}]"),
            &format!(r#"{{"configs":[{NAMED}],"nextPageToken":""}}"#),
            &format!(r#"{{"configs":[{NEW}],"nextPageToken":""}}"#),
        ],
    );
    let empty = read(r#"{"configs":[],"nextPageToken":""}"#);
    for text in ["[]", "null", "{}"] {
        assert_eq!(
            result(List, (V03, V1), text),
            (empty.clone(), vec![]),
            "{text}"
        );
    }
    let paged = r#"{"configs":[],"nextPageToken":"2"}"#;
    assert_eq!(
        result(List, (V1, V03), paged),
        (read("[]"), vec!["push_list_paging"])
    );
    assert_eq!(result(List, (V1, V03Proto), paged), (read(paged), vec![]));
    let (old, lost) = params(
        List,
        (V1, V03),
        r#"{"taskId":"t","pageSize":5,"pageToken":"x"}"#,
    );
    assert_eq!(
        (old, lost),
        (read(r#"{"id":"t"}"#), vec!["push_list_paging"])
    );
}

#[test]
fn only_lists_have_pages() {
    let paged = r#"{"taskId":"t","id":"p","pageSize":5,"pageToken":"x"}"#;
    for operation in [Get, Delete] {
        let (old, lost) = params(operation, (V1, V03Proto), paged);
        assert_eq!(old, read(r#"{"name":"tasks/t/pushNotificationConfigs/p"}"#));
        assert_eq!(lost, ["unknown_member"]);
    }
}

#[test]
fn deleting_answers_nothing() {
    for (to, expected) in [(V03, "null"), (V1, "null"), (V03Proto, "{}")] {
        let from = if to == V1 { V03 } else { V1 };
        for text in ["null", "{}"] {
            assert_eq!(result(Delete, (from, to), text), (read(expected), vec![]));
        }
    }
}

#[test]
fn a_registration_needs_a_task_and_a_url() {
    assert_eq!(
        refused(Create, V1, r#"{"url":"https://h.example"}"#).1,
        "taskId"
    );
    assert_eq!(refused(Create, V1, r#"{"taskId":"t"}"#).1, "url");
    assert_eq!(
        refused(Create, V03, r#"{"taskId":"t"}"#).1,
        "pushNotificationConfig"
    );
    assert_eq!(
        refused(Create, V03Proto, r#"{"url":"https://h.example"}"#).1,
        "parent"
    );
    assert_eq!(
        refused(Create, V03Proto, r#"{"parent":"t","url":"u"}"#).1,
        "parent"
    );
}
