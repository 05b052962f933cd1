//! Recorded decisions under other rules, requested profiles, ceilings and views of guesses.

use gateway_core::{
    AmbiguityRule, Effect, OnAmbiguous, Profile, RouteDecision,
    decision::{Ambiguity, DecisionKind, Discard, MatchedRule, RuleAction, Verdict},
    route::rules::{Condition, Narrowing, Rule, Rules, Then},
};

use super::*;
use crate::testing::{agent, decided, reader, setting, weighing};

const FITTING: [f64; 6] = [0.9, 0.5, 1.0, 0.2, 0.5, 0.2];
const CHEAP: [f64; 6] = [0.6, 0.5, 1.0, 0.2, 0.0, 0.2];
const UNFIT: [f64; 6] = [0.1, 0.5, 1.0, 0.2, 0.0, 0.2];

/// A decision between the fitting, the cheap and the unfit one, in this order of agents.
fn recorded() -> RouteDecision {
    decided("d-1", &[FITTING, CHEAP, UNFIT], &Profile::balanced())
}

fn rules(when: &str, then: Then) -> Rules {
    Rules::new(vec![Rule {
        name: "narrow".to_owned(),
        when: Condition::compile(when).unwrap(),
        then,
    }])
}

fn with_rule(when: &str, then: Then) -> Setting {
    setting(3, &Profile::balanced()).with_rules(rules(when, then))
}

fn using(narrowing: Narrowing) -> Then {
    Then::Use(narrowing)
}

fn outcome(decision: &RouteDecision, setting: &Setting) -> (Option<String>, Vec<Doubt>) {
    let again = rechoose(decision, setting).unwrap();
    let winner = again.winner().map(|winner| winner.agent.to_string());
    (winner, again.doubts.into_iter().collect())
}

fn certain(agent: &str) -> (Option<String>, Vec<Doubt>) {
    (Some(agent.to_owned()), Vec::new())
}

/// Records that an agent failed a requirement, with its signals or without.
fn discard(decision: &mut RouteDecision, place: usize, reason: Discard, is_measured: bool) {
    let is_it = |one: &&mut Candidate| one.agent == agent(place);
    let one = decision.candidates.iter_mut().find(is_it).unwrap();
    (one.verdict, one.reason) = (Verdict::Discarded, Some(reason));
    if !is_measured {
        (one.signals, one.contributions, one.score) = (None, None, None);
    }
}

#[test]
fn a_rule_leaves_its_agents_and_pins_past_the_floor() {
    let only_cheap = using(Narrowing {
        agents: vec![agent(1), agent(2)],
        ..Narrowing::default()
    });
    let decision = recorded();
    assert_eq!(
        outcome(&decision, &with_rule("true", only_cheap.clone())),
        certain("agent-1")
    );
    // A condition on the record that does not hold.
    let of_streams = with_rule("request.streaming", only_cheap);
    assert_eq!(outcome(&decision, &of_streams), certain("agent-0"));
    // What failed the floor was not looked at further.
    let pinned = with_rule("true", Then::Pin(agent(2)));
    let expected = (Some("agent-2".to_owned()), vec![Doubt::CardUnchecked]);
    assert_eq!(outcome(&decision, &pinned), expected);
}

#[test]
fn a_rule_that_rejects_turns_away_and_one_that_did_leaves_nothing_to_weigh() {
    let decision = recorded();
    let closed = with_rule("true", Then::Reject("closed".to_owned()));
    let again = rechoose(&decision, &closed).unwrap();
    assert_eq!((again.kind, again.winner()), (DecisionKind::Rejected, None));
    assert!(again.is_changed() && again.doubts.is_empty());

    let mut rejected = decision;
    rejected.kind = DecisionKind::Rejected;
    rejected.candidates.clear();
    assert!(!rechoose(&rejected, &closed).unwrap().is_changed());
    let open = setting(3, &Profile::balanced());
    assert_eq!(
        rechoose(&rejected, &open).unwrap_err(),
        Undecidable::NobodyConsidered.into()
    );
}

