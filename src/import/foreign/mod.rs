//! What the importers of foreign recordings share.
//!
//! A foreign format says the same few things as the canonical one in its own way: arguments as text
//! within text, results as lists of blocks, call ids that come back. Each of these is read here
//! once, so that it means the same in every format.

pub mod args;
pub mod content;
pub mod ids;
pub mod out;
pub mod record;
pub mod text;

pub use args::arguments;
pub use content::Content;
pub use ids::{CallIds, Pairing};
pub use out::{Out, quote};
pub use record::{check_bytes, open};
pub use text::{Unusable, check_value, identifier, once};
