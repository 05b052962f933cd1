use gateway_core::{
    Profile, RouteDecision,
    decision::{DecisionKind, Discard, Verdict},
    route::rules::{Rule, Rules, Then},
};
use proptest::{array::uniform6, collection::vec, prelude::*};
use rand_core::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::{
    Condition,
    chance::unit,
    condition,
    testing::{self, agent, decided, decision, reader, setting, weighing},
};

const FITTING: [f64; 6] = [0.9, 0.5, 1.0, 0.2, 0.5, 0.2];
const CHEAP: [f64; 6] = [0.6, 0.5, 1.0, 0.2, 0.0, 0.2];
const UNFIT: [f64; 6] = [0.2, 1.0, 1.0, 0.0, 0.0, 0.0];

/// Weights under which cost decides.
fn thrifty() -> Profile {
    weighing([0.1, 0.1, 0.1, 0.1, 0.9, 0.1])
}

fn replay(decisions: &[RouteDecision], agents: usize, profile: &Profile) -> Report {
    let mut replay = Replay::new(setting(agents, profile));
    for decision in decisions {
        replay.add(decision);
    }
    replay.finish()
}

fn check(condition: &str, report: &Report) -> condition::Verdict {
    condition.parse::<Condition>().unwrap().check(report)
}

proptest! {
    #[test]
    fn the_same_setting_makes_the_same_choice_bit_by_bit(
        given in vec(uniform6(0.0..=1.0_f64), 1..8),
        id in "[a-z0-9]{1,8}",
    ) {
        let profile = Profile::balanced();
        let decision = decided(&id, &given, &profile);
        let setting = setting(given.len(), &profile);
        let again = rechoose(&decision, &setting).unwrap();
        prop_assert_eq!(again.kind, decision.kind);
        prop_assert_eq!(again.winner(), decision.chosen());
        prop_assert!(again.doubts.is_empty(), "{:?}", again.doubts);
        let score = again.after.map(|after| after.score.to_bits());
        prop_assert_eq!(score, decision.chosen().and_then(|one| one.score).map(f64::to_bits));
    }
}

#[test]
fn other_weights_choose_another_agent() {
    let decisions = [decided("one", &[FITTING, CHEAP], &Profile::balanced())];
    let report = replay(&decisions, 2, &thrifty());
    assert_eq!(
        (report.replayed, report.changed, report.uncertain),
        (1, 1, 0)
    );
    let change = &report.changes[0];
    assert_eq!(change.from.as_deref(), Some("agent-0"));
    assert_eq!(change.to.as_deref(), Some("agent-1"));
    assert_eq!(change.examples[0].decision, "one");
    assert!(change.examples[0].lead.unwrap() > 0.0);
}

#[test]
fn references_are_applied_to_raw_values() {
    let slow = [0.9, 0.5, 1.0, 0.9, 0.5, 0.2];
    let quick = [0.85, 0.5, 1.0, 0.1, 0.5, 0.2];
    let profile = weighing([0.3, 0.0, 0.0, 0.1, 0.0, 0.0]);
    let decisions = [decided("one", &[slow, quick], &profile)];
    assert_eq!(decisions[0].chosen().unwrap().agent, agent(1));
    let patient = Profile {
        reference_latency: std::time::Duration::from_secs(3600),
        ..profile
    };
    let report = replay(&decisions, 2, &patient);
    assert_eq!(report.changes[0].to.as_deref(), Some("agent-0"));
}

#[test]
fn removed_agents_win_nothing_and_new_ones_make_uncertain() {
    let decisions = [decision(&[FITTING, CHEAP])];
    let gone = Setting::new([(agent(1), reader())], &Profile::balanced());
    let mut replay_without = Replay::new(gone);
    replay_without.add(&decisions[0]);
    let report = replay_without.finish();
    assert_eq!(report.changes[0].to.as_deref(), Some("agent-1"));
    assert_eq!(report.uncertain, 0);
    let report = replay(&decisions, 3, &Profile::balanced());
    assert_eq!((report.changed, report.uncertain), (0, 1));
    assert_eq!(report.doubts.get(&Doubt::NewAgent), Some(&1));
}

