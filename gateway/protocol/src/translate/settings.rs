//! The points that the protocol leaves open and that deployments decide differently.

/// Decides the open points of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// What a 0.3 client means that does not say whether it waits.
    pub unset_blocking: UnsetBlocking,
    /// What the 0.3 protobuf peer puts into `file_with_bytes`.
    pub file_bytes: FileBytes,
}

/// Says what a 0.3 request without `blocking` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnsetBlocking {
    /// In JSON-RPC nothing is said, and the 1.0 default holds, which is to wait. In the protobuf form an absent flag is
    /// `false`, the default of its type, and so is that of an absent configuration: the Python SDK's agents read it so.
    #[default]
    AsSent,
    /// The client waits.
    Wait,
    /// The client wants its answer at once.
    Return,
}

/// Says what the bytes of a file are in the 0.3 protobuf form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileBytes {
    /// Read either form, taking content that is canonical base64 itself for [`Self::Base64Text`]; write
    /// [`Self::Base64Text`].
    #[default]
    Detect,
    /// The base64 text of the content, so that JSON holds it encoded twice; the Python and Go SDKs do this.
    Base64Text,
    /// The content itself; the JavaScript SDK does this.
    Raw,
}
