//! Reports of `gate check`.

pub mod reach;
