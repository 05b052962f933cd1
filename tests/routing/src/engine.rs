//! The engines that are measured: each answers a request among the agents of a catalog.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use clap::ValueEnum;
use gateway_core::{
    AgentAuth, Catalog, Profile,
    decision::{Candidate, DecisionKind},
    fit::{Asked, Fits},
    meaning::{CardMeaning, Direction, LocalEncoder, Semantics},
    ports::SentenceEncoder,
    route::{Features, Question, choose},
};
use gateway_embedding::Encoder;
use gateway_protocol::{Binding, Version};
use gateway_upstream::{EmbeddingsEndpoint, EmbeddingsSettings, guard::Clients};
use tokio::{runtime::Runtime, time::Instant};
use url::Url;

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
    meanings: Option<Meanings>,
    /// The meaning of cards by fingerprint, read once for all catalogs.
    cards: Mutex<HashMap<Box<str>, Arc<CardMeaning>>>,
}

/// A sentence encoder with what it runs on.
#[derive(Debug)]
struct Meanings {
    semantics: Semantics,
    runtime: Runtime,
}

/// Where the model of the hybrid engine is, unless told otherwise.
pub const MODEL_VARIABLE: &str = "A2A_GATEWAY_MODEL";

/// The key of an embeddings API.
const KEY_VARIABLE: &str = "EMBEDDINGS_KEY";

/// Agents of a prediction that are kept.
const RANKED: usize = 5;

impl Engine {
    /// Returns the lexical engine.
    #[must_use]
    pub fn lexical() -> Self {
        Self {
            name: EngineName::Lexical,
            meanings: None,
            cards: Mutex::default(),
        }
    }

    /// Returns the hybrid engine with the model in a folder.
    ///
    /// # Errors
    /// When the model cannot be read.
    pub fn hybrid(model: &Path) -> Outcome<Self> {
        let encoder = Encoder::open(model)?;
        let name = encoder.name().to_owned();
        let encoder = LocalEncoder::new(name, move |texts| encoder.vectors(texts));
        Self::with(Arc::new(encoder))
    }

    /// Returns the hybrid engine with a model behind an embeddings API, whose key is in the environment if it has one.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn at(url: Url, model: &str) -> Outcome<Self> {
        let key = std::env::var(KEY_VARIABLE).ok();
        let settings = EmbeddingsSettings {
            url,
            model: model.to_owned(),
            auth: key.map_or(AgentAuth::None, |key| AgentAuth::Bearer(key.into())),
            timeout: Duration::from_secs(10),
            dimensions: None,
        };
        Self::with(Arc::new(EmbeddingsEndpoint::new(settings, Clients::new())))
    }

    /// Returns the hybrid engine with any encoder.
    ///
    /// # Errors
    /// When the encoder cannot be used.
    pub fn with(encoder: Arc<dyn SentenceEncoder>) -> Outcome<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let semantics = Semantics::new(encoder);
        runtime.block_on(semantics.prepare())?;
        Ok(Self {
            name: EngineName::Hybrid,
            meanings: Some(Meanings { semantics, runtime }),
            cards: Mutex::default(),
        })
    }

    /// Makes a catalog of cards and reads what this engine looks at.
    ///
    /// # Errors
    /// When an id is none, or a card cannot be read.
    pub fn catalog(&self, cards: &[NamedCard]) -> Outcome<Catalog> {
        let catalog = catalog(cards)?;
        let Some(Meanings { semantics, runtime }) = &self.meanings else {
            return Ok(catalog);
        };
        let mut known = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        for card in catalog.not_understood() {
            if !known.contains_key(card.0) {
                let read = runtime.block_on(semantics.cards(std::slice::from_ref(&card)))?;
                let read = read.into_iter().map(|read| (card.0.into(), Arc::new(read)));
                known.extend(read);
            }
        }
        Ok(catalog.understanding(&known))
    }

    /// Returns factor and summand that make of this engine's closeness what the weights expect.
    #[must_use]
    pub fn standard(&self) -> Option<(f32, f32)> {
        self.meanings.as_ref()?.semantics.standard()
    }

    /// Answers one request.
    ///
    /// # Errors
    /// When what it means cannot be read.
    pub fn answer(&self, catalog: &Catalog, id: &str, text: &str) -> Outcome<Prediction> {
        let meaning = self.meaning(text)?;
        Ok(answer(catalog, id, text, meaning.as_ref()))
    }

    /// Reads what a request means, if this engine looks at that.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn meaning(&self, text: &str) -> Outcome<Option<Direction>> {
        let Some(Meanings { semantics, runtime }) = &self.meanings else {
            return Ok(None);
        };
        Ok(runtime.block_on(semantics.request(text))?)
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
            let answer = self.answer(catalog, &request.id, &request.text)?;
            Ok((request.id.clone(), answer))
        });
        answers.collect()
    }

    /// Answers every request of a set in one catalog.
    ///
    /// # Errors
    /// When what a request means cannot be read.
    pub fn answer_among(&self, catalog: &Catalog, set: &LabelledSet) -> Outcome<Predictions> {
        let requests = set.requests.iter();
        requests
            .map(|request| {
                let answer = self.answer(catalog, &request.id, &request.text)?;
                Ok((request.id.clone(), answer))
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

/// Asks the router with the built-in profile. Media types are left out: the requests are labelled by what they
/// ask for, and some of the cards take only `application/json`.
fn answer(catalog: &Catalog, id: &str, text: &str, meaning: Option<&Direction>) -> Prediction {
    let features = Features {
        text: text.to_owned(),
        ..Features::default()
    };
    let choice = choose(Question {
        catalog,
        profile: &Profile::balanced().into(),
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
