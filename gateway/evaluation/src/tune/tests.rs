use gateway_core::{Profile, RouteDecision};
use rand_core::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::{
    chance::unit,
    testing::{self, agent, decided, setting},
};

/// Decisions between an agent that fits better and one of better quality, of which chance takes each half of the time.
/// A share of results is accepted by `truth` of who got the message.
fn explored(count: usize, truth: [f64; 2]) -> Vec<RouteDecision> {
    tried(5, count, 1.0, truth)
}

/// The same of another seed, with chance taking each half of a share of them.
fn tried(seed: u64, count: usize, share: f64, truth: [f64; 2]) -> Vec<RouteDecision> {
    let mut chance = Pcg64Mcg::seed_from_u64(seed);
    let mut decisions = Vec::new();
    for number in 0..count {
        let fit = 0.5 + 0.4 * unit(&mut chance);
        let given = [
            [0.95, 0.3, 1.0, 0.2, 0.2, 0.2],
            [fit, 0.6, 1.0, 0.2, 0.2, 0.2],
        ];
        let one = decided(&number.to_string(), &given, &Profile::balanced());
        let other = usize::from(one.best().is_some_and(|best| *best == agent(0)));
        let takes_other = unit(&mut chance) < share / 2.0;
        let chosen = if takes_other { other } else { 1 - other };
        let mut one = testing::explored(one, share, chosen);
        let accepted = unit(&mut chance) < truth[chosen];
        let state = if accepted { "completed" } else { "failed" };
        one.outcome.as_mut().unwrap().state = state.to_owned();
        decisions.push(one);
    }
    decisions
}

fn tuned(decisions: &[RouteDecision], objective: Objective) -> Proposal {
    let mut tuner = Tuner::new(setting(2, &Profile::balanced()), objective);
    for decision in decisions {
        tuner.add(decision);
    }
    tuner.propose()
}

#[test]
fn weights_that_choose_better_are_found_and_supported() {
    let proposal = tuned(&explored(1500, [0.4, 0.9]), Objective::Accepted);
    assert_eq!(proposal.support, Support::Supported);
    assert!(proposal.changed > 500, "{proposal:?}");
    let gain = proposal.gain.unwrap();
    assert!(
        gain.value > 0.1 && gain.interval.unwrap().low > 0.0,
        "{gain:?}"
    );
    let sum = |weights: &Weights| {
        weights.fit
            + weights.quality
            + weights.availability
            + weights.latency
            + weights.cost
            + weights.risk
    };
    assert!((sum(&proposal.proposed) - sum(&proposal.current)).abs() < 0.01);
}

#[test]
fn agents_that_do_equally_well_support_no_change() {
    let mut refused = 0;
    let proposal = tuned(&explored(1000, [0.7, 0.7]), Objective::Accepted);
    refused += usize::from(!proposal.support.is_given());
    let proposal = tuned(&explored(1000, [0.9, 0.4]), Objective::Accepted);
    refused += usize::from(!proposal.support.is_given() || proposal.gain.unwrap().value >= 0.0);
    assert_eq!(refused, 2);
}

#[test]
fn agents_that_do_equally_well_seldom_support_a_change_however_little_is_tried() {
    let mut supported = 0;
    for seed in 0..40 {
        let decisions = tried(seed, 250, 0.2, [0.7, 0.7]);
        supported += u32::from(tuned(&decisions, Objective::Accepted).support.is_given());
    }
    assert!(supported <= 2, "{supported} of 40");
}

#[test]
fn propensities_that_cannot_be_right_are_counted_and_left_out() {
    let mut decisions = explored(300, [0.4, 0.9]);
    for decision in &mut decisions[..100] {
        decision.propensity = 1e-160;
    }
    let proposal = tuned(&decisions, Objective::Accepted);
    assert_eq!((proposal.used, proposal.improper), (200, 100));
}

#[test]
fn few_decisions_and_such_without_chance_support_nothing() {
    let few = tuned(&explored(50, [0.4, 0.9]), Objective::Accepted);
    assert_eq!((few.support, few.used), (Support::TooFew, 50));
    assert_eq!(few.proposed, few.current);
    let mut certain = explored(500, [0.4, 0.9]);
    for decision in &mut certain {
        decision.propensity = 1.0;
        for candidate in &mut decision.candidates {
            candidate.propensity = None;
        }
    }
    let certain = tuned(&certain, Objective::Accepted);
    assert_eq!((certain.support, certain.used), (Support::NoExploration, 0));
    assert_eq!(tuned(&[], Objective::Accepted).support, Support::TooFew);
}

#[test]
fn the_same_decisions_in_any_order_give_the_same_proposal() {
    let decisions = explored(400, [0.4, 0.9]);
    let backwards: Vec<_> = decisions.iter().rev().cloned().collect();
    for objective in [Objective::Accepted, Objective::AcceptedPerCost] {
        assert_eq!(tuned(&decisions, objective), tuned(&backwards, objective));
    }
}

#[test]
fn objectives_have_names() {
    assert_eq!("accepted".parse(), Ok(Objective::Accepted));
    assert_eq!("accepted_per_cost".parse(), Ok(Objective::AcceptedPerCost));
    assert!(
        "speed"
            .parse::<Objective>()
            .unwrap_err()
            .contains("accepted_per_cost")
    );
}
