//! TLS: what is trusted, and how each kind of distrust reads.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::FutureExt;
use gateway_core::ports::{AttemptError, AttemptErrorKind, CardSource};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertificateParams, CertifiedKey, KeyPair};
use rustls::{ServerConfig, crypto::aws_lc_rs, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

use super::mock::*;
use crate::{CardFetcher, agents::http::Http, guard::Clients};

/// Accepts TLS with this certificate, and HTTP/2 if asked for.
pub(super) fn acceptor(certified: &CertifiedKey<KeyPair>, protocols: &[&str]) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    TlsAcceptor::from(Arc::new(config))
}

/// Starts an https agent with this certificate; returns its port.
async fn serve(certified: &CertifiedKey<KeyPair>) -> u16 {
    let acceptor = acceptor(certified, &[]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            if read_request(&mut stream).await.is_some() {
                stream.write_all(&json(JSON)).await.unwrap();
                stream.shutdown().await.ok();
            }
        }
    });
    port
}

pub(super) fn certificate(
    name: &str,
    change: impl FnOnce(&mut CertificateParams),
) -> CertifiedKey<KeyPair> {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params
        .distinguished_name
        .push(rcgen::DnType::CommonName, name);
    change(&mut params);
    let signing_key = KeyPair::generate().unwrap();
    CertifiedKey {
        cert: params.self_signed(&signing_key).unwrap(),
        signing_key,
    }
}

/// Starts an https agent that speaks HTTP/2 only and answers with what it got; returns its port.
async fn serve_http2(certified: &CertifiedKey<KeyPair>) -> u16 {
    let acceptor = acceptor(certified, &["h2"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let stream = TokioIo::new(acceptor.accept(stream).await.unwrap());
        let service = service_fn(async |request: Request<Incoming>| {
            let version = request.version();
            let body = request.into_body().collect().await?.to_bytes();
            let echo = format!("data: {version:?}\n\ndata: {}\n\n", body.len());
            Ok::<_, hyper::Error>(Response::new(Full::new(Bytes::from(echo))))
        });
        let builder = http2::Builder::new(TokioExecutor::new());
        builder.serve_connection(stream, service).await.ok();
    });
    port
}

/// Starts a server that answers what is not HTTP as servers do; returns its port.
async fn plain_http() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut hello = [0; 5];
            stream.read_exact(&mut hello).await.unwrap();
            stream.write_all(&response(400, "", "")).await.unwrap();
            hold(stream).await;
        }
    });
    port
}

/// Clients that trust one certificate and know that every name is this machine.
pub(super) fn clients(trusted: &CertifiedKey<KeyPair>) -> Clients {
    let lookup = Arc::new(|_| std::future::ready(Ok(vec!["127.0.0.1".parse().unwrap()])).boxed());
    let root = reqwest::Certificate::from_der(trusted.cert.der()).unwrap();
    Clients::with(lookup, Some(vec![root]))
}

async fn fails(clients: Clients, port: u16) -> (AttemptError, String) {
    let spec = agent(&format!("https://agent.test:{port}/"));
    let card = CardFetcher::new(clients.clone()).fetch(&spec, false).await;
    assert_eq!(card.tried.len(), 1, "{card:?}");
    (
        send_over(&Http::new(clients), request(spec))
            .await
            .unwrap_err(),
        card.result.unwrap_err(),
    )
}

#[tokio::test]
async fn trusted_certificates_are_accepted() {
    let certified = certificate("agent.test", |_| ());
    let port = serve(&certified).await;
    let http = Http::new(clients(&certified));
    let answer = send_over(
        &http,
        request(agent(&format!("https://agent.test:{port}/"))),
    )
    .await
    .unwrap();
    assert_eq!(whole(answer), JSON);
}

#[tokio::test]
async fn http2_is_spoken_where_the_agent_offers_it() {
    let certified = certificate("agent.test", |_| ());
    let port = serve_http2(&certified).await;
    let http = Http::new(clients(&certified));
    let spec = agent(&format!("https://agent.test:{port}/"));
    for _ in 0..2 {
        let answer = send_over(&http, stream_request(spec.clone()))
            .await
            .unwrap();
        assert_eq!(drain(answer).await.0, ["HTTP/2.0", "54"]);
    }
}

#[tokio::test]
async fn c125_each_kind_of_distrust_reads_differently() {
    let good = certificate("agent.test", |_| ());
    let other_name = certificate("other.test", |_| ());
    let authority = certificate("agent.test", |params| {
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    });
    let expired = certificate("agent.test", |params| {
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    });
    let early = certificate("agent.test", |params| {
        params.not_before = rcgen::date_time_ymd(2200, 1, 1);
    });
    let cases = [
        (
            clients(&other_name),
            serve(&other_name).await,
            "another host name",
        ),
        (
            clients(&other_name),
            serve(&good).await,
            "self-signed or from an unknown authority",
        ),
        (
            clients(&authority),
            serve(&authority).await,
            "self-signed or from an unknown authority",
        ),
        (clients(&expired), serve(&expired).await, "expired"),
        (clients(&early), serve(&early).await, "not valid yet"),
        (clients(&good), plain_http().await, "does not speak TLS"),
    ];
    for (clients, port, words) in cases {
        let (error, card) = fails(clients, port).await;
        assert_eq!(
            (error.kind, error.sent),
            (AttemptErrorKind::Tls, false),
            "{words}: {error}"
        );
        assert!(error.detail.contains(words), "{words}: {error}");
        assert!(card.contains(words), "{words}: {card}");
        assert!(
            !error.detail.contains(".test") && !card.contains(".test"),
            "{error}; {card}"
        );
    }
}

#[tokio::test]
async fn plain_http_to_a_tls_port_says_so() {
    let certified = certificate("agent.test", |_| ());
    let port = serve(&certified).await;
    let mut spec = agent(&format!("http://127.0.0.1:{port}/"));
    spec.limits.timeout = Duration::from_secs(2);
    let error = send(request(spec)).await.unwrap_err();
    assert_eq!(error.kind, AttemptErrorKind::Reset, "{error}");
    assert!(error.sent);

    let spec = agent(&format!("http://127.0.0.1:{port}/"));
    let card = CardFetcher::new(Clients::new()).fetch(&spec, false).await;
    let problem = card.result.unwrap_err();
    assert!(
        problem.contains("expects TLS") && problem.contains("use https"),
        "c125: {problem}"
    );
}
