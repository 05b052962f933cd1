//! Runs the university's agents: all of them on neighbouring ports, or one of them alone.
#![expect(clippy::print_stdout, reason = "this is a command-line program")]

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::Parser;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use university::{Agent, Federation, Options, serve};

const FIRST_PORT: u16 = 9201;

/// Small A2A agents of a university, to try a gateway or a client with.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The agent to run alone; without one, all five run.
    agent: Option<Agent>,
    /// Where to listen; with all agents, where the first does, the others following on the next ports.
    ///
    /// Each agent has a default port on loopback, from 9201 on.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The URL under which clients reach the agent, if that is not where it listens.
    #[arg(long, value_name = "URL", requires = "agent")]
    public_url: Option<String>,
    /// Milliseconds of one step of a long task; a scholarship review takes four.
    #[arg(long, value_name = "MS", default_value_t = 500)]
    pace: u64,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(io::stderr)
        .init();
    let arguments = Arguments::parse();
    match arguments.agent {
        Some(agent) => run_one(agent, arguments).await,
        None => run_all(&arguments).await,
    }
}

async fn run_one(agent: Agent, arguments: Arguments) -> io::Result<()> {
    let default_port = FIRST_PORT + agent as u16;
    let default = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), default_port);
    let listener = TcpListener::bind(arguments.listen.unwrap_or(default)).await?;
    let local = listener.local_addr()?;
    let url = arguments
        .public_url
        .unwrap_or_else(|| format!("http://{local}"));
    println!(
        "{} listens on {local}, card at {}",
        agent.id(),
        card_url(&url)
    );
    let stop = CancellationToken::new();
    let pace = Duration::from_millis(arguments.pace);
    let server = serve(agent, listener, &url, pace, stop.clone());
    let stopped = async {
        let told = told_to_stop().await;
        stop.cancel();
        told
    };
    tokio::try_join!(server, stopped).map(|_| ())
}

async fn run_all(arguments: &Arguments) -> io::Result<()> {
    let first = arguments.listen;
    let federation = Federation::start(Options {
        host: first.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip()),
        ports: Some(first.map_or(FIRST_PORT, |address| address.port())),
        pace: Duration::from_millis(arguments.pace),
    })
    .await?;
    for (agent, url) in federation.urls() {
        println!("{:<13} {}", agent.id(), card_url(url));
    }
    println!("\nThe gateway in front of them:");
    println!("  a2a-gateway serve --config examples/university/a2a-gateway.yaml");
    println!("Ctrl-C stops.");
    told_to_stop().await?;
    federation.shutdown().await;
    Ok(())
}

fn card_url(url: &str) -> String {
    format!("{}/.well-known/agent-card.json", url.trim_end_matches('/'))
}

/// Waits for Ctrl-C or, as containers are stopped, SIGTERM.
async fn told_to_stop() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => pressed,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
