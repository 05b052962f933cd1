//! Measures what meaning adds to the cost of routing: reading a request, and judging 68, 1,000 and 10,000 agents.
//!
//! `A2A_GATEWAY_MODEL=FOLDER cargo bench -p routing --bench hybrid` prints the median and, in brackets, the shortest
//! time.

use std::{
    collections::HashMap,
    env,
    hint::black_box,
    io::{self, Write as _},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use gateway_core::{
    Catalog, Profile,
    meaning::{CardMeaning, Direction},
    route::{Features, Question, choose},
};
use gateway_protocol::Version;
use routing::{
    Outcome,
    catalog::{NamedCard, catalog},
    dev_folder,
    engine::{Engine, MODEL_VARIABLE, fits},
    labelled::{LabelledSet, Registry},
    unrelated,
};

/// A request of thirty words.
const TEXT: &str = "Our club keeps bees and last week a swarm left the hive, so please check the photos of the frame \
     with brood and explain whether the queen is still there";
const SKILLS: u32 = 5;
/// Cards that are read; what they mean stands in for that of the others, which costs the same.
const READ: u32 = 100;
const ROUNDS: usize = 101;

fn main() -> Outcome<()> {
    let Some(folder) = env::var_os(MODEL_VARIABLE) else {
        return Err(
            format!("set `{MODEL_VARIABLE}` to a folder that `deploy/fetch-model` made").into(),
        );
    };
    let engine = Engine::hybrid(Path::new(&folder))?;
    let set = LabelledSet::read(&dev_folder())?;
    let mut out = io::stdout().lock();
    let mut took = Vec::new();
    for request in &set.requests {
        let started = Instant::now();
        black_box(engine.meaning(&request.text)?);
        took.push(started.elapsed());
    }
    took.sort_unstable();
    writeln!(
        out,
        "reading the requests of the set: median {:.2?}, 90 of 100 below {:.2?}, longest {:.2?}\n",
        took[took.len() / 2],
        took[took.len() * 9 / 10],
        took[took.len() - 1]
    )?;
    let cards = unrelated::cards(0, READ, SKILLS)?;
    let started = Instant::now();
    black_box(engine.catalog(&cards)?);
    writeln!(
        out,
        "reading {READ} cards of {SKILLS} skills: {:.1?}\n",
        started.elapsed()
    )?;
    writeln!(
        out,
        "| agents | meanings | fit by words | fit by words and meaning | whole choice |"
    )?;
    writeln!(out, "|---:|---:|---:|---:|---:|")?;
    let meaning = engine.meaning(TEXT)?;
    for cards in [
        set.cards(Registry::Honest),
        unrelated::cards(0, 1_000, SKILLS)?,
        unrelated::cards(0, 10_000, SKILLS)?,
    ] {
        let catalog = federation(&engine, &cards)?;
        let bytes = catalog.meanings().bytes();
        let words = median(|| drop(black_box(fits(&catalog, TEXT, None))));
        let both = median(|| drop(black_box(fits(&catalog, TEXT, meaning.as_ref()))));
        let choice = median(|| ask(&catalog, meaning.as_ref()));
        let megabytes = bytes.div_ceil(1 << 20);
        writeln!(
            out,
            "| {} | {megabytes} MiB | {words} | {both} | {choice} |",
            cards.len()
        )?;
    }
    Ok(())
}

/// Makes a catalog in which every card has a meaning of its own in memory.
fn federation(engine: &Engine, cards: &[NamedCard]) -> Outcome<Catalog> {
    let read = cards.get(..READ as usize).unwrap_or(cards);
    let known = engine.catalog(read)?;
    let meanings: Vec<&CardMeaning> = (0..read.len())
        .filter_map(|at| known.meanings().get(at))
        .collect();
    let catalog = catalog(cards)?;
    let unread = catalog.not_understood();
    let new: HashMap<Box<str>, Arc<CardMeaning>> = unread
        .zip(meanings.iter().cycle())
        .map(|((fingerprint, _), meaning)| (fingerprint.into(), Arc::new((*meaning).clone())))
        .collect();
    Ok(catalog.understanding(&new))
}

fn ask(catalog: &Catalog, meaning: Option<&Direction>) {
    let features = Features {
        text: TEXT.to_owned(),
        ..Features::default()
    };
    black_box(choose(Question {
        catalog,
        profile: &Profile::balanced().into(),
        rule: None,
        features: &features,
        meaning,
        version: Version::V1,
        binding: gateway_protocol::Binding::JsonRpc,
        at: jiff::Timestamp::UNIX_EPOCH,
        now: tokio::time::Instant::now(),
    }));
}

fn median(mut act: impl FnMut()) -> String {
    let mut took: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            act();
            started.elapsed()
        })
        .collect();
    took.sort_unstable();
    format!("{:.1?} ({:.1?})", took[ROUNDS / 2], took[0])
}
