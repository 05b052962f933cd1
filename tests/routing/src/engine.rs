//! The engines that are measured: each answers a request among the agents of a catalog.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use clap::ValueEnum;
use gateway_core::{
    Catalog, Profile,
    decision::{Candidate, DecisionKind},
    fit::{Asked, Fits},
    meaning::{CardMeaning, Direction, Semantics},
    ports::SentenceEncoder,
    route::{Features, Question, choose},
};
use gateway_embedding::Encoder;
use gateway_protocol::{Binding, Version};
use tokio::time::Instant;

use crate::{
    Outcome,
    catalog::{NamedCard, catalog},
    labelled::{LabelledSet, Prediction, Predictions, Ranked, Registry, Verdict},
};

/// How fit is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// By the words of the cards, the default of the gateway.
    Lexical,
    /// By words and meaning.
    Hybrid,
}

/// An engine at work.
#[derive(Debug)]
pub struct Engine {
    /// Which one.
    pub name: EngineName,
    semantics: Option<Semantics>,
    /// The meaning of cards by fingerprint, read once for all catalogs.
    cards: Mutex<HashMap<Box<str>, Arc<CardMeaning>>>,
}

/// Where the model of the hybrid engine is, unless told otherwise.
pub const MODEL_VARIABLE: &str = "A2A_GATEWAY_MODEL";

/// Agents of a prediction that are kept.
const RANKED: usize = 5;

impl Engine {
    /// Returns the lexical engine.
    #[must_use]
    pub fn lexical() -> Self {
        Self {
            name: EngineName::Lexical,
            semantics: None,
            cards: Mutex::default(),
        }
    }

    /// Returns the hybrid engine with the model in a folder.
    ///
    /// # Errors
    /// When the model cannot be read.
    pub fn hybrid(model: &Path) -> Outcome<Self> {
        let semantics = Semantics::new(Arc::new(Model(Encoder::open(model)?)));
        Ok(Self {
            name: EngineName::Hybrid,
            semantics: Some(semantics),
            cards: Mutex::default(),
        })
    }

    /// Makes a catalog of cards and reads what this engine looks at.
    ///
    /// # Errors
    /// When an id is none.
    pub fn catalog(&self, cards: &[NamedCard]) -> Outcome<Catalog> {
        let catalog = catalog(cards)?;
        let Some(semantics) = &self.semantics else {
            return Ok(catalog);
        };
        let mut known = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        for (fingerprint, text) in catalog.not_understood() {
            known
                .entry(fingerprint.into())
                .or_insert_with(|| Arc::new(semantics.card(&text)));
        }
        Ok(catalog.understanding(&known))
    }

    /// Answers one request.
    #[must_use]
    pub fn answer(&self, catalog: &Catalog, id: &str, text: &str) -> Prediction {
        let meaning = self.meaning(text);
        answer(catalog, id, text, meaning.as_ref())
    }

    /// Reads what a request means, if this engine looks at that.
    #[must_use]
    pub fn meaning(&self, text: &str) -> Option<Direction> {
        self.semantics.as_ref()?.request(text)
    }

    /// Answers every request of a set among the cards it asks for.
    ///
    /// # Errors
    /// When a catalog cannot be made.
    pub fn answer_all(&self, set: &LabelledSet) -> Outcome<Predictions> {
        let honest = self.catalog(&set.honest)?;
        let all = self.catalog(&set.cards(Registry::WithAdversarial))?;
        let answers = set.requests.iter().map(|request| {
            let catalog = match request.registry {
                Registry::Honest => &honest,
                Registry::WithAdversarial => &all,
            };
            let answer = self.answer(catalog, &request.id, &request.text);
            (request.id.clone(), answer)
        });
        Ok(answers.collect())
    }

    /// Answers every request of a set in one catalog.
    #[must_use]
    pub fn answer_among(&self, catalog: &Catalog, set: &LabelledSet) -> Predictions {
        let requests = set.requests.iter();
        requests
            .map(|request| {
                let answer = self.answer(catalog, &request.id, &request.text);
                (request.id.clone(), answer)
            })
            .collect()
    }
}

/// Searches the cards of a catalog.
#[must_use]
pub fn fits<'c, 't>(
    catalog: &'c Catalog,
    text: &'t str,
    meaning: Option<&Direction>,
) -> Fits<'c, 't> {
    match meaning {
        Some(request) => {
            let cards = catalog.meanings();
            catalog
                .fit()
                .fits_by_meaning(text, Asked { request, cards })
        }
        None => catalog.fit().fits(text),
    }
}

/// The encoder behind the port, as the program has it.
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

/// Asks the router with the built-in profile. Media types are left out: the requests are labelled by what they
/// ask for, and some of the cards take only `application/json`.
fn answer(catalog: &Catalog, id: &str, text: &str, meaning: Option<&Direction>) -> Prediction {
    let features = Features {
        text: text.to_owned(),
        ..Features::default()
    };
    let choice = choose(Question {
        catalog,
        profile: &Profile::balanced(),
        rule: None,
        features: &features,
        meaning,
        version: Version::V1,
        binding: Binding::JsonRpc,
        now: Instant::now(),
        at: jiff::Timestamp::UNIX_EPOCH,
    });
    let is_guess = choice.ambiguity.is_some_and(|rival| rival.guess);
    let verdict = match choice.kind {
        DecisionKind::Scored if is_guess => Verdict::Ambiguous,
        DecisionKind::Scored => Verdict::Routed,
        _ => Verdict::None,
    };
    let ranked = choice.candidates.iter().filter_map(ranked);
    Prediction {
        id: id.to_owned(),
        ranked: ranked.take(RANKED).collect(),
        verdict,
    }
}

fn ranked(candidate: &Candidate) -> Option<Ranked> {
    let fit = candidate.signals.as_ref()?.fit.value;
    (fit > 0.0).then(|| Ranked {
        agent: candidate.agent.as_str().to_owned(),
        skill: candidate.skill.clone(),
        fit,
    })
}
