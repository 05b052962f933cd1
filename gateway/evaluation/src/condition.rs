//! Conditions under which a replay counts as failed: `changed > 5%`, `accepted < -2pt`.

use std::{fmt, str::FromStr};

use crate::report::{Range, Report};

/// A condition on a report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    metric: Metric,
    comparison: Comparison,
    /// In the unit of the metric.
    threshold: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Metric {
    Changed,
    Uncertain,
    Accepted,
    CostPerAccepted,
    Latency,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// Whether a condition holds, with the numbers compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds(String),
    /// The records do not tell. A gate must not let that pass.
    Unknown(String),
    /// It does not hold.
    Fails,
}

/// Text that is no condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no condition: {why}; write one like `changed > 5%`, `uncertain > 10%`, `accepted < -2pt`, `cost_per_accepted > +10%` or `latency > 20%`"
)]
pub struct InvalidCondition {
    text: String,
    why: String,
}

const METRICS: [Metric; 5] = [
    Metric::Changed,
    Metric::Uncertain,
    Metric::Accepted,
    Metric::CostPerAccepted,
    Metric::Latency,
];

impl Metric {
    fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Uncertain => "uncertain",
            Self::Accepted => "accepted",
            Self::CostPerAccepted => "cost_per_accepted",
            Self::Latency => "latency",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Accepted => "pt",
            _ => "%",
        }
    }

    /// Shares are from 0 to 100; changes have a sign.
    fn is_share(self) -> bool {
        matches!(self, Self::Changed | Self::Uncertain)
    }

    /// Returns where the value lies, in the unit.
    fn of(self, report: &Report) -> Option<Range> {
        let point = |value: f64| Range {
            low: value,
            high: value,
        };
        let unknown = report.undecided + report.broken + report.unreadable;
        let whole = report.replayed + unknown;
        let range = match self {
            // Those that cannot be made again may all change, or none.
            Self::Changed => Range {
                low: share(report.changed, whole)?,
                high: share(report.changed + unknown, whole)?,
            },
            Self::Uncertain => point(share(report.uncertain + unknown, whole)?),
            Self::Accepted => report.accepted.difference?,
            Self::CostPerAccepted => report.cost.per_accepted_change?,
            Self::Latency => {
                let (before, after) = (report.latency_ms.before?, report.latency_ms.after?);
                point((before > 0.0).then(|| after / before - 1.0)?)
            }
        };
        Some(Range {
            low: 100.0 * range.low,
            high: 100.0 * range.high,
        })
    }
}

impl Comparison {
    fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }

    fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            Self::Below => value < threshold,
            Self::AtMost => value <= threshold,
            Self::Above => value > threshold,
            Self::AtLeast => value >= threshold,
        }
    }
}

