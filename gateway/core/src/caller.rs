//! Who calls.

use serde::{Deserialize, Serialize};

/// The party a call is made for. Without an identity configuration everybody is [`Caller::anonymous`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Caller {
    /// Name of the caller, unique within its tenant.
    pub subject: String,
    /// The tenant it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

impl Caller {
    /// Returns the caller that stands for everybody on an open gateway.
    #[must_use]
    pub fn anonymous() -> Self {
        Self {
            subject: "anonymous".to_owned(),
            tenant: None,
        }
    }

    /// Returns the text that ids and records are bound to; different callers never share it.
    #[must_use]
    pub fn binding(&self) -> String {
        let tenant = self.tenant.as_deref().unwrap_or_default();
        format!("{}:{tenant}{}", tenant.len(), self.subject)
    }
}