#[test]
fn a_rule_on_text_needs_the_text() {
    let urgent = || with_rule("request.text.contains('urgent')", Then::Pin(agent(1)));
    let mut decision = recorded();
    let missing = Undecidable::TextMissing("narrow".to_owned());
    assert_eq!(rechoose(&decision, &urgent()).unwrap_err(), missing.into());
    decision.request.text = Some("urgent: an invoice".to_owned());
    assert_eq!(outcome(&decision, &urgent()), certain("agent-1"));
    decision.request.text = Some("an invoice".to_owned());
    assert_eq!(outcome(&decision, &urgent()), certain("agent-0"));
}

#[test]
fn the_profile_of_the_rule_goes_before_the_requested_one_and_that_before_the_default() {
    let named = |name: &str, weights: [f64; 6], by_request: bool| Profile {
        name: name.to_owned(),
        by_request,
        ..weighing(weights)
    };
    let thrifty = named("thrifty", [0.1, 0.1, 0.1, 0.1, 0.9, 0.1], true);
    let fitting = named("fitting", [0.9, 0.0, 0.0, 0.0, 0.0, 0.0], false);
    let open = || setting(3, &Profile::balanced()).with_profiles([&thrifty, &fitting]);
    let mut decision = recorded();
    assert_eq!(outcome(&decision, &open()), certain("agent-0"));
    decision.request.hints.profile = Some("thrifty".to_owned());
    assert_eq!(outcome(&decision, &open()), certain("agent-1"));
    let by_rule = using(Narrowing {
        profile: Some("fitting".to_owned()),
        ..Narrowing::default()
    });
    let ruled = open().with_rules(rules("true", by_rule));
    assert_eq!(outcome(&decision, &ruled), certain("agent-0"));
    // What no request may choose is refused, as it is live.
    decision.request.hints.profile = Some("fitting".to_owned());
    let again = open();
    let again = rechoose(&decision, &again).unwrap();
    assert_eq!((again.kind, again.winner()), (DecisionKind::Rejected, None));
}

#[test]
fn a_lower_ceiling_takes_agents_out_and_a_higher_one_lets_them_back_in() {
    let mut writer = reader();
    writer.effect = Effect::ReversibleWrite;
    let agents = || {
        let others = [(agent(1), reader()), (agent(2), reader())];
        [(agent(0), writer.clone())].into_iter().chain(others)
    };
    let up_to = |effect: Effect| Profile {
        max_effect: effect,
        ..Profile::balanced()
    };
    let decision = recorded();
    let lowered = Setting::new(agents(), &up_to(Effect::Read));
    assert_eq!(outcome(&decision, &lowered), certain("agent-1"));
    let by_rule = using(Narrowing {
        max_effect: Some(Effect::Prepare),
        ..Narrowing::default()
    });
    let ruled = Setting::new(agents(), &Profile::balanced()).with_rules(rules("true", by_rule));
    assert_eq!(outcome(&decision, &ruled), certain("agent-1"));
    let mut asked = decision.clone();
    asked.request.hints.max_effect = Some(Effect::Prepare);
    let open = Setting::new(agents(), &Profile::balanced());
    assert_eq!(outcome(&asked, &open), certain("agent-1"));

    let mut above = decision;
    discard(&mut above, 0, Discard::EffectCeiling, true);
    above.candidates[1].verdict = Verdict::Chosen;
    assert_eq!(outcome(&above, &open), certain("agent-0"));
    discard(&mut above, 0, Discard::EffectCeiling, false);
    let expected = (Some("agent-1".to_owned()), vec![Doubt::NotMeasured]);
    assert_eq!(outcome(&above, &open), expected);
    // It is still above this one, measured or not.
    assert_eq!(outcome(&above, &lowered), certain("agent-1"));
}

#[test]
fn an_effect_of_a_skill_counts_for_that_skill() {
    let mut skilled = reader();
    skilled
        .skills
        .insert("main".to_owned(), Effect::ExternalEffect);
    let agents = [
        (agent(0), skilled),
        (agent(1), reader()),
        (agent(2), reader()),
    ];
    let lowered = Profile {
        max_effect: Effect::Prepare,
        ..Profile::balanced()
    };
    let setting = Setting::new(agents, &lowered);
    let mut decision = recorded();
    assert_eq!(outcome(&decision, &setting), certain("agent-1"));
    decision.candidates[0].skill = Some("other".to_owned());
    assert_eq!(outcome(&decision, &setting), certain("agent-0"));
}

