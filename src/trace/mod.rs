//! The trace: its nouns, what can be wrong with it, and the strict readers under every importer.

pub mod event;
pub mod fault;
pub mod json;
pub mod money;
