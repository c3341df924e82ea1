//! What commands hand to each other through pipes, as far as the text tells it: words that `echo`
//! prints, files that `find` names.

use super::state::{MAX_VALUES, Value};
use super::words::Budget;
use crate::facets::command::Simple;
use crate::facets::effects;
use crate::facets::handed;
use crate::facets::shell;
use crate::facets::wrappers::{is_shell, shell_operands};
use std::sync::Arc;

/// What comes through a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Feed {
    /// This text.
    Text(Arc<str>),
    /// Names of these files, or of what lies in these directories.
    Files(Arc<[String]>),
}

/// Longest text that is put together from a format, in bytes.
const MAX_PRINTED: usize = 64 * 1024;

/// Most files that stand for others.
const MAX_FILES: usize = 64;

/// Whether a program prints what it reads, or some lines of it.
fn is_passing(program: &str) -> bool {
    matches!(
        program,
        "cat"
            | "tee"
            | "sort"
            | "head"
            | "tail"
            | "uniq"
            | "grep"
            | "egrep"
            | "fgrep"
            | "sponge"
            | "pv"
    )
}

/// Whether a program reads a script or a patch.
fn is_reading(program: &str) -> bool {
    matches!(program, "apply_patch" | "applypatch" | "at" | "batch")
}

/// What a command prints when it reads `feed`; `None` where that is not known.
pub(super) fn printed(command: &Simple, feed: Option<&Feed>, budget: &mut Budget) -> Option<Feed> {
    let program = command.program()?;
    let words = command.words.get(1..)?;
    let text = |text: String| Some(Feed::Text(text.into()));
    match program {
        "echo" => {
            let flag = |word: &&String| matches!(word.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en");
            let words: Vec<&str> = words.iter().skip_while(flag).map(String::as_str).collect();
            text(unescaped(&words.join(" ")))
        }
        "printf" => {
            let words = words.iter().skip_while(|word| *word == "--");
            let words: Vec<&String> = words.collect();
            let (format, values) = words.split_first()?;
            let printed = formatted(format, values);
            budget.overflow |= printed.is_none();
            text(printed?)
        }
        "find" | "gfind" | "ls" | "fd" | "fdfind" => {
            let mut reads = found(command);
            if reads.is_empty() {
                reads.push(".".into());
            }
            Some(Feed::Files(files(reads, budget)))
        }
        "git" if words.iter().any(|word| word == "ls-files") => {
            Some(Feed::Files(Arc::from([".".into()])))
        }
        "grep" | "rg"
            if words.iter().any(|word| {
                matches!(word.as_str(), "-l" | "-rl" | "-lr" | "--files-with-matches")
            }) =>
        {
            Some(Feed::Files(files(
                effects::of_command(command).reads,
                budget,
            )))
        }
        _ if is_passing(program) => {
            if command.input.is_empty() {
                let reads_it = |_: &&Feed| effects::of_command(command).reads.is_empty();
                feed.filter(reads_it).cloned()
            } else {
                text(command.input.clone())
            }
        }
        _ => None,
    }
}

/// The script that a shell reads from `<(echo …)`.
pub(super) fn substituted(command: &Simple, budget: &mut Budget) -> Option<String> {
    let script = match command.program()? {
        "source" | "." => command.words.get(1)?,
        program if is_shell(program) => shell_operands(&command.words).first()?,
        _ => return None,
    };
    let inner = script.strip_prefix("<(")?.strip_suffix(')')?;
    let text = shell::read(inner, 0);
    let [only] = text.commands.as_slice() else {
        return None;
    };
    let words = only.words.iter().map(|word| word.text.clone()).collect();
    match printed(&Simple::of_words(words), None, budget)? {
        Feed::Text(text) => Some(text.to_string()),
        Feed::Files(_) => None,
    }
}

/// The directories that `find` searches, and the files of the names that it looks for there.
pub(super) fn found(command: &Simple) -> Vec<String> {
    let mut found = effects::of_command(command).reads;
    if found.is_empty() {
        found.push(".".into());
    }
    let names = command.words.windows(2).filter_map(|pair| match pair {
        [test, name]
            if matches!(test.as_str(), "-name" | "-iname") && !name.contains(['*', '?', '[']) =>
        {
            Some(name)
        }
        _ => None,
    });
    let names: Vec<&String> = names.take(MAX_FILES).collect();
    let roots = found.iter().take(MAX_FILES);
    let files: Vec<String> = roots
        .flat_map(|root| names.iter().map(move |name| format!("{root}/{name}")))
        .collect();
    found.extend(files);
    found
}

/// Files that stand for what is found in them.
pub(super) fn files(mut files: Vec<String>, budget: &mut Budget) -> Arc<[String]> {
    if files.len() > MAX_FILES {
        budget.overflow = true;
        files.truncate(MAX_FILES);
    }
    files.into()
}

/// Whether a command makes something of a text that it reads, itself or in a wrapper.
pub(super) fn takes_input(command: &Simple) -> bool {
    let name = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        is_shell(name) || is_passing(name) || is_reading(name) || handed::is_reader(name)
    };
    command.words.iter().take(64).any(name)
}

/// The lines of a text as values that a variable may have; `None` if they are too many.
pub(super) fn lines(text: &str) -> Option<Vec<Value>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut values: Vec<Value> = Vec::new();
    for line in lines {
        if values.len() == MAX_VALUES {
            return None;
        }
        let value: Value = Some(Arc::from([line.trim().to_owned()]));
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Some(values)
}

