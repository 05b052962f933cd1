//! The `routing.fit` section: the engine and its model.

use std::path::Path;

use gateway_upstream::EmbeddingsSettings;

use super::Checker;
use crate::config::{
    FitConfig,
    form::routing::{EndpointForm, EngineForm, FitForm},
};

/// Where `deploy/fetch-model` puts the model unless told otherwise.
const MODEL: &str = "models/use-multilingual-v3";
/// The widest vector that is read.
const WIDEST: u32 = 8192;

impl Checker<'_> {
    /// Resolves the engine. Whether its model can be used shows at the start.
    pub(super) fn fit(&mut self, form: &FitForm) -> FitConfig {
        let fit = self.root.get("routing").get("fit");
        let place = |key| fit.get(key);
        match (form.engine, &form.model, &form.endpoint) {
            (EngineForm::Lexical, None, None) => FitConfig::Lexical,
            (EngineForm::Lexical, model, _) => {
                let key = if model.is_some() { "model" } else { "endpoint" };
                self.report(
                    place(key),
                    "the engine `lexical` has no model",
                    format!("add `engine: hybrid`, or remove `{key}`"),
                );
                FitConfig::Lexical
            }
            (EngineForm::Hybrid, Some(_), Some(_)) => {
                self.report(
                    place("endpoint"),
                    "the model is given twice, in a folder and behind an address",
                    "keep `model` or `endpoint`",
                );
                FitConfig::Lexical
            }
            (EngineForm::Hybrid, None, Some(endpoint)) => {
                FitConfig::Endpoint(self.endpoint(endpoint))
            }
            (EngineForm::Hybrid, model, None) => FitConfig::Hybrid {
                model: self.resolve(model.as_deref().unwrap_or(Path::new(MODEL))),
            },
        }
    }

    fn endpoint(&mut self, form: &EndpointForm) -> EmbeddingsSettings {
        let node = self.root.get("routing").get("fit").get("endpoint");
        if form.model.trim().is_empty() {
            self.report(
                node.get("model"),
                "the model has no name",
                "write the name that the endpoint knows it by",
            );
        }
        self.may_be_called(&form.url.0, node.get("url"));
        let dimensions = form.dimensions.map(|width| width.0);
        if dimensions.is_some_and(|width| width > WIDEST) {
            self.report(
                node.get("dimensions"),
                format!("vectors of more than {WIDEST} numbers are not read"),
                format!("write {WIDEST} or less"),
            );
        }
        EmbeddingsSettings {
            url: form.url.0.clone(),
            model: form.model.clone(),
            auth: self.auth(form.auth.as_ref(), node),
            timeout: form.timeout.0,
            dimensions,
        }
    }
}
