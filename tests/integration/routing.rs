//! Who gets a message: requirements, hints, limits, ties, and what is said when nobody fits.

mod ambiguous;
mod explain;
mod explored;
mod hints;
mod limits;
mod meaning;
mod no_fit;
mod requirements;
mod rules;
mod shadows;
mod ties;
mod wishes;
