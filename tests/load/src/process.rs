//! The processes under measurement: started, read from `/proc`, and killed at the end whatever happens.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::Value;

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
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let process = Self(child);
        let address = first(output, |line| Some(line.to_owned()))?;
        Ok((process, address))
    }

    /// Starts a program that logs JSON to its standard error, and returns the first line with a `listen` member.
    pub(crate) fn logging_address(mut command: Command) -> Outcome<(Self, Value)> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let log = child.stderr.take().ok_or("no standard error")?;
        let process = Self(child);
        let line = first(log, |line| {
            let line: Value = serde_json::from_str(line).ok()?;
            line.get("listen").is_some().then_some(line)
        })?;
        Ok((process, line))
    }

    /// Returns what the process has used so far.
    pub(crate) fn usage(&self) -> Outcome<Usage> {
        let folder = format!("/proc/{}", self.0.id());
        let stat = fs::read_to_string(format!("{folder}/stat"))?;
        // The name of the program, in brackets, may hold spaces; 12 and 13 further on are user and system time.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let ticks: u32 = fields.split_whitespace().skip(11).take(2).flat_map(str::parse::<u32>).sum();
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
    Ok(number.ok_or_else(|| format!("{path} has no {field}"))?.parse()?)
}

/// Returns the first line that `pick` takes, and reads the rest on a thread so that the pipe never fills.
fn first<T: Send + 'static>(
    output: impl Read + Send + 'static,
    pick: impl Fn(&str) -> Option<T> + Send + 'static,
) -> Outcome<T> {
    let (found, wanted) = mpsc::sync_channel(1);
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some(value) = pick(&line) {
                // Only the first is waited for; the channel has room for no other.
                let _unwanted = found.try_send(value);
            }
        }
    });
    wanted
        .recv_timeout(START_LIMIT)
        .map_err(|_| "a process ended or stayed silent instead of saying where it listens".into())
}
