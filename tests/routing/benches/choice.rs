//! Measures what one choice costs among 1,000 agents: plainly, beside shadow profiles, with exploration, and where many
//! agents fit alike.
//!
//! `cargo bench -p routing --bench choice` prints the median and, in brackets, the shortest time.

use std::{
    hint::black_box,
    io::{self, Write as _},
    time::{Duration, Instant},
};

use gateway_core::{
    Exploration, Profile, VersionedProfile,
    profile::Method,
    route::{Features, Question, choose_beside},
};
use gateway_protocol::{Binding, Version};
use routing::{Outcome, catalog, unrelated};

/// Thirty words, a dozen of which are on the cards of one trade or of all.
const TEXT: &str = "Our club keeps bees and last week a swarm left the hive, so please check the photos of the frame \
     with brood and explain whether the queen is still there";
const AGENTS: u32 = 1_000;
const ROUNDS: usize = 401;

fn main() -> Outcome<()> {
    let catalog = catalog::catalog(&unrelated::cards(0, AGENTS, 5)?)?;
    let features = Features {
        message_id: Some("m-1".to_owned()),
        text: TEXT.to_owned(),
        ..Features::default()
    };
    let plain = VersionedProfile::from(Profile::balanced());
    let exploring = |method| {
        VersionedProfile::from(Profile {
            exploration: Exploration {
                method,
                ..Exploration::default()
            },
            ..Profile::balanced()
        })
    };
    let shadows = ["one", "two", "three"].map(|name| {
        VersionedProfile::from(Profile {
            name: name.to_owned(),
            ..Profile::balanced()
        })
    });
    let shadows: Vec<&VersionedProfile> = shadows.iter().collect();
    let (epsilon, thompson) = (exploring(Method::Epsilon), exploring(Method::Thompson));
    let time = |profile: &VersionedProfile, shadows: &[&VersionedProfile]| {
        median(|| {
            black_box(choose_beside(
                Question {
                    catalog: &catalog,
                    profile,
                    rule: None,
                    features: &features,
                    meaning: None,
                    version: Version::V1,
                    binding: Binding::JsonRpc,
                    now: tokio::time::Instant::now(),
                    at: jiff::Timestamp::UNIX_EPOCH,
                },
                shadows,
            ));
        })
    };
    let mut out = io::stdout().lock();
    writeln!(out, "| choice among {AGENTS} agents | time |\n|---|---:|")?;
    writeln!(out, "| plain | {} |", time(&plain, &[]))?;
    writeln!(
        out,
        "| three shadow profiles | {} |",
        time(&plain, &shadows)
    )?;
    writeln!(out, "| epsilon | {} |", time(&epsilon, &[]))?;
    writeln!(out, "| Thompson | {} |", time(&thompson, &[]))?;
    Ok(())
}

fn median(mut act: impl FnMut()) -> String {
    let mut taken: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            act();
            started.elapsed()
        })
        .collect();
    taken.sort_unstable();
    let at = |place: usize| taken.get(place).copied().unwrap_or_default();
    format!("{:.1?} ({:.1?})", at(ROUNDS / 2), at(0))
}
