//! What tar, zip and unzip read, write and remove.

use super::Found;
use crate::facets::options::{Arg, NONE, Options, Value, split};
use crate::facets::paths;

const TAR: Options = Options {
    skip: "-b -g -H -I -K -L -N -V --exclude --strip-components --transform --owner --group --mode \
           --use-compress-program --format --mtime --newer --label --record-size",
    read: "-T -X --files-from --exclude-from",
    target: "-C --directory",
    pattern_file: "-f --file",
    ..NONE
};

/// Finds what a command of tar does. Without a dash, the values of its first letters stand behind
/// them, in their order.
pub(super) fn tar<'w>(words: &'w [String], found: &mut Found<'w>) {
    let mut mode = None;
    let mut archive = None;
    let mut operands: Vec<&str> = Vec::new();
    let mut removes = false;
    let mut words = words;
    let mut values = Vec::new();
    if let Some((letters, rest)) = words.get(1).zip(words.get(2..))
        && !letters.starts_with('-')
    {
        let mut rest = rest;
        for letter in letters.chars() {
            if let Some(value) = TAR.value_of(&format!("-{letter}")) {
                values.extend(rest.first().map(|text| Arg::Value(text, value)));
                rest = rest.get(1..).unwrap_or_default();
            } else {
                values.push(Arg::Short(letter));
            }
        }
        // The word in front of what is left stands for the program.
        words = words
            .get(words.len() - rest.len() - 1..)
            .unwrap_or_default();
    }
    for arg in values.into_iter().chain(split(words, &TAR, false)) {
        match arg {
            Arg::Short(letter @ ('c' | 'r' | 'u' | 'x' | 't' | 'd' | 'A')) => {
                mode = mode.or(Some(letter));
            }
            Arg::Long("--create" | "--append" | "--update") => mode = mode.or(Some('c')),
            Arg::Long("--extract" | "--get") => mode = mode.or(Some('x')),
            Arg::Long("--list" | "--diff" | "--compare") => mode = mode.or(Some('t')),
            Arg::Long("--remove-files") => removes = true,
            Arg::Value(text, Value::PatternFile) => archive = Some(text),
            Arg::Value(text, Value::Target) => found.dir = paths::join(&found.dir, text),
            Arg::Value(text, Value::Read) => found.reads.push(text),
            Arg::Operand(text, _) => operands.push(text),
            _ => {}
        }
    }
    // The archive does not lie in the directory that `-C` names.
    let archive = archive.filter(|text| *text != "-");
    match mode {
        Some('x') => {
            found.here.reads.extend(archive);
            found.writes.push(".");
        }
        Some('c' | 'r' | 'u' | 'A') => {
            found.reads.extend(&operands);
            found.here.writes.extend(archive);
            if removes {
                found.writes.extend(&operands);
                found.deletes.extend(&operands);
            }
        }
        _ => found.here.reads.extend(archive),
    }
}

/// Finds what a command of zip does.
pub(super) fn zip<'w>(words: &'w [String], found: &mut Found<'w>) {
    let options = Options {
        skip: "-x -i -n -t -tt -P -b",
        ..NONE
    };
    let args = split(words, &options, false);
    let operands = args.iter().filter_map(|arg| match arg {
        Arg::Operand(text, _) => Some(*text),
        _ => None,
    });
    let operands: Vec<&str> = operands.collect();
    let Some((archive, files)) = operands.split_first() else {
        return;
    };
    found.reads.extend(files);
    found.writes.push(archive);
    if args
        .iter()
        .any(|arg| matches!(arg, Arg::Short('m') | Arg::Long("--move")))
    {
        found.writes.extend(files);
        found.deletes.extend(files);
    }
}

/// Finds what a command of unzip does.
pub(super) fn unzip<'w>(words: &'w [String], found: &mut Found<'w>) {
    let options = Options {
        skip: "-x -P",
        target: "-d",
        ..NONE
    };
    let mut dir = ".";
    let mut archive = None;
    let mut lists = false;
    for arg in split(words, &options, false) {
        match arg {
            Arg::Value(text, Value::Target) => dir = text,
            Arg::Operand(text, _) => archive = archive.or(Some(text)),
            Arg::Short('l' | 't' | 'v' | 'Z' | 'p' | 'c') => lists = true,
            _ => {}
        }
    }
    found.reads.extend(archive);
    if !lists && archive.is_some() {
        found.writes.push(dir);
    }
}
