//! Event streams that are legal and unusual.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect},
    mock::{Answer, Mock},
    world::{Event, World},
};

const PLAIN: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// How the lines of one event with its data are written; the argument tells which event it is.
type Framing = (&'static str, fn(&str, usize) -> String);

const FRAMINGS: [Framing; 14] = [
    ("usual", |data, _| format!("data: {data}\n\n")),
    ("carriage return and line feed", |data, _| {
        format!("data: {data}\r\n\r\n")
    }),
    ("lone carriage return", |data, _| {
        format!("data: {data}\r\r")
    }),
    ("mixed line ends", |data, _| format!("data: {data}\r\n\n")),
    ("no space", |data, _| format!("data:{data}\n\n")),
    ("two spaces", |data, _| format!("data:  {data}\n\n")),
    ("two data lines", |data, _| {
        let (first, second) = data.split_once(',').unwrap();
        format!("data: {first},\ndata: {second}\n\n")
    }),
    ("byte order mark", |data, number| {
        format!(
            "{}data: {data}\n\n",
            if number == 0 { "\u{feff}" } else { "" }
        )
    }),
    ("name and id", |data, number| {
        format!("event: message\nid: {}\ndata: {data}\n\n", number + 7)
    }),
    ("fields after the data", |data, number| {
        format!("data: {data}\nid: {}\nevent: message\n\n", number + 7)
    }),
    ("retry and unknown fields", |data, _| {
        format!("retry: 10\nx: y\nlonely\ndata: {data}\n\n")
    }),
    ("comments", |data, _| {
        format!(": hello\n\n:\ndata: {data}\n: inner\n\n")
    }),
    ("empty blocks", |data, _| {
        format!("\n\nevent: ping\n\ndata: {data}\n\n\n")
    }),
    ("empty data line", |data, _| {
        format!("data: {data}\ndata\n\n")
    }),
];

fn text(dialect: Dialect, framing: fn(&str, usize) -> String) -> String {
    let events = dialect.events("t-1", "c-1");
    let data =
        events.map(|event| json!({ "jsonrpc": "2.0", "id": "x", "result": event }).to_string());
    data.iter()
        .enumerate()
        .map(|(number, data)| framing(data, number))
        .collect()
}

async fn events(world: &World, dialect: Dialect) -> Vec<Event> {
    world
        .follow("/agents/alpha", dialect.stream("ping"))
        .await
        .rest()
        .await
}

fn results(events: &[Event]) -> Vec<Value> {
    events.iter().map(Event::result).collect()
}

#[tokio::test]
async fn c036_every_legal_framing_gives_the_same_events() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for (what, framing) in FRAMINGS {
            mock.always(
                Answer::raw(PLAIN)
                    .and(Answer::raw(text(dialect, framing)))
                    .close(),
            );
            let got = events(&world, dialect).await;
            assert_eq!(results(&got), dialect.events("t-1", "c-1"), "{what}");
            if what.contains("id") || what.contains("fields after") {
                for (number, event) in got.iter().enumerate() {
                    let id = format!("id: {}\n", number + 7);
                    assert!(event.frame.contains(&id), "{what}: {}", event.frame);
                    assert!(
                        event.frame.contains("event: message\n"),
                        "{what}: {}",
                        event.frame
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn c036_borders_of_chunks_mean_nothing() {
    let dialect = Dialect::V1;
    let mock = Mock::start(dialect, "alpha").await;
    let world = World::of("alpha", &mock).await;
    for (what, framing) in FRAMINGS {
        let text = text(dialect, framing);
        for size in [1, 3] {
            let chunks = text.as_bytes().chunks(size);
            let answer = chunks
                .fold(Answer::stream(), |answer, chunk| answer.chunk(chunk))
                .end();
            mock.always(answer);
            let got = events(&world, dialect).await;
            assert_eq!(
                results(&got),
                dialect.events("t-1", "c-1"),
                "{what} in chunks of {size}"
            );
        }
    }
}

#[tokio::test]
async fn c036_a_last_event_without_its_blank_line_is_not_lost() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        let whole = text(dialect, FRAMINGS[0].1);
        for ending in ["", "\n", "\r", "\r\n"] {
            let text = format!("{}{ending}", whole.trim_end());
            mock.always(Answer::raw(PLAIN).and(Answer::raw(&text)).close());
            let got = events(&world, dialect).await;
            assert_eq!(results(&got), dialect.events("t-1", "c-1"), "{ending:?}");
        }
        // Cut within the data of the last event: what came before, and an error in place of an ordinary end.
        let cut = whole
            .trim_end()
            .strip_suffix("\"}}}}")
            .or(whole.trim_end().strip_suffix("true}}"));
        let cut = cut.expect("a known end");
        mock.always(Answer::raw(PLAIN).and(Answer::raw(cut)).close());
        let got = events(&world, dialect).await;
        assert_eq!(results(&got[..2]), dialect.events("t-1", "c-1")[..2]);
        assert_eq!(
            (got.len(), got[2].error()["code"].clone()),
            (3, json!(-32603))
        );
    }
}

#[tokio::test]
async fn c036_events_without_any_label_are_recognised() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for label in [
            "",
            "content-type: text/plain\r\n",
            "content-type: application/json\r\n",
        ] {
            let head = format!("HTTP/1.1 200 OK\r\n{label}connection: close\r\n\r\n");
            mock.always(
                Answer::raw(head)
                    .and(Answer::raw(text(dialect, FRAMINGS[0].1)))
                    .close(),
            );
            let got = events(&world, dialect).await;
            assert_eq!(results(&got), dialect.events("t-1", "c-1"), "{label}");
        }
    }
}

#[tokio::test]
async fn comments_of_the_agent_reach_the_client() {
    let dialect = Dialect::V1;
    let mock = Mock::start(dialect, "alpha").await;
    let [first, _, last] = dialect.events("t-1", "c-1");
    let answer = Answer::stream()
        .event(json!({ "result": first }))
        .chunk(": still here\n\n")
        .event(json!({ "result": last }))
        .end();
    mock.always(answer);
    let world = World::of("alpha", &mock).await;
    let mut stream = world.follow("/agents/alpha", dialect.stream("ping")).await;
    stream.expect().await;
    assert_eq!(
        stream.next_block().await.as_deref(),
        Some(": still here\n\n")
    );
    assert_eq!(stream.rest().await.len(), 1);
}
