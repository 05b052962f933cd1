//! Scoring a message takes no memory for each agent. In a binary of its own, which counts what is allocated.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers as well"
)]

use allocation_counter::measure;
use gateway_core::{
    Catalog, Profile, VersionedProfile,
    route::{Features, Question, choose},
};
use gateway_protocol::{Binding, Version};
use routing::{catalog, unrelated};

const TEXT: &str = "Our club keeps bees; please check the photos of the frame with brood and explain where the queen is";

fn federation(agents: u32) -> Catalog {
    catalog::catalog(&unrelated::cards(0, agents, 2).unwrap()).unwrap()
}

/// Counts the bytes of the second message of a thread; the first makes the tables that are kept.
fn bytes(mut act: impl FnMut()) -> u64 {
    act();
    measure(act).bytes_total
}

#[test]
fn searching_the_cards_takes_the_same_memory_in_any_federation() {
    let of = |agents| {
        let catalog = federation(agents);
        bytes(|| drop(catalog.fit().fits(TEXT)))
    };
    let (few, many) = (of(100), of(2_000));
    assert!(
        many <= few + few / 10,
        "{few} bytes among 100, {many} among 2,000"
    );
}

#[test]
fn choosing_takes_memory_for_those_that_fit_and_those_that_are_listed() {
    let profile = VersionedProfile::from(Profile {
        min_fit: 0.999,
        ..Profile::balanced()
    });
    let features = Features {
        text: TEXT.to_owned(),
        ..Features::default()
    };
    let of = |agents| {
        let catalog = federation(agents);
        let question = Question {
            catalog: &catalog,
            profile: &profile,
            rule: None,
            features: &features,
            meaning: None,
            version: Version::V1,
            binding: Binding::JsonRpc,
            now: tokio::time::Instant::now(),
            at: jiff::Timestamp::UNIX_EPOCH,
        };
        bytes(|| drop(choose(question)))
    };
    let (few, many) = (of(100), of(2_000));
    assert!(
        many <= few + few / 10,
        "{few} bytes among 100, {many} among 2,000"
    );
}
