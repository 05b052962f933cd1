//! What must hold for any federation, message and profile.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use serde_json::json;

use super::{
    Choice, Features,
    testing::{agent, asked, chosen, decide, decide_beside, teach},
};
use crate::{
    agent::{AgentSpec, Effect},
    catalog::{CardStatus, Catalog, CatalogAgent},
    decision::{DecisionKind, Verdict},
    profile::{AmbiguityRule, Exploration, Method, OnAmbiguous, Profile, Weights},
    testing::{catalog, id, profile, spec},
};

const ABOUT: [&str; 5] = [
    "issue invoices and take payments",
    "invoices, receipts and reminders for late payments",
    "weather forecast and storm warnings",
    "translate letters and contracts",
    "book train tickets and pay for them",
];

const TEXTS: [&str; 4] = [
    "please issue an invoice",
    "will there be a storm tomorrow",
    "pay for the train tickets and send the invoice",
    "zxqv blorp",
];

/// What tells one agent of a random federation from the others.
#[derive(Debug, Clone)]
struct Member {
    about: usize,
    quality: f64,
    latency: Option<u64>,
    cost: f64,
    effect: Effect,
    preference: i32,
    learned: (u8, u8),
    absent: bool,
}

impl Member {
    /// Makes the agent `a-N`.
    fn agent(&self, number: usize) -> Arc<CatalogAgent> {
        let mut spec = AgentSpec {
            quality: self.quality,
            latency: self.latency.map(Duration::from_millis),
            effect: self.effect,
            preference: self.preference,
            ..spec(&format!("a-{number}"))
        };
        spec.cost.per_request = self.cost;
        let agent = agent(spec, ABOUT[self.about]);
        let (completed, failed) = self.learned;
        teach(&agent, f64::from(completed), f64::from(failed));
        if self.absent {
            return Arc::new(CatalogAgent {
                status: CardStatus::pending(),
                spec: Arc::clone(&agent.spec),
                stats: Arc::clone(&agent.stats),
            });
        }
        agent
    }
}

fn effects() -> impl Strategy<Value = Effect> {
    prop_oneof![
        Just(Effect::Read),
        Just(Effect::Prepare),
        Just(Effect::ReversibleWrite),
        Just(Effect::ExternalEffect),
    ]
}

prop_compose! {
    fn members()(
        about in 0..ABOUT.len(),
        // Few values, so that ties happen.
        quality in (0..=4_u8).prop_map(|quarters| f64::from(quarters) / 4.0),
        latency in prop::option::of(0..8_000_u64),
        cost in prop_oneof![Just(0.0), 0.0..0.3_f64],
        effect in effects(),
        preference in 0..2,
        learned in prop_oneof![Just((0, 0)), (0..40_u8, 0..40_u8)],
        absent in prop::bool::weighted(0.1),
    ) -> Member {
        Member { about, quality, latency, cost, effect, preference, learned, absent }
    }
}

fn federations() -> impl Strategy<Value = Vec<Member>> {
    prop::collection::vec(members(), 1..9)
}

prop_compose! {
    fn explorations()(
        method in prop_oneof![Just(Method::Off), Just(Method::Epsilon), Just(Method::Thompson)],
        share in 0.01..=1.0_f64,
        max_effect in effects(),
        among in 2..6_usize,
    ) -> Exploration {
        Exploration { method, share, max_effect, among, prior_strength: 10.0 }
    }
}

prop_compose! {
    fn profiles()(
        weights in prop::array::uniform6(0.0..1.0_f64),
        min_fit in prop_oneof![Just(0.0), Just(0.25), 0.0..1.0_f64],
        max_risk in 0.3..=1.0_f64,
        rejects in prop::bool::weighted(0.2),
        likeness in 0.1..=1.0_f64,
        margin in prop_oneof![Just(0.0), 0.0..0.1_f64],
        exploration in explorations(),
    ) -> Profile {
        let [fit, quality, availability, latency, cost, risk] = weights;
        let on_ambiguous = if rejects { OnAmbiguous::Reject } else { OnAmbiguous::Choose };
        Profile {
            name: "random".to_owned(),
            weights: Weights { fit, quality, availability, latency, cost, risk },
            min_fit,
            max_risk,
            ambiguity: AmbiguityRule { on_ambiguous, likeness, margin },
            exploration,
            ..profile()
        }
    }
}

