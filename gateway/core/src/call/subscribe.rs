//! Subscribing across versions: 1.0 begins with the task and refuses one that has ended, 0.3 does neither
//! (a2a 1.0 §3.1.6).

use std::sync::Arc;

use futures_util::{
    FutureExt as _, StreamExt as _,
    stream::{self, BoxStream},
};
use gateway_protocol::{
    Error, ErrorKind, Operation, Version, ids,
    translate::Dialect,
    view::{ErrorView, ResultKind, ResultView},
};
use serde_json::{json, value::RawValue};

use super::{
    Call, Gateway, Trail,
    exchange::{Content, Events, Exchanged, exchange},
    lookup::as_event,
};
use crate::{
    catalog::{CatalogAgent, Endpoint},
    failure::Failure,
    ports::{AgentEvent, AttemptError, Said},
};

type To<'a> = (&'a Arc<CatalogAgent>, &'a Endpoint);
type Items = BoxStream<'static, Result<AgentEvent, AttemptError>>;

/// Makes up for what the agent's version does differently from the client's; between equal versions nothing is
/// changed.
pub(super) async fn reconcile(
    gateway: &Arc<Gateway>,
    call: &Call,
    to: To<'_>,
    exchanged: Exchanged,
    trail: &mut Trail,
) -> Result<Exchanged, Failure> {
    let (_, endpoint) = to;
    match (call.version, endpoint.version) {
        (Version::V1, Version::V03) => begin_with_task(gateway, call, to, exchanged, trail).await,
        (Version::V03, Version::V1) => show_ended(gateway, call, to, exchanged, trail).await,
        _ => Ok(exchanged),
    }
}

/// For a 1.0 client of a 0.3 agent: the stream is opened first and the task fetched then, so that nothing falls
/// between the two; pieces of artifacts that arrived meanwhile are already in the task.
async fn begin_with_task(
    gateway: &Arc<Gateway>,
    call: &Call,
    to: To<'_>,
    exchanged: Exchanged,
    trail: &mut Trail,
) -> Result<Exchanged, Failure> {
    let dialect = to.1.dialect();
    let Some(task) = fetch(gateway, call, to, trail).await else {
        return Ok(exchanged);
    };
    let state = ResultView::read(dialect, &task).state;
    if state.is_some_and(gateway_protocol::TaskState::is_terminal) {
        let text = "the task has ended, there is nothing to subscribe to; get it instead";
        return Err(Failure::bad_request(Error::new(
            ErrorKind::UnsupportedOperation,
            text,
        )));
    }
    let content = match exchanged.content {
        Content::Events(events) => Content::Events(Events {
            items: after(dialect, &task, events.items),
            place: events.place,
        }),
        one @ Content::One(_) => one,
    };
    Ok(Exchanged {
        content,
        ..exchanged
    })
}

/// For a 0.3 client of a 1.0 agent: a task that has ended is shown once instead of refused.
async fn show_ended(
    gateway: &Arc<Gateway>,
    call: &Call,
    to: To<'_>,
    exchanged: Exchanged,
    trail: &mut Trail,
) -> Result<Exchanged, Failure> {
    let refused = match &exchanged.content {
        Content::One(Said::Error(error)) => {
            ErrorView::read(error).kind() == Some(ErrorKind::UnsupportedOperation)
        }
        _ => false,
    };
    if !refused {
        return Ok(exchanged);
    }
    let Some(task) = fetch(gateway, call, to, trail).await else {
        return Ok(exchanged);
    };
    trail.agent_error = false;
    let content = Content::One(Said::Result(as_event(to.1.dialect(), &task)));
    Ok(Exchanged {
        content,
        ..exchanged
    })
}

async fn fetch(
    gateway: &Arc<Gateway>,
    call: &Call,
    to: To<'_>,
    trail: &mut Trail,
) -> Option<Box<RawValue>> {
    let id = ids::task_id(call.operation, call.dialect, &call.params)?;
    let params = RawValue::from_string(json!({ "id": id }).to_string()).ok()?;
    let get = Call {
        dialect: Dialect::V1,
        operation: Operation::GetTask,
        params,
        ..call.clone()
    };
    match exchange(gateway, &get, to, trail).await.ok()?.content {
        Content::One(Said::Result(task)) => Some(task),
        Content::One(Said::Error(_)) | Content::Events(_) => None,
    }
}

/// Puts the task before the events that bring something new.
fn after(dialect: Dialect, task: &RawValue, mut items: Items) -> Items {
    let mut arrived = Vec::new();
    while let Some(Some(item)) = items.next().now_or_never() {
        arrived.push(item);
    }
    arrived.retain(|item| !is_piece(dialect, item));
    let first = Ok(AgentEvent::Event {
        name: None,
        id: None,
        said: Said::Result(as_event(dialect, task)),
    });
    stream::iter([first])
        .chain(stream::iter(arrived))
        .chain(items)
        .boxed()
}

fn is_piece(dialect: Dialect, item: &Result<AgentEvent, AttemptError>) -> bool {
    match item {
        Ok(AgentEvent::Event {
            said: Said::Result(result),
            ..
        }) => ResultView::read(dialect, result).kind == Some(ResultKind::ArtifactUpdate),
        _ => false,
    }
}
