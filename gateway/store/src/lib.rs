#![doc = include_str!("../README.md")]

mod push;
mod retention;
mod row;
mod sqlite;

pub use retention::Retention;
pub use sqlite::SqliteStore;
