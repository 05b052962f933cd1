//! What is wrong with a card.

use agent_cards::{Finding, Severity};

use crate::{commands::card::Checked, show::one_line};

/// Lists what was found in a card, below a line that counts it.
pub(crate) fn list(checked: &Checked) -> String {
    let name = checked.name.as_deref().filter(|name| !name.is_empty());
    let name = name.map(|name| format!("{} · ", one_line(name)));
    let mut lines = vec![format!(
        "{}: {}{}",
        checked.source,
        name.unwrap_or_default(),
        count(checked.errors, checked.warnings)
    )];
    lines.extend(checked.findings.iter().map(one));
    // Where it was looked for tells more where there is no card.
    if checked.fingerprint.is_none() && !checked.tried.is_empty() {
        lines.push(super::tried(&checked.tried));
    }
    lines.join("\n")
}

/// Counts: `1 error, 2 warnings`.
pub(crate) fn count(errors: usize, warnings: usize) -> String {
    let counted = |count: usize, of: &str| {
        let ending = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {of}{ending}"))
    };
    let both = [counted(errors, "error"), counted(warnings, "warning")];
    let found: Vec<String> = both.into_iter().flatten().collect();
    if found.is_empty() {
        return "nothing wrong".to_owned();
    }
    found.join(", ")
}

fn one(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let hint = match finding.hint.as_str() {
        "" => String::new(),
        hint => format!(" ({hint})"),
    };
    let text = one_line(&format!("{} {}{hint}", finding.pointer, finding.message));
    format!("{severity:<8} {text}")
}
