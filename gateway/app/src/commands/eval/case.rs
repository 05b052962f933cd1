//! Cases: messages with what is expected of them.

use std::{collections::BTreeMap, fs, path::Path};

use gateway_core::{Caller, Effect, call::Explain, route::Features};
use gateway_protocol::{translate::Dialect, view::MessageView};
use serde::Deserialize;
use serde_json::value::{RawValue, Value, to_raw_value};

use crate::{command::CommandError, config::Config};

/// A labelled message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// What the case is about.
    pub(super) name: String,
    /// The text of the message …
    text: Option<String>,
    /// … or the whole message, in the form of 1.0.
    message: Option<Value>,
    /// The protocol version of the client: `1.0` if absent.
    client: Option<String>,
    /// The binding of the client: `JSONRPC` if absent.
    binding: Option<String>,
    /// The profile to choose by unless a rule says otherwise, open to requests or not.
    profile: Option<String>,
    /// The effect the client allows at most.
    max_effect: Option<Effect>,
    /// Whether the client asks for a stream.
    #[serde(default)]
    streaming: bool,
    /// Who calls; the anonymous caller if absent.
    caller: Option<Caller>,
    /// What must come.
    pub(super) expect: Expect,
}

/// What must come of a message; everything that is said must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Expect {
    /// The agent that gets it.
    pub(super) agent: Option<String>,
    /// One of these agents gets it.
    pub(super) agents: Vec<String>,
    /// Nobody gets it.
    pub(super) none: bool,
    /// None of these agents gets it, whatever else comes.
    pub(super) not: Vec<String>,
    /// The skill it is wanted for.
    pub(super) skill: Option<String>,
    /// The routing rule that matches.
    pub(super) rule: Option<String>,
    /// The expected cost of the chosen agent is no higher.
    pub(super) max_cost: Option<f64>,
    /// The expected latency of the chosen agent is no higher.
    pub(super) max_latency_ms: Option<f64>,
    /// For an agent, the reason it was discarded for, or words of the message that match its card.
    pub(super) why: BTreeMap<String, Words>,
}

/// One word or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    One(String),
    Several(Vec<String>),
}

impl Words {
    pub(super) fn as_slice(&self) -> &[String] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::Several(words) => words,
        }
    }
}

/// Says what is wrong with a file of cases; the parser knows neither its name nor that an error is one.
fn unreadable(file: &str, said: &str) -> CommandError {
    let said = said.strip_prefix("error: ").unwrap_or(said);
    CommandError::failed(said.replacen("<input>", file, 1))
}

/// Reads the cases of a file and checks the names they use.
pub(super) fn load(path: &Path, config: &Config) -> Result<Vec<Case>, CommandError> {
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| CommandError::failed(format!("cannot read {shown}: {error}")))?;
    let cases: Vec<Case> = serde_saphyr::from_str(&text)
        .map_err(|error| unreadable(&shown.to_string(), &error.to_string()))?;
    if cases.is_empty() {
        return Err(CommandError::failed(format!("{shown} has no cases")));
    }
    for case in &cases {
        case.check(config).map_err(|problem| {
            CommandError::failed(format!("{shown}: case `{}` {problem}", case.name))
        })?;
    }
    Ok(cases)
}

impl Case {
    fn check(&self, config: &Config) -> Result<(), String> {
        if self.text.is_some() == self.message.is_some() {
            return Err("needs `text` or `message`, and not both".to_owned());
        }
        let expect = &self.expect;
        let who = [
            expect.agent.is_some(),
            !expect.agents.is_empty(),
            expect.none,
        ];
        if who.iter().filter(|said| **said).count() > 1 {
            return Err("says `agent`, `agents` or `none` more than once".to_owned());
        }
        if expect.is_empty() {
            return Err(
                "expects nothing: add `agent`, `agents`, `none`, `not` or `rule`".to_owned(),
            );
        }
        let known = |name: &&String| {
            config
                .agents
                .iter()
                .any(|agent| agent.id.as_str() == **name)
        };
        let named = expect.agent.iter().chain(&expect.agents).chain(&expect.not);
        if let Some(unknown) = named.chain(expect.why.keys()).find(|name| !known(name)) {
            return Err(format!(
                "names the agent `{unknown}`, which the configuration lacks"
            ));
        }
        let is_rule = |name: &&String| {
            config
                .rules
                .as_slice()
                .iter()
                .any(|rule| rule.name == **name)
        };
        if let Some(unknown) = expect.rule.iter().find(|name| !is_rule(name)) {
            return Err(format!(
                "names the rule `{unknown}`, which the configuration lacks"
            ));
        }
        Ok(())
    }

    /// Returns the question that the message is.
    pub(super) fn explain(&self) -> Explain {
        let features = self.features();
        Explain {
            // Whole, so that it is cut where a gateway cuts it.
            text: self.text.clone().unwrap_or(features.text),
            agent: features.hints.agent,
            skill: features.hints.skill,
            profile: self.profile.clone(),
            version: self.client.clone(),
            streaming: self.streaming,
            input_modes: features.input_modes,
            accepted_output_modes: features.accepted_output_modes,
            max_latency_ms: features.hints.max_latency_ms,
            max_cost_eur: features.hints.max_cost_eur,
            max_effect: self.max_effect,
            data_keys: features.data_keys,
            extensions: features.extensions,
            push: features.push,
            binding: self.binding.clone(),
            caller: self.caller.clone(),
        }
    }

    fn features(&self) -> Features {
        let message = self.message.clone().unwrap_or_else(|| {
            let text = self.text.as_deref().unwrap_or_default();
            serde_json::json!({ "parts": [{ "text": text }] })
        });
        let params = serde_json::json!({ "message": message });
        let params: Box<RawValue> = to_raw_value(&params).unwrap_or_default();
        Features::of(
            &MessageView::from_params(Dialect::V1, &params),
            String::new(),
            self.streaming,
            &[],
        )
    }
}

impl Expect {
    fn is_empty(&self) -> bool {
        let says_who = self.agent.is_some() || !self.agents.is_empty() || self.none;
        let says_how =
            self.skill.is_some() || self.max_cost.is_some() || self.max_latency_ms.is_some();
        !says_who && !says_how && self.not.is_empty() && self.rule.is_none() && self.why.is_empty()
    }
}
