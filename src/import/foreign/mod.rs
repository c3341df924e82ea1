//! What the importers of foreign recordings share.
//!
//! A foreign format says the same few things as the canonical one in its own way: arguments as text
//! within text, results as lists of blocks, call ids that come back. Each of these is read here
//! once, so that it means the same in every format.

pub mod args;
pub mod blocks;
pub mod call;
pub mod content;
pub mod held;
pub mod ids;
pub mod items;
pub mod meta;
pub mod out;
pub mod parts;
pub mod prelude;
pub mod python;
pub mod record;
pub mod run;
pub mod spans;
pub mod stranger;
pub mod text;
pub mod time;
pub mod told;
pub mod unnamed;

pub use args::arguments;
pub use content::Content;
pub use held::Answer;
pub use meta::meta;
pub use out::{Out, quote};
pub use prelude::Prelude;
pub use record::{check_bytes, kind, open, open_value};
pub use run::{Run, Runs};
pub use text::{Unusable, check_value, identifier, once, tool_name};
pub use time::{Unit, timestamp};
pub use told::Told;
