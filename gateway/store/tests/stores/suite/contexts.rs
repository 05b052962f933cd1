//! Contexts of the client's own making stay with their agent.

use gateway_core::ports::{Note, Store};

use super::samples::{agent, second};

async fn give(store: &dyn Store, caller: &str, context_id: &str, to: &str) {
    let (caller, context_id) = (caller.to_owned(), context_id.to_owned());
    store
        .note(Note::Context {
            caller,
            context_id,
            agent: agent(to),
            at: second(1),
        })
        .await
        .unwrap();
}

async fn owner(store: &dyn Store, caller: &str, context_id: &str) -> Option<String> {
    store
        .context_agent(caller, context_id)
        .await
        .unwrap()
        .map(|agent| agent.to_string())
}

pub(crate) async fn context_is_remembered_per_caller(store: &dyn Store) {
    give(store, "0:ana", "c-1", "becas").await;
    give(store, "0:ben", "c-1", "pagos").await;
    assert_eq!(owner(store, "0:ana", "c-1").await.as_deref(), Some("becas"));
    assert_eq!(owner(store, "0:ben", "c-1").await.as_deref(), Some("pagos"));
    assert_eq!(owner(store, "0:ana", "c-2").await, None);
    assert_eq!(owner(store, "0:eva", "c-1").await, None);
}

pub(crate) async fn context_moves_to_the_agent_it_was_last_given_to(store: &dyn Store) {
    give(store, "0:ana", "c-1", "becas").await;
    give(store, "0:ana", "c-1", "pagos").await;
    assert_eq!(owner(store, "0:ana", "c-1").await.as_deref(), Some("pagos"));
}
