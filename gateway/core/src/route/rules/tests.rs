//! Conditions, what is refused of them, and which rule decides.

mod compiling;
mod deciding;
mod hostile;
