//! Closed loops: each client sends its next request when the last one was answered.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use http_body_util::BodyExt as _;
use hyper::{HeaderMap, Response, body::Incoming};
use memchr::memmem;
use tokio::task::JoinSet;

use crate::{
    Outcome,
    connection::Connection,
    plan::{EVENTS, Kind, Target},
    samples::Samples,
};

/// What some clients saw.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// Time to each answer, or to the first event of each stream.
    pub(crate) latencies: Samples,
    /// How long it went on.
    pub(crate) elapsed: Duration,
    /// Requests that were not answered as they should be.
    pub(crate) failures: usize,
    /// What was wrong with the first of them.
    pub(crate) failure: Option<String>,
}

impl Measured {
    /// Adds what others saw at the same time.
    fn merge(&mut self, other: Self) {
        self.latencies.append(other.latencies);
        self.failures += other.failures;
        self.failure = self.failure.take().or(other.failure);
    }

    /// Adds what was seen at another time.
    pub(crate) fn add(&mut self, other: Self) {
        self.elapsed += other.elapsed;
        self.merge(other);
    }
}

/// Lets `clients` clients send requests to a target for a while.
pub(crate) async fn closed_loop(
    target: &Arc<Target>,
    kind: Kind,
    clients: usize,
    span: Duration,
) -> Outcome<Measured> {
    let mut connections = Vec::with_capacity(clients);
    for _ in 0..clients {
        connections.push(Connection::open(target.address).await?);
    }
    let begun = Instant::now();
    let mut running: JoinSet<_> = connections
        .into_iter()
        .map(|connection| client(connection, Arc::clone(target), kind, begun + span))
        .collect();
    let mut all = Measured::default();
    while let Some(one) = running.join_next().await {
        all.merge(one?);
    }
    all.elapsed = begun.elapsed();
    Ok(all)
}

async fn client(
    mut connection: Connection,
    target: Arc<Target>,
    kind: Kind,
    until: Instant,
) -> Measured {
    let mut measured = Measured::default();
    while Instant::now() < until {
        match exchange(&mut connection, &target, kind).await {
            Ok(latency) => measured.latencies.push(latency),
            Err(error) => {
                // The connection may be in any state, and figures with failures in them are none.
                measured.failures += 1;
                measured.failure = Some(error.to_string());
                break;
            }
        }
    }
    measured
}

async fn exchange(connection: &mut Connection, target: &Target, kind: Kind) -> Outcome<Duration> {
    let body = target.body(kind);
    let begun = Instant::now();
    let answer = connection.post(&target.path, body).await?;
    match kind {
        Kind::Unary => {
            whole(answer).await?;
            Ok(begun.elapsed())
        }
        Kind::Stream => first_event(answer, begun).await,
    }
}

/// Sends one request and returns the headers of its answer.
pub(crate) async fn once(connection: &mut Connection, target: &Target) -> Outcome<HeaderMap> {
    whole(
        connection
            .post(&target.path, target.body(Kind::Unary))
            .await?,
    )
    .await
}

async fn whole(answer: Response<Incoming>) -> Outcome<HeaderMap> {
    let (parts, body) = answer.into_parts();
    let body = body.collect().await?.to_bytes();
    if memmem::find(&body, b"\"result\"").is_none() {
        let text = String::from_utf8_lossy(&body);
        return Err(format!(
            "{}, {}",
            parts.status,
            text.chars().take(300).collect::<String>()
        )
        .into());
    }
    Ok(parts.headers)
}

/// Reads a stream to its end and returns when its first event was there.
async fn first_event(answer: Response<Incoming>, begun: Instant) -> Outcome<Duration> {
    let mut body = answer.into_body();
    let (mut first, mut events, mut last) = (None, 0, b' ');
    while let Some(frame) = body.frame().await {
        let Ok(bytes) = frame?.into_data() else {
            continue;
        };
        for &byte in &bytes {
            events += usize::from(byte == b'\n' && last == b'\n');
            last = byte;
        }
        if events > 0 && first.is_none() {
            first = Some(begun.elapsed());
        }
    }
    match first {
        Some(first) if events == EVENTS => Ok(first),
        _ => Err(format!("a stream of {events} events instead of {EVENTS}").into()),
    }
}
