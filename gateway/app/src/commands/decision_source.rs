//! Where `replay` and `tune` read decisions: a running gateway, page by page, or a file of JSON lines.

mod lines;

use std::{
    fs::File,
    io::{self, BufReader},
    path::PathBuf,
};

use clap::Args;
use gateway_core::{RouteDecision, moment};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::lines::{Line, Lines};
use super::admin_client;
use crate::command::{Admin, CommandError};

/// Decisions asked for at once.
const PAGE: usize = 200;
/// Lines that cannot be read and are named.
const NAMED: usize = 5;

/// Which decisions.
#[derive(Debug, Clone, Args)]
pub(crate) struct Period {
    /// Only since a time (2026-11-30T10:00:00Z), or for so long (2h, 7d).
    #[arg(long)]
    since: Option<String>,
    /// Only up to a time, or up to so long ago.
    #[arg(long)]
    until: Option<String>,
}

/// Which decisions, and from where.
#[derive(Debug, Args)]
pub(crate) struct Source {
    #[command(flatten)]
    period: Period,
    /// A file of decisions as JSON, one a line, as `decisions export` prints them; `-` for standard input. Without it,
    /// the running gateway is asked.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

/// What was read.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Reading {
    /// Decisions within the period.
    pub(crate) decisions: u64,
    /// Lines that are no decision.
    pub(crate) unreadable: u64,
    /// The first of them, each with its number.
    pub(crate) unreadable_examples: Vec<String>,
}

