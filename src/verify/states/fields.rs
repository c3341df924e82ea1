//! The fields of one object, each known by its spellings.

use super::document::{Document, Fault, Member, Node};
use crate::trace::fault::FaultCode;

/// A field: its name and what else it may be called.
pub type Spellings = &'static [&'static str];

/// What becomes of a key that no field is spelled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It is an error.
    Refuse,
    /// It is an error if it is close to a known one, and of no meaning otherwise.
    RefuseSimilar,
}

/// The known fields of an object.
#[derive(Debug)]
pub struct Fields<'t> {
    found: Vec<(&'static str, Node<'t>)>,
    /// Each field that stands there, and how it is spelled.
    spelled: Vec<(&'static str, &'static str)>,
    /// Offset of the object.
    pub at: usize,
}

impl<'t> Fields<'t> {
    /// Reads the members of an object.
    ///
    /// # Errors
    /// The value is no object, a field is given twice, or a key is unknown.
    pub fn read(
        document: &Document<'t>,
        node: Node<'t>,
        what: &str,
        known: &[Spellings],
        unknown: Unknown,
    ) -> Result<Self, Fault> {
        let mut seen: Vec<(&'static str, &'static str)> = Vec::new();
        let mut found = Vec::new();
        for member in document.members(node, what)? {
            let key = member.key.text.as_ref();
            let Some((field, spelling)) = lookup(known, key) else {
                refuse(document, &member, what, known, unknown)?;
                continue;
            };
            if let Some((_, before)) = seen.iter().find(|(f, _)| *f == field) {
                let message = if *before == spelling {
                    format!("`{key}` is given twice")
                } else {
                    format!("`{key}` and `{before}` are the same field")
                };
                return Err(document.fault(member.at, FaultCode::DuplicateKey, message));
            }
            seen.push((field, spelling));
            if !member.value.is_null() {
                found.push((field, member.value));
            }
        }
        Ok(Fields {
            found,
            spelled: seen,
            at: node.at,
        })
    }

    /// The value of a field; absent where it is not given or null.
    pub fn get(&self, field: &str) -> Option<Node<'t>> {
        self.found
            .iter()
            .find(|(f, _)| *f == field)
            .map(|(_, value)| *value)
    }

    /// How a field is spelled here; by its name where it is not given.
    pub fn spelling(&self, field: &'static str) -> &'static str {
        let spelled = self.spelled.iter().find(|(f, _)| *f == field);
        spelled.map_or(field, |(_, spelling)| *spelling)
    }

    /// The value of a field that has to be there.
    ///
    /// # Errors
    /// It is not given or null.
    pub fn require(
        &self,
        document: &Document<'t>,
        field: &str,
        what: &str,
    ) -> Result<Node<'t>, Fault> {
        self.get(field).ok_or_else(|| {
            let message = format!("{what} has no `{field}`");
            document.fault(self.at, FaultCode::MissingField, message)
        })
    }
}

fn lookup(known: &[Spellings], key: &str) -> Option<(&'static str, &'static str)> {
    known.iter().find_map(|spellings| {
        let spelling = spellings.iter().find(|s| **s == key)?;
        Some((*spellings.first()?, *spelling))
    })
}

fn refuse(
    document: &Document<'_>,
    member: &Member<'_>,
    what: &str,
    known: &[Spellings],
    unknown: Unknown,
) -> Result<(), Fault> {
    let key = member.key.text.as_ref();
    let nearest = nearest(key, known.iter().copied().flatten().copied());
    if unknown == Unknown::RefuseSimilar && nearest.is_none() {
        return Ok(());
    }
    let help = nearest.map(|name| format!("did you mean `{name}`?"));
    Err(document.bad(member.at, format!("unknown key `{key}` in {what}"), help))
}

/// The name a misspelled word was meant to be, if one is close: one edit away for words of up to five
/// letters, two for longer ones, whatever their case.
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // A long text is no misspelling, and comparing it would take long.
    if word.len() > 64 {
        return None;
    }
    let word = word.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&word, &name.to_lowercase());
    names
        .into_iter()
        .map(|name| (distance(name), name))
        .filter(|(distance, name)| *distance <= if name.len() <= 5 { 1 } else { 2 })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let names = ["tool", "step_count", "ts", "name"];
        for (word, name) in [
            ("Tool", Some("tool")),
            ("tol", Some("tool")),
            ("stepcount", Some("step_count")),
            ("step_cuont", Some("step_count")),
            ("note", None),
            ("colour", None),
        ] {
            assert_eq!(nearest(word, names), name, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(1_000_000), names), None);
    }
}
