//! An audit: what all decisions of all inputs come to.

pub mod summary;
