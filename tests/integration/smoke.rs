//! The harness itself.
use crate::{dialect::BOTH, mock::Mock, world::World};

#[tokio::test]
async fn an_agent_answers_through_the_gateway() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        let reply = world.call(dialect.send("ping")).await;
        assert!(reply.task_id().starts_with("gw1-"), "{}", reply.body);
        let results = world.follow("/a2a", dialect.stream("ping")).await.results().await;
        assert_eq!(results.len(), 3);
    }
}
