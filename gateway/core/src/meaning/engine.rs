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

    /// Returns why another engine than the configured one is at work.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        match self {
            Self::FallenBack { problem } => Some(problem),
            Self::Lexical | Self::Hybrid(_) => None,
        }
    }

    /// Returns engine and model as records name them.
    #[must_use]
    pub fn version(&self) -> String {
        let words = [Some(self.name()), self.model()];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Reads what is asked, if this engine looks at meaning.
    pub(crate) async fn meaning(&self, features: &Features) -> Option<Direction> {
        match self {
            Self::Hybrid(semantics) => {
                let text = features.searched().into_owned();
                semantics.request_aside(text).await
            }
            Self::Lexical | Self::FallenBack { .. } => None,
        }
    }
}
