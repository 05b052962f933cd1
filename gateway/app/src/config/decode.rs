//! Tree to file form: as much of the file as possible, and a report for each part that does not fit.
//!
//! Serde stops at the first error. [`decode`] takes the part that failed out of the tree and tries again, so that one
//! run reports everything.

mod deserializer;
mod fault;

use serde::de::DeserializeOwned;

use self::{deserializer::NodeDeserializer, fault::Fault};
use super::{
    report::{ENOUGH, Report},
    tree::Node,
};

/// Decodes the tree, and takes out of it what does not fit.
///
/// Returns nothing when the file as a whole does not fit.
pub(super) fn decode<T: DeserializeOwned>(root: &mut Node, reports: &mut Vec<Report>) -> Option<T> {
    while reports.len() < ENOUGH {
        let fault: Fault = match T::deserialize(NodeDeserializer::root(root)) {
            Ok(form) => return Some(form),
            Err(fault) => fault,
        };
        let culprit = fault.node();
        reports.extend(fault.into_report());
        if !culprit.is_some_and(|id| root.remove(id)) {
            return None;
        }
    }
    None
}
