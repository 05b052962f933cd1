//! What happens to a call whatever binding it came by.

use axum::http::{HeaderMap, Uri};
use gateway_core::{Call, Failure, Reply};

use crate::{State, cards::Extended};

/// Hands a call to the core and finishes what only a listener can: cards name the address it was reached at.
pub(crate) async fn handle(
    state: &State,
    call: Call,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Reply, Failure> {
    let extended = Extended::of(state, &call, uri, headers);
    let reply = state.gateway.handle(call).await?;
    match extended {
        Some(extended) => extended.publish(state, reply),
        None => Ok(reply),
    }
}
