//! A port that speaks TLS and has nothing to say in it.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use rustls::{ServerConfig, crypto::aws_lc_rs, pki_types::PrivateKeyDer};
use tokio::{io::AsyncReadExt as _, net::TcpListener};
use tokio_rustls::TlsAcceptor;

/// Starts a port with a self-signed certificate that runs out in this year; returns its `host:port`.
pub(crate) async fn tls_port(valid_until: i32) -> String {
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(valid_until, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let mut unread = Vec::new();
                    stream.read_to_end(&mut unread).await.ok();
                }
            });
        }
    });
    address
}
