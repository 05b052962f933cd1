//! Streams: how events arrive, and how a stream can end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::StreamExt;
use gateway_core::ports::AttemptErrorKind;
use gateway_protocol::sse::Item;
use tokio::{
    io::AsyncWriteExt,
    sync::{Notify, oneshot},
    time::sleep,
};

use super::mock::*;
use crate::agents::http::Body;

const THREE: [&str; 3] = [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#];

#[tokio::test]
async fn c031_events_arrive_before_the_next_is_sent() {
    let received = Arc::new(Notify::new());
    let go_on = Arc::clone(&received);
    let mock = Mock::script(move |_, mut stream| {
        let go_on = Arc::clone(&go_on);
        async move {
            stream.write_all(CHUNKED_EVENTS.as_bytes()).await.unwrap();
            for data in THREE {
                stream
                    .write_all(&chunk(format!("data: {data}\n\n")))
                    .await
                    .unwrap();
                go_on.notified().await;
            }
            stream.write_all(&chunk("")).await.unwrap();
        }
    })
    .await;
    let Body::Events(mut events) = send(stream_request(agent(&mock.url))).await.unwrap().body
    else {
        panic!("expected events")
    };
    for data in THREE {
        let Some(Ok(Item::Event(event))) = events.next().await else {
            panic!("expected an event")
        };
        assert_eq!(event.data, data);
        received.notify_one();
    }
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn c036_unusual_dress_and_chunk_borders_change_nothing() {
    let dressed = [
        THREE.map(|data| format!("data: {data}\r\n\r\n")).concat(),
        THREE.map(|data| format!("data: {data}\r\r")).concat(),
        THREE.map(|data| format!("data:{data}\n\n")).concat(),
        format!(
            "\u{feff}{}",
            THREE.map(|data| format!("data: {data}\n\n")).concat()
        ),
        THREE
            .map(|data| format!("event: message\nid: 7\ndata: {data}\n\n"))
            .concat(),
    ];
    for text in dressed {
        let single_bytes = CHUNKED_EVENTS
            .bytes()
            .chain(text.bytes().flat_map(|byte| chunk([byte])))
            .chain(chunk(""));
        let mock = Mock::always(single_bytes.collect::<Vec<_>>()).await;
        let (seen, error) = drain(send(stream_request(agent(&mock.url))).await.unwrap()).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(seen, THREE, "{text:?}");
    }
}

#[tokio::test]
async fn unlabelled_streams_and_comments_are_understood() {
    let body = ": hello\n\ndata: {\"n\":1}\n\n: ping\n\n";
    let mock = Mock::always(response(200, "", body)).await;
    let (seen, error) = drain(send(stream_request(agent(&mock.url))).await.unwrap()).await;
    assert!(error.is_none());
    assert_eq!(seen, [":hello", "{\"n\":1}", ":ping"]);
}

#[tokio::test]
async fn c036_a_last_event_without_blank_line_is_not_lost() {
    let mock = Mock::always(events(&["data: {\"n\":1}\n\n", "data: {\"n\":2}"])).await;
    let (seen, error) = drain(send(stream_request(agent(&mock.url))).await.unwrap()).await;
    assert!(error.is_none());
    assert_eq!(seen, ["{\"n\":1}", "{\"n\":2}"]);
}

#[tokio::test]
async fn c039_an_end_inside_an_event_is_an_error_after_the_events() {
    let mock = Mock::always(events(&[
        "data: {\"n\":1}\n\ndata: {\"n\":2}\n\n",
        "data: {\"n\":",
    ]))
    .await;
    let (seen, error) = drain(send(stream_request(agent(&mock.url))).await.unwrap()).await;
    let error = error.unwrap();
    assert_eq!(seen.len(), 2);
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Reset, true));
    assert!(error.detail.contains("middle of an event"), "{error}");
}

#[tokio::test]
async fn c039_a_broken_connection_is_an_error_after_the_events() {
    let two = format!("{CHUNKED_EVENTS}5\r\ndata:\r\n3\r\n1\n\n\r\n9\r\ndata: 2\n\n\r\n");
    // Orderly at the TCP level, yet the last chunk is missing.
    let unfinished = Mock::always(two.clone()).await;
    let reset_later = Mock::script(move |_, mut stream| {
        let two = two.clone();
        async move {
            stream.write_all(two.as_bytes()).await.unwrap();
            // A reset overtakes bytes that were not read yet.
            sleep(Duration::from_millis(200)).await;
            reset(stream);
        }
    })
    .await;
    let mut details = Vec::new();
    for mock in [unfinished, reset_later] {
        let (seen, error) = drain(send(stream_request(agent(&mock.url))).await.unwrap()).await;
        let error = error.unwrap();
        assert_eq!(seen, ["1", "2"]);
        assert_eq!((error.kind, error.sent), (AttemptErrorKind::Reset, true));
        details.push(error.detail);
    }
    assert_ne!(details[0], details[1]);
}

#[tokio::test]
async fn c039_a_clean_end_just_ends_with_or_without_events() {
    let mock = Mock::always(events(&["data: 1\n\n"])).await;
    let (seen, error) = drain(send(stream_request(agent(&mock.url))).await.unwrap()).await;
    assert_eq!((seen.len(), error.is_none()), (1, true));

    let mock = Mock::always(events(&[])).await;
    let (seen, error) = drain(send(stream_request(agent(&mock.url))).await.unwrap()).await;
    assert_eq!((seen.len(), error.is_none()), (0, true));
}

