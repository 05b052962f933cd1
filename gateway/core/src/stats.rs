//! What real attempts tell about an agent: how many are running, how often it answers, how fast.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use tokio::time::Instant;

use crate::learning::LearnedSkills;

/// Successes and failures count half after this time, so that an agent which failed gets another chance.
const HALF_LIFE: Duration = Duration::from_secs(60);
/// The median latency is taken over this many latest answers.
const WINDOW: usize = 32;
/// A skill has a latency of its own from this many answers on; before, that of its agent is the better guess.
const MIN_ANSWERS: usize = 8;
/// Skills measured apart, at most: their names come from cards.
const MAX_SKILLS: usize = 256;

/// Measurements of one agent, shared by all catalog snapshots.
#[derive(Debug, Default)]
pub struct AgentStats {
    in_flight: AtomicUsize,
    measured: Mutex<Measured>,
    /// What decisions have taught about its skills.
    pub learned: ArcSwap<LearnedSkills>,
}

#[derive(Debug, Default)]
struct Measured {
    answered: f64,
    failed: f64,
    as_of: Option<Instant>,
    successes: u64,
    latency: Latency,
    skills: BTreeMap<String, Latency>,
}

#[derive(Debug, Default)]
struct Latency {
    unary: Window,
    first_event: Window,
}

/// A measured latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredLatency {
    /// The median of the latest answers.
    pub median: Duration,
    /// How many answers that are.
    pub answers: usize,
}

/// What a choice needs to know of an agent, of one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// The decayed share of attempts that were answered, in [0,1]; 1 without any attempt.
    pub(crate) answer_ratio: f64,
    /// How many attempts were answered since the start.
    pub(crate) successes: u64,
    /// The median time to an answer of the skill where it was measured often enough, else of the agent, and which of
    /// the two it is; absent while nothing was measured.
    pub(crate) latency: Option<(Duration, bool)>,
}

/// Whether a call waits for the whole answer or for the first event of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The whole answer.
    Unary,
    /// The first event.
    Stream,
}

