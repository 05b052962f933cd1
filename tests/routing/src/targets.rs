//! What an engine must reach.

use crate::{engine::EngineName, figures::Figures};

/// One figure with the bound it must keep.
#[derive(Debug)]
pub struct Target {
    /// What is measured.
    pub name: &'static str,
    /// The figure; absent where the set has no such request.
    pub figure: Option<f64>,
    /// The bound.
    pub bound: Bound,
}

/// Which side of a value a figure must be on.
#[derive(Debug, Clone, Copy)]
pub enum Bound {
    /// The value or more.
    AtLeast(f64),
    /// The value or less.
    AtMost(f64),
}

impl Target {
    /// Says whether the figure keeps its bound.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.figure.is_some_and(|figure| match self.bound {
            Bound::AtLeast(least) => figure >= least,
            Bound::AtMost(most) => figure <= most,
        })
    }
}

/// Returns the targets of an engine with what it reached.
#[must_use]
pub fn targets(engine: EngineName, figures: &Figures) -> Vec<Target> {
    let [top1, top3, auroc, hijack] = match engine {
        EngineName::Lexical => [0.60, 0.70, 0.80, 0.10],
        EngineName::Hybrid => [0.78, 0.88, 0.86, 0.05],
    };
    let target = |name, figure, bound| Target {
        name,
        figure,
        bound,
    };
    vec![
        target(
            "right agent first",
            figures.routable.top1,
            Bound::AtLeast(top1),
        ),
        target(
            "right agent in first three",
            figures.routable.top3,
            Bound::AtLeast(top3),
        ),
        target(
            "right skill of a right agent",
            figures.skill_top1_given_right_agent.accuracy,
            Bound::AtLeast(0.90),
        ),
        target(
            "\"nothing fits\", AUROC",
            figures.none_detection.auroc,
            Bound::AtLeast(auroc),
        ),
        target(
            "ambiguous, F1",
            Some(figures.ambiguity.f1_of_verdict),
            Bound::AtLeast(0.25),
        ),
        target(
            "hijacked by bad cards",
            figures.adversarial.routable_hijack_rate,
            Bound::AtMost(hijack),
        ),
        target(
            "calibration error",
            Some(figures.calibration.ece),
            Bound::AtMost(0.05),
        ),
    ]
}
