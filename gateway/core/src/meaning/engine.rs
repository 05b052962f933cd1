//! The engine in force: words alone, or words and meaning.

use std::sync::Arc;

use super::{Direction, Semantics};
use crate::route::Features;

/// What says how well an agent fits.
#[derive(Debug, Clone, Default)]
pub enum FitEngine {
    /// Words alone.
    #[default]
    Lexical,
    /// Words and meaning.
    Hybrid(Arc<Semantics>),
    /// Words alone, because the encoder of the hybrid engine cannot be used.
    FallenBack {
        /// Why, with the next step.
        problem: String,
    },
}

impl FitEngine {
    /// Returns the name of the engine at work.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hybrid(_) => "hybrid",
            Self::Lexical | Self::FallenBack { .. } => "lexical",
        }
    }

    /// Returns the name of the encoder's model, if one is at work.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Hybrid(semantics) => Some(semantics.name()),
            Self::Lexical | Self::FallenBack { .. } => None,
        }
    }

    /// Returns why agents are compared in another way than the configured one, at least at present.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::FallenBack { problem } => Some(problem.clone()),
            Self::Hybrid(semantics) => semantics.problem(),
            Self::Lexical => None,
        }
    }

    /// Returns engine and model as records name them.
    #[must_use]
    pub fn version(&self) -> String {
        let words = [Some(self.name()), self.model()];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Reads what is asked, if this engine looks at meaning. Where that fails, words are left to route by.
    pub(crate) async fn read(&self, features: &Features) -> RequestMeaning {
        let read = match self {
            Self::Hybrid(semantics) => semantics.request_or_words(&features.searched()).await,
            Self::Lexical | Self::FallenBack { .. } => Ok(None),
        };
        let is_unread = read.is_err();
        RequestMeaning {
            direction: read.unwrap_or_default(),
            is_unread,
            engine: match self.model() {
                Some(model) if is_unread => format!("lexical, since {model} did not answer"),
                _ => self.version(),
            },
        }
    }
}

/// What was read of a request besides its words.
#[derive(Debug)]
pub struct RequestMeaning {
    /// What it means, where that was looked at.
    pub direction: Option<Direction>,
    /// Whether it should have been looked at and could not be.
    pub is_unread: bool,
    /// The engine that compares it, as records name it.
    pub engine: String,
}