impl AgentStats {
    /// Takes one of `limit` places for a request; none is left when this returns `None`.
    #[must_use]
    pub fn enter(self: &Arc<Self>, limit: usize) -> Option<InFlight> {
        self.in_flight
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
                (count < limit).then_some(count + 1)
            })
            .is_ok()
            .then(|| InFlight(Arc::clone(self)))
    }

    /// Returns the number of requests under way.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }

    /// Records an answer, of whatever content, and the time it took.
    pub fn answered(&self, mode: Mode, took: Duration, now: Instant) {
        self.with(|measured| {
            measured.decay(now);
            measured.answered += 1.0;
            measured.successes += 1;
            measured.latency.window(mode).push(took);
        });
    }

    /// Records the time that an answer of a skill took, beside [`AgentStats::answered`].
    pub fn answered_by(&self, skill: &str, mode: Mode, took: Duration) {
        self.with(|measured| {
            if let Some(latency) = measured.skills.get_mut(skill) {
                latency.window(mode).push(took);
            } else if measured.skills.len() < MAX_SKILLS {
                let latency = measured.skills.entry(skill.to_owned()).or_default();
                latency.window(mode).push(took);
            }
        });
    }

    /// Takes over the time that an answer took before a restart, older ones first.
    pub fn recall(&self, skill: Option<&str>, mode: Mode, took: Duration) {
        self.with(|measured| {
            measured.successes += 1;
            measured.latency.window(mode).push(took);
        });
        if let Some(skill) = skill {
            self.answered_by(skill, mode, took);
        }
    }

    /// Forgets the latency of a skill, or all measurements of the agent.
    pub fn forget(&self, skill: Option<&str>) {
        self.with(|measured| match skill {
            Some(skill) => drop(measured.skills.remove(skill)),
            None => *measured = Measured::default(),
        });
    }

    /// Records a failure to answer: no connection, no answer in time, a broken or malformed answer.
    pub fn failed(&self, now: Instant) {
        self.with(|measured| {
            measured.decay(now);
            measured.failed += 1.0;
        });
    }

    /// Returns the decayed share of attempts that were answered, in [0,1]; 1 without any attempt.
    #[must_use]
    pub fn answer_ratio(&self, now: Instant) -> f64 {
        self.with(|measured| measured.answer_ratio(now))
    }

    /// Returns the median time to an answer, or `None` while nothing was measured in this mode.
    #[must_use]
    pub fn latency(&self, mode: Mode) -> Option<Duration> {
        self.with(|measured| measured.latency.window(mode).median)
    }

    /// Reads at once what a choice needs.
    pub(crate) fn reading(&self, skill: Option<&str>, mode: Mode, now: Instant) -> Reading {
        self.with(|measured| Reading {
            answer_ratio: measured.answer_ratio(now),
            successes: measured.successes,
            latency: measured.latency_of(skill, mode),
        })
    }

    /// Returns what was measured of a skill, or of the agent, however little it is.
    #[must_use]
    pub fn measured_latency(&self, skill: Option<&str>, mode: Mode) -> Option<MeasuredLatency> {
        self.with(|measured| {
            let latency = match skill {
                Some(skill) => measured.skills.get_mut(skill)?,
                None => &mut measured.latency,
            };
            let window = latency.window(mode);
            Some(MeasuredLatency {
                median: window.median?,
                answers: window.latest.len(),
            })
        })
    }

    /// Returns the names of the skills that were measured.
    #[must_use]
    pub fn measured_skills(&self) -> Vec<String> {
        self.with(|measured| measured.skills.keys().cloned().collect())
    }

    /// Returns how many attempts were answered since the start.
    #[must_use]
    pub fn successes(&self) -> u64 {
        self.with(|measured| measured.successes)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Measured) -> T) -> T {
        // The numbers stay valid whatever a panicking thread was doing.
        act(&mut self.measured.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A place taken by a request under way; dropping it gives the place back.
#[derive(Debug)]
pub struct InFlight(Arc<AgentStats>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Measured {
    fn answer_ratio(&self, now: Instant) -> f64 {
        let factor = self.decay_factor(now);
        // One success is assumed up front: a single failure halves the ratio instead of zeroing it.
        let (answered, failed) = (1.0 + self.answered * factor, self.failed * factor);
        answered / (answered + failed)
    }

    fn latency_of(&mut self, skill: Option<&str>, mode: Mode) -> Option<(Duration, bool)> {
        let own = skill
            .and_then(|skill| self.skills.get_mut(skill))
            .map(|latency| latency.window(mode))
            .filter(|window| window.latest.len() >= MIN_ANSWERS)
            .and_then(|window| window.median);
        let agent = self.latency.window(mode).median;
        own.map(|median| (median, true))
            .or_else(|| agent.map(|median| (median, false)))
    }

    fn decay_factor(&self, now: Instant) -> f64 {
        let Some(as_of) = self.as_of else { return 1.0 };
        let age = now.saturating_duration_since(as_of);
        (-age.as_secs_f64() / HALF_LIFE.as_secs_f64()).exp2()
    }

    fn decay(&mut self, now: Instant) {
        let factor = self.decay_factor(now);
        self.answered *= factor;
        self.failed *= factor;
        self.as_of = Some(now);
    }
}

impl Latency {
    fn window(&mut self, mode: Mode) -> &mut Window {
        match mode {
            Mode::Unary => &mut self.unary,
            Mode::Stream => &mut self.first_event,
        }
    }
}

/// The latest answer times, with their median kept ready for readers.
#[derive(Debug, Default)]
struct Window {
    latest: VecDeque<Duration>,
    median: Option<Duration>,
}

impl Window {
    fn push(&mut self, took: Duration) {
        if self.latest.len() == WINDOW {
            self.latest.pop_front();
        }
        self.latest.push_back(took);
        let mut sorted: Vec<_> = self.latest.iter().copied().collect();
        sorted.sort_unstable();
        self.median = sorted.get(sorted.len() / 2).copied();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency_of(stats: &AgentStats, skill: Option<&str>, mode: Mode) -> Option<(Duration, bool)> {
        stats.reading(skill, mode, Instant::now()).latency
    }

    #[test]
    fn places_are_limited_and_given_back() {
        let stats = Arc::new(AgentStats::default());
        let first = stats.enter(2);
        let second = stats.enter(2);
        assert!(first.is_some() && second.is_some());
        assert!(stats.enter(2).is_none());
        drop(first);
        assert_eq!(stats.in_flight(), 1);
        assert!(stats.enter(2).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn failures_lower_the_ratio_and_fade() {
        let stats = AgentStats::default();
        assert!((stats.answer_ratio(Instant::now()) - 1.0).abs() < 1e-12);
        for _ in 0..3 {
            stats.failed(Instant::now());
        }
        assert!((stats.answer_ratio(Instant::now()) - 0.25).abs() < 1e-12);
        tokio::time::advance(HALF_LIFE * 10).await;
        assert!(stats.answer_ratio(Instant::now()) > 0.99);
    }

    #[tokio::test(start_paused = true)]
    async fn latency_is_the_median_of_the_latest_answers_per_mode() {
        let stats = AgentStats::default();
        for ms in [10, 30, 20] {
            stats.answered(Mode::Unary, Duration::from_millis(ms), Instant::now());
        }
        assert_eq!(stats.latency(Mode::Unary), Some(Duration::from_millis(20)));
        assert_eq!(stats.latency(Mode::Stream), None);
        for _ in 0..WINDOW {
            stats.answered(Mode::Unary, Duration::from_millis(500), Instant::now());
        }
        assert_eq!(stats.latency(Mode::Unary), Some(Duration::from_millis(500)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_skill_has_a_latency_of_its_own_once_it_is_measured_often_enough() {
        let stats = AgentStats::default();
        let slow = Duration::from_millis(900);
        stats.answered(Mode::Unary, Duration::from_millis(10), Instant::now());
        for _ in 1..MIN_ANSWERS {
            stats.answered_by("slow", Mode::Unary, slow);
        }
        let agent = Some((Duration::from_millis(10), false));
        assert_eq!(latency_of(&stats, Some("slow"), Mode::Unary), agent);
        stats.answered_by("slow", Mode::Unary, slow);
        assert_eq!(
            latency_of(&stats, Some("slow"), Mode::Unary),
            Some((slow, true))
        );
        assert_eq!(latency_of(&stats, Some("other"), Mode::Unary), agent);
        assert_eq!(latency_of(&stats, Some("slow"), Mode::Stream), None);
        stats.forget(Some("slow"));
        assert_eq!(latency_of(&stats, Some("slow"), Mode::Unary), agent);
        stats.forget(None);
        assert_eq!(latency_of(&stats, None, Mode::Unary), None);
    }
}
