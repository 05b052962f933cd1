#![doc = include_str!("../README.md")]

mod capabilities;
mod card;
mod check;
mod interface;
mod members;
pub mod publish;
mod skill;
mod version;

pub use capabilities::{Capabilities, Extension};
pub use card::{Card, CardError, Shape};
pub use check::{Finding, Severity, check, check_registered};
pub use interface::{Interface, InterfaceBinding};
pub use skill::Skill;
pub use version::{ProtocolVersion, UnreadableVersion};
