//! The kinds of single values in the file: each parses, refuses and describes itself.
//!
//! An error text has a second line when there is help to give. No error text contains the value.

mod network;
mod number;
mod target;
mod text;
mod time;

pub(super) use self::{
    network::ProxyNetwork,
    number::{Amount, ByteSize, Count, PositiveAmount, Share},
    target::WebhookTarget,
    text::{
        AgentName, Currency, HeaderName, HttpUrl, JsonPointer, ListenAddress, LogFilter,
        ProfileName, RuleName, RuleText, Secret,
    },
    time::{Period, PeriodOrZero},
};
