//! Programs that run another command: they are stripped, so that the command is seen for itself.
//!
//! To add one, add a row to `WRAPPERS` or a name to [`SHELLS`].

use super::options::{Arg, NONE, Options, Value, is_in, split};
use super::shell::{self, MAX_NESTING, Script, Simple, is_assignment};

/// A program that runs the command in its operands.
struct Wrapper {
    /// Its names, separated by spaces.
    names: &'static str,
    /// Options that take a value; `script` ones hold a command line. One that is wrongly said to
    /// take a value hides the command behind it.
    options: Options,
    /// Operands in front of the command.
    operands: usize,
    /// Whether `NAME=value` may stand in front of the command.
    assignments: bool,
    /// Options with which it does something else, separated by spaces.
    except: &'static str,
}

const fn plain(names: &'static str, skip: &'static str) -> Wrapper {
    Wrapper {
        names,
        options: Options { skip, ..NONE },
        operands: 0,
        assignments: false,
        except: "",
    }
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        assignments: true,
        except: "-e -l --edit --list",
        ..plain(
            "sudo",
            "-u -g -h -p -C -D -R -T -U -r -t -a -c --user --group --host --prompt --chdir \
             --chroot --close-from --command-timeout --other-user --role --type",
        )
    },
    plain("doas", "-u -C -a"),
    Wrapper {
        assignments: true,
        options: Options {
            skip: "-u --unset -C --chdir -a --argv0 -P",
            script: "-S --split-string",
            ..NONE
        },
        ..plain("env", "")
    },
    Wrapper {
        operands: 1,
        ..plain("timeout gtimeout", "-s --signal -k --kill-after")
    },
    plain(
        "nohup setsid builtin unbuffer fakeroot busybox toybox noglob nocorrect winpty",
        "",
    ),
    Wrapper {
        except: "-v -V",
        ..plain("command", "")
    },
    plain("exec", "-a"),
    plain("nice", "-n --adjustment"),
    plain("ionice", "-c --class -n --classdata -p --pid"),
    plain("time gtime", "-f --format -o --output"),
    plain("stdbuf", "-i -o -e --input --output --error"),
    plain(
        "xargs gxargs",
        "-a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars -R -J \
         --process-slot-var",
    ),
    plain("parallel", "-j --jobs -n -I -a"),
    plain("watch", "-n --interval"),
    Wrapper {
        operands: 1,
        ..plain("chroot", "")
    },
    Wrapper {
        operands: 1,
        options: Options {
            skip: "-w --timeout --wait -E --conflict-exit-code",
            script: "-c --command",
            ..NONE
        },
        ..plain("flock", "")
    },
    plain("strace ltrace", "-e -o -p -s -u -E -a -O -S -P -I"),
    plain("caffeinate", "-t -w"),
    Wrapper {
        operands: 1,
        ..plain("taskset", "-p --pid")
    },
];

/// Programs that run the command line that one of their options holds, wherever it stands.
const LINES: &[(&str, Options)] = &[(
    "su runuser script",
    Options {
        skip: "-s --shell -g -G",
        script: "-c --command",
        ..NONE
    },
)];

/// Shells: `-c` makes their first operand a command line, and without operands they read one.
pub const SHELLS: &str = "sh bash dash zsh ksh mksh ash fish";

/// Programs with options that run a command up to `;` or `+`, and those options.
const EXECUTING: &[(&str, &str)] = &[
    ("find gfind", "-exec -execdir -ok -okdir"),
    ("fd fdfind", "-x --exec -X --exec-batch"),
];

/// Most wrappers taken off one command.
const MAX_WRAPPERS: usize = 64;

/// What remains of a command when one wrapper is taken off.
enum Inner {
    /// The words from this index on.
    Words(usize),
    /// A command line.
    Line(String),
}

/// Reads a command line and takes the wrappers off every command of it.
pub fn read(text: &str, depth: usize) -> Script {
    let script = shell::read(text, depth);
    let mut out = Script {
        commands: Vec::new(),
        complete: script.complete,
    };
    for command in script.commands {
        unwrap(command, depth, &mut out);
    }
    out
}

/// Reads a command line of a shell that takes backslashes for plain characters, as those of
/// Windows do. The whole text is among the commands too, since the rest of their syntax differs.
pub fn guess(text: &str, depth: usize) -> Script {
    let mut script = read(&text.replace('\\', "\\\\"), depth);
    let whole = text.trim();
    if !whole.is_empty() {
        script.complete = false;
        let whole = Simple::of_words(vec![whole.to_owned()]);
        if script.commands.last() != Some(&whole) {
            script.commands.push(whole);
        }
    }
    script
}

