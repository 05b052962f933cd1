//! The `store` section: a URL, or a mapping with retention.

use std::{fmt, time::Duration};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::config::values::{Count, Period};

/// Where decisions and tasks are kept: the URL alone, or a mapping.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::config) enum StoreForm {
    /// `sqlite://` and the path of the database file.
    Url(String),
    /// The URL and how long decisions are kept.
    Settings(StoreSettings),
}

/// The URL of the store and how long decisions are kept.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a store")]
pub(in crate::config) struct StoreSettings {
    /// `sqlite://` and the path of the database file.
    pub(in crate::config) url: String,
    /// How long a decision is kept.
    pub(in crate::config) max_age: Period,
    /// How many decisions are kept at most; the oldest go first.
    pub(in crate::config) max_decisions: Count,
    /// Whether a decision holds the text of its message, as far as routing reads it. Rules over text can be replayed
    /// only with it.
    pub(in crate::config) record_text: bool,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            url: "sqlite://./a2a-gateway.db".to_owned(),
            max_age: Period(Duration::from_secs(90 * 24 * 60 * 60)),
            max_decisions: Count(1_000_000),
            record_text: false,
        }
    }
}

impl Default for StoreForm {
    fn default() -> Self {
        Self::Url(StoreSettings::default().url)
    }
}

impl From<StoreForm> for StoreSettings {
    fn from(form: StoreForm) -> Self {
        match form {
            StoreForm::Url(url) => Self {
                url,
                ..Self::default()
            },
            StoreForm::Settings(settings) => settings,
        }
    }
}

// By hand, because an untagged enum would say neither which key of the mapping is wrong nor why.
impl<'de> Deserialize<'de> for StoreForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct UrlOrSettings;

        impl<'de> Visitor<'de> for UrlOrSettings {
            type Value = StoreForm;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a store (a URL or a mapping)")
            }

            fn visit_str<E: Error>(self, url: &str) -> Result<StoreForm, E> {
                Ok(StoreForm::Url(url.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StoreForm, A::Error> {
                StoreSettings::deserialize(MapAccessDeserializer::new(map)).map(StoreForm::Settings)
            }
        }

        deserializer.deserialize_any(UrlOrSettings)
    }
}
