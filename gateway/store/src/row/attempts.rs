//! The `attempts` column: a log that grows by plain concatenation, one line for each thing said of an attempt.
//!
//! A later line about an attempt takes the place of an earlier one; what was lost belongs to the attempt before it.

use std::collections::BTreeMap;

use gateway_core::decision::Attempt;
use gateway_protocol::translate::Losses;
use serde::{Deserialize, Serialize};
use serde_json::Deserializer;

/// Losses in all so far, as a line of their own.
#[derive(Debug, Serialize, Deserialize)]
struct Lost {
    losses: BTreeMap<String, u32>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Attempt(Attempt),
    Lost(Lost),
}

/// Writes an attempt.
pub(super) fn attempt_line(attempt: &Attempt) -> serde_json::Result<String> {
    Ok(serde_json::to_string(attempt)? + "\n")
}

/// Writes what the attempt before it has lost so far.
pub(super) fn losses_line(losses: &Losses) -> serde_json::Result<String> {
    let counts = losses.iter();
    let losses = counts
        .map(|(loss, count)| (loss.name().to_owned(), count))
        .collect();
    Ok(serde_json::to_string(&Lost { losses })? + "\n")
}

/// Reads the column.
pub(super) fn read(column: &str) -> serde_json::Result<Vec<Attempt>> {
    let mut attempts: Vec<Attempt> = Vec::new();
    for line in Deserializer::from_str(column).into_iter() {
        match (line?, attempts.last_mut()) {
            (Line::Lost(lost), Some(last)) => last.losses = lost.losses,
            (Line::Lost(_), None) => {}
            (Line::Attempt(attempt), Some(last)) if is_same(&attempt, last) => {
                let losses = std::mem::take(&mut last.losses);
                *last = Attempt { losses, ..attempt };
            }
            (Line::Attempt(attempt), _) => attempts.push(attempt),
        }
    }
    Ok(attempts)
}

fn is_same(one: &Attempt, other: &Attempt) -> bool {
    one.agent == other.agent && one.started_at == other.started_at
}

#[cfg(test)]
mod tests {
    use gateway_core::agent::AgentId;
    use gateway_protocol::translate::Loss;
    use jiff::Timestamp;

    use super::*;

    fn attempt(second: i64, outcome: &str) -> Attempt {
        Attempt {
            agent: AgentId::parse("becas").unwrap(),
            started_at: Timestamp::from_second(second).unwrap(),
            phase: "stream".to_owned(),
            outcome: outcome.to_owned(),
            detail: None,
            ms: 1,
            losses: BTreeMap::new(),
        }
    }

    fn lost(times: usize) -> String {
        let mut losses = Losses::default();
        losses.add_times(Loss::PartFilename, times);
        losses_line(&losses).unwrap()
    }

    #[test]
    fn the_last_line_about_an_attempt_counts() {
        let lines = [
            lost(9),
            attempt_line(&attempt(1, "ok")).unwrap(),
            lost(1),
            attempt_line(&attempt(1, "truncated")).unwrap(),
            lost(3),
            attempt_line(&attempt(2, "ok")).unwrap(),
        ];
        let first = Attempt {
            losses: BTreeMap::from([("part_filename".to_owned(), 3)]),
            ..attempt(1, "truncated")
        };
        assert_eq!(read(&lines.concat()).unwrap(), [first, attempt(2, "ok")]);
        assert_eq!(read("").unwrap(), []);
        read("{}").unwrap_err();
    }

    #[test]
    fn losses_stay_with_an_attempt_that_is_told_again() {
        let lines = [
            attempt_line(&attempt(1, "ok")).unwrap(),
            lost(2),
            attempt_line(&attempt(1, "truncated")).unwrap(),
        ];
        let read = read(&lines.concat()).unwrap();
        assert_eq!(read[0].losses["part_filename"], 2);
        assert_eq!(read[0].outcome, "truncated");
    }
}
