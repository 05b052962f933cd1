//! What the cards of many agents cost: the start, refreshing all of them, memory, and the requests meanwhile.

use std::{
    env,
    net::SocketAddr,
    path::PathBuf,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use clap::Args;
use serde::Serialize;
use serde_json::Value;
use tokio::time::sleep;

use crate::{
    Outcome,
    connection::Connection,
    federation,
    gateway::Gateway,
    measure::{Measured, closed_loop},
    plan::{Kind, Target},
    process::Process,
    run::load_average,
};

/// Clients that send at the same time.
const CLIENTS: usize = 2;
/// One turn of the clients.
const TURN: Duration = Duration::from_millis(250);
/// Longer than any cycle takes that goes well.
const CYCLE_LIMIT: Duration = Duration::from_secs(120);

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The gateway's program.
    #[arg(long)]
    gateway: PathBuf,
    /// Where the store is written.
    #[arg(long)]
    folder: PathBuf,
    /// Agents behind the gateway.
    #[arg(long, default_value_t = 2000)]
    agents: usize,
    /// Skills on each card.
    #[arg(long, default_value_t = 10)]
    skills: usize,
    /// Seconds without a refresh that the others are compared to.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// All figures of a run.
#[derive(Debug, Serialize)]
struct Report {
    /// Of the last minute, before and after.
    load_average: (f64, f64),
    agents: usize,
    skills: usize,
    card_bytes: usize,
    ready_after_ms: u128,
    start_cpu_ms: u128,
    resident_mib: f64,
    cycles: Vec<Cycle>,
    resident_mib_after: f64,
}

/// What happened while the cards of all agents were fetched once, or while nothing was.
#[derive(Debug, Serialize)]
struct Cycle {
    cards: &'static str,
    took_ms: u128,
    cpu_ms: u128,
    requests: Vec<Requests>,
}

/// Requests that were sent meanwhile.
#[derive(Debug, Serialize)]
struct Requests {
    target: String,
    answered: usize,
    p50_us: f64,
    p99_us: f64,
    longest_us: f64,
}

/// Starts everything, measures, and prints the figures.
pub(crate) async fn run(options: Options) -> Outcome<()> {
    let report = measure(&options).await?;
    if options.json {
        crate::print(&serde_json::to_string_pretty(&report)?);
    } else {
        crate::print(&report.table());
    }
    Ok(())
}

async fn measure(options: &Options) -> Outcome<Report> {
    let load_before = load_average()?;
    let folder = tempfile::tempdir_in(&options.folder)?;
    let mut agents = Command::new(env::current_exe()?);
    agents.args(["agent", "--skills", &options.skills.to_string()]);
    let (_process, address) = Process::printing_address(agents)?;
    let address: SocketAddr = address.parse()?;
    let gateway = Gateway::start(&options.gateway, folder.path(), address, options.agents).await?;
    let run = Run {
        targets: targets(&gateway)?,
        gateway: &gateway,
        agents: address,
    };
    let span = Duration::try_from_secs_f64(options.seconds)?;
    let card = federation::card(0, &format!("http://{address}/0"), options.skills, 1);
    let mut cycles = Vec::new();
    for target in &run.targets {
        closed_loop(target, Kind::Unary, CLIENTS, TURN * 2).await?;
    }
    let idle = async {
        sleep(span).await;
        Ok(())
    };
    cycles.push(run.cycle("none", idle).await?);
    cycles.push(run.cycle("unchanged", run.refresh()).await?);
    Connection::open(address)
        .await?
        .post("/cards/edition", Bytes::new())
        .await?;
    cycles.push(run.cycle("all changed", run.refresh()).await?);
    Ok(Report {
        load_average: (load_before, load_average()?),
        agents: options.agents,
        skills: options.skills,
        card_bytes: card.to_string().len(),
        ready_after_ms: gateway.ready_after.as_millis(),
        start_cpu_ms: gateway.at_rest.processor.as_millis(),
        resident_mib: mib(gateway.at_rest.resident_kib),
        cycles,
        resident_mib_after: mib(gateway.process.usage()?.resident_kib),
    })
}

/// One agent by its path, and the federation by score.
fn targets(gateway: &Gateway) -> Outcome<Vec<Arc<Target>>> {
    let pinned = format!("/agents/{}", federation::agent_id(0));
    let pinned = Target::new("/agents/ID".to_owned(), gateway.public, pinned, 1)?;
    let scored = Target::new("/a2a".to_owned(), gateway.public, "/a2a".to_owned(), 100)?;
    Ok(vec![Arc::new(pinned), Arc::new(scored)])
}

struct Run<'a> {
    targets: Vec<Arc<Target>>,
    gateway: &'a Gateway,
    agents: SocketAddr,
}

