//! All agents at once, each on a port of its own.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::agents::Agent;
use crate::service::serve;

/// How long [`Federation::shutdown`] waits for requests that are under way.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where and how fast a federation runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address to listen on; loopback by default.
    pub host: IpAddr,
    /// Port of the first agent, the others following; without one, each gets a free port.
    pub ports: Option<u16>,
    /// Time of one step of a long task; a scholarship review takes four, 2 s by default.
    pub pace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            ports: None,
            pace: Duration::from_millis(500),
        }
    }
}

/// The five agents, running in this process until this is shut down or dropped.
#[derive(Debug)]
pub struct Federation {
    /// In the order of [`Agent::ALL`].
    urls: Vec<String>,
    agents: TaskTracker,
    stop: DropGuard,
}

impl Federation {
    /// Starts every agent; all are reachable when this returns.
    ///
    /// # Errors
    ///
    /// Fails when an address cannot be bound; none of the agents runs then.
    pub async fn start(options: Options) -> io::Result<Self> {
        let mut bound = Vec::new();
        let mut port = options.ports.filter(|port| *port != 0);
        for agent in Agent::ALL {
            let address = SocketAddr::new(options.host, port.unwrap_or(0));
            let listener = TcpListener::bind(address)
                .await
                .map_err(|error| io::Error::new(error.kind(), format!("{address}: {error}")))?;
            bound.push((agent, listener));
            port = port.map(|port| port.saturating_add(1));
        }
        let mut urls = Vec::new();
        let (agents, stop) = (TaskTracker::new(), CancellationToken::new());
        for (agent, listener) in bound {
            let url = format!("http://{}", listener.local_addr()?);
            urls.push(url.clone());
            let stop = stop.clone();
            agents.spawn(async move {
                if let Err(error) = serve(agent, listener, &url, options.pace, stop).await {
                    tracing::error!(agent = agent.id(), %error, "agent stopped");
                }
            });
        }
        agents.close();
        Ok(Self {
            urls,
            agents,
            stop: stop.drop_guard(),
        })
    }

    /// Returns the base URL of an agent, without a final slash; its card is below it.
    #[must_use]
    pub fn url(&self, agent: Agent) -> &str {
        &self.urls[agent as usize]
    }

    /// Returns the base URL of each agent.
    pub fn urls(&self) -> impl Iterator<Item = (Agent, &str)> {
        Agent::ALL
            .into_iter()
            .zip(self.urls.iter().map(String::as_str))
    }

    /// Stops every agent; tasks under way fail, and streams end. Tells whether all requests had ended after 5 s.
    pub async fn shutdown(self) -> bool {
        drop(self.stop);
        let waited = tokio::time::timeout(PATIENCE, self.agents.wait()).await;
        if waited.is_err() {
            tracing::warn!("agents still have requests under way and are left behind");
        }
        waited.is_ok()
    }
}
