//! Programs that run another command: most are stripped, so that the command is seen for itself;
//! those that run it elsewhere stay in sight beside it.

mod table;

use super::command::Simple;
use super::options::{Arg, Options, Value, is_in, split};
use super::shell::is_assignment;
pub use table::is_shell;
use table::{
    CARRIERS, Carrier, EXECUTING, JOINING, LINES, OTHER_SHELLS, WRAPPERS, Wrapper, is_known,
    is_reading,
};

/// What remains of a command when one wrapper is taken off.
pub enum Inner {
    /// The words from this index on.
    Words {
        /// The index.
        at: usize,
        /// The directory they run in; absent is the same one.
        dir: Option<String>,
    },
    /// A command line that this shell runs itself.
    Eval(String),
    /// A command line, with `$0` and the positional parameters, where they are told.
    Line(String, Option<Vec<String>>),
}

/// What a command runs while it stays in sight.
#[derive(Debug)]
pub enum Inside {
    /// A script that it reads as its input.
    Input(String),
    /// A command line for later, in the same shell.
    Later(String),
    /// A command line that runs elsewhere, in that directory.
    Line(String, String),
    /// A command that runs elsewhere, in that directory.
    Words(Vec<String>, String),
    /// A command line of another system's shell.
    Guess(String),
    /// Commands that run on the files in these directories, each in its own if `apart`.
    Files {
        /// The commands.
        commands: Vec<Vec<String>>,
        /// Whether they run in the directories of the files.
        apart: bool,
    },
}

/// Takes one wrapper off; `None` if there is none.
pub fn inner(command: &Simple) -> Option<Inner> {
    let program = command.program().filter(|program| is_known(program))?;
    let words = &command.words;
    if is_shell(program) {
        let (at, text) = shell_line(words)?;
        let positional = words.get(at + 1..).unwrap_or_default().to_vec();
        let positional = if positional.is_empty() {
            vec![program.to_owned()]
        } else {
            positional
        };
        return Some(Inner::Line(text, Some(positional)));
    }
    if program == "eval" {
        return line(words.get(1..)?.join(" ")).map(Inner::Eval);
    }
    if let Some((_, options)) = LINES.iter().find(|(names, _)| is_in(names, program)) {
        let found = script(words, options).and_then(line);
        if let Some(text) = found {
            return Some(Inner::Line(text, None));
        }
        // runuser -u USER -- COMMAND
        let at = words.iter().position(|word| word == "--")? + 1;
        let runs = program == "runuser" && at < words.len();
        return runs.then_some(Inner::Words { at, dir: None });
    }
    let wrapper = WRAPPERS.iter().find(|w| is_in(w.names, program))?;
    let found = wrapped(wrapper, words)?;
    match found {
        Inner::Words { at, .. } if is_in(JOINING, program) => {
            let text = words.get(at..)?.join(" ");
            line(text).map(|text| Inner::Line(text, None))
        }
        found => Some(found),
    }
}

/// What a command runs while it stays in sight; `None` if nothing that is known.
pub fn inside(command: &Simple) -> Option<Inside> {
    let program = command.program()?;
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.to_ascii_lowercase();
    if !is_known(program) && !is_known(&name) {
        return None;
    }
    if let Some(text) = shell_input(command, program) {
        return Some(Inside::Input(text.to_owned()));
    }
    let commands = executed(command, program);
    if !commands.is_empty() {
        let apart = |word: &String| matches!(word.as_str(), "-execdir" | "-okdir");
        return Some(Inside::Files {
            commands,
            apart: command.words.iter().any(apart),
        });
    }
    if program == "trap" {
        let text = command.words.get(1).filter(|text| !text.starts_with('-'))?;
        return line(text.clone()).map(Inside::Later);
    }
    if let Some((_, options)) = OTHER_SHELLS.iter().find(|(names, _)| is_in(names, &name)) {
        let option = |word: &String| is_in(options, &word.to_lowercase());
        let at = command.words.iter().position(option)?;
        return line(command.words.get(at + 1..)?.join(" ")).map(Inside::Guess);
    }
    let carriers = CARRIERS.iter().filter(|c| is_in(c.names, program));
    carriers
        .filter_map(|carrier| carried(carrier, &command.words))
        .next()
}

