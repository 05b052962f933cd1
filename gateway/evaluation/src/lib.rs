#![doc = include_str!("../README.md")]

mod action;
mod chance;
mod condition;
mod course;
mod estimate;
mod fold;
mod interval;
mod propensity;
mod quantile;
mod rechoice;
mod replay;
mod report;
mod result;
mod seen;
mod setting;
mod tune;

#[cfg(test)]
mod testing;

pub use condition::{Condition, InvalidCondition, Verdict};
pub use estimate::Estimate;
pub use interval::{Interval, Rate, rate};
pub use rechoice::{Doubt, Entrant, Rechoice, Undecidable, Unreplayed, rechoose};
pub use replay::Replay;
pub use report::{
    Accepted, BeforeAfter, Change, Costs, Example, OffPolicy, Range, Report, Unjudged,
};
pub use result::{Judged, judge};
pub use setting::{Participant, Setting};
pub use tune::{Objective, Proposal, Support, Tuner};
