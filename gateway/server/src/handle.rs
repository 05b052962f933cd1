//! What happens to a call whatever binding it came by.

use axum::http::Extensions;
use gateway_core::{Call, Failure, Reply, ReplyBody};

use crate::{State, cards::Extended, unread};

/// Hands a call to the core and finishes what only a listener can: cards name the address it was reached at.
pub(crate) async fn handle(
    state: &State,
    call: Call,
    about: &Extensions,
) -> Result<Reply, Failure> {
    let extended = Extended::of(&call, about);
    let mut reply = state.gateway.handle(call).await?;
    if let ReplyBody::Events(items) = reply.body {
        reply.body = ReplyBody::Events(unread::limited(items, state.settings.unread));
    }
    match extended {
        Some(extended) => extended.publish(state, reply).await,
        None => Ok(reply),
    }
}