/// Appends `command` without its wrappers, or the commands of the script it holds.
pub fn unwrap(mut command: Simple, depth: usize, out: &mut Script) {
    let mut stripped = 0;
    loop {
        match inner(&command) {
            None => break,
            Some(Inner::Words(_)) if stripped == MAX_WRAPPERS => {
                out.complete = false;
                break;
            }
            Some(Inner::Words(at)) => {
                stripped += 1;
                command.stripped.extend(command.words.drain(..at));
            }
            Some(Inner::Line(line)) => {
                if depth >= MAX_NESTING {
                    out.complete = false;
                    break;
                }
                strip_all(&mut command, &line);
                out.commands.push(command);
                append(read(&line, depth + 1), out);
                return;
            }
        }
    }
    let input = shell_input(&command).map(str::to_owned);
    let parts = executed(&command);
    out.commands.push(command);
    if input.is_some() || !parts.is_empty() {
        if depth >= MAX_NESTING {
            out.complete = false;
            return;
        }
        append(read(input.as_deref().unwrap_or(""), depth + 1), out);
        for words in parts {
            unwrap(Simple::of_words(words), depth + 1, out);
        }
    }
}

/// Leaves of a command that runs a line only what is not in the line: its redirections, and other
/// words for the sake of the addresses in them.
fn strip_all(command: &mut Simple, line: &str) {
    if command.program() == Some("eval") {
        command.words.clear();
    }
    command.words.retain(|word| word != line);
    command.stripped.append(&mut command.words);
    command.stripped.append(&mut command.assignments);
}

fn append(script: Script, out: &mut Script) {
    out.complete &= script.complete;
    out.commands.extend(script.commands);
}

fn inner(command: &Simple) -> Option<Inner> {
    let program = command.program()?;
    let words = &command.words;
    if is_in(SHELLS, program) {
        return shell_line(words).map(Inner::Line);
    }
    if program == "eval" {
        return line(words.get(1..)?.join(" "));
    }
    if let Some((_, options)) = LINES.iter().find(|(names, _)| is_in(names, program)) {
        let args = split(words, options, false);
        return args.iter().find_map(|arg| match arg {
            Arg::Value(text, Value::Script) => line((*text).to_owned()),
            _ => None,
        });
    }
    let wrapper = WRAPPERS.iter().find(|w| is_in(w.names, program))?;
    wrapped(wrapper, words)
}

fn line(text: String) -> Option<Inner> {
    (!text.trim().is_empty()).then_some(Inner::Line(text))
}

fn wrapped(wrapper: &Wrapper, words: &[String]) -> Option<Inner> {
    let mut first = words.len();
    for arg in split(words, &wrapper.options, true) {
        match arg {
            Arg::Value(text, Value::Script) => {
                let rest = &words[words.len().min(operand_after(words, text))..];
                return line(format!("{text} {}", rest.join(" ")));
            }
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
        return line(words.get(at + 1)?.clone());
    }
    if words.get(at).is_some_and(|w| w == "--") {
        at += 1;
    }
    (at < words.len()).then_some(Inner::Words(at))
}

/// Index behind the word that holds `text`.
fn operand_after(words: &[String], text: &str) -> usize {
    let holds = |word: &String| word.ends_with(text);
    words.iter().position(holds).map_or(words.len(), |n| n + 1)
}

/// The command line of `sh -c LINE`.
fn shell_line(words: &[String]) -> Option<String> {
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
    is_line.then(|| text.clone())
}

/// The script a shell is given as its input.
fn shell_input(command: &Simple) -> Option<&str> {
    let shell = is_in(SHELLS, command.program()?);
    let operand = |word: &String| !word.starts_with(['-', '+']);
    let reads = !command.words[1..].iter().any(operand)
        || command.words[1..].iter().any(|word| word == "-s");
    (shell && reads && !command.input.trim().is_empty()).then_some(command.input.as_str())
}

/// The commands that `find -exec` and its kin run.
fn executed(command: &Simple) -> Vec<Vec<String>> {
    let Some(program) = command.program() else {
        return Vec::new();
    };
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
    use super::*;

    fn commands(text: &str) -> Vec<String> {
        let script = read(text, 0);
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
        for shell in SHELLS.split(' ') {
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
    fn scripts_in_scripts_end_at_the_limit() {
        let mut command = Simple::of_words(vec!["eval".into(); 200]);
        command.words.push("rm".into());
        let mut out = Script {
            complete: true,
            ..Script::default()
        };
        unwrap(command, 0, &mut out);
        assert!(!out.complete);
        assert!(out.commands.iter().any(|c| c.text().ends_with("eval rm")));
    }
}
