//! Finding and opening the inputs.

use super::place::{Identity, identity, of_stream};
use crate::escape::file_name;
use anyhow::bail;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// An input that is to be audited.
#[derive(Debug)]
pub(super) struct Source {
    /// As reports show it; no two files have the same.
    pub(super) name: String,
    /// Its name without directories and endings, after which runs without a name are named.
    pub(super) stem: String,
    /// Where it lies; absent for standard input.
    pub(super) path: Option<PathBuf>,
    /// Why it is not read again: it was named before.
    pub(super) repeats: bool,
}

/// What was named on the command line.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// The inputs, in the order in which they were named; those of a directory by path.
    pub(super) list: Vec<Source>,
    /// Directories among what was named.
    pub(super) directories: Vec<PathBuf>,
    /// What is in them and not read: it is no file, or its name does not end like a trace's.
    pub(super) passed_over: u64,
    /// Files that are read beside the inputs, such as the policy.
    pub(super) beside: Vec<PathBuf>,
}

/// The name of standard input.
const STDIN: &str = "stdin";

const ENDINGS: [&str; 5] = [".jsonl", ".ndjson", ".json", ".eval", ".traj"];
const PACKED: [&str; 2] = [".gz", ".zst"];

impl Sources {
    /// Whether a file is one of those that are read, so that nothing is written over it.
    pub(super) fn holds(&self, file: &Identity) -> bool {
        let mut inputs = self.list.iter().filter_map(Source::identity);
        let mut beside = self.beside.iter().map(|path| identity(path));
        inputs.any(|input| input == *file) || beside.any(|input| input == *file)
    }

    /// Walks what was named.
    ///
    /// # Errors
    /// Nothing was named and standard input is a terminal; a directory cannot be listed; what is written would
    /// be read.
    pub(super) fn find(named: &[PathBuf]) -> anyhow::Result<Sources> {
        let mut sources = Sources::default();
        if named.is_empty() {
            if io::stdin().is_terminal() {
                bail!("no input: name a file or a directory, or pipe a trace in");
            }
            sources.list.push(Source::stdin());
        }
        for path in named {
            if path.as_os_str() == "-" {
                sources.list.push(Source::stdin());
            } else if path.is_dir() {
                sources.walk(path);
            } else {
                sources.list.push(Source::file(path));
            }
        }
        sources.mark_repeats();
        sources.keep_apart()?;
        Ok(sources)
    }

    /// Makes sure that no input grows by what is said of it: it might have no end.
    fn keep_apart(&self) -> anyhow::Result<()> {
        let streams = [
            ("standard output", of_stream(&io::stdout())),
            ("standard error", of_stream(&io::stderr())),
        ];
        let written = streams.map(|(stream, file)| Some((stream, file?)));
        let written: Vec<_> = written.into_iter().flatten().collect();
        if written.is_empty() {
            return Ok(());
        }
        for source in &self.list {
            let here = source.identity();
            let grown = written.iter().find(|(_, file)| Some(file) == here.as_ref());
            if let Some((stream, _)) = grown {
                bail!(
                    "`{}` is an input and {stream} as well: write it elsewhere",
                    source.name
                );
            }
        }
        Ok(())
    }

    fn walk(&mut self, directory: &Path) {
        self.directories.push(directory.into());
        for entry in walkdir::WalkDir::new(directory).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_dir() || entry.depth() == 0 => {}
                Ok(entry) if may_be_read(&entry) && is_trace(entry.path()) => {
                    self.list.push(Source::file(entry.path()));
                }
                Ok(_) => self.passed_over += 1,
                // It is named, and opening it tells why it cannot be read.
                Err(error) => {
                    let path = error.path().unwrap_or(directory);
                    self.list.push(Source::file(path));
                }
            }
        }
    }

    fn mark_repeats(&mut self) {
        let mut seen = HashSet::new();
        for source in &mut self.list {
            source.repeats = !seen.insert(source.identity());
        }
    }

    /// Says on standard error how much of the directories was not read.
    pub(super) fn tell_passed_over(&self) {
        let n = self.passed_over;
        if n > 0 {
            super::say(&format!(
                "gate: passed over in directories: {n} that are no files, or not named like traces"
            ));
        }
    }

    /// Bytes of all inputs, where that is known.
    pub(super) fn bytes(&self) -> Option<u64> {
        let size = |source: &Source| {
            let meta = std::fs::metadata(source.path.as_ref()?).ok()?;
            meta.is_file().then_some(meta.len())
        };
        self.list.iter().filter(|s| !s.repeats).map(size).sum()
    }
}

impl Source {
    fn stdin() -> Source {
        Source {
            name: STDIN.into(),
            stem: STDIN.into(),
            path: None,
            repeats: false,
        }
    }

    fn file(path: &Path) -> Source {
        let name = file_name(path).into_owned();
        Source {
            name: if name == STDIN {
                format!("./{name}")
            } else {
                name
            },
            stem: stem(path),
            path: Some(path.into()),
            repeats: false,
        }
    }

    /// By what it is told from other files; absent for standard input that is none.
    fn identity(&self) -> Option<Identity> {
        match &self.path {
            Some(path) => Some(identity(path)),
            None => of_stream(&io::stdin()),
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// It cannot be opened, or is a directory.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let Some(path) = &self.path else {
            return Ok(Box::new(io::stdin()));
        };
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "is a directory",
            ));
        }
        Ok(Box::new(file))
    }
}

/// Whether it is a file, or a link to one. A link that leads nowhere counts: opening it tells so.
/// Links to directories are not followed: they may lead round in a circle.
fn may_be_read(entry: &walkdir::DirEntry) -> bool {
    let kind = entry.file_type();
    kind.is_file() || (kind.is_symlink() && (entry.path().is_file() || !entry.path().exists()))
}

fn is_trace(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase());
    let Some(name) = name else { return false };
    let unpacked = PACKED
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    ENDINGS.iter().any(|end| unpacked.ends_with(end))
}

/// The name without directories and without the endings of a trace.
fn stem(path: &Path) -> String {
    let name = file_name(path.file_name().unwrap_or(path.as_os_str()));
    let cut = |name: &str, ends: &[&str]| {
        let end = ends.iter().find(|end| name.to_lowercase().ends_with(**end));
        name[..name.len() - end.map_or(0, |end| end.len())].to_owned()
    };
    let stem = cut(&cut(&name, &PACKED), &ENDINGS);
    if stem.is_empty() {
        name.into_owned()
    } else {
        stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_after_the_file_without_its_endings() {
        let cases = [
            ("a/b/run-1.jsonl", "run-1"),
            ("x.jsonl.gz", "x"),
            ("x.JSON.zst", "x"),
            ("x.txt", "x.txt"),
            (".jsonl", ".jsonl"),
            ("a.b.ndjson", "a.b"),
            ("x.eval", "x"),
            ("x.traj.gz", "x"),
        ];
        for (path, expected) in cases {
            assert_eq!(stem(Path::new(path)), expected);
        }
    }
}