fn messages() -> impl Strategy<Value = Features> {
    (0..TEXTS.len(), "[a-z0-9]{1,8}").prop_map(|(text, id)| asked(TEXTS[text], &id))
}

fn federation(members: &[Member]) -> Catalog {
    let agents = members.iter().enumerate();
    catalog(
        agents
            .map(|(number, member)| member.agent(number))
            .collect(),
    )
}

fn still(profile: &Profile) -> Profile {
    Profile {
        exploration: Exploration::default(),
        ambiguity: AmbiguityRule::default(),
        ..profile.clone()
    }
}

/// Returns all that a record takes from a choice, as bytes.
fn written(choice: &Choice) -> String {
    json!({
        "kind": choice.kind,
        "chosen": chosen(choice),
        "candidates": choice.candidates,
        "unlisted": choice.unlisted,
        "margin": choice.margin,
        "propensity": choice.propensity,
        "exploration": choice.exploration,
        "ambiguity": choice.ambiguity,
        "shadow": choice.shadow,
    })
    .to_string()
}

/// Returns the place of an agent among those that met all requirements; the last of all if it did not.
fn place(choice: &Choice, agent: &str) -> usize {
    let mut listed = choice.candidates.iter();
    listed
        .position(|candidate| candidate.agent.as_str() == agent && candidate.reason.is_none())
        .unwrap_or(usize::MAX)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_better_signal_never_lowers_the_place_and_a_worse_one_never_raises_it(
        members in federations(),
        profile in profiles(),
        message in messages(),
        which in any::<prop::sample::Index>(),
        change in 0..4_u8,
        amount in 0.0..1.0_f64,
    ) {
        let profile = still(&profile);
        let number = which.index(members.len());
        let name = format!("a-{number}");
        let before = place(&decide(&federation(&members), &profile, &message), &name);
        let mut changed = members;
        let member = &mut changed[number];
        let is_better = change == 0;
        match change {
            0 => member.quality = (member.quality + amount).min(1.0),
            1 => member.cost += amount,
            2 => member.latency = Some(member.latency.map_or(2_500, |ms| ms) + 1_000),
            _ => member.learned.1 += 20,
        }
        let after = place(&decide(&federation(&changed), &profile, &message), &name);
        if is_better {
            prop_assert!(after <= before, "{before} {after}");
        } else {
            prop_assert!(after >= before, "{before} {after}");
        }
    }

    #[test]
    fn the_order_of_the_configuration_changes_nothing(
        members in federations(),
        profile in profiles(),
        other in profiles(),
        message in messages(),
        turn in any::<prop::sample::Index>(),
    ) {
        let other = Profile { name: "other".to_owned(), ..other };
        let mut agents = federation(&members).agents().to_vec();
        let forward = written(&decide_beside(&catalog(agents.clone()), &profile, &message, &[&other]));
        let turn = turn.index(agents.len());
        agents.rotate_left(turn);
        let turned = written(&decide_beside(&catalog(agents.clone()), &profile, &message, &[&other]));
        prop_assert_eq!(&turned, &forward);
        agents.reverse();
        let reversed = written(&decide_beside(&catalog(agents), &profile, &message, &[&other]));
        prop_assert_eq!(&reversed, &forward);
    }

    #[test]
    fn the_same_question_gives_the_same_record(
        members in federations(),
        profile in profiles(),
        other in profiles(),
        message in messages(),
    ) {
        let other = Profile { name: "other".to_owned(), ..other };
        let catalog = federation(&members);
        let once = written(&decide_beside(&catalog, &profile, &message, &[&other]));
        let again = written(&decide_beside(&catalog, &profile, &message, &[&other]));
        prop_assert_eq!(once, again);
    }

    #[test]
    fn a_discarded_candidate_never_wins_and_parts_add_up(
        members in federations(),
        profile in profiles(),
        message in messages(),
    ) {
        let choice = decide(&federation(&members), &profile, &message);
        for candidate in &choice.candidates {
            prop_assert_eq!(candidate.verdict == Verdict::Discarded, candidate.reason.is_some());
            if let (Some(parts), Some(score)) = (candidate.contributions, candidate.score) {
                let sum = parts.fit + parts.quality + parts.availability + parts.latency + parts.cost + parts.risk;
                prop_assert!((sum - score).abs() < 1e-12, "{sum} {score}");
            }
        }
        let winners: Vec<_> = choice
            .candidates
            .iter()
            .filter(|candidate| candidate.verdict == Verdict::Chosen)
            .collect();
        let is_sent = matches!(choice.kind, DecisionKind::Scored | DecisionKind::Fallback);
        prop_assert_eq!(winners.len(), usize::from(is_sent));
        prop_assert_eq!(chosen(&choice), winners.first().map(|winner| winner.agent.as_str()));
        if choice.exploration.as_ref().is_none_or(|chance| !chance.explored)
            && let Some(winner) = winners.first()
        {
            let best = choice.candidates.iter().filter(|candidate| candidate.reason.is_none());
            let best = best.filter_map(|candidate| candidate.score).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(winner.score.unwrap() >= best - 1e-9);
        }
    }

    #[test]
    fn what_is_explored_has_a_probability_and_keeps_the_limits(
        members in federations(),
        profile in profiles(),
        message in messages(),
    ) {
        let catalog = federation(&members);
        let choice = decide(&catalog, &profile, &message);
        let Some(chance) = &choice.exploration else {
            prop_assert_eq!(choice.propensity.to_bits(), 1.0_f64.to_bits());
            return Ok(());
        };
        let settings = &profile.exploration;
        let floor = settings.share / f64::from(u32::try_from(chance.among).unwrap());
        prop_assert!(choice.propensity >= floor - 1e-12 && choice.propensity <= 1.0);
        prop_assert!(chance.among >= 2 && chance.among <= settings.among);
        prop_assert_eq!(chance.explored, chance.best.is_some());
        let taken = chosen(&choice).unwrap();
        prop_assert!(catalog.agent(&id(taken)).unwrap().spec.effect <= settings.max_effect);
        let best = chance.best.as_ref().map_or(taken, |best| best.as_str());
        let sure = decide(&catalog, &still(&profile), &message);
        prop_assert_eq!(Some(best), chosen(&sure));
    }

    #[test]
    fn a_shadow_of_the_same_profile_agrees_with_the_best(
        members in federations(),
        profile in profiles(),
        message in messages(),
    ) {
        let twin = Profile { name: "twin".to_owned(), ..profile.clone() };
        let choice = decide_beside(&federation(&members), &profile, &message, &[&twin]);
        let shadow = &choice.shadow["twin"];
        let passed_over = choice.exploration.as_ref().and_then(|chance| chance.best.as_ref());
        let best = passed_over.map(|best| best.as_str()).or_else(|| chosen(&choice));
        prop_assert_eq!(shadow.agent.as_ref().map(|agent| agent.as_str()), best);
        prop_assert_eq!(shadow.kind, choice.kind);
    }
}