impl Run<'_> {
    /// Sends requests to each target by turns while something goes on.
    async fn cycle(
        &self,
        cards: &'static str,
        work: impl Future<Output = Outcome<()>>,
    ) -> Outcome<Cycle> {
        let before = self.gateway.process.usage()?;
        let (begun, over) = (Instant::now(), AtomicBool::new(false));
        let work = async {
            let done = work.await;
            over.store(true, Ordering::Relaxed);
            done.map(|()| begun.elapsed())
        };
        let (took, measured) = tokio::join!(work, self.requests(&over));
        let used = self.gateway.process.usage()?.processor;
        Ok(Cycle {
            cards,
            took_ms: took?.as_millis(),
            cpu_ms: used.saturating_sub(before.processor).as_millis(),
            requests: measured?,
        })
    }

    async fn requests(&self, over: &AtomicBool) -> Outcome<Vec<Requests>> {
        let mut all: Vec<_> = self.targets.iter().map(|_| Measured::default()).collect();
        while !over.load(Ordering::Relaxed) {
            for (target, measured) in self.targets.iter().zip(&mut all) {
                measured.add(closed_loop(target, Kind::Unary, CLIENTS, TURN).await?);
            }
        }
        let rows = self.targets.iter().zip(all);
        rows.map(|(target, measured)| Requests::of(&target.name, measured))
            .collect()
    }

    /// Has the card of every agent fetched and waits until the gateway has taken all of them over.
    async fn refresh(&self) -> Outcome<()> {
        let mut admin = Connection::open(self.gateway.admin).await?;
        let mut agents = Connection::open(self.agents).await?;
        let before = checks(&mut admin).await?;
        let served = served(&mut agents).await?;
        for agent in 0..self.gateway.agents {
            let path = format!("/v1/agents/{}/refresh", federation::agent_id(agent));
            admin.post(&path, Bytes::new()).await?;
        }
        let limit = Instant::now() + CYCLE_LIMIT;
        // The list of all agents is large, so it is asked for only when nothing else is missing.
        let wanted = served + u64::try_from(self.gateway.agents)?;
        while self::served(&mut agents).await? < wanted
            || checks(&mut admin)
                .await?
                .iter()
                .zip(&before)
                .any(|(now, before)| now == before)
        {
            if Instant::now() > limit {
                return Err("the cards were not refreshed in time".into());
            }
            sleep(Duration::from_millis(200)).await;
        }
        Ok(())
    }
}

/// Returns how many requests for cards the agents have answered.
async fn served(agents: &mut Connection) -> Outcome<u64> {
    let (_, served) = agents.get("/cards/served").await?;
    Ok(served.as_u64().ok_or("no count of served cards")?)
}

/// Returns when the card of each agent was looked at.
async fn checks(admin: &mut Connection) -> Outcome<Vec<Value>> {
    let (_, mut answer) = admin.get("/v1/agents").await?;
    let agents = answer["agents"].as_array_mut().ok_or("no list of agents")?;
    Ok(agents
        .iter_mut()
        .map(|agent| agent["checked_at"].take())
        .collect())
}

impl Requests {
    fn of(target: &str, mut measured: Measured) -> Outcome<Self> {
        if let Some(failure) = measured.failure {
            return Err(format!("a request to {target} failed: {failure}").into());
        }
        let answered = measured.latencies.len();
        let [p50_us, p99_us, longest_us] = measured.latencies.percentiles([0.5, 0.99, 1.0]);
        Ok(Self {
            target: target.to_owned(),
            answered,
            p50_us,
            p99_us,
            longest_us,
        })
    }
}

impl Report {
    /// Renders the figures for people.
    fn table(&self) -> String {
        let mut text = format!(
            "load average {} before and {} after\n\
             {} agents with {} skills each, {} bytes a card\n\
             ready after {:.1} s and {:.1} s of processor time; {:.0} MiB resident, {:.0} MiB after all cycles\n\n\
             {:14}{:>9}{:>9}  {:14}{:>10}{:>10}{:>10}{:>12}\n",
            self.load_average.0,
            self.load_average.1,
            self.agents,
            self.skills,
            self.card_bytes,
            seconds(self.ready_after_ms),
            seconds(self.start_cpu_ms),
            self.resident_mib,
            self.resident_mib_after,
            "cards fetched",
            "took s",
            "CPU s",
            "requests to",
            "answered",
            "p50 µs",
            "p99 µs",
            "longest µs"
        );
        for cycle in &self.cycles {
            for requests in &cycle.requests {
                text += &format!(
                    "{:14}{:>9.1}{:>9.1}  {:14}{:>10}{:>10.0}{:>10.0}{:>12.0}\n",
                    cycle.cards,
                    seconds(cycle.took_ms),
                    seconds(cycle.cpu_ms),
                    requests.target,
                    requests.answered,
                    requests.p50_us,
                    requests.p99_us,
                    requests.longest_us
                );
            }
        }
        text
    }
}

#[expect(clippy::cast_precision_loss, reason = "a time far below 2^52 ms")]
fn seconds(milliseconds: u128) -> f64 {
    milliseconds as f64 / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "a size far below 2^52 KiB")]
fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}