/// Where among the words `xargs` or one of its kin stands.
fn position(command: &Simple) -> Option<usize> {
    let taking = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        matches!(name, "xargs" | "gxargs" | "parallel")
    };
    command.words.iter().take(64).position(taking)
}

/// The commands that `xargs` and its kin run on what they read, or on what stands behind `:::`.
pub(super) fn given(mut command: Simple, feed: Option<&Feed>, budget: &mut Budget) -> Vec<Simple> {
    let Some(at) = position(&command) else {
        return vec![command];
    };
    let parallel = command
        .words
        .get(at)
        .is_some_and(|word| word.ends_with("parallel"));
    let placeholder = if parallel {
        Some("{}".to_owned())
    } else {
        placeholder(&command.words, at)
    };
    let mut lines: Vec<String> = Vec::new();
    let listed = command.words.iter().position(|word| word == ":::");
    if let (true, Some(listed)) = (parallel, listed) {
        let rest = command.words.split_off(listed);
        lines.extend(rest.into_iter().filter(|word| !word.starts_with(":::")));
    } else {
        match feed {
            Some(Feed::Text(text)) => lines.extend(text.lines().map(str::to_owned)),
            Some(Feed::Files(files)) => {
                name_files(&mut command, at, placeholder.as_deref(), files);
                return vec![command];
            }
            None => {}
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    match placeholder {
        _ if lines.is_empty() => vec![command],
        Some(placeholder) => one_a_line(command, at, &placeholder, &lines, budget),
        None => {
            let words = lines.iter().flat_map(|line| line.split_whitespace());
            let words: Vec<String> = words.map(str::to_owned).collect();
            if budget.take(words.iter().map(String::len).sum()) {
                command.words.extend(words);
            }
            vec![command]
        }
    }
}

/// What `xargs` is told to replace by each line; `None` if it puts the lines behind the words.
fn placeholder(words: &[String], at: usize) -> Option<String> {
    let found = words.iter().enumerate().skip(at + 1).find_map(|(n, word)| {
        let attached = word
            .strip_prefix("-I")
            .or_else(|| word.strip_prefix("--replace="))?;
        if attached.is_empty() {
            return words.get(n + 1).cloned();
        }
        Some(attached.to_owned())
    });
    found.filter(|text| !text.is_empty())
}

/// Gives a command files instead of lines.
fn name_files(command: &mut Simple, at: usize, named: Option<&str>, files: &Arc<[String]>) {
    command.files = Arc::clone(files);
    if let Some(named) = named.filter(|named| *named != "{}") {
        for word in command.words.iter_mut().skip(at + 1) {
            if word.contains(named) && word.len() <= 4096 {
                *word = word.replace(named, "{}");
            }
        }
    }
    command.files_follow = !command.words.iter().any(|word| word.contains("{}"));
}

/// One command for each line.
fn one_a_line(
    command: Simple,
    at: usize,
    placeholder: &str,
    lines: &[String],
    budget: &mut Budget,
) -> Vec<Simple> {
    let words: usize = command.words.iter().map(|word| word.len() + 24).sum();
    let uses: usize = command
        .words
        .iter()
        .map(|w| w.matches(placeholder).count())
        .sum();
    let longest = lines.iter().map(String::len).max().unwrap_or(0);
    let size = (words + uses * longest + 64) * lines.len();
    if lines.len() > MAX_VALUES || !budget.take(size) {
        budget.overflow = true;
        return vec![command];
    }
    let each = |line: &String| {
        let mut command = command.clone();
        for word in command.words.iter_mut().skip(at + 1) {
            *word = word.replace(placeholder, line);
        }
        if uses == 0 {
            command.words.push(line.clone());
        }
        command
    };
    lines.iter().map(each).collect()
}

/// Text with what most programs' escapes stand for: line ends, tabs, and characters by their numbers, with
/// two digits behind `\x` or three octal ones.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('\\');
    out.push_str(parts.next().unwrap_or(""));
    for part in parts {
        let number = |from: usize, digits: usize, radix| {
            let digits = part.get(from..from + digits)?;
            let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
            let code = u8::from_str_radix(digits, radix).ok().filter(|_| plain)?;
            Some((char::from(code), from + digits.len()))
        };
        let found = match part.as_bytes() {
            [b'n', ..] => Some(('\n', 1)),
            [b't', ..] => Some(('\t', 1)),
            [b'x', ..] => number(1, 2, 16),
            [b'0', ..] => number(1, 3, 8).or_else(|| number(0, 3, 8)),
            _ => number(0, 3, 8),
        };
        let (c, taken) = found.unwrap_or(('\\', 0));
        out.push(c);
        out.push_str(part.get(taken..).unwrap_or(""));
    }
    out
}

/// What `printf` makes of values. Only texts are put in; other formats stand as they are.
fn formatted(format: &str, values: &[&String]) -> Option<String> {
    let format = unescaped(format);
    if values.is_empty() || !["%s", "%b", "%q"].iter().any(|f| format.contains(f)) {
        return Some(format);
    }
    let mut out = String::new();
    let mut values = values.iter();
    loop {
        let mut rest = &*format;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if rest.starts_with(['s', 'b', 'q']) {
                out.push_str(values.next().map_or("", |value| value));
                rest = &rest[1..];
            } else {
                out.push('%');
            }
        }
        out.push_str(rest);
        if out.len() > MAX_PRINTED {
            return None;
        }
        if values.len() == 0 {
            return Some(out);
        }
    }
}
