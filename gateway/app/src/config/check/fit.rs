//! The `routing.fit` section: the engine and its model.

use std::path::Path;

use super::Checker;
use crate::config::{
    FitConfig,
    form::routing::{EngineForm, FitForm},
};

/// Where `deploy/fetch-model` puts the model unless told otherwise.
const MODEL: &str = "models/use-multilingual-v3";

impl Checker<'_> {
    /// Resolves the engine. Whether its model can be used shows at the start.
    pub(super) fn fit(&mut self, form: &FitForm) -> FitConfig {
        match (form.engine, &form.model) {
            (EngineForm::Hybrid, model) => FitConfig::Hybrid {
                model: self.resolve(model.as_deref().unwrap_or(Path::new(MODEL))),
            },
            (EngineForm::Lexical, None) => FitConfig::Lexical,
            (EngineForm::Lexical, Some(_)) => {
                self.report(
                    self.root.get("routing").get("fit").get("model"),
                    "the engine `lexical` has no model",
                    "add `engine: hybrid`, or remove `model`",
                );
                FitConfig::Lexical
            }
        }
    }
}
