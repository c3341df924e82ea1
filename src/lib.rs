//! gate replays recorded tool calls of AI agents through a reference monitor and reports what each
//! call would have got, why, and the value of every barrier.
//!
//! Data flows one way: bytes, importer, event, engine, decision, report, bytes.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_macros)]

pub mod audit;
pub mod barriers;
pub mod bytes;
pub mod calibrate;
pub mod check;
pub mod cli;
pub mod convert;
pub mod diag;
pub mod embed;
pub mod engine;
pub mod escape;
pub mod exit;
pub mod explain;
pub mod facets;
pub mod features;
pub mod firewall;
pub mod import;
pub mod inspect;
pub mod neural;
pub mod number;
pub mod policy;
pub mod report;
pub mod rules;
pub mod series;
pub mod stages;
pub mod state;
#[cfg(test)]
mod testing;
pub mod tokens;
pub mod trace;
pub mod verify;
