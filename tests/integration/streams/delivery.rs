//! Events leave as they arrive.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect},
    mock::{Answer, Gate, Mock},
    world::{Events, World},
};

/// Starts an agent whose streams send one event for each opening of the gate, and then end at another.
async fn stepwise(dialect: Dialect) -> (World, Mock, Gate, [Value; 3]) {
    let mock = Mock::start(dialect, "alpha").await;
    let gate = Gate::new();
    let events = dialect.events("t-1", "c-1");
    let mut answer = Answer::stream();
    for event in &events {
        answer = answer
            .wait(&gate)
            .event(json!({ "jsonrpc": "2.0", "id": "x", "result": event }));
    }
    mock.always(answer.wait(&gate).end());
    (World::of("alpha", &mock).await, mock, gate, events)
}

#[tokio::test]
async fn c031_headers_and_each_event_leave_before_the_agent_sends_more() {
    for dialect in BOTH {
        let (world, _mock, gate, events) = stepwise(dialect).await;
        for path in ["/agents/alpha", "/a2a"] {
            // The agent sends nothing after its headers until it is told to.
            let mut stream = world.follow(path, dialect.stream("ping")).await;
            assert!(stream.header("cache-control").unwrap().contains("no-cache"));
            assert_eq!(stream.header("x-accel-buffering"), Some("no"));
            assert_eq!(stream.header("content-encoding"), None);
            for event in &events {
                gate.open();
                let got = stream.expect().await.result();
                if path == "/agents/alpha" {
                    assert_eq!(got, *event);
                }
            }
            gate.open();
            assert_eq!(stream.next().await, None);
        }
    }
}

#[tokio::test]
async fn c031_a_subscription_is_as_prompt() {
    for dialect in BOTH {
        let (world, mock, gate, events) = stepwise(dialect).await;
        let mut stream = world
            .follow("/agents/alpha", dialect.about("SubscribeToTask", "t-1"))
            .await;
        for event in &events {
            gate.open();
            assert_eq!(stream.expect().await.result(), *event);
        }
        gate.open();
        assert_eq!(stream.next().await, None);
        assert_eq!(mock.methods(), [dialect.method("SubscribeToTask")]);
    }
}

#[tokio::test]
async fn c031_an_event_in_pieces_leaves_when_it_is_complete() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let (gate, [task, _, done]) = (Gate::new(), dialect.events("t-1", "c-1"));
        let envelope = |result: &Value| json!({ "id": 1, "result": result }).to_string();
        let text = envelope(&task);
        let (start, rest) = text.split_at(text.len() / 2);
        let answer = Answer::stream()
            .chunk(format!("data: {start}"))
            .chunk(format!("{rest}\n"))
            .chunk("\n")
            .wait(&gate)
            .event(envelope(&done))
            .end();
        mock.always(answer);
        let world = World::of("alpha", &mock).await;
        let mut stream = world.follow("/agents/alpha", dialect.stream("ping")).await;
        assert_eq!(stream.expect().await.result(), task);
        gate.open();
        assert_eq!(stream.expect().await.result(), done);
    }
}

#[tokio::test]
async fn c033_streams_are_event_streams_whatever_the_client_accepts() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n";
        let events = dialect
            .events("t-1", "c-1")
            .map(|event| format!("data: {}\n\n", json!({ "result": event })));
        mock.always(Answer::raw(head).and(Answer::raw(events.concat())).close());
        let world = World::of("alpha", &mock).await;
        let task = world
            .follow("/a2a", dialect.stream("ping"))
            .await
            .rest()
            .await[2]
            .json();
        let task = [
            &task["result"]["taskId"],
            &task["result"]["statusUpdate"]["taskId"],
        ]
        .into_iter()
        .find_map(Value::as_str)
        .unwrap()
        .to_owned();
        for accept in [
            None,
            Some("text/event-stream"),
            Some("application/json, text/event-stream"),
            Some("*/*"),
            Some("application/json"),
        ] {
            for call in [
                dialect.stream("ping"),
                dialect.about("SubscribeToTask", &task),
            ] {
                let mut request = world.rpc("/a2a", &call);
                if let Some(accept) = accept {
                    request = request.header("accept", accept);
                }
                let mut stream = Events::open(request).await;
                for _ in 0..3 {
                    let event = stream.expect().await;
                    assert_eq!(
                        event.frame,
                        format!("data: {}\n\n", event.data),
                        "{accept:?}"
                    );
                    let json = event.json();
                    assert_eq!(
                        (&json["jsonrpc"], &json["id"]),
                        (&json!("2.0"), &json!("q1"))
                    );
                    assert!(json["result"].is_object(), "{json}");
                }
                assert_eq!(stream.next().await, None);
            }
        }
    }
}

#[tokio::test]
async fn many_streams_do_not_wait_for_each_other() {
    let dialect = Dialect::V1;
    let (world, mock, gate, _) = stepwise(dialect).await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        streams.push(world.follow("/a2a", dialect.stream("ping")).await);
    }
    mock.called(20).await;
    mock.answers(move |call| dialect.obliging(call));
    assert_eq!(world.call(dialect.send("ping")).await.status, 200);
    (0..80).for_each(|_| gate.open());
    for stream in streams {
        assert_eq!(stream.results().await.len(), 3);
    }
}
