#![doc = include_str!("../README.md")]

mod canonical;
mod capabilities;
mod card;
mod check;
mod convert;
mod diff;
mod interface;
mod known;
mod members;
pub mod publish;
mod security;
mod signature;
mod skill;
mod version;

pub use canonical::{CanonicalForm, NotCanonical, canonicalize};
pub use capabilities::{Capabilities, Extension};
pub use card::{Card, CardError, Shape};
pub use check::{Finding, Severity, check, check_registered};
pub use convert::{ConvertError, Converted, Loss, convert};
pub use diff::{Change, ChangeKind, diff};
pub use interface::{Interface, InterfaceBinding};
pub use security::{ApiKeyLocation, Security, SecurityRequirement, SecurityScheme};
pub use signature::{
    KeyError, Outcome, SignError, SignatureAlgorithm, SignatureReport, SignatureState, SigningKey,
    TrustedKeys, UnacceptedAlgorithm, Verification, sign, signatures_kept, verify,
};
pub use skill::Skill;
pub use version::{ProtocolVersion, UnreadableVersion};
