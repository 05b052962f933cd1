//! `demo`: a university's agents, a gateway in front of them, and a conversation that shows every decision.

mod client;
mod conversation;

use std::{net::SocketAddr, time::Duration};

use clap::Args;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use university::{Agent, Federation};

use super::serve::stop_on_signal;
use crate::{App, command::CommandError, config, show, telemetry};
use client::Client;

/// The same configuration that the example runs with on its own.
const CONFIGURATION: &str = include_str!("../../../../examples/university/a2a-gateway.yaml");
const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);
const ADMIN_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9901);
/// How long the gateway may take to fetch five cards.
const READY_LIMIT: Duration = Duration::from_secs(10);

/// Runs the demo.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Stop after the conversation instead of staying up.
    #[arg(long)]
    once: bool,
}

impl Demo {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        let agents = Federation::start(university::Options::default())
            .await
            .map_err(CommandError::failed)?;
        let folder = Folder::create()?;
        let config = configuration(
            &agents,
            &folder,
            free(LISTEN).await,
            free(ADMIN_LISTEN).await,
        )?;
        telemetry::start(&config::LogConfig {
            level: "warn".to_owned(),
            ..config.log.clone()
        });
        let app = App::build(config).await.map_err(CommandError::failed)?;
        let public = app.public_address().map_err(CommandError::failed)?;
        let admin = app.admin_address().map_err(CommandError::failed)?;
        introduce(&agents, public, admin);
        let stop = CancellationToken::new();
        let running = tokio::spawn(app.run(stop.clone()));
        let client = Client::new(public, admin)?;
        let result = async {
            client.wait_until_ready(READY_LIMIT).await?;
            conversation::run(&client).await
        };
        let result = result.await;
        if result.is_ok() && !self.once {
            invite(public, admin);
            tokio::spawn(stop_on_signal(stop.clone()));
            stop.cancelled().await;
        }
        stop.cancel();
        running
            .await
            .map_err(CommandError::failed)?
            .map_err(CommandError::failed)?;
        agents.shutdown().await;
        result
    }
}

fn configuration(
    agents: &Federation,
    folder: &Folder,
    listen: SocketAddr,
    admin: SocketAddr,
) -> Result<config::Config, CommandError> {
    let variables = |name: &str| match name {
        "LISTEN" => Some(listen.to_string()),
        "ADMIN_LISTEN" => Some(admin.to_string()),
        "STORE" => Some("sqlite://./decisions.db".to_owned()),
        _ => {
            let id = name.strip_suffix("_URL")?.to_ascii_lowercase();
            let agent = Agent::ALL.into_iter().find(|agent| agent.id() == id)?;
            Some(agents.url(agent).to_owned())
        }
    };
    Ok(config::parse(
        "the demo's configuration",
        &folder.0,
        CONFIGURATION,
        &variables,
    )?)
}

/// Returns the usual address, or one with a free port where the usual one is taken.
async fn free(address: SocketAddr) -> SocketAddr {
    match TcpListener::bind(address).await {
        Ok(_) => address,
        Err(_) => SocketAddr::new(address.ip(), 0),
    }
}

/// A folder for the store and the key, removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn create() -> Result<Self, CommandError> {
        let path = std::env::temp_dir().join(format!("a2a-gateway-demo-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&path).map_err(|error| {
            CommandError::failed(format!("cannot create {}: {error}", path.display()))
        })?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(error = %error, "the demo's folder could not be removed: {}", self.0.display());
        }
    }
}

fn introduce(agents: &Federation, public: SocketAddr, admin: SocketAddr) {
    show::line("A university runs five A2A agents:");
    for (agent, url) in agents.urls() {
        show::line(&format!("  {:<13} {url}", agent.id()));
    }
    show::line(&format!(
        "One gateway stands in front of them: http://{public}/a2a (admin http://{admin})"
    ));
}

fn invite(public: SocketAddr, admin: SocketAddr) {
    let program = std::env::args()
        .next()
        .unwrap_or_else(|| "a2a-gateway".to_owned());
    let flag = if admin == ADMIN_LISTEN {
        String::new()
    } else {
        format!(" --admin http://{admin}")
    };
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"When is the library open?"}]}}}"#;
    show::line(
        "\nThe gateway stays up; stop it with Ctrl-C. Three things to try in another terminal:\n",
    );
    show::line(&format!(
        "  curl -s http://{public}/a2a -H 'content-type: application/json' -H 'A2A-Version: 1.0' -d '{message}'\n"
    ));
    show::line(&format!("  {program} decisions list{flag}\n"));
    show::line(&format!(
        "  {program} route explain --text 'I need a letter for my scholarship'{flag}"
    ));
}
