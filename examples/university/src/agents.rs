//! The five agents: what each is called, what its card says and what it does with a message.

mod helper;
mod letters;
mod payments;
mod regulations;
mod scholarships;

use crate::card::Profile;
use crate::turn::{Outcome, Turn};

/// One of the university's agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Agent {
    /// Looks up the university's regulations and streams the article that answers.
    Regulations,
    /// Works out tuition fees, issues invoices and takes payments; does not stream.
    Payments,
    /// Reviews scholarship cases: long tasks, and a question back when the income is missing.
    Scholarships,
    /// Drafts formal letters; speaks A2A 0.3 only.
    Letters,
    /// Answers general questions about the campus, and small talk.
    Helper,
}

impl Agent {
    /// Lists every agent, in the order of their default ports.
    pub const ALL: [Self; 5] = [
        Self::Regulations,
        Self::Payments,
        Self::Scholarships,
        Self::Letters,
        Self::Helper,
    ];

    /// Returns the short name that configuration and the command line use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Regulations => "regulations",
            Self::Payments => "payments",
            Self::Scholarships => "scholarships",
            Self::Letters => "letters",
            Self::Helper => "helper",
        }
    }

    /// Returns what the agent's card says about it.
    pub(crate) const fn profile(self) -> &'static Profile {
        match self {
            Self::Regulations => &regulations::PROFILE,
            Self::Payments => &payments::PROFILE,
            Self::Scholarships => &scholarships::PROFILE,
            Self::Letters => &letters::PROFILE,
            Self::Helper => &helper::PROFILE,
        }
    }

    /// Returns an answer that is worth no task: such a message is answered with a message.
    pub(crate) fn small_talk(self, text: &str) -> Option<&'static str> {
        match self {
            Self::Helper => helper::small_talk(text),
            Self::Regulations | Self::Payments | Self::Scholarships | Self::Letters => None,
        }
    }

    /// Works on one message of a task until the task ends or needs another message.
    pub(crate) async fn run(self, turn: &Turn) -> Outcome {
        match self {
            Self::Regulations => regulations::run(turn).await,
            Self::Payments => payments::run(turn),
            Self::Scholarships => scholarships::run(turn).await,
            Self::Letters => letters::run(turn).await,
            Self::Helper => helper::run(turn).await,
        }
    }
}
