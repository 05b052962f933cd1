//! One module for each command.

mod admin_client;
pub(crate) mod agents;
pub(crate) mod card;
pub(crate) mod check;
pub(crate) mod decision_source;
pub(crate) mod decisions;
pub(crate) mod demo;
pub(crate) mod eval;
pub(crate) mod replay;
pub(crate) mod route;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod signals;
pub(crate) mod tune;