#[test]
fn in_any_federation_choices_are_as_frequent_as_they_are_probable() {
    const MESSAGES: u32 = 300;
    let mut explored = 0;
    let mut runner = TestRunner::deterministic();
    let cases = (federations(), explorations(), 0..3_usize);
    for _ in 0..12 {
        let (members, exploration, text) = cases.new_tree(&mut runner).unwrap().current();
        let profile = Profile {
            min_fit: 0.0,
            exploration: Exploration {
                share: 0.5,
                among: 20,
                ..exploration
            },
            ..profile()
        };
        let catalog = federation(&members);
        let mut weighed = BTreeMap::<String, f64>::new();
        for number in 0..MESSAGES {
            let choice = decide(&catalog, &profile, &asked(TEXTS[text], &number.to_string()));
            if let (Some(taken), Some(_)) = (chosen(&choice), &choice.exploration) {
                *weighed.entry(taken.to_owned()).or_default() += 1.0 / choice.propensity;
            }
        }
        for (agent, weight) in weighed {
            let weight = weight / f64::from(MESSAGES);
            assert!(
                (weight - 1.0).abs() < 0.75,
                "{agent}: {weight} in {members:?}"
            );
            explored += 1;
        }
    }
    assert!(explored >= 10, "only {explored} agents were explored");
}
