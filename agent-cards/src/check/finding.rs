//! One finding, and the bounded, ordered list of them.

use serde::Serialize;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A part of the card cannot be used as it is written.
    Error,
    /// The card works, with an assumption or for some readers only.
    Warning,
}

/// Something wrong or doubtful in a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// Where it is, as a JSON pointer; empty for the whole card.
    pub pointer: String,
    /// What was found.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Collects findings, a bounded number of each severity: a hostile card could cause millions.
#[derive(Debug, Default)]
pub(super) struct Findings {
    errors: Kept,
    warnings: Kept,
}

#[derive(Debug, Default)]
struct Kept {
    findings: Vec<Finding>,
    left_out: usize,
}

impl Findings {
    pub(super) fn error(
        &mut self,
        pointer: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.errors.push(Finding {
            severity: Severity::Error,
            pointer: pointer.to_owned(),
            message: message.into(),
            hint: hint.into(),
        });
    }

    pub(super) fn warning(
        &mut self,
        pointer: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.warnings.push(Finding {
            severity: Severity::Warning,
            pointer: pointer.to_owned(),
            message: message.into(),
            hint: hint.into(),
        });
    }

    /// Returns the findings, errors first, each kind in the order of the pointers.
    pub(super) fn sorted(self) -> Vec<Finding> {
        let mut all = self.errors.sorted(Severity::Error);
        all.extend(self.warnings.sorted(Severity::Warning));
        all
    }
}

impl Kept {
    const MOST: usize = 100;

    fn push(&mut self, finding: Finding) {
        if self.findings.len() < Self::MOST {
            self.findings.push(finding);
        } else {
            self.left_out += 1;
        }
    }

    fn sorted(mut self, severity: Severity) -> Vec<Finding> {
        self.findings.sort_by_cached_key(|finding| {
            (natural_order(&finding.pointer), finding.message.clone())
        });
        if self.left_out > 0 {
            self.findings.push(Finding {
                severity,
                pointer: String::new(),
                message: format!("{} more of this severity are not shown", self.left_out),
                hint: "mend the ones shown first".to_owned(),
            });
        }
        self.findings
    }
}

/// Splits a pointer so that entry 2 of a list comes before entry 10.
fn natural_order(pointer: &str) -> Vec<(u64, String)> {
    pointer
        .split('/')
        .map(|segment| (segment.parse().unwrap_or(u64::MAX), segment.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_come_first_then_entries_in_number_order() {
        let mut findings = Findings::default();
        findings.warning("/skills/10/tags", "w", "");
        findings.warning("/skills/2/tags", "w", "");
        findings.error("/skills/3/id", "e", "");
        let pointers: Vec<String> = findings
            .sorted()
            .into_iter()
            .map(|finding| finding.pointer)
            .collect();
        assert_eq!(
            pointers,
            ["/skills/3/id", "/skills/2/tags", "/skills/10/tags"]
        );
    }

    #[test]
    fn too_many_findings_are_counted_not_kept() {
        let mut findings = Findings::default();
        for _ in 0..250 {
            findings.warning("/x", "w", "");
        }
        let sorted = findings.sorted();
        assert_eq!(sorted.len(), 101);
        assert!(sorted[100].message.starts_with("150 more"));
    }
}
