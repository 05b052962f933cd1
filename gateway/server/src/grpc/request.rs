//! From a gRPC request to a call.

use axum::http::{Extensions, HeaderMap, Uri};
use bytes::Bytes;
use gateway_core::{Call, Caller, Failure, Target};
use gateway_proto::{Invalid, Method, Service};
use gateway_protocol::{
    Binding, Error, ErrorKind, Operation, Version,
    translate::{Loss, Losses},
};
use serde_json::Value;
use tokio::time::Instant;

use crate::{State, edge, headers, negotiate::Named, target};

/// Metadata that names the one agent a request is for.
const AGENT: &str = "x-a2a-agent";

/// A call, and what it came with.
pub(super) struct Inbound {
    pub(super) call: Call,
    /// What the listener noted about the request.
    pub(super) about: Extensions,
}

/// Returns the version of a service.
pub(super) fn version(service: Service) -> Version {
    match service {
        Service::V03 => Version::V03,
        Service::V1 => Version::V1,
    }
}

/// Reads a request.
pub(super) fn read(
    state: &State,
    method: Method,
    request: tonic::Request<Bytes>,
) -> Result<Inbound, Failure> {
    let received = Instant::now();
    let (metadata, about, bytes) = request.into_parts();
    let headers = metadata.into_headers();
    let version = version(method.service());
    let operation =
        operation(method).ok_or_else(|| Failure::internal("the method has no operation"))?;
    Named::read(&Uri::default(), &headers, state.settings.strict_versions)
        .and_then(|named| named.service(version))
        .map_err(Failure::bad_request)?;
    let decoded = method.request_to_json(&bytes).map_err(malformed)?;
    let mut unknown = Losses::default();
    unknown.add_times(Loss::UnknownMember, decoded.unknown_fields);
    let losses = state.gateway.loss_ledger();
    losses.add(&unknown);
    let mut params = decoded.json;
    let target = addressed(state, &mut params, &headers)?;
    let call = Call {
        target,
        version,
        binding: Binding::Grpc,
        dialect: Binding::Grpc.dialect(version),
        operation,
        rpc_id: None,
        params: edge::raw(&params)?,
        extensions: headers::extensions(&headers),
        caller: Caller::anonymous(),
        trace: headers::trace(&headers),
        received,
        losses,
    };
    Ok(Inbound { call, about })
}

/// Finds whom a request is for: gRPC has no paths of our own, so the tenant or metadata says it.
fn addressed(state: &State, params: &mut Value, headers: &HeaderMap) -> Result<Target, Failure> {
    let tenant = target::take_tenant(params);
    let named = headers.get(AGENT).map(|name| name.to_str().unwrap_or("?"));
    let target = target::narrow(state, Target::Federated, tenant.as_deref())?;
    target::narrow(state, target, named)
}

fn operation(method: Method) -> Option<Operation> {
    let name = match method.rpc() {
        "TaskSubscription" => "SubscribeToTask",
        "ListTaskPushNotificationConfig" => "ListTaskPushNotificationConfigs",
        "GetAgentCard" => "GetExtendedAgentCard",
        name => name,
    };
    Operation::ALL
        .into_iter()
        .find(|operation| operation.name() == name)
}

#[expect(clippy::needless_pass_by_value, reason = "maps an error away")]
fn malformed(invalid: Invalid) -> Failure {
    let error = Error::new(ErrorKind::InvalidParams, invalid.to_string());
    Failure::bad_request(match invalid.path() {
        Some(path) => error.field_violation(path, invalid.reason()),
        None => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_operation() {
        let mut found: Vec<_> = Method::all()
            .map(|method| (version(method.service()), operation(method).unwrap()))
            .collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), Method::all().count());
        for method in Method::all() {
            let streams = operation(method).unwrap().is_streaming();
            assert_eq!(streams, method.server_streaming(), "{method:?}");
        }
    }
}
