//! The figures, as a table and as JSON.

use std::{thread, time::Duration};

use serde::Serialize;

use crate::{
    measure::Measured,
    plan::{EVENTS, Kind},
    process::Usage,
};

/// All figures of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    processors: usize,
    /// Of the last minute, before and after.
    pub(crate) load_average: (f64, f64),
    flush_us: f64,
    /// The gateways by the size of their federations.
    pub(crate) federations: Vec<Federation>,
    /// Single answers.
    pub(crate) unary: Vec<Row>,
    /// Streams of [`EVENTS`] events.
    pub(crate) streams: Vec<Row>,
}

/// One gateway.
#[derive(Debug, Serialize)]
pub(crate) struct Federation {
    agents: usize,
    candidates_recorded: usize,
    resident_mib_at_rest: f64,
    resident_mib_after: f64,
}

impl Federation {
    pub(crate) fn new(
        agents: usize,
        candidates_recorded: usize,
        at_rest: Usage,
        after: Usage,
    ) -> Self {
        let mib = |usage: Usage| kib(usage.resident_kib);
        Self {
            agents,
            candidates_recorded,
            resident_mib_at_rest: mib(at_rest),
            resident_mib_after: mib(after),
        }
    }
}

/// One target with one number of clients.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    target: String,
    clients: usize,
    requests: usize,
    requests_per_second: f64,
    /// Absent where answers are no streams.
    events_per_second: Option<f64>,
    /// To the whole answer, or to the first event of a stream.
    p50_us: f64,
    p90_us: f64,
    p99_us: f64,
    /// Above the direct call with as many clients.
    added_p50_us: Option<f64>,
    gateway_cpu_us_per_request: Option<f64>,
    written_kib_per_request: Option<f64>,
    failures: usize,
    failure: Option<String>,
    #[serde(skip)]
    kind: Kind,
    #[serde(skip)]
    measured: Measured,
    #[serde(skip)]
    used: Option<(Duration, u64)>,
}

impl Row {
    pub(crate) fn new(target: &str, kind: Kind, clients: usize) -> Self {
        Self {
            target: target.to_owned(),
            clients,
            requests: 0,
            requests_per_second: 0.0,
            events_per_second: None,
            p50_us: 0.0,
            p90_us: 0.0,
            p99_us: 0.0,
            added_p50_us: None,
            gateway_cpu_us_per_request: None,
            written_kib_per_request: None,
            failures: 0,
            failure: None,
            kind,
            measured: Measured::default(),
            used: None,
        }
    }

    /// Adds one turn and what the gateway used before and after it.
    pub(crate) fn add(&mut self, measured: Measured, usage: Option<(Usage, Usage)>) {
        self.measured.add(measured);
        if let Some((before, after)) = usage {
            let (processor, written) = self.used.unwrap_or_default();
            self.used = Some((
                processor + (after.processor.saturating_sub(before.processor)),
                written + after.written.saturating_sub(before.written),
            ));
        }
    }

    /// Works out the figures of targets with the same number of clients, of which the first is the direct call.
    pub(crate) fn compare(rows: &mut [Self]) {
        let mut direct = None;
        for row in rows {
            row.finish();
            row.added_p50_us = direct.map(|direct| row.p50_us - direct);
            direct = direct.or(Some(row.p50_us));
        }
    }

    fn finish(&mut self) {
        let measured = &mut self.measured;
        [self.p50_us, self.p90_us, self.p99_us] = measured.latencies.percentiles([0.5, 0.9, 0.99]);
        self.requests = measured.latencies.len();
        self.failures = measured.failures;
        self.failure = measured.failure.take();
        let requests = ratio(self.requests).max(1.0);
        self.requests_per_second = requests / measured.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        self.events_per_second =
            (self.kind == Kind::Stream).then(|| self.requests_per_second * ratio(EVENTS));
        if let Some((processor, written)) = self.used {
            self.gateway_cpu_us_per_request = Some(processor.as_secs_f64() * 1e6 / requests);
            self.written_kib_per_request = Some(kib(written) / requests);
        }
    }

    /// Renders the row; streams by their events.
    fn line(&self) -> String {
        let number = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.0}"))
        };
        let processor = self.gateway_cpu_us_per_request;
        let (rate, processor) = match self.events_per_second {
            Some(rate) => (
                rate,
                processor.map(|per_stream| format!("{:.1}", per_stream / ratio(EVENTS))),
            ),
            None => (
                self.requests_per_second,
                processor.map(|per_request| format!("{per_request:.0}")),
            ),
        };
        format!(
            "{:20}{:>8}{rate:>12.0}{:>9.0}{:>9.0}{:>9.0}{:>9}{:>11}{:>10}
",
            self.target,
            self.clients,
            self.p50_us,
            self.p90_us,
            self.p99_us,
            number(self.added_p50_us),
            processor.as_deref().unwrap_or("-"),
            number(self.written_kib_per_request),
        )
    }
}

impl Report {
    /// Begins a report on this machine.
    pub(crate) fn new(load_average: f64, flush: Duration) -> Self {
        Self {
            processors: thread::available_parallelism().map_or(1, usize::from),
            load_average: (load_average, load_average),
            flush_us: flush.as_secs_f64() * 1e6,
            federations: Vec::new(),
            unary: Vec::new(),
            streams: Vec::new(),
        }
    }

    /// Returns what went wrong first, if anything did.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.unary
            .iter()
            .chain(&self.streams)
            .find_map(|row| row.failure.as_deref())
    }

    /// Renders the figures for people.
    pub(crate) fn table(&self) -> String {
        let (before, after) = self.load_average;
        let mut text = format!(
            "{} processors, load average {before} before and {after} after; the disk keeps 4 KiB in {:.0} µs\n",
            self.processors, self.flush_us
        );
        for gateway in &self.federations {
            text += &format!(
                "gateway of {} agents: {:.0} MiB at rest, {:.0} MiB after; a decision lists {} candidates\n",
                gateway.agents,
                gateway.resident_mib_at_rest,
                gateway.resident_mib_after,
                gateway.candidates_recorded
            );
        }
        let titles = [
            ("one answer", "requests/s", "CPU µs/req"),
            ("first event of 100", "events/s", "CPU µs/ev"),
        ];
        for ((title, rate, processor), rows) in titles.into_iter().zip([&self.unary, &self.streams])
        {
            text += &format!(
                "
{title:20}{:>8}{rate:>12}{:>9}{:>9}{:>9}{:>9}{processor:>11}{:>10}
",
                "clients", "p50 µs", "p90 µs", "p99 µs", "added", "KiB/req"
            );
            text.extend(rows.iter().map(Row::line));
        }
        text
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
fn ratio(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
fn kib(of: u64) -> f64 {
    of as f64 / 1024.0
}
