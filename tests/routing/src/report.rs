//! The figures in print.

use std::fmt::Write as _;

use crate::{
    engine::EngineName,
    figures::{Block, Figures},
    labelled::{LabelledSet, Predictions},
    targets::{Bound, targets},
};

/// Prints the targets with what was reached, then what lies behind them.
#[must_use]
pub fn table(engine: EngineName, figures: &Figures) -> String {
    let mut text = String::new();
    let mut line = |name: &str, rest: &str| {
        let _infallible = writeln!(text, "{name:<34} {rest}");
    };
    line("target", "figure  bound");
    for target in targets(engine, figures) {
        let bound = match target.bound {
            Bound::AtLeast(least) => format!(">= {least:.2}"),
            Bound::AtMost(most) => format!("<= {most:.2}"),
        };
        let met = if target.is_met() { "" } else { "  MISSED" };
        line(
            target.name,
            &format!("{:>6}  {bound}{met}", shown(target.figure)),
        );
    }
    line("", "");
    line("requests that one agent fits", "     n  top-1  top-3");
    line("all", &block(&figures.routable));
    for (language, figures) in &figures.by_language {
        line(&format!("  in {language}"), &block(figures));
    }
    for (kind, figures) in &figures.by_kind {
        line(&format!("  {kind}"), &block(figures));
    }
    line("", "");
    for (name, figure) in details(figures) {
        line(name, &format!("{:>6}", shown(figure)));
    }
    line("", "");
    line("fit of the first agent", "     n    fit  right");
    for bin in &figures.calibration.bins {
        let (from, to) = (f64::from(bin.tenth) / 10.0, f64::from(bin.tenth + 1) / 10.0);
        let name = format!("  {from:.1} to {to:.1}");
        line(
            &name,
            &format!("{:>6}  {:>5.3}  {:>5.3}", bin.n, bin.fit, bin.right),
        );
    }
    text
}

fn details(figures: &Figures) -> Vec<(&'static str, Option<f64>)> {
    let (whole, none) = (&figures.whole_answer, &figures.none_detection);
    let (ambiguity, adversarial) = (&figures.ambiguity, &figures.adversarial);
    vec![
        ("whole answer right", whole.all_base),
        ("  one agent fits", whole.routable),
        ("  nothing fits", whole.none),
        ("  several fit", whole.ambiguous),
        (
            "one fits, sent to a wrong one",
            whole.routable_sent_to_wrong_agent,
        ),
        ("one fits, said nothing fits", whole.routable_said_none),
        ("one fits, said several fit", whole.routable_said_ambiguous),
        (
            "nothing fits, sent to some agent",
            whole.none_sent_somewhere,
        ),
        ("\"nothing fits\", F1", Some(none.f1_of_verdict)),
        ("  with the best floor for the set", none.f1_at_best_floor),
        ("  which is", none.best_floor),
        ("ambiguous, AUROC of the margin", ambiguity.auroc_of_margin),
        ("  F1 with the best margin", ambiguity.f1_at_best_margin),
        ("  a right one first", ambiguity.top1_is_one_of_them),
        ("  two right ones first", ambiguity.both_in_top2),
        ("written to be stolen, stolen", adversarial.hijack_rate),
        ("  right agent first", adversarial.top1_right),
        ("  nothing fits, said so", adversarial.none_kept_none),
        ("Brier score", figures.calibration.brier),
    ]
}

fn block(block: &Block) -> String {
    format!(
        "{:>6}  {:>5}  {:>5}",
        block.n,
        shown(block.top1),
        shown(block.top3)
    )
}

fn shown(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.3}"))
}

/// Lists the requests that were answered wrongly.
#[must_use]
pub fn errors(set: &LabelledSet, answers: &Predictions) -> String {
    let mut text = String::new();
    for request in &set.requests {
        let Some(answer) = answers.get(&request.id) else {
            continue;
        };
        if answer.is_right(request) {
            continue;
        }
        let got = answer.ranked.iter().take(3);
        let got: Vec<String> = got
            .map(|ranked| format!("{} {:.2}", ranked.agent, ranked.fit))
            .collect();
        let _infallible = writeln!(
            text,
            "{} {} {} | want {:?} {} | got {:?} {} | {}",
            request.id,
            request.language,
            request.kind.as_str(),
            request.verdict,
            request.expected_agents.join(","),
            answer.verdict,
            got.join(", "),
            request.text
        );
    }
    text
}