fn line(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}

/// The command line that an option holds.
fn script(words: &[String], options: &Options) -> Option<String> {
    split(words, options, false)
        .iter()
        .find_map(|arg| match arg {
            Arg::Value(text, Value::Script) => Some((*text).to_owned()),
            _ => None,
        })
}

fn wrapped(wrapper: &Wrapper, words: &[String]) -> Option<Inner> {
    let mut first = words.len();
    let mut dir = None;
    let table = Options {
        target: wrapper.dir,
        ..wrapper.options
    };
    for arg in split(words, &table, true) {
        match arg {
            Arg::Value(text, Value::Script) => {
                let rest = &words[words.len().min(operand_after(words, text))..];
                let text = line(format!("{text} {}", rest.join(" ")));
                return text.map(|text| Inner::Line(text, None));
            }
            Arg::Value(text, Value::Target) => dir = Some(text.to_owned()),
            Arg::Short(letter) if is_in(wrapper.except, &format!("-{letter}")) => {
                return None;
            }
            Arg::Long(name) if is_in(wrapper.except, name) => return None,
            Arg::Operand(_, at) => first = at,
            _ => {}
        }
    }
    let skip_assignments = |mut at: usize| {
        while wrapper.assignments && words.get(at).is_some_and(|w| is_assignment(w)) {
            at += 1;
        }
        at
    };
    let mut at = skip_assignments(first) + wrapper.operands;
    // flock FILE -c LINE
    if wrapper.operands > 0
        && words
            .get(at)
            .is_some_and(|w| is_in(wrapper.options.script, w))
    {
        let text = line(words.get(at + 1)?.clone());
        return text.map(|text| Inner::Line(text, None));
    }
    if words.get(at).is_some_and(|w| w == "--") {
        at += 1;
    }
    (at < words.len()).then_some(Inner::Words { at, dir })
}

/// What a carrier runs.
fn carried(carrier: &Carrier, words: &[String]) -> Option<Inside> {
    // The first word of what follows counts as the program.
    let start = if carrier.subcommands.is_empty() {
        0
    } else {
        words
            .iter()
            .position(|word| is_in(carrier.subcommands, word))?
    };
    let rest = words.get(start..)?;
    let table = Options {
        target: carrier.dir,
        host: carrier.program,
        ..carrier.options
    };
    let dashes = rest.iter().position(|word| word == "--").map(|at| at + 1);
    let mut at = dashes.filter(|_| carrier.dashes);
    let mut operands = carrier.operands;
    let (mut dir, mut program) = (String::new(), None);
    for arg in split(rest, &table, false) {
        match arg {
            Arg::Value(text, Value::Script) => {
                return Some(Inside::Line(line(text.to_owned())?, dir));
            }
            Arg::Value(text, Value::Target) => dir = text.to_owned(),
            Arg::Value(text, Value::Host) => program = Some(text.to_owned()),
            Arg::Operand(_, _) if at.is_some() || carrier.dashes => break,
            Arg::Operand(_, index) if operands == 0 => {
                at = Some(index);
                break;
            }
            Arg::Operand(_, index) => {
                operands -= 1;
                // Options behind this are those of the command.
                if operands == 0 {
                    at = Some(index + 1);
                    break;
                }
            }
            _ => {}
        }
    }
    let mut at = at?;
    if rest.get(at).is_some_and(|word| word == "--") {
        at += 1;
    }
    let found = rest.get(at..).unwrap_or_default();
    let found: Vec<String> = program.into_iter().chain(found.iter().cloned()).collect();
    if carrier.joins {
        return Some(Inside::Line(line(found.join(" "))?, dir));
    }
    (!found.is_empty()).then_some(Inside::Words(found, dir))
}

