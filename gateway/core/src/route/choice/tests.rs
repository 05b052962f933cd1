//! Tests of the choice.
