//! The processes under measurement: started, read from `/proc`, and killed at the end whatever happens.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::Outcome;

/// How long a process may take to say where it listens.
const START_LIMIT: Duration = Duration::from_secs(20);
/// Length of a tick of processor time; Linux reports to programs in hundredths of a second on every machine.
const TICK: Duration = Duration::from_millis(10);

/// A running process; dropping it kills it.
#[derive(Debug)]
pub(crate) struct Process(Child);

impl Process {
    /// Starts a program that prints its address in the first line of its standard output.
    pub(crate) fn printing_address(mut command: Command) -> Outcome<(Self, String)> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let process = Self(child);
        let mut address = String::new();
        BufReader::new(output).read_line(&mut address)?;
        Ok((process, address.trim_end().to_owned()))
    }

    /// Starts a program that logs JSON to a file, and returns the first line with a `listen` member.
    pub(crate) async fn logging_address(
        mut command: Command,
        log: &Path,
    ) -> Outcome<(Self, Value)> {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(log)?)
            .spawn()?;
        let process = Self(child);
        let limit = Instant::now() + START_LIMIT;
        while Instant::now() < limit {
            let text = fs::read_to_string(log)?;
            let mut lines = text
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).ok());
            if let Some(line) = lines.find(|line| line.get("listen").is_some()) {
                return Ok((process, line));
            }
            sleep(Duration::from_millis(10)).await;
        }
        Err(format!(
            "it does not say where it listens:
{}",
            fs::read_to_string(log)?
        )
        .into())
    }

    /// Returns what the process has used so far.
    pub(crate) fn usage(&self) -> Outcome<Usage> {
        let folder = format!("/proc/{}", self.0.id());
        let stat = fs::read_to_string(format!("{folder}/stat"))?;
        // The name of the program, in brackets, may hold spaces; 12 and 13 further on are user and system time.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let ticks: u32 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .flat_map(str::parse::<u32>)
            .sum();
        Ok(Usage {
            processor: TICK * ticks,
            written: number(&format!("{folder}/io"), "write_bytes:")?,
            resident_kib: number(&format!("{folder}/status"), "VmRSS:")?,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only for a process that has ended by itself.
        let _ended = self.0.kill();
        let _ended = self.0.wait();
    }
}

/// What a process has used.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// Processor time, user and system.
    pub(crate) processor: Duration,
    /// Bytes handed to the disk.
    pub(crate) written: u64,
    /// Memory in use now.
    pub(crate) resident_kib: u64,
}

fn number(path: &str, field: &str) -> Outcome<u64> {
    let text = fs::read_to_string(path)?;
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    Ok(number
        .ok_or_else(|| format!("{path} has no {field}"))?
        .parse()?)
}
