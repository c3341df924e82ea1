//! Neural barriers: model files, what they take, and what policies make of them.

mod build;
mod features;
mod parameters;
mod policies;
mod safetensors;
mod shown;
mod table;
mod torch;
