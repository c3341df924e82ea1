//! Names of files that are written into a directory: they come from elsewhere in the command.

use super::Found;
use crate::facets::options::is_in;

/// Adds the files that sources become in `last`, if that is a directory. Whether it is one is only
/// known where a slash ends it; otherwise both are listed, but for a file of the same kind.
pub(super) fn into<'w>(last: &'w str, sources: &[&'w str], found: &mut Found<'w>) {
    for source in sources {
        let path = source.rsplit(':').next().unwrap_or(source);
        let name = base(path);
        let kind = |name: &str| name.rsplit_once('.').map(|(_, kind)| kind.to_owned());
        let same = kind(base(last)).is_some_and(|k| k != "d" && Some(k) == kind(name));
        if !matches!(name, "." | ".." | "~") && !name.is_empty() && (last.ends_with('/') || !same) {
            found.made.push(join(last, name));
        }
    }
}

/// Adds the files that downloads become which keep the names of their addresses.
pub(super) fn fetched<'w>(
    words: &'w [String],
    addresses: &[&'w str],
    target: Option<&'w str>,
    found: &mut Found<'w>,
) {
    let program = words.first().map_or("", |word| base(word));
    let letter = words.iter().any(|word| {
        let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        short.is_some_and(|letters| letters.contains('O'))
    });
    let long = |names: &str| {
        let name = |word: &String| is_in(names, word.split('=').next().unwrap_or(word));
        words.iter().any(name)
    };
    let keeps = match program {
        "wget" | "wget2" => !letter && !long("--output-document"),
        "curl" => letter || long("--remote-name --remote-name-all"),
        _ => false,
    };
    found.writes.extend(target);
    for address in addresses.iter().filter(|_| keeps) {
        let path = address.split(['?', '#']).next().unwrap_or(address);
        let path = path.split_once("://").map_or(path, |(_, rest)| rest);
        if let Some((_, name)) = path.rsplit_once('/')
            && !name.is_empty()
        {
            found.made.push(join(target.unwrap_or("."), name));
        }
    }
}

fn base(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

fn join(dir: &str, name: &str) -> String {
    format!("{}/{name}", dir.strip_suffix('/').unwrap_or(dir))
}
