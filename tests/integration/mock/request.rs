//! Requests as they came, byte for byte.

use serde_json::{Value, value::RawValue};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const REFUSAL: &[u8] = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n";

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The method of HTTP.
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// The request line and all header lines.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: String,
}

impl Request {
    /// Returns the value of a header, several lines joined by a comma.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let lines = self.head.lines().skip(1);
        let values: Vec<_> = lines
            .filter_map(|line| line.split_once(':'))
            .filter(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// Returns the names of all headers, in lower case and sorted.
    pub(crate) fn header_names(&self) -> Vec<String> {
        let lines = self
            .head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'));
        let mut names: Vec<_> = lines.map(|(name, _)| name.to_ascii_lowercase()).collect();
        names.sort();
        names
    }

    /// Returns the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("the agent got no JSON ({error}): {}", self.body))
    }

    /// Returns the `params` of a call.
    pub(crate) fn params(&self) -> Value {
        self.json()["params"].take()
    }

    /// Returns the `params` of a call as they came.
    pub(crate) fn raw_params(&self) -> String {
        self.raw("params")
    }

    /// Returns the JSON-RPC method of a call.
    pub(crate) fn rpc_method(&self) -> String {
        self.json()["method"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Returns the JSON-RPC id of a call as it came.
    pub(crate) fn rpc_id(&self) -> String {
        self.raw("id")
    }

    fn raw(&self, member: &str) -> String {
        let members: std::collections::HashMap<String, &RawValue> =
            serde_json::from_str(&self.body).unwrap();
        members[member].get().to_owned()
    }
}

/// Reads the next request of a connection; `None` once it is closed. `unread` holds what came after the last one.
pub(super) async fn read(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<Request> {
    let end = loop {
        if let Some(end) = unread.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        // The first byte of TLS, which an agent on plain HTTP takes for garbage.
        if unread.first() == Some(&0x16) {
            stream.write_all(REFUSAL).await.ok();
            return None;
        }
        if stream.read_buf(unread).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(unread.drain(..end).collect()).unwrap();
    let mut request = Request {
        method: head.split(' ').next()?.to_owned(),
        target: head.split(' ').nth(1)?.to_owned(),
        head,
        body: String::new(),
    };
    assert!(
        request.header("transfer-encoding").is_none(),
        "agents are sent bodies of known length, got {}",
        request.head
    );
    let length = request
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    while unread.len() < length {
        if stream.read_buf(unread).await.ok()? == 0 {
            return None;
        }
    }
    request.body = String::from_utf8(unread.drain(..length).collect()).unwrap();
    Some(request)
}
