//! Decisions as the operator sees them: found by filters, completed by what was seen of their tasks.

mod filters;
mod losses;
mod outcomes;
