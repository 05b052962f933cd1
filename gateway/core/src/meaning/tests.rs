use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::{
    agent::AgentId,
    catalog::Catalog,
    decision::Candidate,
    route::{Features, Question, choose},
    testing::{Subjects, card, catalog, id, profile, ready, spec},
};

fn semantics() -> (Arc<Semantics>, Arc<Subjects>) {
    let encoder = Arc::new(Subjects::default());
    let semantics = Semantics::new(Arc::clone(&encoder) as _);
    encoder.read.lock().unwrap().clear();
    (Arc::new(semantics), encoder)
}

fn agents(about: &[(&str, &str)]) -> Catalog {
    let agents = about
        .iter()
        .map(|(name, about)| ready(spec(name), card(name, about, &json!({}))));
    catalog(agents.collect())
}

fn understood(catalog: &Catalog, semantics: &Semantics) -> Catalog {
    let unread = catalog.not_understood();
    let new = unread.map(|(card, text)| (card.into(), Arc::new(semantics.card(&text))));
    catalog.understanding(&new.collect())
}

fn ask(catalog: &Catalog, semantics: &Semantics, text: &str) -> Vec<Candidate> {
    let features = Features {
        text: text.to_owned(),
        ..Features::default()
    };
    ask_for(catalog, semantics, &features)
}

fn ask_for(catalog: &Catalog, semantics: &Semantics, features: &Features) -> Vec<Candidate> {
    let meaning = semantics.request(&features.searched());
    let choice = choose(Question {
        catalog,
        profile: &profile(),
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

#[test]
fn a_card_without_a_common_word_is_found_by_its_meaning() {
    let (semantics, _) = semantics();
    let catalog = understood(&agents(&TWO), &semantics);
    let best = ask(&catalog, &semantics, "погода?").remove(0);
    assert_eq!(best.agent, id("sky"));
    let fit = best.signals.unwrap().fit;
    assert!(fit.value > 0.9 && fit.terms["meaning"] > 0.8, "{fit:?}");
    assert!(fit.why.is_empty() && fit.terms["words"] < 0.0, "{fit:?}");
}

#[test]
fn an_agent_is_judged_by_words_until_its_card_has_been_read() {
    let (semantics, _) = semantics();
    let unread = agents(&TWO);
    let fit = |catalog: &Catalog| {
        let candidates = ask(catalog, &semantics, "storm and weather");
        let sky = candidates
            .into_iter()
            .find(|one| one.agent == id("sky"))
            .unwrap();
        sky.signals.unwrap().fit
    };
    let (before, after) = (fit(&unread), fit(&understood(&unread, &semantics)));
    assert!(before.terms.is_empty() && before.value > 0.0, "{before:?}");
    assert!(after.terms.contains_key("meaning"), "{after:?}");
    assert_eq!(before.why, after.why);
}

#[test]
fn cards_are_read_once_by_fingerprint_and_forgotten_when_they_leave() {
    let (semantics, encoder) = semantics();
    let first = understood(&agents(&TWO), &semantics);
    assert_eq!(first.meanings().known(), 2);
    encoder.read.lock().unwrap().clear();
    let mut next: Vec<_> = first.agents().to_vec();
    next[1] = ready(spec("till"), card("till", "Plays music", &json!({})));
    let next = Catalog::new(next, Some(&first));
    assert_eq!(next.meanings().known(), 1);
    let next = understood(&next, &semantics);
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

#[test]
fn what_ordinary_sentences_say_is_taken_off() {
    let (semantics, _) = semantics();
    let catalog = understood(&agents(&[("polite", "please"), TWO[0]]), &semantics);
    let closeness = |agent: &str| {
        let candidates = ask(&catalog, &semantics, "please, lluvia");
        let one = candidates
            .into_iter()
            .find(|one| one.agent == id(agent))
            .unwrap();
        one.signals.unwrap().fit.terms["meaning"]
    };
    // Both are half of the request; politeness is part of any request.
    assert!(closeness("sky") > closeness("polite") + 0.05);
}

#[test]
fn a_skill_that_the_client_names_is_the_one_that_is_judged() {
    let skill = |id: &str, about: &str| json!({ "id": id, "name": about, "description": about, "tags": [] });
    let two = json!({ "skills": [skill("rain", "weather"), skill("bill", "money")] });
    let (semantics, _) = semantics();
    let both = catalog(vec![ready(spec("both"), card("both", "x", &two))]);
    let both = understood(&both, &semantics);
    let mut features = Features {
        text: "lluvia".to_owned(),
        ..Features::default()
    };
    let free = ask_for(&both, &semantics, &features).remove(0);
    features.hints.skill = Some("bill".to_owned());
    let named = ask_for(&both, &semantics, &features).remove(0);
    let skills = (free.skill.as_deref(), named.skill.as_deref());
    assert_eq!(skills, (Some("rain"), Some("bill")));
    let fit = |candidate: Candidate| candidate.signals.unwrap().fit.value;
    assert!(fit(free) > fit(named));
}

#[test]
fn the_right_one_of_many_agents_is_found() {
    let (semantics, _) = semantics();
    let names: Vec<String> = (0..600).map(|number| format!("agent-{number}")).collect();
    let mut about: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), "Collects money"))
        .collect();
    about[487].1 = "Tells the weather";
    let catalog = understood(&agents(&about), &semantics);
    let best = ask(&catalog, &semantics, "lluvia").remove(0);
    assert_eq!(best.agent, AgentId::parse("agent-487").unwrap());
}

#[test]
fn a_text_without_meaning_is_judged_by_words() {
    let (semantics, _) = semantics();
    assert_eq!(semantics.request("  "), None);
    assert_eq!(semantics.request("12345"), None);
}

#[tokio::test]
async fn a_broken_encoder_leaves_the_words() {
    let (semantics, _) = semantics();
    assert_eq!(semantics.request_aside("boom".to_owned()).await, None);
    assert!(semantics.request_aside("storm".to_owned()).await.is_some());
}

#[test]
fn start_and_end_of_a_long_request_are_read() {
    let (semantics, encoder) = semantics();
    let filler = "añ ".repeat(1000);
    let text = format!("lluvia {filler} weather");
    assert!(semantics.request(&text).is_some());
    let read = encoder.read.lock().unwrap().clone();
    assert!(read[0].len() <= 2 * END + 1, "{}", read[0].len());
    assert!(read[0].starts_with("lluvia") && read[0].ends_with("weather"));
}