/// A period as moments.
#[derive(Debug, Clone, Copy)]
struct Moments {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
struct Page {
    decisions: Vec<RouteDecision>,
    next_before: Option<String>,
}

impl Source {
    /// Hands over one decision after the other; none is kept.
    pub(super) async fn read(
        &self,
        admin: &Admin,
        take: impl FnMut(RouteDecision),
    ) -> Result<Reading, CommandError> {
        let reading = match &self.from {
            None => of_gateway(admin, &self.period, take).await?,
            Some(path) => {
                let period = self.period.moments(Timestamp::now())?;
                let name = path.display().to_string();
                if name == "-" {
                    of_lines("standard input", io::stdin().lock(), period, take)?
                } else {
                    let file = File::open(path).map_err(|error| cannot_read(&name, &error))?;
                    of_lines(&name, BufReader::new(file), period, take)?
                }
            }
        };
        if reading.decisions == 0 {
            let step = "send messages first, widen --since and --until, or name a file with --from";
            return Err(CommandError::failed(format!(
                "there are no decisions; {step}"
            )));
        }
        Ok(reading)
    }
}

/// Hands over the decisions of a running gateway, newest first.
pub(super) async fn of_gateway(
    admin: &Admin,
    period: &Period,
    mut take: impl FnMut(RouteDecision),
) -> Result<Reading, CommandError> {
    // Once, so that all pages mean the same by `7d`.
    let period = period.moments(Timestamp::now())?;
    let mut reading = Reading::default();
    let mut before = None;
    loop {
        let mut query = vec![("limit", PAGE.to_string())];
        query.extend(period.since.map(|since| ("since", since.to_string())));
        query.extend(before.map(|before| ("before", before)));
        let page: Page = admin_client::get(admin, &["v1", "decisions"], &query).await?;
        for decision in page.decisions {
            if period.holds(decision.at) {
                reading.decisions += 1;
                take(decision);
            }
        }
        match page.next_before {
            Some(next) => before = Some(next),
            None => return Ok(reading),
        }
    }
}

/// Hands over the decisions of a text, line by line.
fn of_lines(
    name: &str,
    text: impl io::BufRead,
    period: Moments,
    mut take: impl FnMut(RouteDecision),
) -> Result<Reading, CommandError> {
    let mut reading = Reading::default();
    let mut outside = 0_u64;
    let mut lines = Lines::new(text);
    while let Some((number, line)) = lines.next().map_err(|error| cannot_read(name, &error))? {
        let read = match line {
            Line::Text([]) => continue,
            Line::Text(text) => decode(text),
            Line::TooLong => Err("the line is longer than 4 MiB".to_owned()),
        };
        match read {
            Ok(decision) if period.holds(decision.at) => {
                reading.decisions += 1;
                take(decision);
            }
            Ok(_) => outside += 1,
            Err(why) => {
                reading.unreadable += 1;
                if reading.unreadable_examples.len() < NAMED {
                    reading
                        .unreadable_examples
                        .push(format!("{name}:{number}: {why}"));
                }
            }
        }
    }
    if reading.decisions + outside == 0 && reading.unreadable > 0 {
        let examples = reading.unreadable_examples.join("\n");
        let step = "make a file with `a2a-gateway decisions export`";
        return Err(CommandError::failed(format!(
            "no line of {name} is a decision; {step}\n{examples}"
        )));
    }
    Ok(reading)
}

fn decode(line: &[u8]) -> Result<RouteDecision, String> {
    serde_json::from_slice(line).map_err(|error| {
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let what = text.strip_suffix(&place).unwrap_or(&text);
        format!("column {}: {what}", error.column())
    })
}

fn cannot_read(name: &str, error: &io::Error) -> CommandError {
    CommandError::failed(format!("cannot read {name}: {error}"))
}

impl Period {
    fn moments(&self, now: Timestamp) -> Result<Moments, CommandError> {
        let moment = |option: &str, text: &Option<String>| {
            let parse = |text: &String| {
                moment::parse(text, now).ok_or_else(|| {
                    CommandError::Usage(format!(
                        "--{option} `{text}` is no time; use one like 2026-11-30T10:00:00Z, or how long ago like 2h or 7d"
                    ))
                })
            };
            text.as_ref().map(parse).transpose()
        };
        Ok(Moments {
            since: moment("since", &self.since)?,
            until: moment("until", &self.until)?,
        })
    }
}

impl Moments {
    fn holds(self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at <= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALWAYS: Moments = Moments {
        since: None,
        until: None,
    };

    const GOOD: &str = r#"{"id":"d","at":"2026-11-30T10:00:00Z","kind":"no_fit","caller":{"subject":"a"},"operation":"SendMessage","client_version":"1.0","request":{"digest":"sha256:0","text_chars":1,"input_modes":[],"accepted_output_modes":[],"streaming":false,"data_keys":[],"hints":{}},"versions":{"config":"","catalog":"","profile":""},"weights":{"fit":1,"quality":0,"availability":0,"latency":0,"cost":0,"risk":0},"candidates":[]}"#;

    fn read(text: &[u8], period: Moments) -> Result<Reading, String> {
        let mut taken = 0;
        let reading = of_lines("x.jsonl", text, period, |_| taken += 1);
        let reading = reading.map_err(|error| error.to_string())?;
        assert_eq!(reading.decisions, taken);
        Ok(reading)
    }

    #[test]
    fn lines_that_are_no_decision_are_named_by_number_and_counted() {
        let cut = GOOD.get(..GOOD.len() / 2).unwrap();
        let infinite = GOOD.replace("\"fit\":1", "\"fit\":1e999");
        let not_a_number = GOOD.replace("\"fit\":1", "\"fit\":NaN");
        let text = [
            GOOD,
            "",
            cut,
            "garbage",
            "{}",
            &infinite,
            &not_a_number,
            "[1]",
            GOOD,
        ]
        .join("\n");
        let mut text = text.into_bytes();
        text.extend(b"\r\n\xff\xfe\n");
        let reading = read(&text, ALWAYS).unwrap();
        assert_eq!((reading.decisions, reading.unreadable), (2, 7));
        let examples = reading.unreadable_examples;
        assert_eq!(examples.len(), NAMED);
        for (example, number) in examples.iter().zip([3, 4, 5, 6, 7]) {
            let start = format!("x.jsonl:{number}: column ");
            assert!(example.starts_with(&start), "{example}");
            assert!(!example.contains("line 1"), "{example}");
        }
    }

    #[test]
    fn a_file_without_any_decision_is_an_error() {
        let error = read(b"garbage\nmore of it\n", ALWAYS).unwrap_err();
        assert!(
            error.contains("x.jsonl:1:") && error.contains("decisions export"),
            "{error}"
        );
        assert_eq!(read(b"", ALWAYS).unwrap(), Reading::default());
    }

    #[test]
    fn periods_leave_out_what_is_outside() {
        let day = |text: &str| Some(text.parse().unwrap());
        for (since, until, expected) in [
            (day("2026-11-30T10:00:00Z"), None, 1),
            (day("2026-11-30T10:00:01Z"), None, 0),
            (None, day("2026-11-30T10:00:00Z"), 1),
            (None, day("2026-11-30T09:59:59Z"), 0),
        ] {
            let reading = read(GOOD.as_bytes(), Moments { since, until }).unwrap();
            assert_eq!(reading.decisions, expected);
        }
    }
}
