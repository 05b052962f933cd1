//! The engines that are measured: each answers a request among the agents of a catalog.

use clap::ValueEnum;
use gateway_core::{
    Catalog, Profile,
    decision::{Candidate, DecisionKind},
    route::{Features, Question, choose},
};
use gateway_protocol::{Binding, Version};
use tokio::time::Instant;

use crate::{
    Outcome,
    catalog::catalog,
    labelled::{LabelledSet, Prediction, Predictions, Ranked, Registry, Verdict},
};

/// How fit is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// By the words of the cards, the default of the gateway.
    Lexical,
}

/// Agents that are compared with the first.
const RIVALS: usize = 4;
/// Agents of a prediction that are kept.
const RANKED: usize = 5;

impl Engine {
    /// Answers one request.
    #[must_use]
    pub fn answer(self, catalog: &Catalog, id: &str, text: &str) -> Prediction {
        match self {
            Self::Lexical => lexical(catalog, id, text),
        }
    }

    /// Answers every request of a set among the cards it asks for.
    ///
    /// # Errors
    /// When a catalog cannot be made.
    pub fn answer_all(self, set: &LabelledSet) -> Outcome<Predictions> {
        let honest = catalog(&set.honest)?;
        let all = catalog(&set.cards(Registry::WithAdversarial))?;
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
    pub fn answer_among(self, catalog: &Catalog, set: &LabelledSet) -> Predictions {
        let requests = set.requests.iter();
        requests
            .map(|request| {
                let answer = self.answer(catalog, &request.id, &request.text);
                (request.id.clone(), answer)
            })
            .collect()
    }
}

/// Asks the router with the built-in profile. Media types are left out: the requests are labelled by what they
/// ask for, and some of the cards take only `application/json`.
fn lexical(catalog: &Catalog, id: &str, text: &str) -> Prediction {
    let features = Features {
        text: text.to_owned(),
        ..Features::default()
    };
    let choice = choose(Question {
        catalog,
        profile: &Profile::balanced(),
        features: &features,
        version: Version::V1,
        binding: Binding::JsonRpc,
        now: Instant::now(),
        at: jiff::Timestamp::UNIX_EPOCH,
    });
    let verdict = match choice.kind {
        DecisionKind::Scored if is_ambiguous(catalog, text) => Verdict::Ambiguous,
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

/// The choice has no place for this verdict yet, so the cards are searched once more.
fn is_ambiguous(catalog: &Catalog, text: &str) -> bool {
    let fits = catalog.fit().fits(text);
    let mut agents = fits.best_first().into_iter().map(|fit| fit.agent);
    let first = agents.next();
    let rival = first.and_then(|first| fits.rival(first, agents.take(RIVALS)));
    rival.is_some_and(|rival| rival.is_alike())
}

fn ranked(candidate: &Candidate) -> Option<Ranked> {
    let fit = candidate.signals.as_ref()?.fit.value;
    (fit > 0.0).then(|| Ranked {
        agent: candidate.agent.as_str().to_owned(),
        skill: candidate.skill.clone(),
        fit,
    })
}
