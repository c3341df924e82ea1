//! The command that makes a report again: what was given of what its content depends on, and nothing of
//! where it goes or how fast it is made.

use super::args::Args;
use crate::escape::file_name;
use crate::report::FORMATS;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches, parser::ValueSource};
use std::ffi::{OsStr, OsString};

/// Options that no report depends on.
const ELSEWHERE: &[&str] = &[
    "threads",
    "format",
    "force",
    "no_github",
    "quiet",
    "color",
    "width",
];

/// The command as it was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(pub(super) String);

impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let known = <Args as clap::Args>::augment_args(Command::new("replay"));
        Ok(Given(again(&known, matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The command for a shell: its options in the order in which the help has them, then its inputs.
fn again(known: &Command, matches: &ArgMatches) -> String {
    let mut words = vec!["gate".to_owned(), "replay".to_owned()];
    let given = known.get_arguments().filter(|arg| is_given(arg, matches));
    let (inputs, options): (Vec<&Arg>, Vec<&Arg>) = given.partition(|arg| arg.is_positional());
    for option in options {
        let name = option.get_long().unwrap_or_default();
        if matches!(option.get_action(), ArgAction::SetTrue) {
            words.push(format!("--{name}"));
        } else {
            words.extend(values(option, matches).map(|value| {
                let mut word = OsString::from(format!("--{name}="));
                word.push(value);
                quoted(&word)
            }));
        }
    }
    for input in inputs {
        let mut values = values(input, matches).peekable();
        // An input that looks like an option is none.
        if values
            .peek()
            .is_some_and(|first| first.len() > 1 && first.as_encoded_bytes().starts_with(b"-"))
        {
            words.push("--".to_owned());
        }
        words.extend(values.map(quoted));
    }
    words.join(" ")
}

fn is_given(arg: &Arg, matches: &ArgMatches) -> bool {
    let id = arg.get_id().as_str();
    let elsewhere = ELSEWHERE.contains(&id) || FORMATS.iter().any(|format| format.id == id);
    !elsewhere && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// What was given of an argument.
fn values<'m>(arg: &Arg, matches: &'m ArgMatches) -> impl Iterator<Item = &'m OsStr> + use<'m> {
    let given = matches.get_raw(arg.get_id().as_str());
    given.into_iter().flatten()
}

/// A word for a shell: in quotes where it could be taken for more, or for something else. Bytes that are
/// no UTF-8 are spelled as shells with `$'…'` read them.
fn quoted(word: &OsStr) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    match word.to_str() {
        Some(word) if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        Some(word) => format!("'{}'", word.replace('\'', r"'\''")),
        None => format!("$'{}'", file_name(word).replace('\'', r"\'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args as _;

    fn given(words: &[&str]) -> String {
        let known = Args::augment_args(Command::new("replay"));
        let matches = known
            .clone()
            .try_get_matches_from(words)
            .expect("a command");
        again(&known, &matches)
    }

    #[test]
    fn what_the_content_depends_on_is_told() {
        let words = [
            "replay",
            "--threads",
            "3",
            "--tool",
            "a b",
            "--tool=c",
            "--format",
            "json",
        ];
        let more = [
            "-q",
            "--csv",
            "x.csv",
            "--fail-on",
            "block,drift",
            "--merge-runs",
            "it's",
            "-",
        ];
        assert_eq!(
            given(&[&words[..], &more[..]].concat()),
            "gate replay --merge-runs --fail-on=block --fail-on=drift '--tool=a b' --tool=c \
             'it'\\''s' -"
        );
        assert_eq!(given(&["replay", "--", "-x"]), "gate replay -- -x");
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_spelled_for_a_shell() {
        use std::os::unix::ffi::OsStrExt;
        let word = OsStr::from_bytes(b"--policy=it's\\\xfea");
        assert_eq!(quoted(word), r"$'--policy=it\'s\\\xfea'");
    }
}
