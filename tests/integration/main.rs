//! A gateway in this process, on real sockets, between scripted agents and real clients.
//!
//! A test builds a [`world::World`] around [`mock::Mock`] agents, speaks to it as a client does, and looks at what
//! the agents got and what the admin API says. Order is proven by signals between test and agent, never by time.
//! Names begin with the number of the trouble of real users that the test guards against, where there is one.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers as well"
)]

mod dialect;
mod mock;
mod world;

mod calls;
mod cards;
mod decisions;
mod push;
mod routing;
mod streams;
mod tasks;
mod workspace;
