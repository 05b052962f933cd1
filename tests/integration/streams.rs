//! Streams: when events leave, how they are framed, and how a stream can end.

mod closing;
mod cuts;
mod delivery;
mod framing;
mod interrupted;
mod leaving;
mod refusals;
mod silence;
mod subscribing;
