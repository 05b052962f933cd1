//! A labelled set: requests, each with the agents and skills that are right for it.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    Outcome,
    catalog::{self, NamedCard},
};

/// A request with what would be right.
#[derive(Debug, Clone, Deserialize)]
pub struct Request {
    /// Its name in the set.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// ISO 639-1 code.
    pub language: String,
    /// How it is worded, or what it tests.
    pub kind: Kind,
    /// A finer kind of a request that nothing fits.
    #[serde(default)]
    pub subkind: Option<String>,
    /// The right answer.
    pub verdict: Verdict,
    /// The right agents, each as good as the others.
    pub expected_agents: Vec<String>,
    /// The right skills of each of them; none stands for any.
    pub expected_skills: BTreeMap<String, Vec<String>>,
    /// Which cards are loaded.
    pub registry: Registry,
}

/// How a request is worded, or what it tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// In the words of the card.
    Direct,
    /// In other words.
    Paraphrase,
    /// As a few keywords.
    Keyword,
    /// With a story around it.
    Long,
    /// With misspellings.
    Typo,
    /// No agent fits.
    None,
    /// Several agents fit alike.
    Ambiguous,
    /// Bad cards try to win it.
    Adversarial,
}

impl Kind {
    /// The kinds that one agent is right for, in the order of reports.
    pub const ROUTABLE: [Self; 5] = [
        Self::Direct,
        Self::Paraphrase,
        Self::Keyword,
        Self::Long,
        Self::Typo,
    ];

    /// Returns the name used in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Paraphrase => "paraphrase",
            Self::Keyword => "keyword",
            Self::Long => "long",
            Self::Typo => "typo",
            Self::None => "none",
            Self::Ambiguous => "ambiguous",
            Self::Adversarial => "adversarial",
        }
    }

    /// Says whether one agent is right.
    #[must_use]
    pub fn is_routable(self) -> bool {
        Self::ROUTABLE.contains(&self)
    }
}

/// What to do with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Send it to one agent.
    Routed,
    /// Say that nothing fits.
    None,
    /// Say that several fit alike.
    Ambiguous,
}

/// Which cards a request is scored among.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Registry {
    /// The honest ones.
    #[serde(rename = "base")]
    Honest,
    /// All of them.
    #[serde(rename = "base+adversarial")]
    WithAdversarial,
}

/// The id of an agent with a card that tries to win more than it deserves begins so.
pub const ADVERSARIAL: &str = "adv-";

/// A labelled set.
#[derive(Debug)]
pub struct LabelledSet {
    /// The requests.
    pub requests: Vec<Request>,
    /// The honest cards, by id.
    pub honest: Vec<NamedCard>,
    /// The adversarial ones, by id.
    pub adversarial: Vec<NamedCard>,
}

impl LabelledSet {
    /// Reads a folder with `requests.jsonl`, `agents/` and `agents_adversarial/`.
    ///
    /// # Errors
    /// When a file cannot be read, a line is no request, or a card is no card.
    pub fn read(folder: &Path) -> Outcome<Self> {
        let lines = fs::read_to_string(folder.join("requests.jsonl"))?;
        let lines = lines.lines().filter(|line| !line.trim().is_empty());
        let requests = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok(Self {
            requests,
            honest: catalog::read(&folder.join("agents"))?,
            adversarial: catalog::read(&folder.join("agents_adversarial"))?,
        })
    }

    /// Returns the cards of a registry.
    #[must_use]
    pub fn cards(&self, registry: Registry) -> Vec<NamedCard> {
        let mut cards = self.honest.clone();
        if registry == Registry::WithAdversarial {
            cards.extend(self.adversarial.iter().cloned());
        }
        cards
    }
}

/// What a router answered to one request; one line of a file of predictions.
#[derive(Debug, Clone, Serialize)]
pub struct Prediction {
    /// The request's name.
    pub id: String,
    /// The agents that fit, best first; at most five.
    pub ranked: Vec<Ranked>,
    /// What the router would do.
    pub verdict: Verdict,
}

/// One agent of a prediction.
#[derive(Debug, Clone, Serialize)]
pub struct Ranked {
    /// The agent.
    pub agent: String,
    /// Its skill that fits best.
    pub skill: Option<String>,
    /// How well, in `[0, 1]`.
    pub fit: f64,
}

impl Prediction {
    /// Returns the fit of the agent at a place, 0 where there is none.
    #[must_use]
    pub fn fit(&self, place: usize) -> f64 {
        self.ranked.get(place).map_or(0.0, |ranked| ranked.fit)
    }

    /// Says whether one of the first agents is right.
    #[must_use]
    pub fn is_right_within(&self, first: usize, request: &Request) -> bool {
        let mut ranked = self.ranked.iter().take(first);
        ranked.any(|ranked| request.expected_agents.contains(&ranked.agent))
    }

    /// Says whether an adversarial card is first.
    #[must_use]
    pub fn is_hijacked(&self) -> bool {
        self.ranked
            .first()
            .is_some_and(|first| first.agent.starts_with(ADVERSARIAL))
    }

    /// Says whether the whole answer is right: the verdict, and the agents with it.
    #[must_use]
    pub fn is_right(&self, request: &Request) -> bool {
        let expected = |place: usize| {
            let ranked = self.ranked.get(place);
            ranked.is_some_and(|ranked| request.expected_agents.contains(&ranked.agent))
        };
        self.verdict == request.verdict
            && match request.verdict {
                Verdict::None => true,
                Verdict::Routed => expected(0),
                Verdict::Ambiguous => expected(0) && expected(1),
            }
    }
}

/// Predictions by the request they answer.
pub type Predictions = HashMap<String, Prediction>;
