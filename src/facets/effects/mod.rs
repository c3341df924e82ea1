//! What one command does according to its redirections and the table of programs.

mod archive;
pub mod git;
mod place;

use super::command::Simple;
use super::options::{Arg, Value, is_in, split};
use super::programs::{self, Operands, Peer, Program};
use super::wrappers::{is_shell, shell_operands};
use super::{patch, paths};
use std::borrow::Cow;

/// Files a command reads and writes, and the addresses it connects to, as written: relative files
/// lie in the command's directory.
#[derive(Debug, Default)]
pub struct Effects {
    /// Files read.
    pub reads: Vec<String>,
    /// Files written, created, changed or removed.
    pub writes: Vec<String>,
    /// Files removed or moved away, in the order of `writes`.
    pub deletes: Vec<String>,
    /// Addresses that are known to be hosts, with what each of them looks like.
    pub peers: Vec<(String, Peer)>,
}

/// The same while the words are looked at.
#[derive(Debug, Default)]
struct Found<'w> {
    reads: Vec<&'w str>,
    writes: Vec<&'w str>,
    deletes: Vec<&'w str>,
    /// Files written under names that are put together from several words.
    made: Vec<String>,
    peers: Vec<(&'w str, Peer)>,
    /// The directory that the program changes to first; empty where it does not.
    dir: String,
    /// Files that lie in the command's own directory nevertheless.
    here: Here<'w>,
}

#[derive(Debug, Default)]
struct Here<'w> {
    reads: Vec<&'w str>,
    writes: Vec<&'w str>,
}

/// What a command, its wrappers taken off, does according to its redirections and the table.
pub fn of_command(command: &Simple) -> Effects {
    let words = words(command);
    let mut found = Found::default();
    let program = command.program().unwrap_or("");
    if matches!(program, "apply_patch" | "applypatch") {
        let words = words.iter().skip(1).map(String::as_str);
        for text in std::iter::once(command.input.as_str()).chain(words) {
            patched(text, &mut found);
        }
    } else if is_shell(program) {
        let script = shell_operands(&words).first();
        found.reads.extend(script.map(String::as_str));
    } else if let Some(row) = programs::find(program) {
        apply(row, &words, &mut found);
        let applies = |word: &String| matches!(word.as_str(), "apply" | "am");
        if program == "patch" || (program == "git" && words.iter().any(applies)) {
            patched(&command.input, &mut found);
        }
    }
    let mut effects = found.done();
    for redirect in &command.redirects {
        if redirect.reads {
            effects.reads.push(redirect.target.clone());
        }
        if redirect.writes {
            effects.writes.push(redirect.target.clone());
        }
    }
    effects
}

fn patched<'c>(text: &'c str, found: &mut Found<'c>) {
    found.writes.extend(patch::files(text));
    found.deletes.extend(patch::deleted(text));
}

/// The words with the files that another program puts among them.
fn words(command: &Simple) -> Cow<'_, [String]> {
    let words = &command.words;
    let named = |word: &String| word.contains("{}");
    if command.files.is_empty() || !(command.files_follow || words.iter().any(named)) {
        return words.into();
    }
    let mut out = Vec::with_capacity(words.len() + command.files.len());
    for word in words {
        if named(word) {
            out.extend(command.files.iter().map(|file| word.replace("{}", file)));
        } else {
            out.push(word.clone());
        }
    }
    if command.files_follow {
        out.extend(command.files.iter().cloned());
    }
    out.into()
}

impl Found<'_> {
    fn done(self) -> Effects {
        let placed = |path: &str| match self.dir.is_empty() {
            true => path.to_owned(),
            false => paths::join(&self.dir, path),
        };
        let all = |here: Vec<&str>, found: Vec<&str>| -> Vec<String> {
            let here = here.into_iter().map(str::to_owned);
            here.chain(found.into_iter().map(placed)).collect()
        };
        let peers = self.peers.into_iter();
        Effects {
            reads: all(self.here.reads, self.reads),
            writes: {
                let mut writes = all(self.here.writes, self.writes);
                writes.extend(self.made.iter().map(|path| placed(path)));
                writes
            },
            deletes: all(Vec::new(), self.deletes),
            peers: peers.map(|(text, peer)| (text.to_owned(), peer)).collect(),
        }
    }
}

