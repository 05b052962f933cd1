use gateway_core::{
    OnAmbiguous, Profile,
    decision::{Ambiguity, DecisionKind, Discard, MatchedRule, RouteDecision, RuleAction, Verdict},
    route::rules::{Condition, Narrowing, Rule, Rules, Then},
};

use crate::{
    Doubt, Rechoice, Replay, Setting, rechoose,
    testing::{agent, decision, setting, weighing},
};

const FITTING: [f64; 6] = [0.9, 0.5, 1.0, 0.2, 0.5, 0.2];
const CHEAP: [f64; 6] = [0.6, 0.5, 1.0, 0.2, 0.0, 0.2];
const UNFIT: [f64; 6] = [0.1, 0.5, 1.0, 0.2, 0.0, 0.2];

fn with_rule(when: &str, then: Then) -> Setting {
    let rule = Rule {
        name: "the rule".to_owned(),
        when: Condition::compile(when).unwrap(),
        then,
    };
    setting(2, &Profile::balanced()).with_rules(Rules::new(vec![rule]))
}

fn only(place: usize) -> Then {
    Then::Use(Narrowing {
        agents: vec![agent(place)],
        ..Narrowing::default()
    })
}

fn winner(again: &Rechoice<'_>) -> Option<String> {
    again.winner().map(|winner| winner.agent.to_string())
}

/// A decision in which a rule named an agent that does not fit.
fn pinned() -> RouteDecision {
    let mut decision = decision(&[FITTING, UNFIT]);
    for candidate in &mut decision.candidates {
        let named = candidate.agent == agent(1);
        candidate.verdict = if named {
            Verdict::Chosen
        } else {
            Verdict::Discarded
        };
        candidate.reason = (!named).then_some(Discard::ExcludedByRule);
        if !named {
            candidate.signals = None;
            candidate.score = None;
        }
    }
    decision.rule = Some(MatchedRule {
        name: "the rule".to_owned(),
        action: RuleAction::Pin,
        agents: vec![agent(1)],
        profile: None,
        max_effect: None,
        detail: None,
    });
    decision
}

#[test]
fn whom_a_rule_names_is_chosen_again_however_badly_it_fits() {
    let decision = pinned();
    let same = with_rule("!request.streaming", Then::Pin(agent(1)));
    let again = rechoose(&decision, &same).unwrap();
    assert_eq!(winner(&again).as_deref(), Some("agent-1"));
    assert!(!again.is_changed() && again.doubts.is_empty(), "{again:?}");
    let without = setting(2, &Profile::balanced());
    let again = rechoose(&decision, &without).unwrap();
    assert!(again.doubts.contains(&Doubt::NotMeasured), "{again:?}");
}

#[test]
fn rules_leave_out_and_turn_away() {
    let decision = decision(&[FITTING, CHEAP]);
    let narrowed = with_rule("true", only(1));
    let again = rechoose(&decision, &narrowed).unwrap();
    assert_eq!(winner(&again).as_deref(), Some("agent-1"));
    let away = with_rule("true", Then::Reject("no".to_owned()));
    let again = rechoose(&decision, &away).unwrap();
    assert_eq!((winner(&again), again.kind), (None, DecisionKind::Rejected));
    assert!(again.is_changed());
    let mut replay = Replay::new(away);
    replay.add(&decision);
    let report = replay.finish();
    assert_eq!((report.changed, report.turned_away), (1, 1));
    let other = with_rule("request.streaming", Then::Reject("no".to_owned()));
    assert!(!rechoose(&decision, &other).unwrap().is_changed());
}

#[test]
fn a_rule_over_text_is_asked_where_the_text_is_recorded_and_doubted_elsewhere() {
    let mut decision = decision(&[FITTING, CHEAP]);
    let rule = with_rule("request.text.contains(\"book\")", only(1));
    let again = rechoose(&decision, &rule).unwrap();
    assert_eq!(winner(&again).as_deref(), Some("agent-0"));
    assert!(again.doubts.contains(&Doubt::NoText));
    decision.request.text = Some("a book".to_owned());
    let again = rechoose(&decision, &rule).unwrap();
    assert_eq!(winner(&again).as_deref(), Some("agent-1"));
    assert!(again.doubts.is_empty(), "{again:?}");
    let unchanged = pinned();
    let again = with_rule("request.text == \"\"", Then::Pin(agent(1)));
    assert!(!rechoose(&unchanged, &again).unwrap().is_changed());
}

#[test]
fn the_profile_a_request_asks_for_decides_if_it_is_open() {
    let mut decision = decision(&[FITTING, CHEAP]);
    decision.request.hints.profile = Some("cheap".to_owned());
    let cheap = |by_request| Profile {
        name: "cheap".to_owned(),
        by_request,
        ..weighing([0.1, 0.1, 0.1, 0.1, 0.9, 0.1])
    };
    let one = setting(2, &Profile::balanced());
    assert!(!rechoose(&decision, &one).unwrap().is_changed());
    let open = one.clone().with_profiles(&[cheap(true)]);
    let again = rechoose(&decision, &open).unwrap();
    assert_eq!(winner(&again).as_deref(), Some("agent-1"));
    assert_eq!(again.profile, cheap(true).version());
    let closed = one.with_profiles(&[cheap(false)]);
    assert_eq!(winner(&rechoose(&decision, &closed).unwrap()), None);
}

#[test]
fn what_is_a_guess_goes_to_nobody_where_guesses_are_rejected() {
    let mut decision = decision(&[FITTING, CHEAP]);
    let strict = |likeness| {
        let mut profile = Profile::balanced();
        profile.ambiguity.on_ambiguous = OnAmbiguous::Reject;
        profile.ambiguity.likeness = likeness;
        setting(2, &profile)
    };
    assert!(!rechoose(&decision, &strict(0.5)).unwrap().is_changed());
    decision.ambiguity = Some(Ambiguity {
        agent: agent(1),
        skill: None,
        likeness: 0.7,
        margin: 0.1,
        guess: true,
    });
    let again = rechoose(&decision, &strict(0.5)).unwrap();
    assert_eq!(
        (winner(&again), again.kind),
        (None, DecisionKind::Ambiguous)
    );
    assert!(!rechoose(&decision, &strict(0.8)).unwrap().is_changed());
}