#[tokio::test]
async fn silence_on_an_open_stream_is_an_error() {
    let mock = Mock::script(|_, mut stream| async move {
        stream.write_all(CHUNKED_EVENTS.as_bytes()).await.unwrap();
        stream.write_all(&chunk("data: 1\n\n")).await.unwrap();
        hold(stream).await;
    })
    .await;
    let mut agent = agent(&mock.url);
    agent.limits.stream_idle = Duration::from_millis(200);
    let (seen, error) = drain(send(stream_request(agent)).await.unwrap()).await;
    let error = error.unwrap();
    assert_eq!(seen, ["1"]);
    assert_eq!(
        (error.kind, error.sent),
        (AttemptErrorKind::StreamIdle, true)
    );
    assert!(error.detail.contains("0.2 s"), "{error}");
}

#[tokio::test]
async fn comments_keep_a_stream_alive_past_every_limit() {
    let mock = Mock::script(|_, mut stream| async move {
        stream.write_all(CHUNKED_EVENTS.as_bytes()).await.unwrap();
        for _ in 0..8 {
            stream.write_all(&chunk(": ping\n\n")).await.unwrap();
            sleep(Duration::from_millis(100)).await;
        }
        stream.write_all(&chunk("data: 1\n\n")).await.unwrap();
        stream.write_all(&chunk("")).await.unwrap();
    })
    .await;
    let mut agent = agent(&mock.url);
    agent.limits.stream_idle = Duration::from_millis(500);
    agent.limits.timeout = Duration::from_millis(500);
    let (seen, error) = drain(send(stream_request(agent)).await.unwrap()).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!((seen.len(), seen.last().unwrap().as_str()), (9, "1"));
}

#[tokio::test]
async fn c031_a_stream_is_open_before_its_first_event() {
    let mock = Mock::script(|_, mut stream| async move {
        stream.write_all(CHUNKED_EVENTS.as_bytes()).await.unwrap();
        hold(stream).await;
    })
    .await;
    let mut agent = agent(&mock.url);
    agent.limits.stream_idle = Duration::from_millis(200);
    let (seen, error) = drain(send(stream_request(agent)).await.unwrap()).await;
    assert!(seen.is_empty());
    assert_eq!(error.unwrap().kind, AttemptErrorKind::StreamIdle);
}

#[tokio::test]
async fn c065_a_stream_must_open_within_the_limit() {
    let mock = Mock::script(|_, stream| hold(stream)).await;
    let mut agent = agent(&mock.url);
    agent.limits.timeout = Duration::from_millis(200);
    let error = send(stream_request(agent)).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Timeout, true));
}

#[tokio::test]
async fn c096_an_event_over_the_limit_ends_the_stream_after_those_before_it() {
    let large = format!("data: {}\n\n", "x".repeat(100 * 1024));
    let mock = Mock::always(events(&["data: 1\n\n", &large, "data: 2\n\n"])).await;
    let (seen, error) = drain(send(stream_request(agent(&mock.url))).await.unwrap()).await;
    let error = error.unwrap();
    assert_eq!(seen, ["1"]);
    assert_eq!(error.kind, AttemptErrorKind::TooLarge);
    assert!(error.detail.contains("65536"), "{error}");
}

#[tokio::test]
async fn a_dropped_stream_closes_the_connection() {
    let (closed, wait) = oneshot::channel();
    let closed = std::sync::Mutex::new(Some(closed));
    let mock = Mock::script(move |_, mut stream| {
        let closed = closed.lock().unwrap().take();
        async move {
            stream.write_all(CHUNKED_EVENTS.as_bytes()).await.unwrap();
            stream.write_all(&chunk("data: 1\n\n")).await.unwrap();
            hold(stream).await;
            closed.unwrap().send(()).unwrap();
        }
    })
    .await;
    let Body::Events(mut events) = send(stream_request(agent(&mock.url))).await.unwrap().body
    else {
        panic!("expected events")
    };
    events.next().await.unwrap().unwrap();
    drop(events);
    wait.await.unwrap();
}

#[tokio::test]
async fn c096_a_slow_reader_slows_the_agent_down() {
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let mock = Mock::script(move |_, mut stream| {
        let count = Arc::clone(&count);
        async move {
            stream.write_all(CHUNKED_EVENTS.as_bytes()).await.unwrap();
            let event = chunk(format!("data: {}\n\n", "x".repeat(32 * 1024)));
            while stream.write_all(&event).await.is_ok() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        }
    })
    .await;
    let Body::Events(mut events) = send(stream_request(agent(&mock.url))).await.unwrap().body
    else {
        panic!("expected events")
    };
    // The buffers of both sockets fill up, and then nothing moves.
    let mut before = 0;
    for _ in 0..50 {
        sleep(Duration::from_millis(100)).await;
        let now = written.load(Ordering::SeqCst);
        if now > 0 && now == before {
            break;
        }
        before = now;
    }
    sleep(Duration::from_millis(300)).await;
    assert_eq!(written.load(Ordering::SeqCst), before);
    for _ in 0..before + 10 {
        events.next().await.unwrap().unwrap();
    }
    assert!(written.load(Ordering::SeqCst) > before);
}
