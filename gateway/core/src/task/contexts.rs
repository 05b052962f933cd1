//! Contexts of the clients' own making: which agent has which.
//!
//! The store keeps them; here is what was lately asked or decided, so that a poll costs no look-up and two first
//! messages of one context, sent at the same time, go to the same agent.

use std::time::Duration;

use moka::{ops::compute::Op, sync::Cache};

use crate::{
    agent::AgentId,
    ports::{Store, StoreError},
};

/// Contexts remembered at the same time.
const CAPACITY: u64 = 100_000;
/// How long an answer of the store is trusted; another replica may have given the context away since.
const TRUSTED: Duration = Duration::from_secs(60);

/// What is known of contexts without asking the store.
#[derive(Debug)]
pub struct Contexts {
    /// By caller and context id; `None` where the store knows of none.
    known: Cache<(String, String), Option<AgentId>>,
}

impl Default for Contexts {
    fn default() -> Self {
        let known = Cache::builder()
            .max_capacity(CAPACITY)
            .time_to_live(TRUSTED)
            .build();
        Self { known }
    }
}

impl Contexts {
    /// Returns the agent that has a context.
    ///
    /// # Errors
    /// When it is not known here and the store cannot be read.
    pub(crate) async fn agent(
        &self,
        store: &dyn Store,
        caller: &str,
        context_id: &str,
    ) -> Result<Option<AgentId>, StoreError> {
        let key = (caller.to_owned(), context_id.to_owned());
        if let Some(known) = self.known.get(&key) {
            return Ok(known);
        }
        let stored = store.context_agent(caller, context_id).await?;
        // A claim that was made meanwhile stands.
        Ok(self.known.entry(key).or_insert(stored).into_value())
    }

    /// Gives a context to an agent unless another one has it; returns who has it.
    pub(crate) fn claim(&self, caller: &str, context_id: &str, agent: &AgentId) -> AgentId {
        let key = (caller.to_owned(), context_id.to_owned());
        let mut holder = agent.clone();
        self.known.entry(key).and_compute_with(|entry| {
            match entry.and_then(moka::Entry::into_value) {
                Some(other) => {
                    holder = other;
                    Op::Nop
                }
                None => Op::Put(Some(agent.clone())),
            }
        });
        holder
    }

    /// Takes a claim back: the agent never got the message.
    pub(crate) fn release(&self, caller: &str, context_id: &str) {
        self.known
            .invalidate(&(caller.to_owned(), context_id.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::id;

    #[test]
    fn first_claim_wins_until_it_is_released() {
        let contexts = Contexts::default();
        assert_eq!(contexts.claim("c", "1", &id("a")), id("a"));
        assert_eq!(contexts.claim("c", "1", &id("b")), id("a"));
        assert_eq!(contexts.claim("d", "1", &id("b")), id("b"));
        contexts.release("c", "1");
        assert_eq!(contexts.claim("c", "1", &id("b")), id("b"));
    }
}
