use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::atomic::Ordering,
};

use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::{
    agent::AgentId,
    catalog::Catalog,
    decision::Candidate,
    route::{Features, Question, choose},
    testing::{Kept, Subjects, card, catalog, id, profile, ready, spec, understood},
};

async fn semantics() -> (Semantics, Arc<Subjects>) {
    let encoder = Arc::new(Subjects::default());
    let semantics = Semantics::new(Arc::clone(&encoder) as _);
    semantics.prepare().await.unwrap();
    encoder.read.lock().unwrap().clear();
    (semantics, encoder)
}

fn agents(about: &[(&str, &str)]) -> Catalog {
    let agents = about
        .iter()
        .map(|(name, about)| ready(spec(name), card(name, about, &json!({}))));
    catalog(agents.collect())
}

async fn ask(catalog: &Catalog, semantics: &Semantics, text: &str) -> Vec<Candidate> {
    let features = Features {
        text: text.to_owned(),
        ..Features::default()
    };
    ask_for(catalog, semantics, &features).await
}

async fn ask_for(catalog: &Catalog, semantics: &Semantics, features: &Features) -> Vec<Candidate> {
    let meaning = semantics.request(&features.searched()).await.unwrap();
    let choice = choose(Question {
        catalog,
        profile: &profile().into(),
        rule: None,
        features,
        meaning: meaning.as_ref(),
        version: gateway_protocol::Version::V1,
        binding: gateway_protocol::Binding::JsonRpc,
        at: jiff::Timestamp::UNIX_EPOCH,
        now: Instant::now(),
    });
    choice.candidates
}

const TWO: [(&str, &str); 2] = [("sky", "Tells the weather"), ("till", "Collects money")];

#[tokio::test]
async fn a_card_without_a_common_word_is_found_by_its_meaning() {
    let (semantics, _) = semantics().await;
    let catalog = understood(&agents(&TWO), &semantics).await;
    let best = ask(&catalog, &semantics, "погода?").await.remove(0);
    assert_eq!(best.agent, id("sky"));
    let fit = best.signals.unwrap().fit;
    assert!(fit.value > 0.9 && fit.terms["meaning"] > 0.8, "{fit:?}");
    assert!(fit.why.is_empty() && fit.terms["words"] < 0.0, "{fit:?}");
}

#[tokio::test]
async fn an_agent_is_judged_by_words_until_its_card_has_been_read() {
    let (semantics, _) = semantics().await;
    let unread = agents(&TWO);
    let fit = async |catalog: &Catalog| {
        let candidates = ask(catalog, &semantics, "storm and weather").await;
        let sky = candidates
            .into_iter()
            .find(|one| one.agent == id("sky"))
            .unwrap();
        sky.signals.unwrap().fit
    };
    let (before, after) = (
        fit(&unread).await,
        fit(&understood(&unread, &semantics).await).await,
    );
    assert!(before.terms.is_empty() && before.value > 0.0, "{before:?}");
    assert!(after.terms.contains_key("meaning"), "{after:?}");
    assert_eq!(before.why, after.why);
}

#[tokio::test]
async fn cards_are_read_once_by_fingerprint_and_forgotten_when_they_leave() {
    let (semantics, encoder) = semantics().await;
    let first = understood(&agents(&TWO), &semantics).await;
    assert_eq!(first.meanings().known(), 2);
    encoder.read.lock().unwrap().clear();
    let mut next: Vec<_> = first.agents().to_vec();
    next[1] = ready(spec("till"), card("till", "Plays music", &json!({})));
    let next = Catalog::new(next, Some(&first));
    assert_eq!(next.meanings().known(), 1);
    let next = understood(&next, &semantics).await;
    let read = encoder.read.lock().unwrap().clone();
    assert!(
        !read.is_empty() && read.iter().all(|text| text.contains("music")),
        "{read:?}"
    );
    assert_eq!(next.meanings().known(), 2);
    assert!(
        !next.meanings().knows(
            first.agents()[1]
                .status
                .accepted
                .as_ref()
                .unwrap()
                .card
                .fingerprint()
        )
    );
}