impl Condition {
    /// Looks whether the condition holds. Where the records leave a range open, it holds only if it does for all of it.
    #[must_use]
    pub fn check(&self, report: &Report) -> Verdict {
        let range = self.metric.of(report);
        let Some(range) = range.filter(|range| range.low.is_finite() && range.high.is_finite())
        else {
            return Verdict::Unknown(format!("`{self}` cannot be told from these decisions"));
        };
        let holds = |value| self.comparison.holds(value, self.threshold);
        let unit = self.metric.unit();
        let plus = !self.metric.is_share();
        match (holds(range.low), holds(range.high)) {
            (false, false) => Verdict::Fails,
            (true, true) if range.is_point() => {
                Verdict::Holds(format!("`{self}`: it is {}{unit}", shown(range.low, plus)))
            }
            (both, other) => {
                let between = format!(
                    "it is between {}{unit} and {}{unit}",
                    shown(range.low, plus),
                    shown(range.high, plus)
                );
                if both && other {
                    Verdict::Holds(format!("`{self}`: {between}"))
                } else {
                    Verdict::Unknown(format!("`{self}` cannot be ruled out: {between}"))
                }
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of decisions")]
fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

fn shown(value: f64, plus: bool) -> String {
    // Adding zero turns a negative zero into a plain one.
    let rounded = (100.0 * value).round() / 100.0 + 0.0;
    if plus {
        format!("{rounded:+}")
    } else {
        rounded.to_string()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            metric,
            comparison,
            threshold,
        } = self;
        let threshold = shown(*threshold, !metric.is_share());
        let (name, sign, unit) = (metric.name(), comparison.sign(), metric.unit());
        write!(formatter, "{name} {sign} {threshold}{unit}")
    }
}

impl FromStr for Condition {
    type Err = InvalidCondition;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).map_err(|why| InvalidCondition {
            text: text.to_owned(),
            why,
        })
    }
}

/// Reads `metric comparison number unit`, with any blanks between.
fn parse(text: &str) -> Result<Condition, String> {
    let text = text.trim();
    let end = text
        .find(|letter: char| !(letter.is_ascii_lowercase() || letter == '_'))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let metric = METRICS
        .into_iter()
        .find(|metric| metric.name() == name)
        .ok_or_else(|| format!("there is no `{name}`"))?;
    let rest = rest.trim_start();
    let comparisons = [
        Comparison::AtMost,
        Comparison::AtLeast,
        Comparison::Below,
        Comparison::Above,
    ];
    let (comparison, rest) = comparisons
        .into_iter()
        .find_map(|comparison| Some((comparison, rest.strip_prefix(comparison.sign())?)))
        .ok_or("after the name comes <, <=, > or >=")?;
    let unit = metric.unit();
    let number = rest
        .trim()
        .strip_suffix(unit)
        .ok_or_else(|| format!("`{name}` is compared with a number and `{unit}`"))?;
    let threshold = number_of(number.trim_end(), !metric.is_share())
        .ok_or_else(|| format!("`{}` is no such number", number.trim()))?;
    Ok(Condition {
        metric,
        comparison,
        threshold,
    })
}

/// Reads digits with at most one point, and a sign where the number may have one.
fn number_of(text: &str, signed: bool) -> Option<f64> {
    let digits = if signed {
        text.strip_prefix(['+', '-']).unwrap_or(text)
    } else {
        text
    };
    let is_plain = digits.starts_with(|letter: char| letter.is_ascii_digit())
        && digits.ends_with(|letter: char| letter.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1;
    let number: f64 = is_plain.then(|| text.parse().ok())??;
    let in_range = number.abs() <= 1e6 && (signed || number <= 100.0);
    in_range.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_written_the_same() {
        for (text, shown) in [
            ("changed > 5%", "changed > 5%"),
            ("changed>=0.5 %", "changed >= 0.5%"),
            ("  accepted   <   -2pt ", "accepted < -2pt"),
            ("accepted <= 0pt", "accepted <= +0pt"),
            ("cost_per_accepted > +10%", "cost_per_accepted > +10%"),
            ("cost_per_accepted > 10%", "cost_per_accepted > +10%"),
            ("uncertain > 10%", "uncertain > 10%"),
            ("latency > 20%", "latency > +20%"),
        ] {
            let condition: Condition = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(condition.to_string(), shown);
            assert_eq!(shown.parse(), Ok(condition));
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_with_the_reason() {
        for (text, why) in [
            ("", "no ``"),
            ("changes > 5%", "no `changes`"),
            ("changed", "<, <=, > or >="),
            ("changed = 5%", "<, <=, > or >="),
            ("changed > 5", "and `%`"),
            ("changed > 5pt", "and `%`"),
            ("accepted < -2%", "and `pt`"),
            ("changed > -5%", "no such number"),
            ("changed > 101%", "no such number"),
            ("changed > %", "no such number"),
            ("changed > 5.%", "no such number"),
            ("changed > 1e1%", "no such number"),
            ("changed > NaN%", "no such number"),
            ("changed > inf%", "no such number"),
            ("changed > 5% or more", "and `%`"),
            ("accepted < --2pt", "no such number"),
            ("accepted < 1.2.3pt", "no such number"),
            ("changed >> 5%", "no such number"),
            ("ändert > 5%", "no ``"),
        ] {
            let error = text.parse::<Condition>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(error.contains("changed > 5%"), "{error}");
        }
    }
}