/// Index behind the word that holds `text`.
fn operand_after(words: &[String], text: &str) -> usize {
    let holds = |word: &String| word.ends_with(text);
    words.iter().position(holds).map_or(words.len(), |n| n + 1)
}

/// The command line of `sh -c LINE`, with its index.
fn shell_line(words: &[String]) -> Option<(usize, String)> {
    let mut is_line = false;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        at += 1;
        if word == "--" || word == "-" {
            break;
        } else if word.starts_with("--") {
            is_line |= word == "--command";
            at += usize::from(matches!(word.as_str(), "--rcfile" | "--init-file"));
        } else if word.starts_with(['-', '+']) && word.len() > 1 {
            is_line |= word.starts_with('-') && word.contains('c');
            at += usize::from(word.contains(['o', 'O']));
        } else {
            at -= 1;
            break;
        }
    }
    let text = words.get(at).filter(|text| !text.trim().is_empty())?;
    is_line.then(|| (at, text.clone()))
}

/// The operands of a shell: a script and its words. None where it reads its input.
pub fn shell_operands(words: &[String]) -> &[String] {
    let mut at = 1;
    while let Some(word) = words.get(at).map(String::as_str) {
        if word == "--" || word == "-" {
            at += 1;
            break;
        }
        if word.starts_with("--") {
            at += 1 + usize::from(matches!(word, "--rcfile" | "--init-file"));
        } else if word.starts_with(['-', '+']) {
            if word.starts_with('-') && word.contains('s') {
                return &[];
            }
            at += 1 + usize::from(word.contains(['o', 'O']));
        } else {
            break;
        }
    }
    words.get(at..).unwrap_or_default()
}

/// The script a shell is given as its input.
fn shell_input<'c>(command: &'c Simple, program: &str) -> Option<&'c str> {
    let shell = is_shell(program) || is_reading(program);
    let script = shell_operands(&command.words).first();
    let reads = is_reading(program)
        || script.is_none_or(|word| {
            matches!(
                word.as_str(),
                "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"
            )
        });
    (shell && reads && !command.input.trim().is_empty()).then_some(command.input.as_str())
}

