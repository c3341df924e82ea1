//! Tables of a policy file that remember which of their keys were asked for, so that every other key
//! is known to be a mistake.

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use std::ops::Range;

/// A value and the key it stands under.
#[derive(Clone)]
pub struct Item<'t> {
    /// Its keys from the root, as messages call it.
    pub path: String,
    /// The last of its keys.
    pub key: &'t str,
    /// Offset of the key, or of the value where it is an element of a list.
    pub at: usize,
    /// The value.
    pub value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Item<'t> {
    /// Where the value stands.
    pub fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Whether the value is a list of nothing.
    pub fn is_empty(&self) -> bool {
        let list = self.value.get_ref().as_array();
        list.is_some_and(|list| list.is_empty())
    }

    /// The elements, where the value is a list.
    pub fn elements(&self) -> Option<Vec<Item<'t>>> {
        let list = self.value.get_ref().as_array()?;
        let element = |(i, value): (usize, &'t Spanned<DeValue<'t>>)| Item {
            path: format!("{}[{i}]", self.path),
            key: self.key,
            at: value.span().start,
            value,
        };
        Some(list.iter().enumerate().map(element).collect())
    }
}

/// A table, or the absence of one, which has no keys.
pub struct Table<'t> {
    /// Its keys from the root; empty for the root.
    pub path: String,
    /// Offset of its key.
    pub at: usize,
    /// Said of unknown keys that resemble no known one, instead of the list of keys.
    pub note: Option<&'static str>,
    map: Option<&'t DeTable<'t>>,
    known: Vec<&'static str>,
    open: bool,
}

impl<'t> Table<'t> {
    /// A table at its path.
    pub fn new(path: &str, at: usize, map: Option<&'t DeTable<'t>>) -> Table<'t> {
        Table {
            path: path.to_owned(),
            at,
            note: None,
            map,
            known: Vec::new(),
            open: false,
        }
    }

    /// The value under a key, which from now on counts as known.
    pub fn get(&mut self, key: &'static str) -> Option<Item<'t>> {
        self.known.push(key);
        let (name, value) = self.map?.get_key_value(key)?;
        Some(self.item(name, value))
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.map.is_some_and(|map| map.contains_key(key))
    }

    /// Whether any of the tables in it has a `model`.
    pub fn has_model(&self) -> bool {
        let mut tables = self.map.into_iter().flatten();
        tables.any(|(_, value)| {
            let table = value.get_ref().as_table();
            table.is_some_and(|table| table.contains_key("model"))
        })
    }

    /// Every value whose key was not asked for, in file order. The keys are the user's: none of them
    /// is unknown.
    pub fn rest(&mut self) -> Vec<Item<'t>> {
        self.open = true;
        self.unasked()
    }

    /// What is left and should not be there, with the keys that could be.
    pub fn unknown(&self) -> (Vec<Item<'t>>, &[&'static str]) {
        let left = if self.open {
            Vec::new()
        } else {
            self.unasked()
        };
        (left, &self.known)
    }

    fn unasked(&self) -> Vec<Item<'t>> {
        let entries = self.map.into_iter().flatten();
        let mut items: Vec<Item<'t>> = entries
            .filter(|(key, _)| !self.known.contains(&key.get_ref().as_ref()))
            .map(|(key, value)| self.item(key, value))
            .collect();
        items.sort_by_key(|item| item.at);
        items
    }

    fn item(
        &self,
        key: &'t Spanned<std::borrow::Cow<'t, str>>,
        value: &'t Spanned<DeValue<'t>>,
    ) -> Item<'t> {
        let name: &'t str = key.get_ref();
        let path = match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        Item {
            path,
            key: name,
            at: key.span().start,
            value,
        }
    }
}
