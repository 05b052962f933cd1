//! Proposed weights, for people and as a part of a configuration.

use gateway_core::route::SignalName;
use gateway_evaluation::{Objective, Proposal, Support};

use super::{
    new_table,
    replay::{estimate, points, unreadable},
};
use crate::commands::decision_source::Reading;

/// Renders what was found.
pub(crate) fn whole(source: &Reading, proposal: &Proposal) -> String {
    let mut lines = vec![format!(
        "{} decisions read; in {} of them chance took part and the result is known, {} were used",
        proposal.read, proposal.usable, proposal.used
    )];
    lines.extend(unreadable(source));
    if proposal.improper > 0 {
        lines.push(format!(
            "{} more hold propensities that cannot be right, and were left out",
            proposal.improper
        ));
    }
    if proposal.proposed != proposal.current {
        lines.push(weights(proposal));
        lines.push(format!(
            "choices that would change  {} of {}",
            proposal.changed, proposal.used
        ));
    }
    lines.extend(proposal.value.map(|value| match proposal.objective {
        Objective::Accepted => format!("accepted with the current weights  {:.1} %", 100.0 * value),
        Objective::AcceptedPerCost => {
            format!("accepted per unit of cost with the current weights  {value:.3}")
        }
    }));
    lines.extend(proposal.gain.as_ref().map(|gain| {
        let shown = match proposal.objective {
            Objective::Accepted => estimate(gain, points),
            Objective::AcceptedPerCost => {
                let shown = estimate(gain, |gain| format!("{gain:+.3}"));
                format!("{shown}, to first order")
            }
        };
        format!("gain on decisions the search had not seen  {shown}")
    }));
    lines.push(verdict(proposal.support).to_owned());
    lines.join("\n")
}

fn verdict(support: Support) -> &'static str {
    match support {
        Support::Supported => "the decisions support the proposal; nothing has been applied",
        Support::NothingBetter => {
            "the decisions do not support a change: no weights were found that do better"
        }
        Support::NotCertain => {
            "the decisions do not support a change: the gain may be chance, its interval holds 0"
        }
        Support::TooFew => {
            "the decisions do not support a change: too few have a known result and exploration; 200 are needed, and 30 that change when weighed by their probabilities"
        }
        Support::NoExploration => {
            "the decisions do not support a change: exploration did not run, so nothing is known of other choices"
        }
    }
}

fn weights(proposal: &Proposal) -> String {
    let mut table = new_table(["weight", "current", "proposed", "change"]);
    let (current, proposed) = (proposal.current.parts(), proposal.proposed.parts());
    for ((signal, current), proposed) in SignalName::ALL.iter().zip(current).zip(proposed) {
        table.add_row([
            signal.as_str().to_owned(),
            format!("{current:.3}"),
            format!("{proposed:.3}"),
            format!("{:+.3}", proposed - current + 0.0),
        ]);
    }
    table.to_string()
}

/// Renders the proposal as a part of a configuration.
pub(crate) fn snippet(proposal: &Proposal) -> String {
    let proposed = SignalName::ALL.iter().zip(proposal.proposed.parts());
    let weights: Vec<_> = proposed
        .map(|(signal, weight)| format!("{}: {weight}", signal.as_str()))
        .collect();
    let support = if proposal.support.is_given() {
        ""
    } else {
        "# The decisions do not support it; it was asked for all the same.\n"
    };
    format!(
        "# Proposed by `a2a-gateway tune` from {} decisions. Try it with `a2a-gateway replay` before it is used.\n{support}\
         routing:\n  profiles:\n    {}:\n      weights: {{ {} }}\n",
        proposal.used,
        proposal.profile,
        weights.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use gateway_core::Weights;

    use super::*;

    fn proposal(support: Support) -> Proposal {
        let current = Weights::BALANCED;
        Proposal {
            profile: "balanced".to_owned(),
            objective: Objective::Accepted,
            current,
            proposed: Weights {
                fit: 0.21,
                quality: 0.34,
                ..current
            },
            read: 900,
            used: 700,
            usable: 700,
            improper: 0,
            changed: 31,
            value: Some(0.71),
            gain: None,
            support,
        }
    }

    #[test]
    fn proposal_for_people() {
        insta::assert_snapshot!(whole(&Reading::default(), &proposal(Support::Supported)));
    }

    #[test]
    fn proposal_as_a_part_of_a_configuration() {
        let text = snippet(&proposal(Support::NotCertain));
        insta::assert_snapshot!(text);
        let file = format!("version: 1\nagents: [{{ id: a, url: \"http://a.test\" }}]\n{text}");
        let folder = std::path::Path::new("");
        let config = crate::config::parse("x.yaml", folder, &file, &|_| None).unwrap();
        assert!((config.profiles["balanced"].weights.quality - 0.34).abs() < 1e-12);
    }
}
