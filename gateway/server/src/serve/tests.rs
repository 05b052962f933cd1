//! Connections over raw sockets: those that are slow, silent, idle, and those that are open at the end.

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
    routing::{get, post},
};
use futures_util::{StreamExt as _, stream};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::oneshot,
    task::JoinHandle,
};

use super::*;
use crate::testing::World;

const HEAD: Duration = Duration::from_millis(300);

/// A server that runs until told to stop.
struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<io::Result<()>>,
}

impl Server {
    async fn of(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = tokio::spawn(serve(listener, router, HEAD, async {
            stopped.await.ok();
        }));
        Self {
            address,
            stop: Some(stop),
            ended,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }
}

fn hello() -> Router {
    Router::new().route("/", get(async || "hello"))
}

/// Reads what the server says until it closes or `quiet` has passed.
async fn read(stream: &mut TcpStream, quiet: Duration) -> (String, bool) {
    let mut seen = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        match timeout(quiet, stream.read(&mut buffer)).await {
            Ok(Ok(0) | Err(_)) => return (String::from_utf8(seen).unwrap(), true),
            Ok(Ok(count)) => seen.extend_from_slice(&buffer[..count]),
            Err(_) => return (String::from_utf8(seen).unwrap(), false),
        }
    }
}

const REQUEST: &str = "GET / HTTP/1.1\r\nhost: gateway.test\r\n\r\n";

#[tokio::test]
async fn c091_a_first_head_that_does_not_end_is_cut() {
    let server = Server::of(hello()).await;
    for beginning in ["", "GET / HTTP/1.1\r\nhost: g", "PRI * HTTP/2.0\r\n\r\n"] {
        let mut stream = server.connect().await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        let (said, closed) = read(&mut stream, HEAD * 10).await;
        assert!(closed && said.is_empty(), "{beginning:?}: {said}");
    }
}

#[tokio::test]
async fn c091_a_head_that_dribbles_is_cut_though_bytes_arrive() {
    let server = Server::of(hello()).await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST.as_bytes()).await.unwrap();
    read(&mut stream, HEAD / 3).await;
    let (mut reading, mut writing) = stream.into_split();
    let dribbling = tokio::spawn(async move {
        writing.write_all(b"GET / HTTP/1.1\r\nx: ").await.unwrap();
        while writing.write_all(b"x").await.is_ok() {
            sleep(HEAD / 10).await;
        }
    });
    let mut rest = Vec::new();
    let end = timeout(HEAD * 5, reading.read_to_end(&mut rest)).await;
    assert!(end.is_ok() && rest.is_empty(), "{end:?}");
    dribbling.abort();
}

#[tokio::test]
async fn an_idle_connection_is_kept_longer_than_a_head_may_take() {
    let server = Server::of(hello()).await;
    let mut stream = server.connect().await;
    for _ in 0..2 {
        stream.write_all(REQUEST.as_bytes()).await.unwrap();
        let (said, closed) = read(&mut stream, HEAD * 2).await;
        assert!(said.ends_with("hello") && !closed, "{said}");
    }
}

#[tokio::test]
async fn a_stream_may_be_silent_for_longer_than_a_head_may_take() {
    let body = async || {
        let late = stream::once(sleep(HEAD * 2)).map(|()| Bytes::from_static(b"late"));
        Body::from_stream(late.map(Ok::<_, io::Error>))
    };
    let server = Server::of(Router::new().route("/", get(body))).await;
    let mut stream = server.connect().await;
    stream.write_all(REQUEST.as_bytes()).await.unwrap();
    let (said, _) = read(&mut stream, HEAD * 3).await;
    assert!(said.contains("late"), "{said}");
}

#[tokio::test]
async fn open_requests_are_finished_and_idle_connections_closed() {
    let slow = post(async |body: Bytes| (StatusCode::CREATED, body));
    let mut server = Server::of(hello().route("/slow", slow)).await;
    let mut idle = server.connect().await;
    idle.write_all(REQUEST.as_bytes()).await.unwrap();
    read(&mut idle, HEAD / 3).await;
    let mut open = server.connect().await;
    let head = "POST /slow HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n1";
    open.write_all(head.as_bytes()).await.unwrap();
    sleep(HEAD / 3).await;

    server.stop();
    let (_, closed) = read(&mut idle, HEAD * 3).await;
    assert!(closed);
    assert!(!server.ended.is_finished());
    open.write_all(b"2").await.unwrap();
    let (said, closed) = read(&mut open, HEAD * 3).await;
    assert!(said.contains("201 Created") && closed, "{said}");
    server.ended.await.unwrap().unwrap();
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn c091_a_slow_body_is_answered_with_an_error() {
    let world = World::answering(serde_json::json!({}));
    let server = Server::of(crate::public_router(world.state.clone())).await;
    for (path, expected) in [
        ("/a2a", r#""code":-32600"#),
        ("/a2a/message:send", r#""status":"DEADLINE_EXCEEDED""#),
        ("/push/token", "not complete"),
    ] {
        let mut stream = server.connect().await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{{"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let (said, closed) = read(&mut stream, HEAD * 10).await;
        assert!(said.starts_with("HTTP/1.1 408"), "{said}");
        assert!(said.contains("not complete within 0.3 s"), "{said}");
        assert!(said.contains(expected) && closed, "{said}");
    }
    assert!(world.asked().is_empty());
}