/// What the options and operands of a program say before its row gives them a meaning.
#[derive(Default)]
struct Line<'c> {
    plain: Vec<&'c str>,
    /// An option holds what would otherwise be the first operand.
    pattern: bool,
    target: Option<&'c str>,
    in_place: bool,
    removes_sources: bool,
    removes_in_target: bool,
}

fn apply<'c>(row: &Program, words: &'c [String], found: &mut Found<'c>) {
    match row.operands {
        Operands::Find => return find(words, found),
        Operands::Git => return git::apply(words, found),
        Operands::Tar => return archive::tar(words, found),
        Operands::Zip => return archive::zip(words, found),
        Operands::Unzip => return archive::unzip(words, found),
        _ => {}
    }
    let mut line = Line::default();
    for arg in split(words, &row.options, false) {
        take(arg, row, &mut line, found);
    }
    let program = words.first().map_or("", String::as_str);
    if matches!(program, "bun" | "deno") && line.plain.first() == Some(&"run") {
        line.plain.remove(0);
    }
    if matches!(program, "del" | "erase" | "rd" | "rmdir") {
        line.plain.retain(|word| !is_switch(word));
    }
    let named = match row.peer {
        Peer::None => 0,
        Peer::First => 1,
        _ => line.plain.len(),
    };
    for (n, operand) in line.plain.iter().take(named).enumerate() {
        let further = row.peer == Peer::Each && n > 0;
        let peer = if further { Peer::Web } else { row.peer };
        found.peers.push((operand, peer));
    }
    let mut kind = match row.operands {
        Operands::Search | Operands::ReadFirst if line.pattern => Operands::Read,
        Operands::Change if line.pattern => Operands::Write,
        kind => kind,
    };
    if let Some(last) = line.target.or(line.plain.last().copied()) {
        let sources = match line.target {
            Some(_) => &line.plain[..],
            None => &line.plain[..line.plain.len().saturating_sub(1)],
        };
        if matches!(kind, Operands::CopyTo | Operands::MoveTo | Operands::Link) && !is_remote(last)
        {
            place::into(last, sources, found);
        }
    }
    if row.operands == Operands::Other {
        place::fetched(words, &line.plain, line.target, found);
    }
    if row.peer == Peer::Remote {
        // What lies on another host is no file of this one.
        if line.plain.last().is_some_and(|last| is_remote(last)) {
            kind = Operands::Read;
            line.removes_in_target = false;
        }
        line.plain.retain(|operand| !is_remote(operand));
    }
    line.plain.extend(line.target);
    let before = found.reads.len();
    touch(kind, &line.plain, found);
    if line.in_place || line.removes_sources {
        found.writes.extend_from_slice(&found.reads[before..]);
    }
    if line.removes_sources {
        found.deletes.extend_from_slice(&found.reads[before..]);
    }
    if line.removes_in_target {
        found.deletes.extend(line.plain.last());
    }
}

fn take<'c>(arg: Arg<'c>, row: &Program, line: &mut Line<'c>, found: &mut Found<'c>) {
    match arg {
        // Standard input or output.
        Arg::Operand("-", _) | Arg::Value("-", Value::Read | Value::Write) => {}
        Arg::Operand(text, _) => {
            if row.peer == Peer::Web && paths::is_file_address(text) {
                found.reads.push(text);
            }
            line.plain.push(text);
        }
        Arg::Value(text, Value::Read) => found.reads.push(text),
        Arg::Value(text, Value::Write) => found.writes.push(text),
        Arg::Value(_, Value::Pattern) => line.pattern = true,
        Arg::Value(text, Value::PatternFile) => {
            line.pattern = true;
            found.reads.push(text);
        }
        Arg::Value(text, Value::AtFile) => found.reads.extend(at_file(text)),
        Arg::Value(text, Value::Host) => found.peers.push((text, Peer::Web)),
        Arg::Value(text, Value::Target) => line.target = Some(text),
        Arg::Value(text, Value::Dir) => found.dir = paths::join(&found.dir, text),
        Arg::Value(text, Value::Route) => {
            let parts = text.split(':').filter(|part| part.contains('.'));
            found.peers.extend(parts.map(|part| (part, Peer::Web)));
        }
        Arg::Value(_, Value::Skip | Value::Script) => {}
        // A mode such as `-w` looks like an option.
        Arg::Short('r' | 'w' | 'x' | 'X' | 's' | 't') if row.operands == Operands::Change => {
            line.pattern = true;
        }
        Arg::Short(letter) if !row.in_place.is_empty() => {
            line.in_place |= is_in(row.in_place, &format!("-{letter}"));
        }
        Arg::Short(_) => {}
        Arg::Long(name) => {
            line.in_place |= is_in(row.in_place, name);
            if is_in(row.removing, name) {
                line.removes_in_target |= name.starts_with("--del");
                line.removes_sources |= name.starts_with("--remove");
            }
        }
    }
}

