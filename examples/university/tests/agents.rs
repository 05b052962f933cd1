//! The agents over real sockets: what each does, and that each keeps to the protocol.

#[cfg(test)]
#[path = "agents/behaviour.rs"]
mod behaviour;
#[cfg(test)]
#[path = "agents/client.rs"]
mod client;
#[cfg(test)]
#[path = "agents/protocol.rs"]
mod protocol;
