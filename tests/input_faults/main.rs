//! What each kind of damage to an input comes to: which records are still read, and what is told
//! about the rest, where.

#[path = "../../src/testing.rs"]
mod testing;

mod archives;
mod bytes;
mod differential;
mod fields;
mod json;
mod numbers;
mod packed;
mod scanned;
mod support;
