//! The ways of choosing that are compared.

use gateway_core::{Exploration, Profile, Weights, profile::Method};

/// A way of choosing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Strategy {
    /// By the configured values, whatever becomes of messages.
    Fixed,
    /// By what was learned; the best score always wins.
    Learned,
    /// The same, but for a share of the messages that go to any of the best.
    Epsilon,
    /// The same with half of the messages, for records that say much about other choices.
    Explored,
    /// The same as learned, with qualities drawn from what is known of them.
    Thompson,
}

impl Strategy {
    /// Those that are compared, in the order of the table.
    pub const ALL: [Self; 4] = [Self::Fixed, Self::Learned, Self::Epsilon, Self::Thompson];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed priors",
            Self::Learned => "learned",
            Self::Epsilon => "learned, epsilon",
            Self::Explored => "learned, epsilon, for records",
            Self::Thompson => "learned, Thompson",
        }
    }

    /// Tells whether what becomes of messages is learned from.
    pub(crate) fn learns(self) -> bool {
        self != Self::Fixed
    }

    /// Returns the profile that messages are decided by: one that cares for quality.
    pub(crate) fn profile(self) -> Profile {
        let (method, share) = match self {
            Self::Fixed | Self::Learned => (Method::Off, 0.05),
            Self::Epsilon => (Method::Epsilon, 0.1),
            Self::Explored => (Method::Epsilon, 0.5),
            Self::Thompson => (Method::Thompson, 0.02),
        };
        Profile {
            name: "simulated".to_owned(),
            weights: Weights {
                quality: 0.5,
                ..Weights::BALANCED
            },
            exploration: Exploration {
                method,
                share,
                ..Exploration::default()
            },
            ..Profile::balanced()
        }
    }
}
