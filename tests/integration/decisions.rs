//! Decisions as the operator sees them: found by filters, completed by what was seen of their tasks.

mod explanation;
mod feedback;
mod filters;
mod learning;
mod losses;
mod outcomes;
