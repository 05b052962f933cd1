//! A gateway as a process of its own, with a fresh store and the agents of one federation.

use std::{fmt::Write as _, fs, net::SocketAddr, path::Path, process::Command, time::Duration};

use hyper::{StatusCode, header::HeaderName};
use tokio::time::{Instant, sleep};

use crate::{
    Outcome,
    connection::Connection,
    federation, measure,
    plan::Target,
    process::{Process, Usage},
};

/// How long the cards of all agents may take.
const READY_LIMIT: Duration = Duration::from_secs(60);
const DECISION: HeaderName = HeaderName::from_static("x-a2a-gateway-decision");

/// A running gateway.
#[derive(Debug)]
pub(crate) struct Gateway {
    /// The number of agents registered.
    pub(crate) agents: usize,
    /// Where clients are served.
    pub(crate) public: SocketAddr,
    /// From the start of its process until it had the cards of all agents.
    pub(crate) ready_after: Duration,
    /// What it used before the first request.
    pub(crate) at_rest: Usage,
    /// Where operators are served.
    pub(crate) admin: SocketAddr,
    /// The process.
    pub(crate) process: Process,
}

impl Gateway {
    /// Starts a gateway in a folder of its own in front of the first `agents` agents, and waits for their cards.
    pub(crate) async fn start(
        program: &Path,
        folder: &Path,
        agent: SocketAddr,
        agents: usize,
    ) -> Outcome<Self> {
        let folder = folder.join(agents.to_string());
        fs::create_dir(&folder)?;
        let config = folder.join("a2a-gateway.yaml");
        fs::write(&config, configuration(agent, agents))?;
        let mut command = Command::new(program);
        command.arg("serve").arg("--config").arg(&config);
        let begun = Instant::now();
        let (process, started) = Process::logging_address(command, &folder.join("log"))
            .await
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let address = |name: &str| -> Outcome<SocketAddr> {
            Ok(started[name]
                .as_str()
                .ok_or_else(|| format!("the log does not say `{name}`"))?
                .parse()?)
        };
        let mut gateway = Self {
            agents,
            public: address("listen")?,
            admin: address("admin.listen")?,
            ready_after: Duration::ZERO,
            at_rest: Usage::default(),
            process,
        };
        gateway.wait_until_ready().await?;
        gateway.ready_after = begun.elapsed();
        gateway.at_rest = gateway.process.usage()?;
        Ok(gateway)
    }

    async fn wait_until_ready(&self) -> Outcome<()> {
        let mut admin = Connection::open(self.admin).await?;
        let limit = Instant::now() + READY_LIMIT;
        loop {
            let (status, body) = admin.get("/readyz").await?;
            if status == StatusCode::OK && body["agents"]["ready"] == self.agents {
                return Ok(());
            }
            if Instant::now() > limit {
                return Err(
                    format!("a gateway of {} agents is not ready: {body}", self.agents).into(),
                );
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Sends one request to the gateway and returns how many candidates its decision lists.
    pub(crate) async fn recorded_candidates(&self, target: &Target) -> Outcome<usize> {
        let headers = measure::once(&mut Connection::open(self.public).await?, target).await?;
        let id = headers
            .get(DECISION)
            .ok_or("an answer without a decision")?
            .to_str()?
            .to_owned();
        let (status, decision) = Connection::open(self.admin)
            .await?
            .get(&format!("/v1/decisions/{id}"))
            .await?;
        match decision["candidates"].as_array() {
            Some(candidates) if status == StatusCode::OK => Ok(candidates.len()),
            _ => Err(format!("the decision {id} was not recorded: {decision}").into()),
        }
    }
}

/// Everything as by default, but for room for all clients at one agent.
fn configuration(agent: SocketAddr, agents: usize) -> String {
    let mut text = "version: 1\nlisten: 127.0.0.1:0\nadmin: { listen: 127.0.0.1:0 }\nstore: sqlite://./decisions.db\n\
                    log: { format: json }\nagents:\n"
        .to_owned();
    for number in 0..agents {
        let id = federation::agent_id(number);
        // Writing to a string cannot fail.
        let _written = writeln!(
            text,
            "  - {{ id: {id}, url: \"http://{agent}/{number}\", effect: read, limits: {{ max_in_flight: 1024 }} }}"
        );
    }
    text
}
