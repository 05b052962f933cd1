//! A scripted agent on a raw socket, and what tests need to call it.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use gateway_core::{
    agent::{
        AgentAuth, AgentId, AgentSpec, CardPolicy, CardTrust, Cost, Effect, Limits, ServeCard,
    },
    catalog::Endpoint,
    losses::LossLedger,
    ports::{
        AgentAnswer, AgentClient, AgentEvent, AgentRequest, AnswerContent, AttemptError, Said,
    },
    trace::TraceContext,
};
use gateway_protocol::{Binding, Operation, Version, sse::Item};
use serde_json::{Value, value::RawValue};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::{
    HttpAgents,
    agents::{
        exchange::Exchange,
        http::{Body, Http, HttpAnswer},
        jsonrpc,
    },
    guard::Clients,
};

pub(crate) const JSON: &str = r#"{"jsonrpc":"2.0","id":"q1","result":{}}"#;

/// Creates an agent with short limits.
pub(crate) fn agent(url: &str) -> AgentSpec {
    AgentSpec {
        id: AgentId::parse("alpha").unwrap(),
        url: url.parse().unwrap(),
        card: CardPolicy {
            trust: CardTrust::default(),
            serve: ServeCard::default(),
            url: None,
            auth: AgentAuth::None,
            ttl: Duration::from_secs(60),
            max_stale: Duration::from_secs(60),
            timeout: Duration::from_secs(5),
            max_bytes: 64 * 1024,
        },
        auth: AgentAuth::None,
        limits: Limits {
            connect: Duration::from_secs(2),
            timeout: Duration::from_secs(5),
            stream_idle: Duration::from_secs(5),
            max_in_flight: 10,
            max_response_bytes: 64 * 1024,
            max_event_bytes: 64 * 1024,
        },
        quality: 0.5,
        latency: None,
        cost: Cost {
            per_request: 0.0,
            usage_pointer: None,
            per_unit: 1.0,
            currency: "EUR".to_owned(),
        },
        effect: Effect::Read,
        preference: 0,
        skills: BTreeMap::new(),
        own: [].into(),
    }
}

/// Creates the endpoint at the agent's own address.
pub(crate) fn endpoint(agent: &AgentSpec, binding: Binding, version: Version) -> Endpoint {
    Endpoint {
        binding,
        version,
        url: agent.url.clone(),
        declared: agent.url.to_string(),
        tenant: None,
        withholds_credential: false,
    }
}

/// Creates a unary request of JSON-RPC 1.0.
pub(crate) fn request(agent: AgentSpec) -> AgentRequest {
    AgentRequest {
        endpoint: endpoint(&agent, Binding::JsonRpc, Version::V1),
        agent: Arc::new(agent),
        operation: Operation::GetTask,
        rpc_id: Some(RawValue::from_string(r#""q1""#.to_owned()).unwrap()),
        params: Bytes::new(),
        extensions: Vec::new(),
        trace: TraceContext::continue_from(None, None),
        losses: LossLedger::default(),
    }
}

/// Creates a streaming request of JSON-RPC 1.0.
pub(crate) fn stream_request(agent: AgentSpec) -> AgentRequest {
    AgentRequest {
        operation: Operation::SubscribeToTask,
        ..request(agent)
    }
}

/// Sends over the transport alone, so that a test sees what came before it is read.
pub(crate) async fn send(request: AgentRequest) -> Result<HttpAnswer, AttemptError> {
    send_over(&Http::new(Clients::new()), request).await
}

pub(crate) async fn send_over(
    http: &Http,
    request: AgentRequest,
) -> Result<HttpAnswer, AttemptError> {
    let exchange = Exchange::with(&request.agent);
    let method = request.operation.method(request.endpoint.version).unwrap();
    let framed = jsonrpc::frame(&request, method, &exchange)?;
    http.send(framed, &exchange).await
}

pub(crate) fn whole(answer: HttpAnswer) -> Bytes {
    match answer.body {
        Body::Whole(bytes) => bytes,
        Body::Events(_) => panic!("expected a whole body, got events"),
    }
}

/// Reads a stream to its end: the data of its events, comments after a colon, and the error if it ends so.
pub(crate) async fn drain(answer: HttpAnswer) -> (Vec<String>, Option<AttemptError>) {
    let Body::Events(mut events) = answer.body else {
        panic!("expected events, got a whole body")
    };
    let mut seen = Vec::new();
    while let Some(item) = events.next().await {
        match item {
            Ok(Item::Event(event)) => seen.push(String::from_utf8(event.data.to_vec()).unwrap()),
            Ok(Item::Comment(text)) => seen.push(format!(":{text}")),
            Err(error) => {
                assert!(events.next().await.is_none(), "an error ends the stream");
                return (seen, Some(error));
            }
        }
    }
    (seen, None)
}

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// An agent on a raw socket that runs a script for each request.
#[derive(Debug)]
pub(crate) struct Mock {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Mock {
    /// Starts an agent that hands each connection and its first request to the script.
    pub(crate) async fn script<F, R>(script: F) -> Self
    where
        F: Fn(Seen, TcpStream) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let script = Arc::new(script);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (script, log) = (Arc::clone(&script), Arc::clone(&log));
                tokio::spawn(async move {
                    if let Some(request) = read_request(&mut stream).await {
                        log.lock().unwrap().push(request.clone());
                        script(request, stream).await;
                    }
                });
            }
        });
        Self { url, seen }
    }

    /// Starts an agent that answers each request with bytes and then closes the connection.
    pub(crate) async fn answers(answer: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let answer = Arc::new(answer);
        Self::script(move |request, mut stream| {
            let bytes = answer(&request);
            async move {
                // Clients that have seen enough hang up.
                stream.write_all(&bytes).await.ok();
                stream.shutdown().await.ok();
            }
            .boxed()
        })
        .await
    }

    pub(crate) async fn always(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::answers(move |_| answer.clone()).await
    }

    /// Returns the requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits for the first request.
    pub(crate) async fn is_asked(&self) {
        while self.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) fn targets(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.target).collect()
    }
}

