//! The sentence encoder of the hybrid engine: a model in a folder or behind an address, put behind the core's port.

use std::{path::Path, sync::Arc};

use gateway_core::{
    FitEngine,
    meaning::{LocalEncoder, Semantics},
};
use gateway_embedding::{Encoder, ModelError};
use gateway_upstream::{EmbeddingsEndpoint, guard::Clients};

use crate::{config::FitConfig, meanings::MeaningFolder};

/// Reads the model in a folder; returns its name.
///
/// # Errors
/// Says what is wrong with which file, and the next step.
pub(crate) fn name_of(folder: &Path) -> Result<String, ModelError> {
    Encoder::open(folder).map(|encoder| encoder.name().to_owned())
}

/// Starts the configured engine, which keeps what it reads of cards in a folder. A model that cannot be used falls back
/// to words, which is logged. One behind an address is not asked yet: it may come up later.
pub(crate) async fn engine(
    config: &FitConfig,
    kept: MeaningFolder,
    clients: &Clients,
) -> FitEngine {
    let semantics = match config {
        FitConfig::Lexical => return FitEngine::Lexical,
        FitConfig::Endpoint(settings) => {
            let endpoint = EmbeddingsEndpoint::new(settings.clone(), clients.clone());
            Ok(Semantics::new(Arc::new(endpoint)))
        }
        FitConfig::Hybrid { model } => local(model).await,
    };
    match semantics {
        Ok(semantics) => {
            tracing::info!(model = semantics.name(), "routing by words and meaning");
            FitEngine::Hybrid(Arc::new(semantics.keeping(Arc::new(kept))))
        }
        Err(problem) => {
            tracing::warn!(
                "routing by words alone although `routing.fit.engine` is `hybrid`: {problem}"
            );
            FitEngine::FallenBack { problem }
        }
    }
}

/// Opens a model in a folder, which takes a fraction of a second of a processor.
async fn local(folder: &Path) -> Result<Semantics, String> {
    let folder = folder.to_owned();
    let opening = tokio::task::spawn_blocking(move || Encoder::open(&folder));
    let encoder = opening.await.map_err(|error| error.to_string())?;
    let encoder = encoder.map_err(|error| error.to_string())?;
    let name = encoder.name().to_owned();
    let encoder = LocalEncoder::new(name, move |texts| encoder.vectors(texts));
    let semantics = Semantics::new(Arc::new(encoder));
    let prepared = semantics.prepare().await;
    prepared.map_err(|error| error.to_string())?;
    Ok(semantics)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn started(config: &FitConfig) -> FitEngine {
        let kept = MeaningFolder::new("nowhere".into());
        engine(config, kept, &Clients::new()).await
    }

    #[tokio::test]
    async fn a_missing_model_falls_back_to_words_and_says_how_to_fetch_it() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("nothing");
        let engine = started(&FitConfig::Hybrid { model }).await;
        assert_eq!(engine.name(), "lexical");
        let problem = engine.problem().unwrap();
        assert!(problem.contains("deploy/fetch-model"), "{problem}");
    }

    #[tokio::test]
    async fn the_default_engine_has_no_problem() {
        let engine = started(&FitConfig::Lexical).await;
        assert_eq!(
            (engine.version().as_str(), engine.problem()),
            ("lexical", None)
        );
    }
}
