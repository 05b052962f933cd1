//! What holds for any input.

use proptest::prelude::*;

use super::*;

fn any_version() -> impl Strategy<Value = Version> {
    prop_oneof![Just(Version::V1), Just(Version::V03)]
}

fn any_id() -> impl Strategy<Value = String> {
    let id = prop_oneof!["[a-z0-9-]{1,8}", "[:/%+?&.=# é]{1,6}", ".{1,10}"];
    id.prop_filter("has a path", |id| id != "." && id != "..")
}

fn any_tenant() -> impl Strategy<Value = Option<String>> {
    prop::option::of(any_id().prop_filter("may be a tenant", |tenant| {
        !["v1", "tasks", "card", "extendedAgentCard"].contains(&&**tenant)
            && !tenant.starts_with("message:")
    }))
}

/// Makes parameters of any operation that fill all of its members.
fn any_params() -> impl Strategy<Value = (Operation, Version, Value)> {
    let text = ".{1,6}";
    let ids = (any_id(), any_id(), any_tenant());
    let page = (any::<i32>(), any::<bool>(), text, 1..9_usize);
    let operation = prop::sample::select(Operation::ALL.to_vec());
    (operation, any_version(), ids, page)
        .prop_filter("0.3 lists no tasks", |(operation, version, ..)| {
            operation.method(*version).is_some()
        })
        .prop_map(|(operation, version, (task, config, tenant), page)| {
            let mut params = match version {
                Version::V1 => new_params(operation, &task, &config, &page),
                Version::V03 => old_params(operation, &task, &config, &page),
            };
            if let (Version::V1, Some(tenant)) = (version, tenant) {
                params["tenant"] = tenant.into();
            }
            (operation, version, params)
        })
}

type Page = (i32, bool, String, usize);

fn new_params(operation: Operation, task: &str, config: &str, page: &Page) -> Value {
    let (number, flag, text, state) = page;
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => {
            json!({ "message": { "messageId": text } })
        }
        Operation::GetTask => json!({ "id": task, "historyLength": number }),
        Operation::ListTasks => {
            let state = crate::TaskState::from_number(*state).unwrap_or(crate::TaskState::Working);
            let state = state.as_str().to_uppercase().replace('-', "_");
            json!({ "contextId": text, "status": format!("TASK_STATE_{state}"), "pageSize": number, "includeArtifacts": flag })
        }
        Operation::CancelTask => json!({ "id": task, "metadata": { "m": text } }),
        Operation::SubscribeToTask => json!({ "id": task }),
        Operation::CreateTaskPushNotificationConfig => {
            json!({ "taskId": task, "id": config, "url": text })
        }
        Operation::ListTaskPushNotificationConfigs => {
            json!({ "taskId": task, "pageSize": number, "pageToken": text })
        }
        Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
            json!({ "taskId": task, "id": config })
        }
        Operation::GetExtendedAgentCard => json!({}),
    }
}

fn old_params(operation: Operation, task: &str, config: &str, page: &Page) -> Value {
    let (number, _, text, _) = page;
    let task = format!("tasks/{task}");
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => {
            json!({ "message": { "messageId": text } })
        }
        Operation::GetTask => json!({ "name": task, "historyLength": number }),
        Operation::CancelTask | Operation::SubscribeToTask => json!({ "name": task }),
        Operation::CreateTaskPushNotificationConfig => {
            json!({ "parent": task, "config": { "pushNotificationConfig": { "url": text } } })
        }
        Operation::ListTaskPushNotificationConfigs => json!({ "parent": task, "pageToken": text }),
        Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
            json!({ "name": format!("{task}/pushNotificationConfigs/{config}") })
        }
        Operation::ListTasks | Operation::GetExtendedAgentCard => json!({}),
    }
}

proptest! {
    #[test]
    fn requests_lead_back_to_their_parameters((operation, version, params) in any_params()) {
        let request = request(operation, version, &raw(&params.to_string())).unwrap();
        let target = request.target();
        let (path, query) = target.split_once('?').map_or((&*target, None), |(path, query)| (path, Some(query)));
        prop_assert_eq!(path, &request.path);
        let route = Route::parse(request.method, path, query, Some(version)).unwrap();
        prop_assert_eq!((route.version, route.operation), (version, operation));
        let read = route.params(&request.body.unwrap_or_default()).unwrap();
        prop_assert_eq!(serde_json::from_str::<Value>(read.get()).unwrap(), params);
    }

    #[test]
    fn any_request_line_is_survived(
        method in "GET|POST|DELETE|PUT|get|",
        path in "(/?(v1|tasks|x|[:%/a-f0-9é]{0,6}|message:send|t:cancel|t:subscribe|pushNotificationConfigs|card)){0,6}",
        query in prop::option::of("[a-zA-Z=&%+0-9_é]{0,40}"),
        body in prop::collection::vec(any::<u8>(), 0..40),
        prefer in prop::option::of(any_version()),
    ) {
        match Route::parse(&method, &path, query.as_deref(), prefer) {
            Ok(route) => {
                prop_assert!(prefer.is_none_or(|prefer| prefer == route.version));
                if let Ok(params) = route.params(&body) {
                    prop_assert_eq!(params.get().chars().next(), Some('{'));
                }
            }
            Err(error) => {
                prop_assert!((400..500).contains(&error.status()));
                serde_json::from_slice::<Value>(&error.body(Version::V03)).unwrap();
            }
        }
    }

    #[test]
    fn any_parameters_are_survived(
        operation in prop::sample::select(Operation::ALL.to_vec()),
        version in any_version(),
        params in crate::json::tests::any_json(),
    ) {
        if let Ok(request) = request(operation, version, &raw(&params.to_string())) {
            prop_assert!(request.path.starts_with('/'));
        }
    }

    #[test]
    fn any_answer_is_survived(
        operation in prop::sample::select(Operation::ALL.to_vec()),
        version in any_version(),
        status in 100..600_u16,
        body in prop_oneof![
            crate::json::tests::any_json().prop_map(|value| value.to_string().into_bytes()),
            prop::collection::vec(any::<u8>(), 0..40),
            "[\\[\\]{}\",:\\\\ a]{0,40}".prop_map(String::into_bytes),
        ],
    ) {
        if let Ok(Answer::Error(error)) = read_answer(version, operation, status, &body) {
            for version in [Version::V1, Version::V03] {
                let (_, written) = error_to(version, &error.object);
                serde_json::from_slice::<Value>(&written).unwrap();
            }
        }
        stream_error(operation, "error", &String::from_utf8_lossy(&body));
        stream_error(operation, "", &String::from_utf8_lossy(&body));
    }
}
