//! What routing looks at in a message.

use std::borrow::Cow;

use gateway_protocol::view::MessageView;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::decision::{Hints, RequestSummary};

/// URI of the routing extension: its hints may stand in `metadata` under this key.
pub const ROUTING_EXTENSION: &str = "urn:a2a-gateway:routing:1";

/// Longest text of a client that is kept in features and records, in characters.
const MAX_TEXT: usize = 256;
/// Most entries of a list of a client that are kept.
const MAX_ENTRIES: usize = 64;

/// What routing looks at in a message. Everything but the text is capped, since it goes into records.
#[derive(Debug, Clone, Default)]
pub struct Features {
    /// The client's message id; breaks ties the same way for a retry.
    pub message_id: Option<String>,
    /// `sha256:` over the operation's parameters; stands in for a missing message id where chance has a part.
    pub digest: String,
    /// The text parts, joined and capped.
    pub text: String,
    /// Whether the message has more text than that.
    pub text_cut: bool,
    /// Media types of the parts, each once.
    pub input_modes: Vec<String>,
    /// Media types the client accepts; empty means any.
    pub accepted_output_modes: Vec<String>,
    /// Whether the client asked for a stream.
    pub streaming: bool,
    /// Whether the client asked for push notifications.
    pub push: bool,
    /// Top-level keys of data parts.
    pub data_keys: Vec<String>,
    /// URIs of the extensions the client declared.
    pub extensions: Vec<String>,
    /// What the client says about where the message should go.
    pub hints: Hints,
}

impl Features {
    /// Reads the features of a message.
    #[must_use]
    pub fn of(
        message: &MessageView<'_>,
        digest: String,
        streaming: bool,
        extensions: &[String],
    ) -> Self {
        let mut hints = Hints::default();
        // Message metadata is the closer word and goes last.
        for metadata in [message.request_metadata, message.metadata]
            .into_iter()
            .flatten()
        {
            read_hints(metadata, &mut hints);
        }
        let mut declared: Vec<String> = extensions.iter().take(MAX_ENTRIES).cloned().collect();
        declared.extend(owned(&message.extensions));
        Self {
            message_id: message.message_id.as_deref().map(capped),
            digest,
            text: message.text.clone(),
            text_cut: message.text_cut,
            input_modes: owned(&message.media_types),
            accepted_output_modes: owned(&message.configuration.accepted_output_modes),
            streaming,
            push: message.configuration.has_push_config,
            data_keys: owned(&message.data_keys),
            extensions: declared,
            hints,
        }
    }

    /// Returns the text cards are searched for: that of the message, or the names of its data where it has none.
    #[must_use]
    pub fn searched(&self) -> Cow<'_, str> {
        if self.text.trim().is_empty() {
            Cow::Owned(self.data_keys.join(" "))
        } else {
            Cow::Borrowed(&self.text)
        }
    }

    /// Returns the part of the features that goes into the record.
    #[must_use]
    pub fn summary(&self) -> RequestSummary {
        RequestSummary {
            message_id: self.message_id.clone(),
            digest: self.digest.clone(),
            text_chars: self.text.chars().count(),
            text: None,
            text_cut: self.text_cut,
            input_modes: self.input_modes.clone(),
            accepted_output_modes: self.accepted_output_modes.clone(),
            streaming: self.streaming,
            push: self.push,
            data_keys: self.data_keys.clone(),
            extensions: self.extensions.clone(),
            binding: None,
            hints: self.hints.clone(),
        }
    }
}

fn owned(texts: &[Cow<'_, str>]) -> Vec<String> {
    texts
        .iter()
        .take(MAX_ENTRIES)
        .map(|text| capped(text))
        .collect()
}

fn capped(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

#[derive(Default, Deserialize)]
struct HintForm<'a> {
    #[serde(borrow, default)]
    agent: Option<&'a RawValue>,
    #[serde(borrow, default)]
    skill: Option<&'a RawValue>,
    #[serde(borrow, default)]
    budget: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "urn:a2a-gateway:routing:1")]
    extension: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Budget<'a> {
    #[serde(borrow, default)]
    max_latency_ms: Option<&'a RawValue>,
    #[serde(borrow, default)]
    max_cost_eur: Option<&'a RawValue>,
}

/// Takes over the hints in a metadata object. Plain keys belong to everybody, so a value of another type is
/// somebody else's and is left alone.
fn read_hints(metadata: &str, hints: &mut Hints) {
    let form: HintForm<'_> = object(metadata).unwrap_or_default();
    if let Some(extension) = form.extension {
        read_hints(extension.get(), hints);
    }
    if let Some(agent) = parse::<String>(form.agent) {
        hints.agent = Some(capped(&agent));
    }
    if let Some(skill) = parse::<String>(form.skill) {
        hints.skill = Some(capped(&skill));
    }
    let budget = form.budget.and_then(|budget| object(budget.get()));
    let budget: Budget<'_> = budget.unwrap_or_default();
    if let Some(limit) = parse(budget.max_latency_ms).filter(|limit: &f64| *limit >= 0.0) {
        hints.max_latency_ms = Some(limit);
    }
    if let Some(limit) = parse(budget.max_cost_eur).filter(|limit: &f64| *limit >= 0.0) {
        hints.max_cost_eur = Some(limit);
    }
}

/// Returns the feedback that a message carries for an earlier decision, as raw JSON.
#[must_use]
pub fn feedback<'a>(message: &MessageView<'a>) -> Option<&'a RawValue> {
    [message.metadata, message.request_metadata]
        .into_iter()
        .flatten()
        .find_map(|metadata| {
            let form: HintForm<'a> = object(metadata)?;
            let extension: ExtensionForm<'a> = object(form.extension?.get())?;
            extension.feedback
        })
}

/// What stands in the extension's own member and nowhere else.
#[derive(Default, Deserialize)]
struct ExtensionForm<'a> {
    #[serde(borrow, default)]
    feedback: Option<&'a RawValue>,
}

/// Reads an object and nothing else: serde would fill a struct from an array as well, by position.
fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let is_object = text.trim_ascii_start().starts_with('{');
    serde_json::from_str(text).ok().filter(|_| is_object)
}

fn parse<'a, T: Deserialize<'a>>(value: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(value?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(metadata: &str) -> Hints {
        let mut hints = Hints::default();
        read_hints(metadata, &mut hints);
        hints
    }

    #[test]
    fn plain_and_extension_hints_are_read() {
        let plain = hints(
            r#"{"agent":"a","skill":"s","budget":{"max_latency_ms":800,"max_cost_eur":0.5}}"#,
        );
        assert_eq!(plain.agent.as_deref(), Some("a"));
        assert_eq!(
            (plain.max_latency_ms, plain.max_cost_eur),
            (Some(800.0), Some(0.5))
        );
        let extension = hints(r#"{"urn:a2a-gateway:routing:1":{"skill":"s"},"agent":"b"}"#);
        assert_eq!(
            (extension.skill.as_deref(), extension.agent.as_deref()),
            (Some("s"), Some("b"))
        );
    }

    #[test]
    fn values_of_other_types_are_somebody_elses() {
        assert_eq!(
            hints(r#"{"agent":{"x":1},"skill":7,"budget":"low"}"#),
            Hints::default()
        );
        assert_eq!(hints(r#"{"budget":{"max_cost_eur":-1}}"#), Hints::default());
        for array in ["[1]", r#"["a"]"#, r#"{"budget":[1]}"#] {
            assert_eq!(hints(array), Hints::default(), "{array}");
        }
    }
}
