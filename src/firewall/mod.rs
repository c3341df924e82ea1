//! The semantic firewall: how close an action's text is to descriptions of harm, and how far from
//! what the user wanted.
//!
//! An action in plain form ([`plain`]) becomes text ([`text`]), copies of the intent in it are
//! blanked ([`blank`]), plain words for well-known shapes are added ([`gloss`]), and what comes out is
//! compared with harm and benign descriptions ([`exemplars`]) and with the intent, if that tells
//! anything ([`intent`]). Thresholds belong to an embedder ([`bands()`]).

pub mod bands;
pub mod blank;
pub mod exemplars;
pub mod gloss;
pub mod intent;
mod letters;
pub mod plain;
mod score;
pub mod text;

pub use bands::{Bands, Thresholds, bands};
pub use exemplars::Exemplars;
pub use score::{Firewall, Score};
pub use text::{Action, Prepared, Preparer, Ready};
