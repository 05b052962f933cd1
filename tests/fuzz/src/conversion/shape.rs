//! Whether a converted value has the shape of its dialect, by the checks that other parts of the gateway apply.

use gateway_proto::{Method, Service};
use gateway_protocol::translate::Dialect;
use gateway_protocol::{Operation, check_params};
use serde_json::Value;

use super::{Half, Place};
use crate::input::raw;

/// Checks a value by the rules for parameters, and by the definition of its protobuf message.
pub(super) fn check(place: Place, dialect: Dialect, value: &Value) {
    // 0.3 cannot list tasks, so that there is nothing to convert.
    if place.operation == Operation::ListTasks {
        return;
    }
    if place.half == Half::Params {
        // Parameters that are no object are refused before anything is converted.
        if !value.is_object() {
            return;
        }
        let text = value.to_string();
        if let Err(error) = check_params(place.operation, dialect, Some(raw(text.as_bytes()))) {
            panic!("{error} in {value}");
        }
    }
    let service = match dialect {
        Dialect::V1 => Service::V1,
        Dialect::V03Proto => Service::V03,
        Dialect::V03 => return,
    };
    if !place.is_opaque()
        && let Some(method) = method(service, place.operation)
    {
        check_message(method, place.half, value);
    }
}

fn check_message(method: Method, half: Half, value: &Value) {
    let mut known = value.clone();
    let unknown = match half {
        Half::Params => method.strip_request(&mut known),
        Half::Result => method.strip_response(&mut known),
    };
    // What the two forms of 0.3 exchange keeps members that neither knows.
    if method.service() == Service::V1 {
        assert!(unknown.is_empty(), "{unknown:?} in {value}");
    }
    let encoded = match half {
        Half::Params => method.request_from_json(&known),
        Half::Result => method.response_from_json(&known),
    };
    if let Err(error) = encoded {
        // What belongs to the user may hold what a double cannot.
        let is_number = error.reason().contains("too large for a double");
        assert!(is_number, "{error} in {value}");
    }
}

fn method(service: Service, operation: Operation) -> Option<Method> {
    let name = match (service, operation) {
        (Service::V03, Operation::SubscribeToTask) => "TaskSubscription",
        (Service::V03, Operation::ListTaskPushNotificationConfigs) => {
            "ListTaskPushNotificationConfig"
        }
        (Service::V03, Operation::GetExtendedAgentCard) => "GetAgentCard",
        (_, operation) => operation.name(),
    };
    Method::of(service, name)
}
