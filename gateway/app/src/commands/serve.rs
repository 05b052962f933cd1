//! `serve`: run the gateway.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::{
    App, Config,
    command::{CommandError, ConfigFile},
    config, telemetry,
};

pub(crate) async fn run(file: ConfigFile) -> Result<(), CommandError> {
    let config = config::load(&file.config, &|name| std::env::var(name).ok())?;
    telemetry::start(&config.log);
    warn_if_open(&config);
    let agents = config.agents.len();
    let app = App::build(config).await.map_err(CommandError::failed)?;
    let public = app.public_address().map_err(CommandError::failed)?;
    let admin = app.admin_address().map_err(CommandError::failed)?;
    tracing::info!(
        listen = %public,
        admin.listen = %admin,
        "serving {agents} agents at http://{public}/a2a, admin at http://{admin}"
    );
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone()));
    app.run(stop).await.map_err(CommandError::failed)
}

fn warn_if_open(config: &Config) {
    tracing::warn!(
        "the gateway is OPEN: there is no identity configuration, so everybody who reaches {} may call every agent",
        config.listen
    );
}

/// The first signal lets open calls finish, the second one does not wait for them.
pub(super) async fn stop_on_signal(stop: CancellationToken) {
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        tracing::error!("signals cannot be received; stop the program by force");
        return;
    };
    let mut next =
        async || tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} };
    next().await;
    tracing::info!("stopping: open calls are finished, new ones are refused");
    stop.cancel();
    next().await;
    tracing::warn!("stopping at once");
    #[expect(clippy::exit, reason = "the second signal means now")]
    std::process::exit(1);
}
