//! One way of choosing in one world, message by message.

use std::time::Duration;

use gateway_core::{
    Caller, Catalog, Feedback, Learning, RouteDecision, VersionedProfile,
    catalog::CatalogAgent,
    decision::{Outcome as Ended, Versions},
    route::{Choice, Features, Question, choose},
    stats::Mode,
};
use gateway_protocol::{Binding, Version};
use jiff::{SignedDuration, Timestamp};
use routing::Outcome;
use tokio::time::Instant;

use crate::{
    lessons::{School, Taught},
    strategy::Strategy,
    world::{KINDS, Luck, World},
};

/// The first moment, 1 January 2026 in UTC.
const START: i64 = 1_767_225_600;
const DAY: u64 = 24 * 60 * 60;

/// What came of all messages.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Total {
    /// Messages that were sent.
    pub messages: u32,
    /// Tasks whose result was accepted, or would have been had somebody looked.
    pub accepted: u32,
    /// Messages for which another agent than the best was taken.
    pub explored: u32,
    /// What all of them cost.
    pub cost: f64,
}

impl Total {
    /// Returns how many accepted tasks a unit of money has bought.
    #[must_use]
    pub fn accepted_per_cost(&self) -> f64 {
        f64::from(self.accepted) / self.cost
    }
}

/// A way of choosing at work.
#[derive(Debug)]
pub struct Run<'w> {
    world: &'w World,
    catalog: Catalog,
    profile: VersionedProfile,
    strategy: Strategy,
    school: School,
    began: Instant,
}

/// Sends every message of a world and hands each decision, with what became of it, to `see`.
///
/// # Errors
/// When the world's catalog cannot be made.
pub fn run(
    world: &World,
    strategy: Strategy,
    mut see: impl FnMut(RouteDecision),
) -> Outcome<Total> {
    let learning = Learning {
        half_life: Duration::from_secs(7 * DAY),
        ..Learning::default()
    };
    let profile = strategy.profile();
    let mut run = Run {
        world,
        catalog: world.catalog()?,
        profile: profile.into(),
        strategy,
        school: School::new(learning),
        began: Instant::now(),
    };
    let mut total = Total::default();
    for (number, luck) in world.messages.iter().enumerate() {
        run.send(number, *luck, &mut total, &mut see)?;
    }
    Ok(total)
}

impl Run<'_> {
    fn send(
        &mut self,
        number: usize,
        luck: Luck,
        total: &mut Total,
        see: &mut impl FnMut(RouteDecision),
    ) -> Outcome<()> {
        let (text, _) = KINDS.get(luck.kind).copied().unwrap_or_default();
        let id = format!("{}-{number:06}", self.world.seed);
        let features = Features {
            digest: format!("simulated:{id}"),
            message_id: Some(id),
            text: text.to_owned(),
            input_modes: vec!["text/plain".to_owned()],
            ..Features::default()
        };
        let since = self.since_start(number);
        let now = self.began + since;
        let at = Timestamp::from_second(START)?.checked_add(SignedDuration::try_from(since)?)?;
        let choice = choose(Question {
            catalog: &self.catalog,
            profile: &self.profile,
            rule: None,
            features: &features,
            meaning: None,
            version: Version::V1,
            binding: Binding::JsonRpc,
            now,
            at,
        });
        let chosen = choice
            .chosen
            .as_ref()
            .ok_or("no agent fits a simulated message")?;
        let agent = chosen.agent.as_ref();
        let day = self.world.day(number);
        let truth = self
            .world
            .truth(&agent.spec.id, day)
            .ok_or("an agent has no such day")?;
        let completed = luck.fails >= truth.failure;
        let accepted = completed && luck.accepted < truth.quality;
        let is_judged = luck.judged < self.world.scale.feedback;
        let taught = Taught {
            completed,
            accepted: is_judged.then_some(accepted),
            cost: truth.cost,
        };
        let took = Duration::from_secs_f64(truth.seconds * luck.slow);
        total.messages += 1;
        total.accepted += u32::from(accepted);
        total.cost += truth.cost;
        let explored = choice.exploration.as_ref();
        total.explored += u32::from(explored.is_some_and(|chance| chance.explored));
        if self.strategy.learns() {
            let skill = chosen.skill.as_deref().unwrap_or_default();
            agent.stats.answered(Mode::Unary, took, now);
            agent.stats.answered_by(skill, Mode::Unary, took);
            let position = self.position(agent);
            self.school.teach((position, agent), skill, taught, at);
        }
        see(self.record(&features, &choice, at, (taught, took)));
        Ok(())
    }

    /// Spreads the messages of a day over it.
    fn since_start(&self, number: usize) -> Duration {
        let per_day = self.world.scale.per_day.max(1);
        let part = u64::try_from(number).unwrap_or(u64::MAX);
        Duration::from_secs(part.saturating_mul(DAY) / u64::try_from(per_day).unwrap_or(1))
    }

    fn position(&self, agent: &CatalogAgent) -> usize {
        let mut agents = self.catalog.agents().iter();
        let is_it = |other: &std::sync::Arc<CatalogAgent>| other.spec.id == agent.spec.id;
        agents.position(is_it).unwrap_or_default()
    }

    /// Writes the record as the gateway does.
    fn record(
        &self,
        features: &Features,
        choice: &Choice,
        at: Timestamp,
        became: (Taught, Duration),
    ) -> RouteDecision {
        let (taught, took) = became;
        let state = if taught.completed {
            "completed"
        } else {
            "failed"
        };
        RouteDecision {
            id: features.digest.clone(),
            at,
            kind: choice.kind,
            caller: Caller::anonymous(),
            operation: "SendMessage".to_owned(),
            client_version: Version::V1,
            request: features.summary(),
            rule: None,
            versions: Versions {
                config: "simulated".to_owned(),
                catalog: self.catalog.version().to_owned(),
                profile: self.profile.version().to_owned(),
                fit: "lexical".to_owned(),
            },
            weights: self.profile.weights,
            trace_id: None,
            candidates: choice.candidates.clone(),
            unlisted: choice.unlisted.clone(),
            margin: choice.margin,
            propensity: choice.propensity,
            exploration: choice.exploration.clone(),
            ambiguity: choice.ambiguity.clone(),
            shadow: choice.shadow.clone(),
            attempts: Vec::new(),
            outcome: Some(Ended {
                state: state.to_owned(),
                task_id: None,
                error: None,
                cost: Some(taught.cost),
                ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
                finished_at: at.checked_add(took).ok(),
            }),
            feedback: taught.accepted.map(|accepted| Feedback {
                accepted: Some(accepted),
                ..Feedback::default()
            }),
        }
    }
}
