//! The sentence encoder of the hybrid engine: a model folder behind the core's port.

use std::{path::Path, sync::Arc};

use gateway_core::{FitEngine, meaning::Semantics, ports::SentenceEncoder};
use gateway_embedding::{Encoder, ModelError};

use crate::config::FitConfig;

/// A model that was read from its folder.
#[derive(Debug)]
struct Model(Encoder);

impl SentenceEncoder for Model {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn encode(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let encoded = self.0.encode_all(texts.iter().copied());
        encoded
            .iter()
            .map(|text| text.as_slice().to_vec())
            .collect()
    }
}

/// Reads the model in a folder; returns its name.
///
/// # Errors
/// Says what is wrong with which file, and the next step.
pub(crate) fn name_of(folder: &Path) -> Result<String, ModelError> {
    Encoder::open(folder).map(|encoder| encoder.name().to_owned())
}

/// Starts the configured engine. One that cannot be used falls back to words, which is logged.
pub(crate) async fn engine(config: &FitConfig) -> FitEngine {
    let FitConfig::Hybrid { model } = config else {
        return FitEngine::Lexical;
    };
    let folder = model.clone();
    // Takes a fraction of a second of a processor.
    let opening = tokio::task::spawn_blocking(move || {
        let encoder = Encoder::open(&folder).map_err(|error| error.to_string())?;
        Ok(Arc::new(Semantics::new(Arc::new(Model(encoder)))))
    });
    let opened = opening.await.unwrap_or_else(|error| Err(error.to_string()));
    match opened {
        Ok(semantics) => {
            tracing::info!(model = semantics.name(), "routing by words and meaning");
            FitEngine::Hybrid(semantics)
        }
        Err(problem) => {
            tracing::warn!(
                "routing by words alone although `routing.fit.engine` is `hybrid`: {problem}"
            );
            FitEngine::FallenBack { problem }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_missing_model_falls_back_to_words_and_says_how_to_fetch_it() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("nothing");
        let engine = engine(&FitConfig::Hybrid { model }).await;
        assert_eq!(engine.name(), "lexical");
        let problem = engine.problem().unwrap();
        assert!(problem.contains("deploy/fetch-model"), "{problem}");
    }

    #[tokio::test]
    async fn the_default_engine_has_no_problem() {
        let engine = engine(&FitConfig::Lexical).await;
        assert_eq!(
            (engine.version().as_str(), engine.problem()),
            ("lexical", None)
        );
    }
}
