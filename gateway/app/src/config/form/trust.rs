//! The `trust` section.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::values::HttpUrl;

/// Whose signatures on agents' cards count.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`trust`")]
pub(in crate::config) struct TrustForm {
    /// Files with the public keys, as JSON Web Key Sets (RFC 7517).
    pub(in crate::config) keys: Vec<PathBuf>,
    /// Addresses of key sets that a signature may name (`jku`). Keys are fetched from no others. They must be https,
    /// but for loopback.
    pub(in crate::config) jku: Vec<HttpUrl>,
}