#[tokio::test]
async fn what_ordinary_sentences_say_is_taken_off() {
    let (semantics, _) = semantics().await;
    let catalog = understood(&agents(&[("polite", "please"), TWO[0]]), &semantics).await;
    let closeness = async |agent: &str| {
        let candidates = ask(&catalog, &semantics, "please, lluvia").await;
        let one = candidates
            .into_iter()
            .find(|one| one.agent == id(agent))
            .unwrap();
        one.signals.unwrap().fit.terms["meaning"]
    };
    // Both are half of the request; politeness is part of any request.
    assert!(closeness("sky").await > closeness("polite").await + 0.05);
}

#[tokio::test]
async fn a_skill_that_the_client_names_is_the_one_that_is_judged() {
    let skill = |id: &str, about: &str| json!({ "id": id, "name": about, "description": about, "tags": [] });
    let two = json!({ "skills": [skill("rain", "weather"), skill("bill", "money")] });
    let (semantics, _) = semantics().await;
    let both = catalog(vec![ready(spec("both"), card("both", "x", &two))]);
    let both = understood(&both, &semantics).await;
    let mut features = Features {
        text: "lluvia".to_owned(),
        ..Features::default()
    };
    let free = ask_for(&both, &semantics, &features).await.remove(0);
    features.hints.skill = Some("bill".to_owned());
    let named = ask_for(&both, &semantics, &features).await.remove(0);
    let skills = (free.skill.as_deref(), named.skill.as_deref());
    assert_eq!(skills, (Some("rain"), Some("bill")));
    let fit = |candidate: Candidate| candidate.signals.unwrap().fit.value;
    assert!(fit(free) > fit(named));
}

#[tokio::test]
async fn the_right_one_of_many_agents_is_found() {
    let (semantics, _) = semantics().await;
    let names: Vec<String> = (0..600).map(|number| format!("agent-{number}")).collect();
    let mut about: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), "Collects money"))
        .collect();
    about[487].1 = "Tells the weather";
    let catalog = understood(&agents(&about), &semantics).await;
    let best = ask(&catalog, &semantics, "lluvia").await.remove(0);
    assert_eq!(best.agent, AgentId::parse("agent-487").unwrap());
}

#[tokio::test]
async fn a_text_without_meaning_is_judged_by_words() {
    let (semantics, _) = semantics().await;
    assert_eq!(semantics.request("  ").await, Ok(None));
    assert_eq!(semantics.request("12345").await, Ok(None));
}