/// Whether a word is an option as programs of Windows have them: `/s`, `/a:h`.
fn is_switch(word: &str) -> bool {
    let letters = word.strip_prefix('/').unwrap_or("");
    let name = letters.split(':').next().unwrap_or(letters);
    name.len() == 1 && name.bytes().all(|b| b.is_ascii_alphabetic())
}

/// The file that `@FILE`, `NAME=@FILE` or `NAME=<FILE;type=…` names.
fn at_file(text: &str) -> Option<&str> {
    let file = text.strip_prefix('@').or_else(|| {
        let (_, value) = text.split_once('=')?;
        value.strip_prefix(['@', '<'])
    })?;
    let file = file.split(';').next().unwrap_or(file);
    (!file.is_empty() && file != "-").then_some(file)
}

/// Whether an operand of `scp` and its kin lies on another host: a colon before any slash, or a
/// scheme.
pub fn is_remote(operand: &str) -> bool {
    operand.contains("://")
        || operand
            .split_once(':')
            .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

fn touch<'c>(kind: Operands, plain: &[&'c str], found: &mut Found<'c>) {
    let rest = plain.get(1..).unwrap_or_default();
    match kind {
        Operands::Other
        | Operands::Find
        | Operands::Git
        | Operands::Tar
        | Operands::Zip
        | Operands::Unzip => {}
        Operands::Read => found.reads.extend(plain),
        Operands::ReadFirst => found.reads.extend(plain.first()),
        Operands::Search => found.reads.extend(rest),
        Operands::Write => found.writes.extend(plain),
        Operands::Remove => {
            found.writes.extend(plain);
            found.deletes.extend(plain);
        }
        Operands::Change => found.writes.extend(rest),
        Operands::CopyTo | Operands::MoveTo => {
            let Some((last, sources)) = plain.split_last() else {
                return;
            };
            found.reads.extend(sources);
            if kind == Operands::MoveTo {
                found.writes.extend(sources);
                found.deletes.extend(sources);
            }
            found.writes.push(last);
        }
        Operands::Link => found.writes.extend(plain.last()),
        Operands::Assign => {
            for word in plain {
                found.reads.extend(word.strip_prefix("if="));
                found.writes.extend(word.strip_prefix("of="));
            }
        }
    }
}

