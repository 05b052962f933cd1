//! Answers as scripts: bytes, waits and ways to end.

use std::{fmt::Display, io::Write as _, sync::Arc};

use flate2::{Compression, write::GzEncoder};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Semaphore,
};

use crate::world::within;

const EVENT_STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// A signal between a test and an agent: each [`Gate::open`] lets one wait pass.
#[derive(Clone)]
pub(crate) struct Gate(Arc<Semaphore>);

impl Gate {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Lets one wait pass, now or later.
    pub(crate) fn open(&self) {
        self.0.add_permits(1);
    }

    /// Waits for one opening.
    pub(crate) async fn passed(&self, what: &str) {
        within(what, self.0.acquire()).await.unwrap().forget();
    }
}

#[derive(Clone)]
enum Step {
    Write(Vec<u8>),
    Wait(Gate),
    UntilClosed(Gate),
    Close,
    Reset,
}

/// What an agent does with one request.
#[derive(Clone)]
pub(crate) struct Answer(Vec<Step>);

impl Answer {
    /// Writes a response of known length; `headers` are lines that end in CRLF.
    pub(crate) fn http(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n");
        Self(vec![Step::Write([head.as_bytes(), body].concat())])
    }

    /// Writes a 200 with JSON.
    pub(crate) fn json(body: impl Display) -> Self {
        Self::http(200, "content-type: application/json\r\n", body.to_string())
    }

    /// Writes bytes as they are.
    pub(crate) fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Self(vec![Step::Write(bytes.as_ref().to_vec())])
    }

    /// Does nothing yet.
    pub(crate) fn nothing() -> Self {
        Self(Vec::new())
    }

    /// Opens an event stream.
    pub(crate) fn stream() -> Self {
        Self::raw(EVENT_STREAM)
    }

    /// Writes an event of a stream.
    pub(crate) fn event(self, data: impl Display) -> Self {
        self.chunk(format!("data: {data}\n\n"))
    }

    /// Writes bytes of a stream, in a chunk of their own.
    pub(crate) fn chunk(self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let head = format!("{:x}\r\n", bytes.len());
        self.then(Step::Write([head.as_bytes(), bytes, b"\r\n"].concat()))
    }

    /// Ends a stream properly.
    pub(crate) fn end(self) -> Self {
        self.then(Step::Write(b"0\r\n\r\n".to_vec()))
    }

    /// Waits for a signal of the test.
    pub(crate) fn wait(self, gate: &Gate) -> Self {
        self.then(Step::Wait(gate.clone()))
    }

    /// Continues with another answer.
    pub(crate) fn and(mut self, next: Self) -> Self {
        self.0.extend(next.0);
        self
    }

    /// Waits until the gateway closes the connection, and tells the test.
    pub(crate) fn until_closed(self, gate: &Gate) -> Self {
        self.then(Step::UntilClosed(gate.clone()))
    }

    /// Closes the connection in order.
    pub(crate) fn close(self) -> Self {
        self.then(Step::Close)
    }

    /// Breaks the connection.
    pub(crate) fn reset(self) -> Self {
        self.then(Step::Reset)
    }

    fn then(mut self, step: Step) -> Self {
        self.0.push(step);
        self
    }

    /// Plays the script; returns the connection if it can be used again.
    pub(super) async fn play(self, mut stream: TcpStream) -> Option<TcpStream> {
        for step in self.0 {
            match step {
                Step::Write(bytes) => stream.write_all(&bytes).await.ok()?,
                Step::Wait(gate) => gate.passed("a signal of the test to its agent").await,
                Step::UntilClosed(gate) => {
                    let mut rest = Vec::new();
                    // A reset is a way of closing, too.
                    stream.read_to_end(&mut rest).await.ok();
                    gate.open();
                    return None;
                }
                Step::Close => {
                    stream.shutdown().await.ok();
                    return None;
                }
                Step::Reset => {
                    stream.set_zero_linger().unwrap();
                    return None;
                }
            }
        }
        Some(stream)
    }
}

/// Compresses a body.
pub(crate) fn gzip(body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body.as_ref()).unwrap();
    encoder.finish().unwrap()
}
