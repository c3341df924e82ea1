//! Files of descriptions that the semantic firewall compares calls with: one a line.

use super::reader::Reader;
use super::table::{Item, Table};
use crate::firewall::exemplars::parse;
use crate::policy::effective::sha256;
use crate::policy::semantic::{DescriptionFile, Descriptions};

/// Longest file of descriptions, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Most descriptions of a kind: every call is compared with every one.
const MOST: usize = 4096;
/// Longest description, in characters: a sentence says more to an embedder than a page.
const LONGEST: usize = 1000;

/// What is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Harm.
    Harm,
    /// Ordinary work.
    Benign,
}

impl Kind {
    /// The key of a file that replaces the built-in descriptions, and of one that adds to them.
    fn keys(self) -> (&'static str, &'static str) {
        match self {
            Kind::Harm => ("exemplars", "extend_exemplars"),
            Kind::Benign => ("benign", "extend_benign"),
        }
    }
}

/// Reads the descriptions of a kind, and where they come from; absent where a file is wrong.
pub fn descriptions<'t>(
    r: &mut Reader<'t>,
    t: &mut Table<'t>,
    kind: Kind,
    built_in: Vec<String>,
) -> Option<(Descriptions, Vec<String>)> {
    let (replacing, adding) = kind.keys();
    let (replace, add) = (t.get(replacing), t.get(adding));
    let mut from = Descriptions::default();
    let mut lines = Vec::new();
    match replace {
        Some(item) => lines = file(r, item, replacing, &mut from)?,
        None => {
            from.built_in = Some(sha256(built_in.join("\n").as_bytes()));
            lines.extend(built_in);
        }
    }
    if let Some(item) = add {
        let at = item.span().start;
        lines.extend(file(r, item, adding, &mut from)?);
        if lines.len() > MOST {
            let message = format!("there are more than {MOST} descriptions of a kind");
            r.error(at, message, None);
            return None;
        }
    }
    from.count = lines.len();
    Some((from, lines))
}

fn file<'t>(
    r: &mut Reader<'t>,
    item: Item<'t>,
    key: &'static str,
    from: &mut Descriptions,
) -> Option<Vec<String>> {
    let at = item.span().start;
    let file = r.text(Some(item))?;
    match load(r, file) {
        Ok((lines, sha256)) => {
            let file = file.to_owned();
            from.files.push(DescriptionFile { key, file, sha256 });
            Some(lines)
        }
        Err(why) => {
            let message = format!("the descriptions `{file}` cannot be used: {why}");
            r.error(at, message, None);
            None
        }
    }
}

/// The descriptions of a file and its SHA-256.
fn load(r: &mut Reader<'_>, file: &str) -> Result<(Vec<String>, String), String> {
    let bytes = r.file(file)?;
    if bytes.len() > MAX_BYTES {
        return Err(format!("it is longer than {MAX_BYTES} bytes"));
    }
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        format!("line {line} is not UTF-8")
    })?;
    let long = |line: &&str| line.trim().chars().nth(LONGEST).is_some();
    if let Some(at) = text.lines().position(|line| long(&line)) {
        let line = at + 1;
        return Err(format!("line {line} is longer than {LONGEST} characters"));
    }
    let lines = parse(text);
    if lines.is_empty() {
        return Err("it has no description; write one a line".into());
    }
    if lines.len() > MOST {
        return Err(format!("it has more than {MOST} descriptions"));
    }
    Ok((lines, sha256(&bytes)))
}
