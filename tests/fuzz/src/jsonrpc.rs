//! JSON-RPC: what is read is JSON, stays as it was spelled, and means the same to checks, views and exchanges of ids.

use gateway_protocol::jsonrpc::{self, Outcome, Rejected, Request, Response};
use gateway_protocol::translate::Dialect;
use gateway_protocol::view::{ErrorView, MessageView, ResultKind, ResultView, result_text};
use gateway_protocol::{Binding, Operation, check_params, ids, splice_metadata};
use serde_json::value::RawValue;

use crate::exchange;
use crate::input::{raw, tree};

/// Reads a body as a request and as an answer.
///
/// # Panics
/// When what is read is not what the body says, cannot be written and read again, or is understood in two ways.
pub fn jsonrpc(input: &[u8]) {
    match Request::parse(input) {
        Ok(request) => check_request(input, &request),
        Err(rejected) => check_rejected(&rejected),
    }
    if let Ok(response) = Response::parse(input) {
        check_response(input, &response);
    }
}

fn check_request(body: &[u8], request: &Request<'_>) {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    if let Some(tree) = tree(body) {
        assert_eq!(tree["method"], *request.method);
        for (name, member) in [("id", request.id), ("params", request.params)] {
            let member = member.map(|member| serde_json::from_str(member.get()).expect("JSON"));
            assert_eq!(tree.get(name), member.as_ref(), "{name}");
        }
    }
    let params = request.params.map(RawValue::get).unwrap_or_default();
    let written = jsonrpc::request(request.id, &request.method, params.as_bytes());
    let again = Request::parse(&written).expect("a written request");
    let text = |member: Option<&RawValue>| member.map(|member| member.get().to_owned());
    let null = || Some("null".to_owned());
    assert_eq!(text(again.id), text(request.id).or_else(null));
    assert_eq!(again.method, request.method);
    assert_eq!(text(again.params), text(request.params));

    if let Some((version, operation)) = Operation::from_method(&request.method) {
        let dialect = Binding::JsonRpc.dialect(version);
        check_parameters(operation, dialect, request.params);
    }
}

fn check_parameters(operation: Operation, dialect: Dialect, params: Option<&RawValue>) {
    let checked = check_params(operation, dialect, params);
    if let Err(error) = &checked {
        assert_eq!(error.code(), -32602);
    }
    let Some(params) = params else { return };
    let there = exchange::check(params, &|params, exchange| {
        ids::rewrite_params(operation, dialect, params, exchange)
    });
    let view = MessageView::from_params(dialect, params);
    let task = ids::task_id(operation, dialect, params);
    let marked = exchange::marked(task.as_deref());
    let exchanged = ids::task_id(operation, dialect, &there);
    assert_eq!(exchanged.as_deref(), marked.as_deref());
    if checked.is_err() {
        return;
    }
    if operation.sends_message() {
        assert!(view.message_id.is_some(), "the view misses the message");
        assert_eq!(view.task_id, task);
        let exchanged = MessageView::from_params(dialect, &there);
        assert_eq!(exchanged.task_id.as_deref(), marked.as_deref());
        assert_eq!(
            exchanged.context_id.as_deref().map(str::to_owned),
            exchange::marked(view.context_id.as_deref())
        );
        assert_eq!(exchanged.text, view.text);
    } else if !matches!(
        operation,
        Operation::ListTasks | Operation::GetExtendedAgentCard
    ) {
        assert!(task.is_some(), "the task of {operation} is missed");
    }
}

fn check_rejected(rejected: &Rejected) {
    let body = jsonrpc::failure(rejected.id.as_deref(), &rejected.error);
    let answer = Response::parse(&body).expect("a written refusal");
    let id = rejected.id.as_deref().map_or("null", RawValue::get);
    assert_eq!(answer.id.map(RawValue::get), Some(id));
    assert!(matches!(answer.outcome, Outcome::Error(_)));
}

fn check_response(body: &[u8], response: &Response<'_>) {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    if let Some(tree) = tree(body) {
        let (name, outcome) = match response.outcome {
            Outcome::Result(result) => ("result", result),
            Outcome::Error(error) => ("error", error),
        };
        let outcome = serde_json::from_str(outcome.get()).expect("JSON");
        assert_eq!(tree.get(name), Some(&outcome));
    }
    let written = match response.outcome {
        Outcome::Result(result) => jsonrpc::success(response.id, result.get().as_bytes()),
        Outcome::Error(error) => jsonrpc::failure_raw(response.id, error.get().as_bytes()),
    };
    let again = Response::parse(&written).expect("a written answer");
    match (response.outcome, again.outcome) {
        (Outcome::Result(one), Outcome::Result(other)) => {
            assert_eq!(one.get(), other.get());
            check_result(one);
        }
        (Outcome::Error(one), Outcome::Error(other)) => {
            assert_eq!(one.get(), other.get());
            check_error(one);
        }
        (one, other) => panic!("{one:?} became {other:?}"),
    }
}

fn check_result(result: &RawValue) {
    for dialect in [Dialect::V03, Dialect::V03Proto, Dialect::V1] {
        for operation in Operation::ALL {
            let there = exchange::check(result, &|result, exchange| {
                ids::rewrite_result(operation, dialect, result, exchange)
            });
            if operation.sends_message() {
                check_exchanged(dialect, result, &there);
            }
        }
        let view = ResultView::read(dialect, result);
        let spliced = splice_metadata(result.get().as_bytes(), view.path, "urn:x", "1");
        let spliced = raw(&spliced).to_owned();
        assert_eq!(ResultView::read(dialect, &spliced), view);
        assert_eq!(result_text(dialect, &spliced), result_text(dialect, result));
    }
}

/// Compares the view of a result with that of the one whose ids are exchanged.
fn check_exchanged(dialect: Dialect, result: &RawValue, there: &RawValue) {
    let before = ResultView::read(dialect, result);
    let after = ResultView::read(dialect, there);
    assert_eq!(after.kind, before.kind);
    assert_eq!(after.state, before.state);
    assert_eq!(
        after.context_id.as_deref().map(str::to_owned),
        exchange::marked(before.context_id.as_deref())
    );
    assert_eq!(
        after.task_id.as_deref().map(str::to_owned),
        exchange::marked(before.task_id.as_deref())
    );
    if before.kind == Some(ResultKind::Message) {
        assert!(before.is_terminal() && after.is_terminal());
    }
}

fn check_error(error: &RawValue) {
    let there = exchange::check(error, &|error, exchange| {
        ids::rewrite_error(error, exchange)
    });
    assert_eq!(ErrorView::read(&there), ErrorView::read(error));
}
