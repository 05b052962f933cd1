//! Cards: where they are found, what is read from them, and what clients are served in their place.

mod concealed;
mod fetched;
mod found;
mod pins;
mod restarted;
mod served;
mod states;
mod trouble;
mod trust;
mod unusual;
