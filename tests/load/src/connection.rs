//! One kept-alive connection, as light as a client can be.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    client::conn::http1::{self, SendRequest},
    header::{CONTENT_TYPE, HOST, HeaderValue},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::Outcome;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const VERSION: HeaderValue = HeaderValue::from_static("1.0");

/// An open connection, for one request after the other.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    host: HeaderValue,
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // Ends with the connection; what went wrong shows in the request under way.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Self {
            sender,
            host: HeaderValue::from_str(&address.to_string())?,
        })
    }

    /// Posts a JSON-RPC request and returns the answer as soon as its headers are there.
    pub(crate) async fn post(&mut self, path: &str, body: Bytes) -> Outcome<Response<Incoming>> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header(HOST, self.host.clone())
            .header(CONTENT_TYPE, JSON)
            .header("a2a-version", VERSION)
            .body(Full::new(body))?;
        self.send(request).await
    }

    /// Gets a JSON document.
    pub(crate) async fn get(&mut self, path: &str) -> Outcome<(StatusCode, Value)> {
        let request = Request::get(path)
            .header(HOST, self.host.clone())
            .body(Full::default())?;
        let answer = self.send(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        Ok((status, serde_json::from_slice(&body)?))
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> Outcome<Response<Incoming>> {
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }
}
