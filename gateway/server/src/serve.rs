//! Accepting connections until told to stop.

use axum::{Router, serve::ListenerExt as _};
use tokio::net::TcpListener;

/// Serves a router until `stop` resolves; then open requests are finished and no new ones taken.
///
/// # Errors
/// When accepting connections fails for good.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    // Small events must leave at once, not wait for more.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = %error, "a connection could not be set to send without delay");
        }
    });
    axum::serve(listener, router)
        .with_graceful_shutdown(stop)
        .await
}
