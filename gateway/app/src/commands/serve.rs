//! `serve`: run the gateway.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::{
    App, Config,
    command::{CommandError, ConfigFile},
    config,
    show::counted,
    telemetry,
};

pub(crate) async fn run(file: ConfigFile) -> Result<(), CommandError> {
    let config = config::load(&file.config, &|name| std::env::var(name).ok())?;
    telemetry::start(&config.log);
    tracing::info!("{}", who_may_call(&config));
    let agents = config.agents.len();
    let app = App::build(config).await.map_err(CommandError::failed)?;
    let public = app.public_address().map_err(CommandError::failed)?;
    let admin = app.admin_address().map_err(CommandError::failed)?;
    tracing::info!(
        listen = %public,
        admin.listen = %admin,
        "serving {} at http://{public}/a2a, admin at http://{admin}",
        counted(agents as u64, "agent")
    );
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone()));
    tokio::spawn(ignore_hangups());
    app.run(stop).await.map_err(CommandError::failed)
}

/// Says who may call: nobody checks callers, and a configuration that lets others than this machine in has to say so.
fn who_may_call(config: &Config) -> String {
    let listen = config.listen;
    if config.open {
        format!("`identity.open` is set: everybody who reaches {listen} may call every agent")
    } else {
        format!("everybody on this machine may call every agent at {listen}")
    }
}

/// Goes on after a hangup, by which other programs are asked to read their configuration again.
async fn ignore_hangups() {
    let Ok(mut hangup) = signal(SignalKind::hangup()) else {
        return;
    };
    while hangup.recv().await.is_some() {
        tracing::warn!(
            "SIGHUP changes nothing: the configuration is read at the start only; restart to use a new one"
        );
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn config(identity: &str) -> Config {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a2a-gateway.yaml");
        let agents = "agents: [{ id: a, url: \"http://127.0.0.1:1\" }]";
        std::fs::write(&path, format!("version: 1\n{identity}\n{agents}\n")).unwrap();
        config::load(&path, &|_| None).unwrap()
    }

    #[test]
    fn who_may_call_is_said_at_the_start() {
        let open = who_may_call(&config("identity: { open: true }"));
        assert!(open.contains("`identity.open` is set"), "{open}");
        let local = who_may_call(&config(""));
        assert!(local.contains("everybody on this machine"), "{local}");
    }
}
