//! Plain words for well-known shapes of commands, tools and arguments.

use super::text::Action;

/// A shape and the words it adds.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub id: &'static str,
    /// The words it adds.
    pub words: &'static str,
    /// Whether an action has this shape.
    has: fn(&Action<'_>) -> bool,
}

/// Every shape.
pub const ENTRIES: &[Entry] = &[Entry {
    id: "deletes",
    words: "delete files",
    has: |action| !action.facets.deletes.is_empty(),
}];

/// The shapes that an action has, in the order of the table.
pub fn of(action: &Action<'_>, _intent: Option<&str>) -> Vec<&'static Entry> {
    let entries = ENTRIES.iter();
    entries.filter(|entry| (entry.has)(action)).collect()
}
