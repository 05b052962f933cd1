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
    match openness(&config) {
        Openness::Meant(text) => tracing::info!("{text}"),
        Openness::Assumed(text) => tracing::warn!("{text}"),
    }
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

/// What to say about callers nobody checks.
#[derive(Debug)]
enum Openness {
    /// The configuration says that everybody may call, or lets nobody in from outside.
    Meant(String),
    /// The configuration says nothing about callers, who may come from anywhere.
    Assumed(String),
}

fn openness(config: &Config) -> Openness {
    let listen = config.listen;
    if config.open {
        Openness::Meant(format!(
            "`identity.open` is set: everybody who reaches {listen} may call every agent"
        ))
    } else if listen.ip().is_loopback() {
        Openness::Meant(format!(
            "everybody on this machine who reaches {listen} may call every agent"
        ))
    } else {
        Openness::Assumed(format!(
            "the gateway is OPEN: the configuration says nothing about callers, so everybody who reaches {listen} may call every agent; if that is meant, add `identity: {{ open: true }}`"
        ))
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
    fn an_open_gateway_is_warned_of_unless_it_is_meant() {
        assert!(matches!(
            openness(&config("identity: { open: true }")),
            Openness::Meant(_)
        ));
        assert!(matches!(openness(&config("")), Openness::Meant(_)));
        let Openness::Assumed(text) = openness(&config("listen: 0.0.0.0:8080")) else {
            panic!("nobody said so");
        };
        assert!(
            text.contains("OPEN") && text.contains("identity: { open: true }"),
            "{text}"
        );
    }
}