#[test]
fn nobody_is_left_or_the_fallback_is() {
    let strict = Profile {
        min_fit: 0.95,
        ..Profile::balanced()
    };
    let decisions = [decision(&[FITTING, CHEAP])];
    let report = replay(&decisions, 2, &strict);
    assert_eq!((report.changed, report.changes[0].to.as_deref()), (1, None));
    let caught = Profile {
        on_no_fit: gateway_core::OnNoFit::Fallback(agent(1)),
        ..strict
    };
    let again = setting(2, &caught);
    let rechoice = rechoose(&decisions[0], &again).unwrap();
    assert_eq!(rechoice.kind, DecisionKind::Fallback);
    assert_eq!(rechoice.winner().unwrap().agent, agent(1));
}

#[test]
fn what_failed_the_floor_may_come_back_but_not_for_certain() {
    let decisions = [decision(&[CHEAP, UNFIT])];
    assert_eq!(
        decisions[0].candidates[1].reason,
        Some(Discard::BelowMinFit)
    );
    let lenient = Profile {
        min_fit: 0.1,
        ..weighing([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    };
    let report = replay(&decisions, 2, &lenient);
    assert_eq!(report.changes[0].to.as_deref(), Some("agent-1"));
    assert_eq!(report.doubts.get(&Doubt::CardUnchecked), Some(&1));
    // Where nobody fitted, the card was looked at first.
    let nobody = [decision(&[UNFIT])];
    let report = replay(&nobody, 1, &lenient);
    assert_eq!(
        (report.changes[0].from.as_deref(), report.uncertain),
        (None, 0)
    );
}

#[test]
fn hard_discards_stay() {
    let mut one = decision(&[CHEAP, UNFIT]);
    one.candidates[1].reason = Some(Discard::Streaming);
    let lenient = Profile {
        min_fit: 0.1,
        ..weighing([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    };
    assert_eq!(replay(&[one], 2, &lenient).changed, 0);
}

#[test]
fn what_is_only_counted_makes_uncertain_where_it_could_win() {
    let mut one = decision(&[FITTING, UNFIT]);
    one.unlisted.outscored = 3;
    let decisions = [one];
    // With two agents, all of the unlisted are gone.
    assert_eq!(replay(&decisions, 2, &thrifty()).uncertain, 0);
    assert_eq!(replay(&decisions, 5, &thrifty()).uncertain, 1);
    assert_eq!(replay(&decisions, 5, &Profile::balanced()).uncertain, 0);
    let mut two = decision(&[FITTING, UNFIT]);
    two.unlisted.discarded.insert(Discard::BelowMinFit, 3);
    let decisions = [two];
    let stricter = Profile {
        min_fit: 0.3,
        ..Profile::balanced()
    };
    assert_eq!(replay(&decisions, 5, &stricter).uncertain, 0);
    let lenient = Profile {
        min_fit: 0.2,
        ..Profile::balanced()
    };
    assert_eq!(replay(&decisions, 5, &lenient).uncertain, 1);
}

#[test]
fn what_was_not_scored_or_is_broken_is_counted_and_not_replayed() {
    let named = |id: &str, given: &[[f64; 6]]| decided(id, given, &Profile::balanced());
    let mut pinned = named("pinned", &[FITTING]);
    pinned.kind = DecisionKind::Pinned;
    let mut two_chosen = named("two", &[FITTING, CHEAP]);
    two_chosen.candidates[1].verdict = Verdict::Chosen;
    let mut odd = named("odd", &[FITTING]);
    odd.candidates[0].signals.as_mut().unwrap().cost.value = f64::NAN;
    let mut far = named("far", &[FITTING]);
    far.candidates[0].signals.as_mut().unwrap().fit.value = 1.5;
    let report = replay(&[pinned, two_chosen, odd, far], 2, &Profile::balanced());
    assert_eq!((report.read, report.replayed, report.broken), (4, 0, 3));
    assert_eq!(report.not_scored.get("pinned"), Some(&1));
    assert!(
        report.broken_examples[0].contains("chosen"),
        "{:?}",
        report.broken_examples
    );
    assert!(report.broken_examples[1].contains("out of range"));
}

#[test]
fn without_exploration_there_is_no_estimate_but_what_is_possible_is_told() {
    let mut decisions = vec![decided("changes", &[FITTING, CHEAP], &Profile::balanced())];
    decisions.extend(
        (0..99).map(|number| decided(&format!("stays-{number}"), &[FITTING], &Profile::balanced())),
    );
    let report = replay(&decisions, 2, &thrifty());
    assert_eq!(report.accepted.off_policy, None);
    assert!(
        report
            .warnings
            .iter()
            .any(|warning| warning.contains("exploration did not run"))
    );
    let difference = report.accepted.difference.unwrap();
    assert!(
        (difference.low + 0.01).abs() < 1e-9 && difference.high.abs() < 1e-9,
        "{difference:?}"
    );
    assert_eq!(check("accepted < -2pt", &report), condition::Verdict::Fails);
    assert!(matches!(
        check("accepted < -0.5pt", &report),
        condition::Verdict::Unknown(_)
    ));
    assert!(matches!(
        check("changed > 0.5%", &report),
        condition::Verdict::Holds(_)
    ));
    assert_eq!(check("changed > 1%", &report), condition::Verdict::Fails);
    assert!(matches!(
        check("changed >= 1%", &report),
        condition::Verdict::Holds(_)
    ));
}

#[test]
fn nothing_known_is_never_good_enough() {
    let report = replay(&[], 1, &Profile::balanced());
    for text in [
        "changed > 5%",
        "uncertain > 5%",
        "accepted < -2pt",
        "cost_per_accepted > 1%",
        "latency > 1%",
    ] {
        assert!(
            matches!(check(text, &report), condition::Verdict::Unknown(_)),
            "{text}"
        );
    }
}

#[test]
fn a_propensity_that_is_none_is_counted_and_its_decision_may_come_out_any_way() {
    let mut decisions = Vec::new();
    let propensities = [0.0, 1.5, -0.2, f64::NAN, 5e-320, 1.0];
    for (place, propensity) in propensities.into_iter().enumerate() {
        let mut one = decided(&place.to_string(), &[FITTING], &Profile::balanced());
        one.propensity = propensity;
        decisions.push(one);
    }
    let report = replay(&decisions, 1, &Profile::balanced());
    assert_eq!((report.replayed, report.improper_propensity), (6, 5));
    assert_eq!(report.accepted.before.unwrap().of, 6);
    let after = report.accepted.after.unwrap();
    assert!(
        (after.low - 1.0 / 6.0).abs() < 1e-9 && after.high == 1.0,
        "{after:?}"
    );
    let told = check("accepted < -2pt", &report);
    assert!(matches!(told, condition::Verdict::Unknown(_)), "{told:?}");
}

#[test]
fn a_gate_is_not_passed_where_hardly_anything_was_tried() {
    let report = replay(&explored(100), 2, &thrifty());
    let off_policy = report.accepted.off_policy.unwrap();
    assert_eq!(off_policy.doubly_robust.interval, None);
    for condition in ["accepted < -2pt", "cost_per_accepted > +10%"] {
        let told = check(condition, &report);
        assert!(matches!(told, condition::Verdict::Unknown(_)), "{told:?}");
    }
}

#[test]
fn what_cannot_be_read_counts_as_uncertain_and_may_change() {
    let mut twice = decision(&[FITTING, CHEAP]);
    twice.id = "twice".to_owned();
    twice.candidates.push(twice.candidates[1].clone());
    let mut replay = Replay::new(setting(2, &Profile::balanced()));
    replay.add(&decision(&[FITTING, CHEAP]));
    replay.add(&twice);
    replay.add_unreadable(2);
    let report = replay.finish();
    assert_eq!(
        (report.replayed, report.broken, report.unreadable),
        (1, 1, 2)
    );
    let told = check("uncertain > 70%", &report);
    assert!(matches!(told, condition::Verdict::Holds(_)), "{told:?}");
    let told = check("changed > 5%", &report);
    assert!(matches!(told, condition::Verdict::Unknown(_)), "{told:?}");
}

/// Decisions between two agents, of which chance takes the worse one now and then; the second is better in truth.
fn explored(count: usize) -> Vec<RouteDecision> {
    let mut chance = Pcg64Mcg::seed_from_u64(11);
    let epsilon = 0.2;
    let mut decisions = Vec::new();
    for number in 0..count {
        let one = decided(&number.to_string(), &[FITTING, CHEAP], &Profile::balanced());
        let explores = unit(&mut chance) < epsilon / 2.0;
        let mut one = testing::explored(one, epsilon, usize::from(explores));
        let share = if explores { 0.9 } else { 0.6 };
        let state = if unit(&mut chance) < share {
            "completed"
        } else {
            "failed"
        };
        one.outcome.as_mut().unwrap().state = state.to_owned();
        decisions.push(one);
    }
    decisions
}

#[test]
fn with_exploration_the_value_of_other_weights_is_found() {
    let report = replay(&explored(4000), 2, &thrifty());
    assert_eq!(report.changed, 4000);
    let off_policy = report.accepted.off_policy.unwrap();
    for estimate in [
        off_policy.inverse_propensity,
        off_policy.self_normalised,
        off_policy.doubly_robust,
    ] {
        assert!(estimate.interval.unwrap().covers(0.9), "{estimate:?}");
    }
    assert!(off_policy.mean_weight.interval.unwrap().covers(1.0));
    assert_eq!(off_policy.unsupported, 0);
    assert!(off_policy.difference.interval.unwrap().low > 0.1);
    assert_eq!(check("accepted < -2pt", &report), condition::Verdict::Fails);
    assert_eq!(
        check("cost_per_accepted > +10%", &report),
        condition::Verdict::Fails
    );
    assert!((300..500).contains(&report.explored), "{}", report.explored);
}

#[test]
fn the_order_of_reading_does_not_matter() {
    let decisions = explored(300);
    let backwards: Vec<_> = decisions.iter().rev().cloned().collect();
    let (one, other) = (
        replay(&decisions, 2, &thrifty()),
        replay(&backwards, 2, &thrifty()),
    );
    assert_eq!(one.changes, other.changes);
    let value = |report: &Report| report.accepted.off_policy.unwrap().doubly_robust.value;
    assert!((value(&one) - value(&other)).abs() < 1e-9);
}

#[test]
fn costs_and_latencies_are_those_of_the_choices() {
    let report = replay(&[decision(&[FITTING, CHEAP])], 2, &thrifty());
    let cost = &report.cost;
    assert_eq!(cost.per_request.before, Some(0.05));
    assert_eq!(cost.per_request.after, Some(0.0));
    assert_eq!(cost.currencies, ["EUR"]);
    assert!((report.latency_ms.before.unwrap() / 1000.0 - 1.0).abs() < 0.01);
}

#[test]
fn what_cannot_be_decided_is_counted_by_why_and_as_uncertain() {
    let urgent = Rules::new(vec![Rule {
        name: "urgent".to_owned(),
        when: gateway_core::route::rules::Condition::compile("request.text.contains('urgent')")
            .unwrap(),
        then: Then::Pin(agent(1)),
    }]);
    let setting = setting(2, &Profile::balanced()).with_rules(urgent);
    let mut replay = Replay::new(setting);
    for number in 0..4 {
        let mut one = decided(&number.to_string(), &[FITTING, CHEAP], &Profile::balanced());
        one.request.text = (number > 0).then(|| "an invoice".to_owned());
        replay.add(&one);
    }
    let report = replay.finish();
    assert_eq!(
        (report.replayed, report.undecided, report.uncertain),
        (3, 1, 0)
    );
    let why = "rule `urgent` reads the text, which is not recorded (store.record_text)";
    assert_eq!(report.undecidable.get(why), Some(&1));
    assert!(matches!(
        check("uncertain >= 25%", &report),
        condition::Verdict::Holds(_)
    ));
    assert_eq!(check("uncertain > 25%", &report), condition::Verdict::Fails);
    // It may change, too.
    assert!(matches!(
        check("changed > 20%", &report),
        condition::Verdict::Unknown(_)
    ));
    let possible = report.accepted.after.unwrap();
    assert_eq!((possible.low, possible.high), (0.75, 1.0));
}

#[test]
fn a_decision_that_is_met_again_counts_once() {
    let one = decision(&[FITTING]);
    let report = replay(&[one.clone(), one], 1, &Profile::balanced());
    assert_eq!((report.read, report.duplicates, report.replayed), (1, 1, 1));
}

#[test]
fn profiles_that_took_part_and_messages_that_are_turned_away_are_counted() {
    let mut asks = decided("asks", &[FITTING, CHEAP], &Profile::balanced());
    asks.request.hints.profile = Some("thrifty".to_owned());
    let mut closed = asks.clone();
    closed.id = "closed".to_owned();
    closed.request.hints.profile = Some("gone".to_owned());
    let open = Profile {
        name: "thrifty".to_owned(),
        by_request: true,
        ..thrifty()
    };
    let mut replay = Replay::new(setting(2, &Profile::balanced()).with_profiles([&open]));
    for decision in [&asks, &closed, &decision(&[FITTING, CHEAP])] {
        replay.add(decision);
    }
    let report = replay.finish();
    assert_eq!((report.turned_away, report.changed), (1, 2));
    assert_eq!(report.profiles.get(&open.version()), Some(&1));
    assert_eq!(report.profiles.get(&report.profile), Some(&1));
}
