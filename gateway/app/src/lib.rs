#![doc = include_str!("../README.md")]

pub mod app;
pub mod command;
mod commands;
pub mod config;
mod files;
pub mod keys;
mod meanings;
mod model;
mod show;
mod telemetry;

pub use app::App;
pub use config::Config;
