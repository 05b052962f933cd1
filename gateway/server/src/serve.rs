//! Accepting connections until told to stop, and closing those that only take up room.

mod head;
mod stream;
#[cfg(test)]
mod tests;

use std::{
    error::Error,
    io::{self, ErrorKind},
    net::SocketAddr,
    pin::pin,
    sync::Arc,
    time::Duration,
};

use axum::Router;
use hyper::service::{Service as _, service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{
        conn::auto,
        graceful::{GracefulShutdown, Watcher},
    },
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::base::Peer;
use head::HeadTimer;
use stream::Counted;

/// Pause after an accept that failed for want of something, such as file descriptors.
const RECOVERY: Duration = Duration::from_secs(1);
/// How often HTTP/2 clients are asked whether they are still there, and how long they may take to say so.
const PING: Duration = Duration::from_secs(30);

/// Serves a router until `stop` resolves; then open requests are finished and no new ones taken.
///
/// A client has `request_head` to begin: from the connection to the end of its first request head, and in HTTP/1
/// for each further head from its first byte on. Dropping the future cuts all connections.
///
/// # Errors
/// When the listener does not listen.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    request_head: Duration,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let open = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            accepted = accept(&listener) => {
                let (stream, peer) = accepted?;
                let connection = Connection {
                    peer: Peer(peer.ip()),
                    router: router.clone(),
                    request_head,
                    open: open.watcher(),
                };
                connections.spawn(connection.serve(stream));
            }
            Some(_) = connections.join_next() => {}
            () = &mut stop => break,
        }
    }
    drop(listener);
    open.shutdown().await;
    Ok(())
}

/// Accepts a connection, however long that takes.
async fn accept(listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    loop {
        match listener.accept().await {
            Ok(accepted) => return Ok(accepted),
            Err(error) => match error.kind() {
                ErrorKind::InvalidInput => return Err(error),
                // The client has left already.
                ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset => {}
                _ => {
                    tracing::error!(error = %error, "a connection could not be accepted");
                    sleep(RECOVERY).await;
                }
            },
        }
    }
}

struct Connection {
    peer: Peer,
    router: Router,
    request_head: Duration,
    open: Watcher,
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        // Small events must leave at once, not wait for more.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = %error, "a connection could not be set to send without delay");
        }
        let stream = Counted::from(stream);
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(HeadTimer(stream.received()))
            .header_read_timeout(self.request_head);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING)
            .keep_alive_timeout(PING);
        let begun = Arc::new(Notify::new());
        let noted = Arc::clone(&begun);
        let router = TowerToHyperService::new(self.router);
        let service = service_fn(move |mut request: hyper::Request<_>| {
            noted.notify_one();
            request.extensions_mut().insert(self.peer);
            router.call(request)
        });
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(self.open.watch(connection));
        let first = timeout(self.request_head, async {
            tokio::select! {
                ended = &mut connection => Some(ended),
                () = begun.notified() => None,
            }
        });
        match first.await {
            Ok(None) => note(connection.await),
            Ok(Some(ended)) => note(ended),
            Err(_elapsed) => tracing::debug!("a connection without a request was closed"),
        }
    }
}

/// Clients leave as they like, so that the end of a connection matters to nobody but who looks into one.
fn note(ended: Result<(), Box<dyn Error + Send + Sync>>) {
    if let Err(error) = ended {
        tracing::debug!(error = %error, "a connection ended early");
    }
}
