//! Tests over real sockets, with agents that do exactly what a test says, down to single bytes.

mod caching;
mod calls;
mod cards;
mod embeddings;
mod errors;
mod grpc;
mod jsonrpc;
mod mock;
mod rest;
mod streams;
mod tls;

pub(crate) use self::mock::agent;
