//! Neural barriers: model files, what they take, and what policies make of them.

#[path = "../../src/testing.rs"]
mod testing;

mod build;
mod features;
mod parameters;
mod policies;
mod safetensors;
mod shown;
mod table;
mod torch;
