//! The `routing` section.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use gateway_core::{Effect, OnAmbiguous};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{agent::AuthForm, exploration::ExplorationForm, rules::RuleForm};
use crate::config::values::{
    AgentName, Amount, Count, HttpUrl, Period, PositiveAmount, ProfileName, Share,
};

/// How an agent is chosen.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`routing`")]
pub(in crate::config) struct RoutingForm {
    /// What says how well an agent fits a message.
    pub(in crate::config) fit: FitForm,
    /// The profile of requests that name none.
    pub(in crate::config) default_profile: ProfileName,
    /// What is asked of every message before anybody is scored; the first rule that matches decides.
    pub(in crate::config) rules: Vec<RuleForm>,
    /// Profiles by name. `balanced` always exists; a section of that name changes it.
    pub(in crate::config) profiles: BTreeMap<ProfileName, ProfileForm>,
    /// Profiles that decide beside the default one, without effect: the record says what each would have done. At most 8.
    #[schemars(length(max = 8))]
    pub(in crate::config) shadow: Vec<ProfileName>,
    /// How fast is learned from what becomes of messages.
    pub(in crate::config) learning: LearningForm,
}

impl Default for RoutingForm {
    fn default() -> Self {
        Self {
            fit: FitForm::default(),
            default_profile: ProfileName("balanced".to_owned()),
            rules: Vec::new(),
            profiles: BTreeMap::new(),
            shadow: Vec::new(),
            learning: LearningForm::default(),
        }
    }
}

/// How fast is learned from what becomes of messages.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`learning`")]
pub(in crate::config) struct LearningForm {
    /// How many completed or failed tasks the configured `quality` of an agent or skill weighs as much as.
    pub(in crate::config) prior_strength: PositiveAmount,
    /// After this time what was learned weighs half; at least a day.
    pub(in crate::config) half_life: Period,
}

impl Default for LearningForm {
    fn default() -> Self {
        Self {
            prior_strength: PositiveAmount(10.0),
            half_life: Period(Duration::from_secs(30 * 24 * 60 * 60)),
        }
    }
}

/// What says how well an agent fits a message.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`fit`")]
pub(in crate::config) struct FitForm {
    /// How cards and messages are compared.
    pub(in crate::config) engine: EngineForm,
    /// The folder of the model of the engine `hybrid`, as `deploy/fetch-model` makes it. Default:
    /// `models/use-multilingual-v3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) model: Option<PathBuf>,
    /// A model behind HTTP instead of one in a folder. It gets the texts of all cards and messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) endpoint: Option<EndpointForm>,
}

/// An embeddings API in the form of `OpenAI`'s: `POST` with `model` and `input`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "`endpoint`")]
pub(in crate::config) struct EndpointForm {
    /// Its full address, such as `https://api.openai.com/v1/embeddings`.
    pub(in crate::config) url: HttpUrl,
    /// The name of the model there.
    #[schemars(length(min = 1))]
    pub(in crate::config) model: String,
    /// The credential the gateway shows to it. Default: none.
    #[serde(default, skip_serializing)]
    pub(in crate::config) auth: Option<AuthForm>,
    /// How long a message waits for it before it is routed by words alone.
    #[serde(default = "endpoint_timeout")]
    pub(in crate::config) timeout: Period,
    /// How many numbers a vector is to have, for models that offer several widths. Default: the model decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::config) dimensions: Option<Count>,
}

fn endpoint_timeout() -> Period {
    Period(Duration::from_millis(200))
}

/// How cards and messages are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::config) enum EngineForm {
    /// By their words.
    #[default]
    Lexical,
    /// By their words and by what they mean, in any of 16 languages, with a sentence encoder. Without a usable model, by
    /// words alone, with a warning.
    Hybrid,
}

/// A named set of weights and limits. What is absent comes from the profile it extends, else from the built-in values.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a profile")]
pub(in crate::config) struct ProfileForm {
    /// The profile this one changes. Default: the built-in values.
    pub(in crate::config) extends: Option<ProfileName>,
    /// The weights of the score; not all may be 0.
    #[serde(default)]
    pub(in crate::config) weights: WeightsForm,
    /// What counts as 1 in the score.
    #[serde(default)]
    pub(in crate::config) references: ReferencesForm,
    /// The fit below which an agent is no candidate. Built-in value: 0.25, where one agent in four is right.
    pub(in crate::config) min_fit: Option<Share>,
    /// The risk above which an agent is no candidate. Built-in value: 0.9.
    pub(in crate::config) max_risk: Option<Share>,
    /// What happens when no agent fits. Built-in value: `reject`.
    pub(in crate::config) on_no_fit: Option<OnNoFitForm>,
    /// What happens when choosing between agents would be a guess. Built-in value: `choose`.
    pub(in crate::config) on_ambiguous: Option<OnAmbiguous>,
    /// How much two agents must be alike for a message, from 0 to 1, for a guess. Built-in value: 0.5.
    pub(in crate::config) ambiguity_likeness: Option<Share>,
    /// The score margin below which a choice is a guess however unlike the agents are. Built-in value: 0.
    pub(in crate::config) ambiguity_margin: Option<Amount>,
    /// What is left to chance. Built-in value: nothing.
    pub(in crate::config) exploration: Option<ExplorationForm>,
    /// The effect above which an agent is no candidate. Built-in value: `external_effect`, which allows all.
    pub(in crate::config) max_effect: Option<Effect>,
    /// Whether a request may ask for this profile, in the routing extension. Never inherited.
    #[serde(default)]
    pub(in crate::config) by_request: bool,
}

/// The weights of the score, none of them negative.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "`weights`")]
pub(in crate::config) struct WeightsForm {
    /// How well the request fits a skill; adds. Built-in value: 0.30.
    pub(in crate::config) fit: Option<Amount>,
    /// Expected quality; adds. Built-in value: 0.25.
    pub(in crate::config) quality: Option<Amount>,
    /// Measured availability; adds. Built-in value: 0.15.
    pub(in crate::config) availability: Option<Amount>,
    /// Expected latency; subtracts. Built-in value: 0.10.
    pub(in crate::config) latency: Option<Amount>,
    /// Cost per request; subtracts. Built-in value: 0.10.
    pub(in crate::config) cost: Option<Amount>,
    /// Risk; subtracts. Built-in value: 0.10.
    pub(in crate::config) risk: Option<Amount>,
}

/// What counts as 1 in the score.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "`references`")]
pub(in crate::config) struct ReferencesForm {
    /// The latency that counts as 1. Built-in value: 5s.
    pub(in crate::config) latency: Option<Period>,
    /// The cost per request that counts as 1. Built-in value: 0.10.
    pub(in crate::config) cost: Option<PositiveAmount>,
}

/// What happens when no agent fits.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(
    rename_all = "snake_case",
    expecting = "`reject` or `{ fallback: AGENT }`"
)]
pub(in crate::config) enum OnNoFitForm {
    /// The caller gets an error and nothing is sent.
    Reject,
    /// This registered agent gets the message, if it meets the other requirements.
    Fallback(AgentName),
}
