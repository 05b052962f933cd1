//! Golden tables.
