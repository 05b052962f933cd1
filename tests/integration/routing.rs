//! Who gets a message: requirements, hints, limits, ties, and what is said when nobody fits.

mod explain;
mod hints;
mod limits;
mod meaning;
mod no_fit;
mod requirements;
mod ties;
