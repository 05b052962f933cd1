//! A run: starts everything, warms up, and measures all targets by turns.

use std::{
    env, fs,
    net::SocketAddr,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    Outcome, federation,
    gateway::Gateway,
    measure::{Measured, closed_loop},
    plan::{Kind, Target},
    process::Process,
    report::{Federation, Report, Row},
};

/// The sizes of the federations that are measured.
const FEDERATIONS: [usize; 2] = [5, federation::LARGEST];
/// Clients that send at the same time.
const CLIENTS: [usize; 3] = [1, 8, 64];
/// Streams that are open at the same time.
const STREAMS: [usize; 2] = [1, 8];
/// Longer than any run takes that goes well.
const LIMIT: Duration = Duration::from_secs(170);
const WARM_UP: Duration = Duration::from_millis(800);

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The gateway's program.
    #[arg(long)]
    gateway: PathBuf,
    /// Where the stores are written; the disk below it is part of what is measured.
    #[arg(long)]
    folder: PathBuf,
    /// Seconds that each target is measured for at a time.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// How often each target gets its turn.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Runs the measurement within its time limit; a signal ends it and the processes it started.
pub(crate) async fn run(options: Options) -> Outcome<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let report = tokio::select! {
        report = measure(&options) => report?,
        _ = terminated.recv() => return Err("terminated".into()),
        _ = interrupted.recv() => return Err("interrupted".into()),
        () = tokio::time::sleep(LIMIT) => return Err(format!("not done after {} s", LIMIT.as_secs()).into()),
    };
    if options.json {
        crate::print(&serde_json::to_string_pretty(&report)?);
    } else {
        crate::print(&report.table());
    }
    match report.failure() {
        Some(failure) => Err(format!(
            "requests failed, so the figures mean nothing; the first: {failure}"
        )
        .into()),
        None => Ok(()),
    }
}

async fn measure(options: &Options) -> Outcome<Report> {
    let span = Duration::try_from_secs_f64(options.seconds)?;
    let folder = tempfile::tempdir_in(&options.folder)?;
    let mut report = Report::new(load_average()?, flush_time(folder.path())?);
    let mut agent = Command::new(env::current_exe()?);
    agent.arg("agent");
    let (_agent, address) = Process::printing_address(agent)?;
    let address: SocketAddr = address.parse()?;
    let mut gateways = Vec::new();
    for agents in FEDERATIONS {
        gateways.push(Gateway::start(&options.gateway, folder.path(), address, agents).await?);
    }
    let targets = targets(address, &gateways)?;
    let mut listed = vec![0; gateways.len()];
    for target in &targets {
        if let Some(gateway) = target.gateway {
            listed[gateway] = gateways[gateway].recorded_candidates(target).await?;
        }
        for kind in [Kind::Unary, Kind::Stream] {
            closed_loop(target, kind, 8, WARM_UP / 2).await?;
        }
    }
    let run = Run {
        targets: &targets,
        gateways: &gateways,
        span,
        rounds: options.rounds,
    };
    report.unary = run.by_turns(Kind::Unary, &CLIENTS).await?;
    report.streams = run.by_turns(Kind::Stream, &STREAMS).await?;
    for (gateway, listed) in gateways.iter().zip(listed) {
        report.federations.push(Federation::new(
            gateway.agents,
            listed,
            gateway.at_rest,
            gateway.process.usage()?,
        ));
    }
    report.load_average.1 = load_average()?;
    Ok(report)
}

/// Directly first, then one agent by its path, then every federation by score.
fn targets(agent: SocketAddr, gateways: &[Gateway]) -> Outcome<Vec<Arc<Target>>> {
    let mut targets = vec![Target::new("direct".to_owned(), agent, "/0".to_owned(), 1)?];
    if let Some(first) = gateways.first() {
        let path = format!("/agents/{}", federation::agent_id(0));
        targets.push(Target::new("/agents/ID".to_owned(), first.public, path, 1)?.of_gateway(0));
    }
    for (number, gateway) in gateways.iter().enumerate() {
        let name = format!("/a2a, {} agents", gateway.agents);
        let target = Target::new(name, gateway.public, "/a2a".to_owned(), gateway.agents)?;
        targets.push(target.of_gateway(number));
    }
    Ok(targets.into_iter().map(Arc::new).collect())
}

struct Run<'a> {
    targets: &'a [Arc<Target>],
    gateways: &'a [Gateway],
    span: Duration,
    rounds: usize,
}

impl Run<'_> {
    /// Measures every target with every number of clients. What else happens on the machine meets all targets
    /// alike: each has short turns, and each round begins with another one.
    async fn by_turns(&self, kind: Kind, clients: &[usize]) -> Outcome<Vec<Row>> {
        let mut rows: Vec<Row> = Vec::new();
        for &clients in clients {
            rows.extend(
                self.targets
                    .iter()
                    .map(|target| Row::new(&target.name, kind, clients)),
            );
        }
        for round in 0..self.rounds {
            for (block, &clients) in clients.iter().enumerate() {
                for turn in 0..self.targets.len() {
                    let position = (turn + round) % self.targets.len();
                    let row = &mut rows[block * self.targets.len() + position];
                    self.turn(row, &self.targets[position], kind, clients)
                        .await?;
                }
            }
        }
        for block in rows.chunks_mut(self.targets.len()) {
            Row::compare(block);
        }
        Ok(rows)
    }

    async fn turn(
        &self,
        row: &mut Row,
        target: &Arc<Target>,
        kind: Kind,
        clients: usize,
    ) -> Outcome<()> {
        let process = target
            .gateway
            .map(|gateway| &self.gateways[gateway].process);
        let before = process.map(Process::usage).transpose()?;
        let measured: Measured = closed_loop(target, kind, clients, self.span).await?;
        let after = process.map(Process::usage).transpose()?;
        row.add(measured, before.zip(after));
        Ok(())
    }
}

/// Returns how many processes wanted to run in the last minute.
pub(crate) fn load_average() -> Outcome<f64> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split_whitespace().next().unwrap_or_default().parse()?)
}

/// Measures how long the disk takes to keep 4 KiB in a file that does not grow, as a write-ahead log mostly does not.
fn flush_time(folder: &Path) -> Outcome<Duration> {
    const PAGES: u64 = 101;
    let file = fs::File::create(folder.join("flush"))?;
    let page = [7; 4096];
    let write = |number: u64| file.write_all_at(&page, number * 4096);
    (0..PAGES).try_for_each(write)?;
    file.sync_all()?;
    let mut took = Vec::new();
    for number in 0..PAGES {
        let begun = Instant::now();
        write(number)?;
        file.sync_data()?;
        took.push(begun.elapsed());
    }
    took.sort_unstable();
    Ok(took[took.len() / 2])
}
