//! What routing promises on labelled requests and real cards.

mod targets;
