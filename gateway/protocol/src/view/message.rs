//! What routing needs to know about a message that is being sent.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Cursor, Kind, is_named};
use crate::translate::Dialect;

/// Most bytes of message text that a [`MessageView`] holds; more would not route any better.
pub const ROUTING_TEXT_LIMIT: usize = 16 * 1024;

/// Most entries of a list that is kept free of repetitions.
const DISTINCT_LIMIT: usize = 64;

/// Shows the parameters of a send operation in any dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageView<'a> {
    /// `message.messageId`.
    pub message_id: Option<Cow<'a, str>>,
    /// `message.taskId`: the task that the message continues.
    pub task_id: Option<Cow<'a, str>>,
    /// `message.contextId`.
    pub context_id: Option<Cow<'a, str>>,
    /// `message.referenceTaskIds`.
    pub reference_task_ids: Vec<Cow<'a, str>>,
    /// The text parts, joined by line feeds, cut at [`ROUTING_TEXT_LIMIT`].
    pub text: String,
    /// Whether the message has more text than that.
    pub text_cut: bool,
    /// The distinct media types of the parts; text and data have one by nature, a file only if it says so.
    pub media_types: Vec<Cow<'a, str>>,
    /// The distinct top-level names in data parts.
    pub data_keys: Vec<Cow<'a, str>>,
    /// `message.extensions`.
    pub extensions: Vec<Cow<'a, str>>,
    /// `message.metadata`, a raw JSON object.
    pub metadata: Option<&'a str>,
    /// `metadata` of the request, a raw JSON object.
    pub request_metadata: Option<&'a str>,
    /// `tenant` of the request (1.0).
    pub tenant: Option<Cow<'a, str>>,
    /// `configuration`.
    pub configuration: Configuration<'a>,
}

/// Shows how the client wants its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configuration<'a> {
    /// `acceptedOutputModes`; empty means any.
    pub accepted_output_modes: Vec<Cow<'a, str>>,
    /// Whether to wait for the task to end or pause, where the client says (`blocking`, or the inverse of
    /// `returnImmediately`).
    pub wait: Option<bool>,
    /// Whether a webhook is registered along with the message.
    pub has_push_config: bool,
}

impl<'a> MessageView<'a> {
    /// Reads the parameters of a send operation.
    pub fn from_params(dialect: Dialect, params: &'a RawValue) -> Self {
        let mut view = Self::default();
        let is_proto = dialect == Dialect::V03Proto;
        let mut cursor = Cursor::new(params.get());
        if cursor.enter_object() {
            while let Some(name) = cursor.next_member() {
                match &*name {
                    "message" => view.read_message(dialect, &mut cursor),
                    // What the protobuf calls it.
                    "request" if is_proto => view.read_message(dialect, &mut cursor),
                    "configuration" => view.configuration.read(&mut cursor),
                    "metadata" => view.request_metadata = object(&mut cursor),
                    "tenant" => view.tenant = id(&mut cursor),
                    _ => cursor.skip(),
                }
            }
        }
        view
    }

    fn read_message(&mut self, dialect: Dialect, cursor: &mut Cursor<'a>) {
        if !cursor.enter_object() {
            return;
        }
        let parts = match dialect {
            Dialect::V03Proto => "content",
            Dialect::V03 | Dialect::V1 => "parts",
        };
        while let Some(name) = cursor.next_member() {
            match &*name {
                "messageId" | "message_id" => self.message_id = id(cursor),
                "taskId" | "task_id" => self.task_id = id(cursor),
                "contextId" | "context_id" => self.context_id = id(cursor),
                "referenceTaskIds" | "reference_task_ids" => {
                    self.reference_task_ids = cursor.strings();
                }
                "extensions" => self.extensions = cursor.strings(),
                "metadata" => self.metadata = object(cursor),
                name if name == parts => {
                    if cursor.enter_array() {
                        while cursor.next_element() {
                            self.read_part(dialect, cursor);
                        }
                    }
                }
                _ => cursor.skip(),
            }
        }
    }

