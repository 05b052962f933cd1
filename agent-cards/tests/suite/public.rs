//! The checker on real cards of public projects, with personal details and hosts replaced.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use agent_cards::{Card, Severity, Shape, check, convert, diff};

/// Returns the cards of `tests/cards/public` with their names, in order.
fn cards() -> io::Result<Vec<(String, Vec<u8>)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cards/public");
    let mut cards = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            cards.push((name.into_owned(), fs::read(&path)?));
        }
    }
    cards.sort();
    Ok(cards)
}

#[test]
fn c129_findings_of_public_cards_are_true_and_useful() {
    let (mut clean, mut warned, mut failed, mut refused) = (0, 0, 0, 0);
    let mut report = String::new();
    for (name, body) in cards().unwrap() {
        let card = match Card::parse(&body) {
            Ok(card) => card,
            Err(error) => {
                refused += 1;
                writeln!(report, "\n{name}: not a card\n  {error}").unwrap();
                continue;
            }
        };
        let findings = check(&card);
        match findings.first().map(|finding| finding.severity) {
            None => clean += 1,
            Some(Severity::Warning) => warned += 1,
            Some(Severity::Error) => failed += 1,
        }
        let skills = card.skills().len();
        writeln!(report, "\n{name}: {:?}, {skills} skills", card.shape()).unwrap();
        for finding in findings {
            let (severity, pointer) = (finding.severity, finding.pointer);
            writeln!(
                report,
                "  {severity:?} {pointer}: {}; {}",
                finding.message, finding.hint
            )
            .unwrap();
        }
    }
    let summary = format!(
        "{clean} without findings, {warned} with warnings only, {failed} with errors, {refused} not cards\n"
    );
    insta::assert_snapshot!("public_cards", summary + &report);
}

#[test]
fn public_cards_are_converted_and_lose_only_what_is_named() {
    for (name, body) in cards().unwrap() {
        let Ok(card) = Card::parse(&body) else {
            continue;
        };
        for shape in [Shape::V03, Shape::V1, Shape::Hybrid] {
            let Ok(converted) = convert(&card, shape) else {
                continue;
            };
            if converted.losses.is_empty() {
                assert_eq!(diff(&card, &converted.card), [], "{name}");
            }
        }
    }
}