pub(crate) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Seen> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes.drain(..end).collect()).unwrap();
    let (line, fields) = head.split_once("\r\n").unwrap();
    let mut line = line.split(' ');
    let headers: BTreeMap<String, String> = fields
        .lines()
        .filter_map(|field| field.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    while bytes.len() < length {
        assert!(
            stream.read_buf(&mut bytes).await.unwrap() > 0,
            "the request body is cut"
        );
    }
    let (method, target) = (line.next()?.to_owned(), line.next()?.to_owned());
    Some(Seen {
        method,
        target,
        headers,
        body: bytes,
    })
}

/// Writes a response with its length.
pub(crate) fn response(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes = format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Writes a 200 with the JSON media type.
pub(crate) fn json(body: &str) -> Vec<u8> {
    response(200, "content-type: application/json\r\n", body)
}

pub(crate) const CHUNKED_EVENTS: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Writes one chunk of a chunked body; an empty one ends it.
pub(crate) fn chunk(data: impl AsRef<[u8]>) -> Vec<u8> {
    let data = data.as_ref();
    let mut bytes = format!("{:x}\r\n", data.len()).into_bytes();
    bytes.extend_from_slice(data);
    bytes.extend_from_slice(b"\r\n");
    bytes
}

/// Writes a chunked event stream with a clean end.
pub(crate) fn events(chunks: &[&str]) -> Vec<u8> {
    let chunks = chunks.iter().flat_map(chunk);
    CHUNKED_EVENTS
        .bytes()
        .chain(chunks)
        .chain(chunk(""))
        .collect()
}

pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    use std::io::Write as _;

    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Breaks a connection with a reset instead of an orderly end.
pub(crate) fn reset(stream: TcpStream) {
    stream.set_zero_linger().unwrap();
    drop(stream);
}

/// Waits until the other side closes.
pub(crate) async fn hold(mut stream: TcpStream) {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.ok();
}

/// Calls an agent over the binding of its endpoint.
pub(crate) async fn call(request: AgentRequest) -> Result<AgentAnswer, AttemptError> {
    leg(Clients::new()).send(request).await
}

/// Creates the leg towards agents.
pub(crate) fn leg(clients: Clients) -> HttpAgents {
    HttpAgents::new(clients)
}

/// Returns what the leg has lost of a request and its answer, by name.
pub(crate) fn lost(request: &AgentRequest) -> Vec<(&'static str, u32)> {
    let losses = request.losses.so_far();
    let mut lost: Vec<_> = losses
        .iter()
        .map(|(loss, count)| (loss.name(), count))
        .collect();
    lost.sort_unstable();
    lost
}

/// Reads an answer that is no stream: the result, or the error object.
pub(crate) fn one(answer: AgentAnswer) -> Result<Value, Value> {
    match answer.content {
        AnswerContent::One(said) => told(&said),
        AnswerContent::Events(_) => panic!("expected one answer, got events"),
    }
}

/// Reads a stream to its end: results, error objects, comments, and the error if it ends so.
pub(crate) async fn heard(
    answer: AgentAnswer,
) -> (Vec<Result<Value, Value>>, Option<AttemptError>) {
    let AnswerContent::Events(mut events) = answer.content else {
        panic!("expected events, got {answer:?}")
    };
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(AgentEvent::Event { said, .. }) => seen.push(told(&said)),
            Ok(AgentEvent::Comment(text)) => seen.push(Ok(Value::String(format!(":{text}")))),
            Err(error) => {
                assert!(events.next().await.is_none(), "an error ends the stream");
                return (seen, Some(error));
            }
        }
    }
    (seen, None)
}

fn told(said: &Said) -> Result<Value, Value> {
    match said {
        Said::Result(result) => Ok(serde_json::from_str(result.get()).unwrap()),
        Said::Error(error) => Err(serde_json::from_str(error.get()).unwrap()),
    }
}
