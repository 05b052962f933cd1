//! What an agent's answers say about its card: a version or address that no longer holds is a reason to fetch
//! the card again (A2A §8.6). The call at hand goes on as it is and waits for nothing.

use gateway_protocol::{ErrorKind, view::ErrorView};

use crate::{
    catalog::CatalogAgent,
    ports::{AttemptError, AttemptErrorKind, Said},
    registry::Registry,
};

/// Doubts the card of an agent that does not speak the version its card names.
pub(super) fn after_answer(registry: &Registry, agent: &CatalogAgent, said: &Said) {
    if let Said::Error(error) = said
        && let Some(code) = ErrorView::read(error).code
        && ErrorKind::from_code(code) == Some(ErrorKind::VersionNotSupported)
    {
        doubt(registry, agent, "it does not speak the version of its card");
    }
}

/// Doubts the card of an agent that is not where its card says.
pub(super) fn after_failure(registry: &Registry, agent: &CatalogAgent, error: &AttemptError) {
    if error.kind == AttemptErrorKind::NoEndpoint {
        doubt(registry, agent, "nothing is served where its card says");
    }
}

fn doubt(registry: &Registry, agent: &CatalogAgent, why: &str) {
    let id = &agent.spec.id;
    if registry.doubt(id) {
        tracing::info!(agent.id = %id, "the card of agent `{id}` is fetched again: {why}");
    }
}
