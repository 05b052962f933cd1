//! Leaves an endpoint alone that fails again and again, so that no message waits for it in vain.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Failures in a row after which it is left alone.
const FAILURES: u32 = 3;
/// The first pause; it doubles with each further failure.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(60);

/// Says whether an endpoint may be asked.
#[derive(Debug, Default)]
pub(super) struct Circuit(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failures: u32,
    /// Until when nothing is asked.
    until: Option<Instant>,
    /// What the latest failure was.
    problem: Option<String>,
}

/// Leave to ask once.
#[derive(Debug)]
pub(super) struct Attempt<'c>(&'c Circuit);

impl Circuit {
    /// Gives leave to ask. After a pause one attempt is let through, and further ones only once it succeeded or after
    /// another pause.
    ///
    /// # Errors
    /// Says why not now.
    pub(super) fn attempt(&self, now: Instant) -> Result<Attempt<'_>, String> {
        let mut state = self.lock();
        match state.until {
            Some(until) if now < until => {
                let problem = state.problem.clone().unwrap_or_default();
                Err(format!("not asked again yet after: {problem}"))
            }
            Some(_) => {
                state.until = Some(now + state.pause());
                Ok(Attempt(self))
            }
            None => Ok(Attempt(self)),
        }
    }

    /// Returns the latest failure, until something succeeds.
    pub(super) fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn pause(&self) -> Duration {
        let doubled = 1 << self.failures.saturating_sub(FAILURES).min(6);
        LONGEST.min(PAUSE * doubled)
    }
}

impl Attempt<'_> {
    /// The endpoint answered.
    pub(super) fn succeeded(&self) {
        *self.0.lock() = State::default();
    }

    /// It did not, and asked to be left alone for some seconds, or not.
    pub(super) fn failed(&self, now: Instant, retry_after: Option<u64>, problem: &str) {
        let mut state = self.0.lock();
        state.failures = state.failures.saturating_add(1);
        state.problem = Some(problem.to_owned());
        let asked = retry_after.map(|seconds| LONGEST.min(Duration::from_secs(seconds)));
        if state.failures >= FAILURES || asked.is_some() {
            state.until = Some(now + state.pause().max(asked.unwrap_or_default()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_left_alone_for_longer_and_longer_and_tried_once_after_each_pause() {
        let (circuit, mut now) = (Circuit::default(), Instant::now());
        for _ in 0..FAILURES {
            circuit.attempt(now).unwrap().failed(now, None, "down");
        }
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            now += Duration::from_secs(pause) - Duration::from_millis(1);
            assert!(circuit.attempt(now).unwrap_err().contains("down"));
            now += Duration::from_millis(1);
            let attempt = circuit.attempt(now).unwrap();
            assert!(circuit.attempt(now).is_err(), "one is enough to find out");
            attempt.failed(now, None, "down");
        }
        assert_eq!(circuit.problem().as_deref(), Some("down"));
        now += LONGEST;
        circuit.attempt(now).unwrap().succeeded();
        assert!(circuit.attempt(now).is_ok() && circuit.problem().is_none());
    }

    #[test]
    fn it_is_left_alone_for_as_long_as_it_asks_but_not_forever() {
        let (circuit, now) = (Circuit::default(), Instant::now());
        circuit.attempt(now).unwrap().failed(now, Some(7), "busy");
        assert!(circuit.attempt(now + Duration::from_secs(6)).is_err());
        let later = now + Duration::from_secs(7);
        circuit
            .attempt(later)
            .unwrap()
            .failed(later, Some(u64::MAX), "busy");
        assert!(circuit.attempt(later + LONGEST).is_ok());
    }
}
