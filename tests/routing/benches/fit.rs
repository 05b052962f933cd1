//! Measures what scoring costs among 100, 1,000 and 10,000 agents of five skills, for a request of thirty words.
//!
//! `cargo bench -p routing` prints the median and, in brackets, the shortest time, which other programs on the machine
//! disturb least. `cargo bench -p routing -- 10000 fit 500` runs one of them 500 times and
//! prints nothing else, to be counted by a profiler.

use std::{
    hint::black_box,
    io::{self, Write as _},
    time::{Duration, Instant},
};

use gateway_core::{
    Catalog, Profile, VersionedProfile,
    fit::{AgentText, FitIndex, SkillText},
    route::{Features, Question, choose},
};
use gateway_protocol::{Binding, Version};
use routing::{Outcome, catalog, unrelated};

/// Thirty words, a dozen of which are on the cards of one trade or of all.
const COMMON: &str = "Our club keeps bees and last week a swarm left the hive, so please check the photos of the frame \
     with brood and explain whether the queen is still there";
/// Thirty words, three of which are on some cards.
const SPARSE: &str = "My neighbour insists that we ought to repaint his grandmother's wooden doorway before Christmas \
     although nobody remembers who borrowed the ladder, the turpentine, the brushes or that marvellous old chisel";
const AGENTS: [u32; 3] = [100, 1_000, 10_000];
const SKILLS: u32 = 5;
const ROUNDS: usize = 201;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    if let [agents, what, times] = arguments.as_slice() {
        return repeat(agents.parse()?, what, times.parse()?);
    }
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| agents | read all cards | one card changed | fit, common words | fit, rare words | whole choice |"
    )?;
    writeln!(out, "|---:|---:|---:|---:|---:|---:|")?;
    for agents in AGENTS {
        let federation = Federation::new(agents)?;
        let read = once(|| federation.read(&FitIndex::default(), None));
        let known = federation.read(&FitIndex::default(), None);
        let changed = once(|| federation.read(&known, Some(agents / 2)));
        let common = median(|| federation.fit(COMMON));
        let sparse = median(|| federation.fit(SPARSE));
        let choice = median(|| federation.choose(COMMON));
        writeln!(
            out,
            "| {agents} | {read:.1?} | {changed:.1?} | {common} | {sparse} | {choice} |"
        )?;
    }
    Ok(())
}

fn repeat(agents: u32, what: &str, times: usize) -> Outcome<()> {
    let federation = Federation::new(agents)?;
    for _ in 0..times {
        match what {
            "choice" => federation.choose(COMMON),
            "sparse" => federation.fit(SPARSE),
            _ => federation.fit(COMMON),
        }
    }
    Ok(())
}

struct Federation {
    catalog: Catalog,
    profile: VersionedProfile,
    other: catalog::NamedCard,
}

impl Federation {
    fn new(agents: u32) -> Outcome<Self> {
        let cards = unrelated::cards(0, agents, SKILLS)?;
        let mut other = unrelated::cards(agents, 1, SKILLS)?;
        Ok(Self {
            catalog: catalog::catalog(&cards)?,
            profile: Profile::balanced().into(),
            other: other.remove(0),
        })
    }

    /// Makes the index as a catalog does when cards change, with the card of one agent replaced.
    fn read(&self, known: &FitIndex, changed: Option<u32>) -> FitIndex {
        let agents = self.catalog.agents().iter().enumerate();
        known.rebuild(agents.filter_map(|(agent, registered)| {
            let is_changed = changed.is_some_and(|changed| changed as usize == agent);
            let accepted = &registered.status.accepted.as_ref()?.card;
            let card = if is_changed {
                &self.other.card
            } else {
                accepted
            };
            Some((card.fingerprint(), text_of(agent, card)))
        }))
    }

    fn fit(&self, text: &str) {
        black_box(self.catalog.fit().fits(black_box(text)));
    }

    fn choose(&self, text: &str) {
        let features = Features {
            text: text.to_owned(),
            ..Features::default()
        };
        black_box(choose(Question {
            catalog: &self.catalog,
            profile: &self.profile,
            rule: None,
            features: &features,
            meaning: None,
            version: Version::V1,
            binding: Binding::JsonRpc,
            now: tokio::time::Instant::now(),
            at: jiff::Timestamp::UNIX_EPOCH,
        }));
    }
}

fn text_of(agent: usize, card: &agent_cards::Card) -> AgentText<'_> {
    let skills = card.skills().iter().map(|skill| SkillText {
        id: &skill.id,
        name: &skill.name,
        description: &skill.description,
        tags: &skill.tags,
        examples: &skill.examples,
    });
    AgentText {
        agent,
        name: card.name(),
        description: card.description(),
        skills: skills.collect(),
    }
}

fn once<T>(act: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(act());
    started.elapsed()
}

fn median(mut act: impl FnMut()) -> String {
    let mut taken: Vec<Duration> = (0..ROUNDS).map(|_| once(&mut act)).collect();
    taken.sort_unstable();
    let at = |place: usize| taken.get(place).copied().unwrap_or_default();
    format!("{:.1?} ({:.1?})", at(ROUNDS / 2), at(0))
}