/// The commands that `find -exec` and its kin run.
fn executed(command: &Simple, program: &str) -> Vec<Vec<String>> {
    let row = EXECUTING.iter().find(|(names, _)| is_in(names, program));
    let Some((_, options)) = row else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut words = command.words[1..].iter();
    while let Some(word) = words.next() {
        if is_in(options, word) {
            let end = |w: &&String| !matches!(w.as_str(), ";" | "+");
            let inner: Vec<String> = words.by_ref().take_while(end).cloned().collect();
            if !inner.is_empty() {
                found.push(inner);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::table::WRAPPERS;
    use super::*;
    use crate::facets::follow::{self, Start};

    fn commands(text: &str) -> Vec<String> {
        let script = follow::line(text, Start::default());
        assert!(script.complete, "{text}");
        let texts = script.commands.iter().map(Simple::text);
        texts.filter(|text| !text.is_empty()).collect()
    }

    #[test]
    fn every_wrapper_gives_way_to_a_plain_command() {
        for wrapper in WRAPPERS {
            for name in wrapper.names.split(' ') {
                let operands = "9 ".repeat(wrapper.operands);
                let line = format!("{name} {operands}rm -rf x");
                assert_eq!(commands(&line), ["rm -rf x"], "{line}");
                assert_eq!(commands(name), [name], "a wrapper alone stays");
            }
        }
    }

    #[test]
    fn every_shell_runs_its_line_and_its_input() {
        for shell in ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish"] {
            assert_eq!(commands(&format!("{shell} -lc 'a; b'")), ["a", "b"]);
            let fed = commands(&format!("{shell} <<'E'\na b\nE\n"));
            assert_eq!(fed, [shell, "a b"]);
            assert_eq!(
                commands(&format!("{shell} x.sh -c")),
                [format!("{shell} x.sh -c")]
            );
        }
    }

    #[test]
    fn wrappers_in_wrappers() {
        let line = "sudo -u root env -i A=1 timeout -k 5 10 nice -n 5 sh -c 'nohup rm x'";
        assert_eq!(commands(line), ["rm x"]);
        assert_eq!(commands("env -S 'rm -f' x"), ["rm -f x"]);
        assert_eq!(commands("env --split-string='rm -f' x"), ["rm -f x"]);
        assert_eq!(commands("flock /tmp/l -c 'rm x'"), ["rm x"]);
        assert_eq!(commands("su - bob -c 'rm x'"), ["rm x"]);
        assert_eq!(commands("bash -euo pipefail -c 'rm x' name"), ["rm x"]);
        assert_eq!(commands("eval 'rm' x"), ["rm x"]);
        assert_eq!(commands("command -v rm"), ["command -v rm"]);
        assert_eq!(commands("sudo -l rm"), ["sudo -l rm"]);
        assert_eq!(
            commands("find . -exec rm {} \\; -print"),
            ["find . -exec rm {} ; -print", "rm {}"]
        );
    }

    #[test]
    fn commands_elsewhere_are_seen_beside_what_carries_them() {
        for (line, inner) in [
            ("ssh -p 22 u@h 'rm a; b'", vec!["rm a", "b"]),
            ("ssh h rm a", vec!["rm a"]),
            ("docker exec -it -u root c sh -c 'rm a'", vec!["rm a"]),
            ("docker run --rm -v /a:/b img rm b", vec!["rm b"]),
            ("docker run --entrypoint rm img -rf a", vec!["rm -rf a"]),
            ("docker compose exec web rm a", vec!["rm a"]),
            ("kubectl exec -n x pod -c y -- rm a", vec!["rm a"]),
            ("lxc exec c -- rm a", vec!["rm a"]),
            ("uv run rm a", vec!["rm a"]),
            ("npm exec -- rm a", vec!["rm a"]),
            ("vagrant ssh -c 'rm a'", vec!["rm a"]),
            ("trap 'rm a' EXIT", vec!["rm a"]),
            ("docker ps", vec![]),
            ("ssh h", vec![]),
            ("kubectl get pods", vec![]),
        ] {
            let found = commands(line);
            assert_eq!(found[1..], inner, "{line}");
        }
    }

    #[test]
    fn joined_operands_are_one_line() {
        assert_eq!(commands("watch -n 1 'a | rm b'"), ["a", "rm b"]);
        assert_eq!(commands("parallel 'rm {}' ::: a b"), ["rm a", "rm b"]);
        assert_eq!(commands("parallel -j 2 rm ::: a b"), ["rm a", "rm b"]);
    }

    #[test]
    fn shells_of_other_systems_are_guessed_at() {
        for line in [
            "powershell -c 'rm C:\\a'",
            "cmd.exe /c del 'C:\\a'",
            "pwsh -NoProfile -Command rm 'C:\\a'",
        ] {
            let script = follow::line(line, Start::default());
            assert!(!script.complete, "{line}");
            let texts: Vec<_> = script.commands.iter().map(Simple::text).collect();
            assert!(
                texts.iter().any(|t| t == "rm C:\\a" || t == "del C:\\a"),
                "{texts:?}"
            );
        }
    }

    #[test]
    fn scripts_in_scripts_end_at_the_limit() {
        let mut words = vec!["eval".to_owned(); 200];
        words.push("rm".into());
        let out = follow::words(words, Start::default());
        assert!(!out.complete);
        assert!(out.commands.iter().any(|c| c.text().ends_with("eval rm")));
    }
}
