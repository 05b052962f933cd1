//! Slashes and redirects.

use serde_json::json;

use crate::{
    dialect::{BOTH, V1},
    mock::{Answer, Mock},
    world::{Setup, client::receive},
};

#[tokio::test]
async fn c113_agents_are_called_at_exactly_the_address_of_their_card() {
    let (mut setup, mut mocks) = (Setup::new(), Vec::new());
    for dialect in BOTH {
        for (number, path) in ["/rpc", "/rpc/", "/", "/a//b", "/rpc?k=1&x=%20y"]
            .into_iter()
            .enumerate()
        {
            for status in [307, 404] {
                let mock = Mock::start(dialect, "alpha").await;
                let url = mock.url();
                mock.serves_card(&dialect.card("alpha", &format!("{url}{path}")));
                mock.answers(move |call| {
                    if call.target == path {
                        dialect.obliging(call)
                    } else {
                        Answer::http(status, &format!("location: {url}{path}\r\n"), "")
                    }
                });
                let id = format!("a{}-{number}-{status}", mocks.len());
                setup = setup.agent(&id, &mock);
                mocks.push((id, dialect, path, mock));
            }
        }
    }
    let world = setup.start().await;
    for (id, dialect, path, mock) in &mocks {
        for slash in ["", "/"] {
            let reply = world
                .post(&format!("/agents/{id}{slash}"), dialect.send("ping"))
                .await;
            assert_eq!(
                (reply.status, reply.task_id().as_str()),
                (200, "t-1"),
                "{path}"
            );
        }
        let targets: Vec<_> = mock.calls().into_iter().map(|call| call.target).collect();
        assert_eq!(targets, [*path, *path]);
    }
    for slash in ["", "/"] {
        let reply = world.post(&format!("/a2a{slash}"), V1.send("ping")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
}

#[tokio::test]
async fn c113_a_redirect_within_the_origin_is_followed_once_with_method_and_body() {
    for status in [307, 308] {
        let mock = Mock::start(V1, "alpha").await;
        mock.answers(move |call| match call.target.as_str() {
            "/rpc" => Answer::http(status, "location: /rpc/\r\n", ""),
            _ => V1.obliging(call),
        });
        let world = Setup::new()
            .agent_with("alpha", &mock, "auth: { bearer: token }")
            .start()
            .await;
        assert_eq!(
            world.post("/agents/alpha", V1.send("ping")).await.task_id(),
            "t-1"
        );
        let calls = mock.calls();
        assert_eq!(calls.len(), 2);
        assert_eq!(
            (&calls[1].method, &calls[1].body),
            (&calls[0].method, &calls[0].body)
        );
        assert_eq!(calls[1].target, "/rpc/");
        assert_eq!(
            calls[1].header("authorization").as_deref(),
            Some("Bearer token")
        );
    }
}

#[tokio::test]
async fn c113_other_redirects_are_errors_and_lead_nowhere() {
    let other = Mock::start(V1, "other").await;
    let elsewhere = format!("{}/rpc", other.url());
    let cases = [
        (307, elsewhere.as_str()),
        (308, elsewhere.as_str()),
        (302, elsewhere.as_str()),
        (302, "/rpc/"),
        (303, "/rpc/"),
        (301, "/rpc/"),
        (307, "/rpc"),
        (307, "http://169.254.169.254/"),
        (307, "file:///etc/passwd"),
        (307, ""),
    ];
    let (mut setup, mut mocks) = (Setup::new(), Vec::new());
    for (number, (status, location)) in cases.into_iter().enumerate() {
        let mock = Mock::start(V1, "alpha").await;
        mock.always(Answer::http(
            status,
            &format!("location: {location}\r\n"),
            "",
        ));
        setup = setup.agent_with(&format!("agent-{number}"), &mock, "auth: { bearer: token }");
        mocks.push(mock);
    }
    let world = setup.start().await;
    for (number, (status, location)) in cases.into_iter().enumerate() {
        let reply = world
            .post(&format!("/agents/agent-{number}"), V1.send("ping"))
            .await;
        assert!(
            [-32603, -32006].contains(&reply.code()),
            "{status} {location}: {}",
            reply.body
        );
        let calls = mocks[number].calls().len();
        assert!(calls <= 2, "{status} {location}: {calls} calls");
    }
    assert!(other.log().is_empty());
}

#[tokio::test]
async fn c113_no_form_of_an_endpoint_redirects() {
    let mock = Mock::start(V1, "alpha").await;
    let world = Setup::new().agent("alpha", &mock).start().await;
    for path in ["/a2a", "/a2a/", "/agents/alpha", "/agents/alpha/"] {
        let reply = world.post(path, V1.send("ping")).await;
        assert_eq!(reply.status, 200, "{path}");
        let card = receive(world.request(reqwest::Method::GET, path)).await;
        assert_eq!(
            (card.status, card.json()["defaultInputModes"].clone()),
            (200, json!(["text/plain"])),
            "{path}"
        );
    }
}
