//! The trace: its nouns, what can be wrong with it, and the strict readers under every importer.

pub mod archive;
pub mod chunks;
pub mod event;
pub mod fault;
pub mod input;
pub mod json;
pub mod lines;
pub mod magic;
pub mod money;
pub mod numbers;
mod unpack;
