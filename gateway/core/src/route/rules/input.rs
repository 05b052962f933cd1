//! What conditions see: the message without its contents other than text, and the caller.

use std::{collections::HashMap, sync::OnceLock};

use cel::{
    Context,
    common::{
        types::{CelBool, CelDouble, CelList, CelMap, CelMapKey, CelString},
        value::{CowVal, Val},
    },
    context::VariableResolver,
};
use gateway_protocol::{Binding, Version};

use super::{lower::FOLDED_TEXT, vocabulary};
use crate::{
    caller::Caller,
    decision::{Hints, RouteDecision},
    fit::fold,
    route::Features,
};

/// What is asked of the rules: everything a condition can read.
#[derive(Debug, Clone, Copy)]
pub struct RuleInput<'a> {
    /// The text of the message, as far as routing reads it; `None` where a record does not hold it.
    pub text: Option<&'a str>,
    /// Whether the message has more text than that.
    pub text_cut: bool,
    /// The top-level keys of data parts.
    pub data_keys: &'a [String],
    /// Media types of the parts.
    pub input_modes: &'a [String],
    /// Media types the client accepts.
    pub output_modes: &'a [String],
    /// URIs of the extensions the client declared.
    pub extensions: &'a [String],
    /// Whether the client asked for a stream.
    pub streaming: bool,
    /// Whether the client asked for push notifications.
    pub push: bool,
    /// What the client says about where the message should go.
    pub hints: &'a Hints,
    /// The operation by its 1.0 name.
    pub operation: &'a str,
    /// The protocol version the client speaks.
    pub version: Version,
    /// The binding its message came by; `None` where a record does not say.
    pub binding: Option<Binding>,
    /// For whom.
    pub caller: &'a Caller,
}

/// How a message was sent, apart from what it holds.
#[derive(Debug, Clone, Copy)]
pub struct Sent<'a> {
    /// The operation by its 1.0 name.
    pub operation: &'a str,
    /// The protocol version the client speaks.
    pub version: Version,
    /// The binding its message came by.
    pub binding: Binding,
    /// For whom.
    pub caller: &'a Caller,
}

impl<'a> RuleInput<'a> {
    /// Takes a message that was just received.
    #[must_use]
    pub fn of(features: &'a Features, sent: Sent<'a>) -> Self {
        Self {
            text: Some(&features.text),
            text_cut: features.text_cut,
            data_keys: &features.data_keys,
            input_modes: &features.input_modes,
            output_modes: &features.accepted_output_modes,
            extensions: &features.extensions,
            streaming: features.streaming,
            push: features.push,
            hints: &features.hints,
            operation: sent.operation,
            version: sent.version,
            binding: Some(sent.binding),
            caller: sent.caller,
        }
    }

    /// Takes a message as a record holds it.
    #[must_use]
    pub fn of_record(decision: &'a RouteDecision) -> Self {
        let request = &decision.request;
        Self {
            text: request.text.as_deref(),
            text_cut: request.text_cut,
            data_keys: &request.data_keys,
            input_modes: &request.input_modes,
            output_modes: &request.accepted_output_modes,
            extensions: &request.extensions,
            streaming: request.streaming,
            push: request.push,
            hints: &request.hints,
            operation: &decision.operation,
            version: decision.client_version,
            binding: request.binding,
            caller: &decision.caller,
        }
    }

    /// Makes the values that conditions look at.
    pub(super) fn scope(&self) -> Scope<'a> {
        let text = self.text.unwrap_or_default();
        Scope {
            request: self.request(text),
            caller: map([
                ("subject", Some(word(&self.caller.subject))),
                ("tenant", self.caller.tenant.as_deref().map(word)),
            ]),
            text,
            folded: OnceLock::new(),
        }
    }

    fn request(&self, text: &'a str) -> CelMap<'a> {
        map([
            ("text", Some(word(text))),
            ("text_cut", Some(flag(self.text_cut))),
            ("data_keys", Some(list(self.data_keys))),
            ("input_modes", Some(list(self.input_modes))),
            ("output_modes", Some(list(self.output_modes))),
            ("extensions", Some(list(self.extensions))),
            ("streaming", Some(flag(self.streaming))),
            ("push", Some(flag(self.push))),
            ("operation", Some(word(self.operation))),
            ("version", Some(word(self.version.as_str()))),
            (
                "binding",
                Some(word(self.binding.map_or("", Binding::as_str))),
            ),
            ("hints", Some(Box::new(hints(self.hints)))),
        ])
    }
}

fn hints(hints: &Hints) -> CelMap<'_> {
    map([
        ("agent", hints.agent.as_deref().map(word)),
        ("skill", hints.skill.as_deref().map(word)),
        ("profile", hints.profile.as_deref().map(word)),
        ("max_latency_ms", hints.max_latency_ms.map(number)),
        ("max_cost_eur", hints.max_cost_eur.map(number)),
        (
            "max_effect",
            hints.max_effect.map(|effect| word(effect.as_str())),
        ),
    ])
}

type Boxed<'v> = Box<dyn Val + 'v>;

fn map<'v, const N: usize>(members: [(&'v str, Option<Boxed<'v>>); N]) -> CelMap<'v> {
    let key = |name| CelMapKey::String(CelString::from(name));
    let members = members.into_iter();
    let members: HashMap<_, _> = members
        .filter_map(|(name, value)| Some((key(name), value?)))
        .collect();
    CelMap::from(members)
}

fn word<'v>(text: &'v str) -> Boxed<'v> {
    Box::new(CelString::from(text))
}

fn list<'v>(texts: &'v [String]) -> Boxed<'v> {
    let texts: Vec<Boxed<'v>> = texts.iter().map(|text| word(text)).collect();
    Box::new(CelList::from(texts))
}

fn flag<'v>(value: bool) -> Boxed<'v> {
    Box::new(CelBool::from(value))
}

fn number<'v>(value: f64) -> Boxed<'v> {
    Box::new(CelDouble::from(value))
}

/// The values of one message, made once for all rules.
pub(super) struct Scope<'a> {
    request: CelMap<'a>,
    caller: CelMap<'a>,
    text: &'a str,
    /// Made when the first condition asks for it.
    folded: OnceLock<CelString<'static>>,
}

impl Scope<'_> {
    /// Makes the context that conditions are evaluated in.
    pub(super) fn context(&self) -> Context<'_, '_> {
        let mut context = Context::with_env(vocabulary::environment());
        context.set_variable_resolver(self);
        context
    }
}

impl VariableResolver for Scope<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        match variable {
            "request" => Some(CowVal::Borrowed(&self.request)),
            "caller" => Some(CowVal::Borrowed(&self.caller)),
            FOLDED_TEXT => {
                let folded = self.folded.get_or_init(|| CelString::from(fold(self.text)));
                Some(CowVal::Borrowed(folded))
            }
            _ => None,
        }
    }
}
