#![doc = include_str!("../README.md")]

mod compare;
mod coverage;
mod lessons;
mod run;
mod strategy;
mod world;

pub use compare::{Comparison, Row, compare, table};
pub use coverage::{Coverage, Fared, coverage, coverage_table};
pub use run::{Run, Total, run};
pub use strategy::Strategy;
pub use world::{Scale, World};
