//! Where the settings of a policy stand in its file.

use super::PolicyPlace;
use ::toml::de::{DeArray, DeTable, DeValue};
use std::cmp::Ordering;

/// The place of every key of a policy, tables within tables included, and of every element of a list,
/// which goes by its number in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Sorted by path.
    list: Vec<(Vec<Box<str>>, PolicyPlace)>,
}

impl Lines {
    /// Those of a policy; `place` tells where a byte offset stands.
    pub(super) fn of(root: &DeTable<'_>, place: &dyn Fn(usize) -> PolicyPlace) -> Lines {
        let mut lines = Lines::default();
        lines.table(&mut Vec::new(), root, place);
        lines.list.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        lines
    }

    fn table(
        &mut self,
        path: &mut Vec<Box<str>>,
        table: &DeTable<'_>,
        place: &dyn Fn(usize) -> PolicyPlace,
    ) {
        for (key, value) in table.iter() {
            path.push(key.get_ref().as_ref().into());
            self.note(path, place(key.span().start));
            self.value(path, value.get_ref(), place);
            path.pop();
        }
    }

    fn array(
        &mut self,
        path: &mut Vec<Box<str>>,
        array: &DeArray<'_>,
        place: &dyn Fn(usize) -> PolicyPlace,
    ) {
        for (n, element) in array.iter().enumerate() {
            path.push(n.to_string().into());
            self.note(path, place(element.span().start));
            self.value(path, element.get_ref(), place);
            path.pop();
        }
    }

    fn value(
        &mut self,
        path: &mut Vec<Box<str>>,
        value: &DeValue<'_>,
        place: &dyn Fn(usize) -> PolicyPlace,
    ) {
        match value {
            DeValue::Table(table) => self.table(path, table, place),
            DeValue::Array(array) => self.array(path, array, place),
            _ => {}
        }
    }

    fn note(&mut self, path: &[Box<str>], place: PolicyPlace) {
        if place.line > 0 {
            self.list.push((path.to_vec(), place));
        }
    }

    /// The place of the key, or of the element, at that path; line 0 where the value is a default or
    /// a preset's.
    pub fn place<'k, P>(&self, path: P) -> PolicyPlace
    where
        P: IntoIterator<Item = &'k str>,
        P::IntoIter: Clone,
    {
        let path = path.into_iter();
        let by_path = |(known, _): &(Vec<Box<str>>, PolicyPlace)| order(known, path.clone());
        let found = self.list.binary_search_by(by_path);
        let entry = found.ok().and_then(|at| self.list.get(at));
        entry.map(|(_, place)| *place).unwrap_or_default()
    }

    /// The line of the key at that path, from 1; 0 where the value is a default or a preset's.
    pub fn line<'k, P>(&self, path: P) -> usize
    where
        P: IntoIterator<Item = &'k str>,
        P::IntoIter: Clone,
    {
        self.place(path).line
    }
}

fn order<'k>(known: &[Box<str>], mut path: impl Iterator<Item = &'k str>) -> Ordering {
    for part in known {
        let Some(key) = path.next() else {
            return Ordering::Greater;
        };
        let order = (**part).cmp(key);
        if order.is_ne() {
            return order;
        }
    }
    path.next().map_or(Ordering::Equal, |_| Ordering::Less)
}

#[cfg(test)]
mod tests {
    use crate::policy::{PolicySource, parse};

    /// A name with a dot in it is one name, and what a preset says stands on no line of the file; so
    /// does a table that the preset has too, but not what the file puts into it.
    #[test]
    fn settings_are_found_where_they_stand() {
        let text = "extends = \"strict\"\n[gates]\nwindow = 3\nper_tool = { \"a.b\" = 5 }\n\
                    [privilege.agents.\"a.b\"]\ntools = [\"x\", \"y\"]\n";
        let source = PolicySource::File("p.toml".into());
        let nothing = |_: &str| Err("no file".to_owned());
        let policy = parse(text, "p.toml", source, &nothing).expect("a policy");
        for (path, line, column) in [
            (&["gates"][..], 0, 0),
            (&["gates", "window"], 3, 1),
            (&["gates", "per_tool", "a.b"], 4, 14),
            (&["gates", "per_tool", "a", "b"], 0, 0),
            (&["privilege", "agents", "a.b"], 5, 19),
            (&["privilege", "agents", "a.b", "tools"], 6, 1),
            (&["privilege", "agents", "a.b", "tools", "1"], 6, 15),
            (&["privilege", "agents", "a.b", "tools", "2"], 0, 0),
            (&["dfa", "max_steps"], 0, 0),
            (&["nothing"], 0, 0),
            (&[], 0, 0),
        ] {
            let place = policy.lines.place(path.iter().copied());
            assert_eq!((place.line, place.column), (line, column), "{path:?}");
            assert_eq!(policy.lines.line(path.iter().copied()), line, "{path:?}");
        }
    }
}