fn features(text: &str) -> Features {
    Features {
        text: text.to_owned(),
        ..Features::default()
    }
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_left_to_words_and_its_record_says_so() {
    let (semantics, encoder) = semantics().await;
    let engine = FitEngine::Hybrid(Arc::new(semantics));
    let read = engine.read(&features("storm")).await;
    assert!(read.direction.is_some() && !read.is_unread);
    assert_eq!(read.engine, "hybrid subjects 1");
    encoder.is_down.store(true, Ordering::Relaxed);
    let read = engine.read(&features("storm")).await;
    assert!(read.direction.is_none() && read.is_unread);
    assert_eq!(read.engine, "lexical, since subjects 1 did not answer");
}

#[tokio::test]
async fn before_its_model_is_measured_nothing_is_read() {
    let semantics = Semantics::new(Arc::new(Subjects::default()));
    assert!(semantics.request("storm").await.is_err());
}

#[tokio::test]
async fn a_model_that_breaks_is_an_error_and_no_panic() {
    let encoder = LocalEncoder::new("broken", |_| panic!("as it does"));
    let semantics = Semantics::new(Arc::new(encoder));
    assert!(matches!(
        semantics.prepare().await,
        Err(EncodingError::Refused(_))
    ));
}

#[tokio::test]
async fn a_model_that_makes_the_same_of_everything_is_not_used() {
    let encoder = LocalEncoder::new("constant", |texts| vec![vec![1.0, 0.0]; texts.len()]);
    let semantics = Semantics::new(Arc::new(encoder));
    let problem = semantics.prepare().await.unwrap_err().to_string();
    assert!(problem.contains("makes the same of all texts"), "{problem}");
}

/// Returns a vector of length 1 to which each word of a text adds one of its own.
fn words(text: &str) -> Vec<f32> {
    let side = |word: &str, axis: u32| {
        let mut hasher = DefaultHasher::new();
        (word, axis).hash(&mut hasher);
        if hasher.finish().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    };
    let text = text.to_lowercase();
    let axis = |axis| text.split(' ').map(|word| side(word, axis)).sum::<f32>();
    of_length_1(&(0..64).map(axis).collect::<Vec<_>>())
}

/// Does the same as many models do: a large part is in every text, and what differs is small.
fn narrow(text: &str) -> Vec<f32> {
    of_length_1(&[words(text), vec![3.0]].concat())
}

fn of_length_1(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

#[tokio::test]
async fn closeness_means_the_same_when_a_model_finds_all_texts_alike() {
    let closeness = async |encoder: LocalEncoder| {
        let semantics = Semantics::new(Arc::new(encoder));
        semantics.prepare().await.unwrap();
        let catalog = understood(&agents(&TWO), &semantics).await;
        let candidates = ask(&catalog, &semantics, "the weather").await;
        let of = |name: &str| {
            let one = candidates.iter().find(|one| one.agent == id(name)).unwrap();
            one.signals.as_ref().unwrap().fit.terms["meaning"]
        };
        (of("sky"), of("till"))
    };
    let plain = LocalEncoder::new("plain", |texts| {
        texts.iter().map(|text| words(text)).collect()
    });
    let narrow = LocalEncoder::new("narrow", |texts| {
        texts.iter().map(|text| narrow(text)).collect()
    });
    let (right, wrong) = closeness(plain).await;
    let (narrow_right, narrow_wrong) = closeness(narrow).await;
    assert!(right > wrong + 0.1, "{right} and {wrong}");
    assert!(
        (right - narrow_right).abs() < right / 10.0,
        "{right} and {narrow_right}"
    );
    assert!(
        (wrong - narrow_wrong).abs() < right / 10.0,
        "{wrong} and {narrow_wrong}"
    );
}

#[tokio::test]
async fn what_was_kept_by_another_width_is_read_anew() {
    let (semantics, _) = semantics().await;
    let kept = Arc::new(Kept::default());
    let semantics = semantics.keeping(Arc::clone(&kept) as _);
    let catalog = understood(&agents(&TWO), &semantics).await;
    let fingerprint = catalog.agents()[0].status.accepted.as_ref().unwrap();
    let fingerprint = fingerprint.card.fingerprint();
    assert!(semantics.recall(fingerprint).await.is_some());
    let wider = LocalEncoder::new("subjects 1", |texts| {
        texts
            .iter()
            .map(|text| [Subjects::direction(text), vec![0.0]].concat())
            .collect()
    });
    let wider = Semantics::new(Arc::new(wider)).keeping(kept);
    wider.prepare().await.unwrap();
    assert!(wider.recall(fingerprint).await.is_none());
}

#[tokio::test]
async fn start_and_end_of_a_long_request_are_read() {
    let (semantics, encoder) = semantics().await;
    let filler = "añ ".repeat(1000);
    let text = format!("lluvia {filler} weather");
    assert!(semantics.request(&text).await.unwrap().is_some());
    let read = encoder.read.lock().unwrap().clone();
    assert!(read[0].len() <= 2 * END + 1, "{}", read[0].len());
    assert!(read[0].starts_with("lluvia") && read[0].ends_with("weather"));
}
