//! Where the settings of a policy stand in its file.

use super::PolicyPlace;
use ::toml::de::{DeTable, DeValue};
use std::cmp::Ordering;

/// The line of every key of a policy, tables within tables included; lists have one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Sorted by path.
    list: Vec<(Vec<Box<str>>, usize)>,
}

impl Lines {
    /// Those of a policy; `place` tells where a byte offset stands.
    pub(super) fn of(root: &DeTable<'_>, place: &dyn Fn(usize) -> PolicyPlace) -> Lines {
        let mut lines = Lines::default();
        lines.walk(&mut Vec::new(), root, place);
        lines.list.sort_unstable();
        lines
    }

    fn walk(
        &mut self,
        path: &mut Vec<Box<str>>,
        table: &DeTable<'_>,
        place: &dyn Fn(usize) -> PolicyPlace,
    ) {
        for (key, value) in table.iter() {
            path.push(key.get_ref().as_ref().into());
            let line = place(key.span().start).line;
            if line > 0 {
                self.list.push((path.clone(), line));
            }
            if let DeValue::Table(table) = value.get_ref() {
                self.walk(path, table, place);
            }
            path.pop();
        }
    }

    /// The line of the key at that path, from 1; 0 where the value is a default or a preset's.
    pub fn line<'k, P>(&self, path: P) -> usize
    where
        P: IntoIterator<Item = &'k str>,
        P::IntoIter: Clone,
    {
        let path = path.into_iter();
        let by_path = |(known, _): &(Vec<Box<str>>, usize)| order(known, path.clone());
        let found = self.list.binary_search_by(by_path);
        let entry = found.ok().and_then(|at| self.list.get(at));
        entry.map_or(0, |(_, line)| *line)
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

    /// A name with a dot in it is one name, and what a preset says stands on no line of the file.
    #[test]
    fn settings_are_found_where_they_stand() {
        let text = "extends = \"strict\"\n[gates]\nwindow = 3\nper_tool = { \"a.b\" = 5 }\n\
                    [privilege.agents.\"a.b\"]\ntools = [\"x\"]\n";
        let source = PolicySource::File("p.toml".into());
        let nothing = |_: &str| Err("no file".to_owned());
        let policy = parse(text, "p.toml", source, &nothing).expect("a policy");
        for (path, line) in [
            (&["gates", "window"][..], 3),
            (&["gates", "per_tool", "a.b"], 4),
            (&["gates", "per_tool", "a", "b"], 0),
            (&["privilege", "agents", "a.b"], 5),
            (&["privilege", "agents", "a.b", "tools"], 6),
            (&["dfa", "max_steps"], 0),
            (&["nothing"], 0),
            (&[], 0),
        ] {
            assert_eq!(policy.lines.line(path.iter().copied()), line, "{path:?}");
        }
    }
}
