//! Single calls: what reaches the agent, what comes back, and what is refused on the way.

mod compressed;
mod envelopes;
mod errors;
mod headers;
mod limits;
mod malformed;
mod old_rest;
mod passthrough;
mod redirects;
mod versions;
