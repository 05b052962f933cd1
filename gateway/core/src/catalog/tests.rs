//! What a change of state costs, and what it leaves as it is.

use serde_json::json;

use super::*;
use crate::testing::{card, catalog, ready, spec};

fn in_state(agent: &CatalogAgent, state: AgentState) -> Arc<CatalogAgent> {
    Arc::new(CatalogAgent {
        spec: Arc::clone(&agent.spec),
        stats: Arc::clone(&agent.stats),
        status: CardStatus {
            state,
            ..agent.status.clone()
        },
    })
}

#[test]
fn the_same_cards_have_the_same_index_in_whatever_state_their_agents_are() {
    let agent = |name: &str| ready(spec(name), card(name, "about", &json!({})));
    let first = catalog(vec![agent("a"), agent("b")]);
    let held = in_state(&first.agents()[0], AgentState::Quarantined);
    let agents = vec![held, Arc::clone(&first.agents()[1])];
    let second = Catalog::new(agents, Some(&first));
    assert!(Arc::ptr_eq(&first.texts, &second.texts));
    assert!(Arc::ptr_eq(&first.meanings, &second.meanings));
    assert_ne!(first.digest(), second.digest(), "another is served");

    let changed = ready(spec("a"), card("a", "something else", &json!({})));
    let agents = vec![changed, Arc::clone(&first.agents()[1])];
    let third = Catalog::new(agents, Some(&second));
    assert!(!Arc::ptr_eq(&second.texts, &third.texts));
    assert!(!third.lags());
}
