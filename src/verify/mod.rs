//! Checking barriers over transitions: statistics of what was found, soundness of the class-K
//! functions, and the states files that `gate verify-barriers` reads.

pub mod accumulate;
pub mod clusters;
pub mod limits;
pub mod range;
pub mod reach;
pub mod report;
pub mod robustness;
pub mod soundness;
pub mod start;
pub mod states;
pub mod stats;
#[cfg(test)]
mod testing;
pub mod transition;
