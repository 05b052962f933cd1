//! Versions: how clients name theirs, and what the agent is told.

use crate::{
    dialect::{BOTH, V1, V03, failure},
    mock::{Answer, Mock},
    world::{Setup, World, client::receive},
};

#[tokio::test]
async fn c015_agents_are_told_the_version_spoken_and_not_what_the_client_wrote() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        mock.answers(move |call| {
            let told = call.header("a2a-version");
            if told.as_deref() == Some(dialect.number()) {
                dialect.obliging(call)
            } else {
                Answer::json(failure(call, -32009, "which version?"))
            }
        });
        let world = World::of("alpha", &mock).await;
        for path in ["/a2a", "/agents/alpha"] {
            let spelled = [
                None,
                Some(dialect.number().to_owned()),
                Some(format!(" {}.7 ", dialect.number())),
            ];
            for header in spelled {
                let mut request = world.rpc(path, dialect.send("ping"));
                if let Some(header) = &header {
                    request = request.header("a2a-version", header);
                }
                let reply = receive(request).await;
                assert_eq!(
                    reply.task()["status"]["state"],
                    dialect.state("completed"),
                    "{header:?}: {}",
                    reply.body
                );
            }
            assert_eq!(
                world
                    .follow(path, dialect.stream("ping"))
                    .await
                    .results()
                    .await
                    .len(),
                3
            );
        }
    }
}

#[tokio::test]
async fn c016_unsupported_versions_are_refused_and_spellings_are_understood() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    for version in ["99.0", "2", "1.1", "v1", "latest", "0.2.5"] {
        for path in ["/a2a", "/agents/alpha"] {
            let reply = receive(
                world
                    .rpc(path, V1.send("ping"))
                    .header("a2a-version", version),
            )
            .await;
            assert_eq!(
                (reply.status, reply.code()),
                (200, -32009),
                "{version}: {}",
                reply.body
            );
            let info = &reply.error()["data"][0];
            assert_eq!(
                info["reason"], "VERSION_NOT_SUPPORTED",
                "{version}: {}",
                reply.body
            );
        }
    }
    assert!(mock.calls().is_empty());
    for (path, header) in [
        ("/a2a", Some("1.0")),
        ("/a2a", Some("1.0.7")),
        ("/a2a", Some(" 1.0 ")),
        ("/a2a?A2A-Version=1.0", None),
        ("/agents/alpha/?A2A-Version=1.0", None),
        ("/a2a", None),
    ] {
        let mut request = world.rpc(path, V1.send("ping"));
        if let Some(header) = header {
            request = request.header("a2a-version", header);
        }
        let reply = receive(request).await;
        assert_eq!(
            reply.task()["status"]["state"],
            "TASK_STATE_COMPLETED",
            "{path} {header:?}"
        );
    }
}

#[tokio::test]
async fn c016_a_method_of_another_version_than_the_header_says_is_refused() {
    let (alpha, beta) = (
        Mock::start(V1, "alpha").await,
        Mock::start(V03, "beta").await,
    );
    let world = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .start()
        .await;
    for (dialect, header) in [(V1, "0.3"), (V03, "1.0")] {
        let reply = receive(
            world
                .rpc("/a2a", dialect.send("ping"))
                .header("a2a-version", header),
        )
        .await;
        assert_eq!(reply.code(), -32009, "{}", reply.body);
    }
    assert!(alpha.calls().is_empty() && beta.calls().is_empty());
}

#[tokio::test]
async fn agents_of_another_version_are_reached_by_conversion_and_the_record_says_so() {
    let (alpha, beta) = (
        Mock::start(V1, "alpha").await,
        Mock::start(V03, "beta").await,
    );
    let world = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .start()
        .await;
    for (client, agent, spoken) in [
        (V1, "alpha", "1.0"),
        (V1, "beta", "0.3"),
        (V03, "alpha", "1.0"),
        (V03, "beta", "0.3"),
    ] {
        let reply = world.call(client.send_to(agent, "ping")).await;
        assert_eq!(
            reply.task()["status"]["state"],
            client.state("completed"),
            "{}",
            reply.body
        );
        let decision = world.decision_of(&reply).await;
        assert_eq!(crate::world::admin::chosen(&decision), agent);
        let chosen = crate::world::admin::candidate(&decision, agent);
        assert_eq!(chosen["interface"]["version"], spoken, "{decision}");
        assert_eq!(decision["client_version"], client.number());
    }
}