    fn read_part(&mut self, dialect: Dialect, cursor: &mut Cursor<'a>) {
        if !cursor.enter_object() {
            return;
        }
        let mut media_type = None;
        let mut natural_type = None;
        while let Some(name) = cursor.next_member() {
            match &*name {
                "text" => {
                    if let Some(text) = cursor.value().readable() {
                        natural_type = Some("text/plain");
                        self.add_text(&text);
                    }
                }
                "data" => {
                    natural_type = Some("application/json");
                    match dialect {
                        Dialect::V03Proto => self.read_data_part(cursor),
                        Dialect::V03 | Dialect::V1 => self.read_data(cursor),
                    }
                }
                "file" => media_type = file_type(cursor).or(media_type),
                "mediaType" | "media_type" | "mimeType" | "mime_type" => {
                    media_type = id(cursor).or(media_type);
                }
                _ => cursor.skip(),
            }
        }
        if let Some(media_type) = media_type.or(natural_type.map(Cow::Borrowed)) {
            add_distinct(&mut self.media_types, media_type);
        }
    }

    /// Reads the message that the 0.3 protobuf puts around data.
    fn read_data_part(&mut self, cursor: &mut Cursor<'a>) {
        if cursor.enter_object() {
            while let Some(name) = cursor.next_member() {
                match &*name {
                    "data" => self.read_data(cursor),
                    _ => cursor.skip(),
                }
            }
        }
    }

    fn read_data(&mut self, cursor: &mut Cursor<'a>) {
        if cursor.enter_object() {
            while let Some(name) = cursor.next_member() {
                cursor.skip();
                add_distinct(&mut self.data_keys, name);
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        if !self.text.is_empty() && self.text.len() < ROUTING_TEXT_LIMIT {
            self.text.push('\n');
        }
        let room = ROUTING_TEXT_LIMIT - self.text.len();
        let cut = text.floor_char_boundary(room);
        self.text.push_str(text.get(..cut).unwrap_or_default());
        self.text_cut |= cut < text.len();
    }
}

impl<'a> Configuration<'a> {
    fn read(&mut self, cursor: &mut Cursor<'a>) {
        if !cursor.enter_object() {
            return;
        }
        while let Some(name) = cursor.next_member() {
            match &*name {
                "acceptedOutputModes" | "accepted_output_modes" => {
                    self.accepted_output_modes = cursor.strings();
                }
                "blocking" => self.wait = cursor.value().boolean(),
                "returnImmediately" | "return_immediately" => {
                    self.wait = cursor.value().boolean().map(|immediately| !immediately);
                }
                name if is_named(name, "pushNotificationConfig")
                    || is_named(name, "taskPushNotificationConfig")
                    || is_named(name, "pushNotification") =>
                {
                    self.has_push_config |= cursor.value().kind() == Some(Kind::Object);
                }
                _ => cursor.skip(),
            }
        }
    }
}

/// Tells whether a message to be sent is in the words of 0.3 JSON-RPC, which some clients of 0.3 REST use too.
pub fn is_in_words_of_rpc(params: &RawValue) -> bool {
    let mut cursor = Cursor::new(params.get());
    let mut found = false;
    if cursor.enter_object() {
        while let Some(name) = cursor.next_member() {
            match &*name {
                "message" | "request" => found |= has_words_of_rpc(&mut cursor),
                _ => cursor.skip(),
            }
        }
    }
    found
}

fn has_words_of_rpc(message: &mut Cursor<'_>) -> bool {
    let mut found = false;
    if message.enter_object() {
        while let Some(name) = message.next_member() {
            let value = message.value();
            found |= match &*name {
                "parts" => true,
                "role" => matches!(value.string().as_deref(), Some("user" | "agent")),
                _ => false,
            };
        }
    }
    found
}

fn id<'a>(cursor: &mut Cursor<'a>) -> Option<Cow<'a, str>> {
    cursor.value().string().filter(|id| !id.is_empty())
}

fn object<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let value = cursor.value();
    (value.kind() == Some(Kind::Object)).then_some(value.text)
}

fn file_type<'a>(cursor: &mut Cursor<'a>) -> Option<Cow<'a, str>> {
    let mut found = None;
    if cursor.enter_object() {
        while let Some(name) = cursor.next_member() {
            match &*name {
                "mimeType" | "mime_type" | "mediaType" | "media_type" => found = id(cursor),
                _ => cursor.skip(),
            }
        }
    }
    found
}

fn add_distinct<'a>(list: &mut Vec<Cow<'a, str>>, entry: Cow<'a, str>) {
    if list.len() < DISTINCT_LIMIT && !list.contains(&entry) {
        list.push(entry);
    }
}

#[cfg(test)]
mod tests;
