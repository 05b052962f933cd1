//! Each way a call can fail has its kind, its words, and says whether the agent may have seen the request.

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use futures_util::FutureExt;
use gateway_core::{
    agent::AgentSpec,
    ports::{AttemptError, AttemptErrorKind},
};
use tokio::{io::AsyncWriteExt, net::TcpListener};

use super::mock::*;
use crate::{agents::http::Http, guard::Clients};

const SHORT: Duration = Duration::from_millis(200);

/// Sends to a name of which the look-up gives this.
async fn send_to_name(addresses: io::Result<Vec<IpAddr>>) -> AttemptError {
    let addresses = addresses.map_err(|error| error.kind());
    let lookup =
        Arc::new(move |_| std::future::ready(addresses.clone().map_err(io::Error::from)).boxed());
    let http = Http::new(Clients::with(lookup, None));
    send_over(&http, request(agent("http://inner-name.test:9/rpc")))
        .await
        .unwrap_err()
}

async fn refused() -> AttemptError {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    send(request(agent(&url))).await.unwrap_err()
}

/// An https agent that accepts connections and never says a word.
async fn silent_tls(limit: impl FnOnce(&mut AgentSpec)) -> AttemptError {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut agent = agent(&format!("https://{}/", listener.local_addr().unwrap()));
    limit(&mut agent);
    send(request(agent)).await.unwrap_err()
}

async fn after(script: &Mock, limit: impl FnOnce(&mut AgentSpec)) -> AttemptError {
    let mut agent = agent(&script.url);
    limit(&mut agent);
    send(request(agent)).await.unwrap_err()
}

/// Checks kind, whether the request may have arrived, and that the words fit and name no inner address.
fn check(error: &AttemptError, kind: AttemptErrorKind, sent: bool, words: &str) {
    assert_eq!((error.kind, error.sent), (kind, sent), "{error}");
    assert!(error.detail.starts_with("agent `alpha`: "), "{error}");
    assert!(error.detail.contains(words), "{words}: {error}");
    for inner in ["127.0.0.1", "169.254", "inner-name", "http"] {
        assert!(!error.detail.contains(inner), "{error}");
    }
}

#[tokio::test]
async fn c065_c125_each_failure_to_connect_has_its_own_words() {
    let unknown = send_to_name(Err(io::ErrorKind::NotFound.into())).await;
    check(&unknown, AttemptErrorKind::Dns, false, "does not resolve");

    let link_local = vec![
        "169.254.169.254".parse().unwrap(),
        "fe80::1".parse().unwrap(),
    ];
    let forbidden = send_to_name(Ok(link_local)).await;
    check(&forbidden, AttemptErrorKind::Refused, false, "link-local");

    let refused = refused().await;
    check(
        &refused,
        AttemptErrorKind::Refused,
        false,
        "connection refused",
    );

    let silent = silent_tls(|agent| agent.limits.connect = SHORT).await;
    check(
        &silent,
        AttemptErrorKind::ConnectTimeout,
        false,
        "no connection within 0.2 s",
    );

    let silent = silent_tls(|agent| agent.limits.timeout = SHORT).await;
    check(
        &silent,
        AttemptErrorKind::ConnectTimeout,
        false,
        "no connection within 0.2 s",
    );
}

#[tokio::test]
async fn c065_a_late_answer_is_a_timeout_that_names_the_limit() {
    let never = Mock::script(|_, stream| hold(stream)).await;
    let slow_body = Mock::script(|_, mut stream| async move {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")
            .await
            .unwrap();
        hold(stream).await;
    })
    .await;
    for mock in [never, slow_body] {
        let error = after(&mock, |agent| agent.limits.timeout = SHORT).await;
        let words = "no answer within 0.2 s; the task may still be running";
        check(&error, AttemptErrorKind::Timeout, true, words);
        assert_eq!(mock.seen().len(), 1);
    }
}

#[tokio::test]
async fn c065_c125_each_broken_answer_has_its_own_words() {
    let half = &gzip(JSON.as_bytes())[..20];
    let cut = b"HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\ncontent-length: 99\r\n\r\n";
    let plain = response(200, "content-encoding: gzip\r\n", "{plain}");
    let cases = [
        (
            Mock::script(|_, stream| async { reset(stream) }).await,
            "reset before",
        ),
        (Mock::always("").await, "closed before"),
        (Mock::always([cut, half].concat()).await, "closed before"),
        (Mock::always("SSH-2.0-x\r\n\r\n").await, "not HTTP"),
        (Mock::always(plain).await, "encoding"),
    ];
    for (mock, words) in cases {
        let error = after(&mock, |_| ()).await;
        check(&error, AttemptErrorKind::Reset, true, words);
        assert_eq!(mock.seen().len(), 1, "{words}");
    }
}

#[tokio::test]
async fn c083_forbidden_addresses_are_never_called() {
    for (url, words) in [
        ("http://169.254.169.254/rpc", "link-local"),
        ("ftp://agent.test/", "neither http nor https"),
    ] {
        let error = send(request(agent(url))).await.unwrap_err();
        assert_eq!((error.kind, error.sent), (AttemptErrorKind::Refused, false));
        assert!(error.detail.contains(words), "{error}");
    }
}

#[tokio::test]
async fn c083_a_name_with_one_allowed_address_uses_that_one() {
    let mock = Mock::always(json(JSON)).await;
    let port = mock.url.rsplit(':').next().unwrap();
    let addresses: Vec<IpAddr> = vec!["169.254.1.1".parse().unwrap(), "127.0.0.1".parse().unwrap()];
    let lookup = Arc::new(move |_| std::future::ready(Ok(addresses.clone())).boxed());
    let http = Http::new(Clients::with(lookup, None));
    let answer = send_over(&http, request(agent(&format!("http://agent.test:{port}/"))))
        .await
        .unwrap();
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn c065_a_truncated_unary_body_is_an_error() {
    let mock = Mock::always("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"a\":").await;
    let error = send(request(agent(&mock.url))).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Reset, true));
    assert!(
        error
            .detail
            .contains("closed before the answer was complete"),
        "{error}"
    );
}
