//! Task identity: who owns a task, and the ids clients see.

pub mod contexts;
pub mod seal;
