//! Runs every target over its seeds and over changed seeds, the same ones each time.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers as well"
)]

use std::{collections::BTreeSet, fs, path::Path};

use fuzz::TARGETS;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

/// How many changed seeds each target gets.
const CASES: u32 = 2_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = root().join("seeds").join(target);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{error}: {}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Reads the words of the fuzzer's dictionary, one `"word"` a line with `\"` and `\\` escaped.
fn words() -> Vec<Vec<u8>> {
    let text = fs::read_to_string(root().join("words.dict")).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('"'));
    let words = lines.map(|line| serde_json::from_str::<String>(line).unwrap().into_bytes());
    words.collect()
}

/// Is one change of an input, as a fuzzer makes them.
#[derive(Debug, Clone)]
enum Change {
    Set(Index, u8),
    Remove(Index, usize),
    Insert(Index, Vec<u8>),
    /// Goes on with the rest of another seed.
    Splice(Index, Vec<u8>, Index),
    Repeat(Index, usize),
}

impl Change {
    fn apply(self, input: &mut Vec<u8>) {
        let size = input.len();
        let place = |index: Index| index.index(size + 1);
        match self {
            Self::Set(at, byte) => {
                if let Some(place) = input.get_mut(place(at)) {
                    *place = byte;
                }
            }
            Self::Remove(at, count) => {
                let start = place(at);
                drop(input.drain(start..(start + count).min(size)));
            }
            Self::Insert(at, bytes) => {
                let start = place(at);
                drop(input.splice(start..start, bytes));
            }
            Self::Splice(at, other, from) => {
                input.truncate(place(at));
                input.extend_from_slice(&other[from.index(other.len() + 1)..]);
            }
            Self::Repeat(at, count) => {
                let start = place(at);
                input.extend_from_within(start..(start + count).min(size));
            }
        }
    }
}

fn changed(seeds: Vec<Vec<u8>>, words: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let at = any::<Index>;
    let change = prop_oneof![
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        1 => (at(), 1..20_usize).prop_map(|(at, count)| Change::Remove(at, count)),
        4 => (at(), prop::sample::select(words)).prop_map(|(at, word)| Change::Insert(at, word)),
        1 => (at(), prop::sample::select(seeds.clone()), any::<Index>())
            .prop_map(|(at, other, from)| Change::Splice(at, other, from)),
        1 => (at(), 1..20_usize).prop_map(|(at, count)| Change::Repeat(at, count)),
    ];
    let changes = prop::collection::vec(change, 0..6);
    (prop::sample::select(seeds), changes).prop_map(|(mut input, changes)| {
        for change in changes {
            change.apply(&mut input);
        }
        input
    })
}

/// Runs one target; an input that fails is shrunk and printed.
fn run(name: &str) {
    let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).unwrap();
    let seeds = seeds(name);
    assert!(seeds.len() >= 4, "{name} has {} seeds", seeds.len());
    for seed in &seeds {
        target(seed);
    }
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, random).run(&changed(seeds, words()), |input| {
        target(&input);
        Ok(())
    });
    if let Err(TestError::Fail(reason, input)) = outcome {
        panic!("{reason}\ninput: {}", input.escape_ascii());
    }
}

#[test]
fn cards_hold() {
    run("cards");
}

#[test]
fn conversions_hold() {
    run("conversion");
}

#[test]
fn json_rpc_holds() {
    run("jsonrpc");
}

#[test]
fn protobuf_and_its_json_hold() {
    run("proto_json");
}

#[test]
fn http_and_json_hold() {
    run("rest");
}

#[test]
fn event_streams_hold() {
    run("sse");
}

#[test]
fn every_target_has_its_program_and_its_seeds() {
    let names = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let stem =
            |path: std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
        entries.map(|entry| stem(entry.unwrap().path())).collect()
    };
    let targets: BTreeSet<_> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names("fuzz_targets"), targets);
    assert_eq!(names("seeds"), targets);
}