#[test]
fn what_a_rule_had_left_out_comes_back_unchecked_if_it_was_measured() {
    let mut decision = recorded();
    discard(&mut decision, 0, Discard::ExcludedByRule, true);
    decision.candidates[1].verdict = Verdict::Chosen;
    decision.rule = Some(MatchedRule {
        name: "gone".to_owned(),
        action: RuleAction::Use,
        agents: vec![agent(1)],
        profile: None,
        max_effect: None,
        detail: None,
    });
    let open = setting(3, &Profile::balanced());
    let expected = (Some("agent-0".to_owned()), vec![Doubt::CardUnchecked]);
    assert_eq!(outcome(&decision, &open), expected);
    discard(&mut decision, 0, Discard::ExcludedByRule, false);
    let expected = (Some("agent-1".to_owned()), vec![Doubt::NotMeasured]);
    assert_eq!(outcome(&decision, &open), expected);
    // Only those that a rule leaves in can make uncertain.
    decision
        .unlisted
        .discarded
        .insert(Discard::ExcludedByRule, 3);
    let only = Then::Use(Narrowing {
        agents: vec![agent(1)],
        ..Narrowing::default()
    });
    let ruled = setting(6, &Profile::balanced()).with_rules(rules("true", only));
    assert_eq!(outcome(&decision, &ruled), certain("agent-1"));
    let doubts = outcome(&decision, &setting(6, &Profile::balanced())).1;
    assert!(doubts.contains(&Doubt::Unlisted), "{doubts:?}");
}

/// A profile that rejects guesses from a likeness on.
fn rejecting(likeness: f64) -> Profile {
    Profile {
        ambiguity: AmbiguityRule {
            on_ambiguous: OnAmbiguous::Reject,
            likeness,
            margin: 0.0,
        },
        ..Profile::balanced()
    }
}

fn alike(decision: &mut RouteDecision, place: usize, likeness: f64, guess: bool) {
    decision.ambiguity = Some(Ambiguity {
        agent: agent(place),
        skill: None,
        likeness,
        margin: 0.1,
        guess,
    });
}

#[test]
fn guesses_are_made_or_rejected_as_the_profile_says() {
    let kind = |decision: &RouteDecision, profile: &Profile| {
        let setting = setting(3, profile);
        let again = rechoose(decision, &setting).unwrap();
        (again.kind, again.doubts.contains(&Doubt::LikenessUnknown))
    };
    let (made, rejected) = (DecisionKind::Scored, DecisionKind::Ambiguous);
    let mut decision = recorded();
    // Nobody was near half of any threshold.
    assert_eq!(kind(&decision, &rejecting(0.5)), (made, false));
    assert_eq!(kind(&decision, &rejecting(0.3)), (made, true));
    alike(&mut decision, 2, 0.6, true);
    assert_eq!(kind(&decision, &rejecting(0.5)), (rejected, false));
    assert_eq!(kind(&decision, &rejecting(0.7)), (made, false));
    assert_eq!(kind(&decision, &Profile::balanced()), (made, false));
    // The next by score may have been named for that.
    alike(&mut decision, 1, 0.6, true);
    assert_eq!(kind(&decision, &rejecting(0.7)), (made, true));
    // Of another best, nothing is recorded.
    let mut thrifty = rejecting(0.5);
    thrifty.weights.cost = 2.0;
    assert_eq!(kind(&decision, &thrifty), (made, true));
    // The next by score is this close.
    let mut close = rejecting(1.0);
    close.ambiguity.margin = 1.0;
    assert_eq!(kind(&decision, &close), (rejected, false));
}

#[test]
fn what_was_rejected_as_a_guess_goes_to_the_best_where_guesses_are_made() {
    let mut decision = recorded();
    decision.kind = DecisionKind::Ambiguous;
    decision.candidates[0].verdict = Verdict::Outscored;
    decision.versions.profile = rejecting(0.5).version();
    alike(&mut decision, 1, 0.6, true);
    let choosing = setting(3, &Profile::balanced());
    let again = rechoose(&decision, &choosing).unwrap();
    assert_eq!((again.logged, again.before), (None, None));
    assert_eq!(again.winner().unwrap().agent, agent(0));
    assert!(again.is_changed());
    let same = setting(3, &rejecting(0.5));
    let again = rechoose(&decision, &same).unwrap();
    assert_eq!(again.kind, DecisionKind::Ambiguous);
    assert!(!again.is_changed() && again.doubts.is_empty());
}