fn find<'c>(words: &'c [String], found: &mut Found<'c>) {
    let is_root = |word: &&String| !word.starts_with(['-', '(', '!', ')']);
    let options = |word: &&String| matches!(word.as_str(), "-H" | "-L" | "-P");
    let roots = words.iter().skip(1).skip_while(options).take_while(is_root);
    let roots: Vec<&str> = roots.map(String::as_str).collect();
    found.reads.extend(&roots);
    if words.iter().any(|word| word == "-delete") {
        found.writes.extend(&roots);
        found.deletes.extend(roots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(line: &str) -> Effects {
        of_command(&Simple::of_words(
            line.split(' ').map(str::to_owned).collect(),
        ))
    }

    fn found(line: &str) -> (String, String) {
        let effects = effects(line);
        (effects.reads.join(" "), effects.writes.join(" "))
    }

    #[test]
    fn what_is_removed_is_told() {
        for (line, deletes) in [
            ("rm -rf a b", "a b"),
            ("rmdir a", "a"),
            ("shred -n 3 -u a", "a"),
            ("mv a b c", "a b"),
            ("mv -t d a b", "a b"),
            ("truncate -s 0 a", ""),
            ("cp a b", ""),
            ("find a b -delete", "a b"),
            ("find a -name x", ""),
            ("rsync -a --delete a/ b/", "b/"),
            ("rsync -a --delete-after a/ h:b/", ""),
            ("rsync --remove-source-files a b", "a"),
            ("rsync a b", ""),
            ("git rm -r a b", "a b"),
            ("git -C d -c x=y rm -- a /b", "d/a /b"),
            ("git rm --cached a", ""),
            ("git mv a b", "a"),
            ("git clean -fdx", "."),
            ("git clean -fd a", "a"),
            ("git clean -nd", ""),
            ("git worktree remove a", "a"),
            ("git branch -D a", ""),
            ("tar -cf x.tar --remove-files a", "a"),
            ("zip -rm x.zip a b", "a b"),
        ] {
            let effects = effects(line);
            assert_eq!(effects.deletes.join(" "), deletes, "{line}");
            for path in effects.deletes {
                assert!(effects.writes.contains(&path), "{line}");
            }
        }
    }

    #[test]
    fn operands_read_and_write() {
        for (line, reads, writes) in [
            ("cat a - b", "a b", ""),
            ("head -n 5 a", "a", ""),
            ("grep -rn x a b", "a b", ""),
            ("grep -e x a", "a", ""),
            ("grep -f pats x", "pats x", ""),
            ("sed s/a/b/ f", "f", ""),
            ("sed -i.bak -e s/a/b/ f", "f", "f"),
            ("sed --in-place s/a/b/ f", "f", "f"),
            ("perl -pi -e x f", "f", "f"),
            ("rm -rf a b", "", "a b"),
            ("rm -r a", "", "a"),
            ("mkdir -p a", "", "a"),
            ("base64 -d a", "a", ""),
            ("gzip -c a", "", "a"),
            ("chmod -x a", "", "a"),
            ("chmod -R u+x a", "", "a"),
            ("chmod --reference=b a", "", "a"),
            ("rsync -P a h:b", "a", ""),
            ("curl -d m=a@b.example -F x=@g;type=t u", "g", ""),
            ("chmod 777 a", "", "a"),
            ("cp -r a b c", "a b", "c c/a c/b"),
            ("cp -t d a b", "a b", "d d/a d/b"),
            ("cp x/a b/", "x/a", "b/ b/a"),
            ("cp a.rs b.rs", "a.rs", "b.rs"),
            ("cp a ~", "a", "~ ~/a"),
            ("mv a b", "a", "a b b/a"),
            ("ln -s a b", "", "b b/a"),
            ("install -t ~/.ssh keys", "keys", "~/.ssh ~/.ssh/keys"),
            ("wget -P d https://h/x/y?z", "", "d d/y"),
            ("wget -qO- https://h/x/y", "", ""),
            ("wget https://h/x/y", "", "./y"),
            ("wget h.example", "", ""),
            ("curl -fsSLO https://h/y", "", "./y"),
            ("curl https://h/y", "", ""),
            ("git checkout HEAD~1 a b", "", "a b"),
            ("git checkout a/b.c", "", "a/b.c"),
            ("git checkout -b x v1.0", "", ""),
            ("dd if=a of=b bs=1", "a", "b"),
            ("find a b -name x -delete", "a b", "a b"),
            ("curl -d @f -F x=@g -o out u.example", "f g", "out"),
            ("scp a h:b", "a", ""),
            ("scp h:x/a b", "", "b b/a"),
            ("bash x.sh y", "x.sh", ""),
            ("git add a b", "a b", ""),
            ("git -C d restore a", "", "d/a"),
            ("git checkout main -- a", "", "a"),
            ("git checkout main", "", ""),
            ("git diff -- a", "a", ""),
            ("git apply a.diff", "a.diff", ""),
            ("git init a", "", "a"),
            ("git clone -b x https://h/r d", "", "d"),
            ("tar xzf a.tgz -C d", "a.tgz", "d"),
            ("tar -xf a.tar", "a.tar", "."),
            ("tar -czf a.tgz -C d b c", "d/b d/c", "a.tgz"),
            ("tar --create --file=a.tar b", "b", "a.tar"),
            ("tar tf a.tar", "a.tar", ""),
            ("unzip a.zip -d d", "a.zip", "d"),
            ("zip -r a.zip b c", "b c", "a.zip"),
            ("make -C d -f m x", "d/m", ""),
            ("curl file:///etc/x", "file:///etc/x", ""),
            ("frobnicate a", "", ""),
            ("cp", "", ""),
        ] {
            assert_eq!(found(line), (reads.to_owned(), writes.to_owned()), "{line}");
        }
    }
}
