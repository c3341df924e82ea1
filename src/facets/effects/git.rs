//! What subcommands of git read, write, remove and connect to.

use super::{Found, is_remote, place};
use crate::facets::options::{Arg, NONE, Options, Value, split};
use crate::facets::paths;
use crate::facets::programs::Peer;

const GLOBAL: Options = Options {
    skip: "--git-dir --namespace --config-env --super-prefix --attr-source",
    pattern: "-c",
    target: "-C --work-tree",
    ..NONE
};

const OWN: Options = Options {
    skip: "-b -B -m --message -o --origin --branch --depth -u --upload-pack -c --config -j --jobs \
           --author --date -F --file -t --template --separate-git-dir -S --format --since --until -n \
           --source -s --pathspec-from-file",
    ..NONE
};

/// The words of a command of git without the options in front of its subcommand; `None` if there
/// are none. A subcommand that these options define is what it stands for.
pub fn plain(words: &[String]) -> Option<Vec<String>> {
    let is_other = words.first().is_some_and(|word| word.ends_with(".exe"));
    let mut settings = Vec::new();
    let mut at = None;
    for arg in split(words, &GLOBAL, true) {
        match arg {
            Arg::Value(text, Value::Pattern) => settings.push(text),
            Arg::Operand(_, index) => at = Some(index),
            _ => {}
        }
    }
    let (name, rest) = words
        .get(at.filter(|at| *at > 1 || is_other)?..)?
        .split_first()?;
    let alias = settings.iter().rev().find_map(|setting| {
        let (key, text) = setting.split_once('=')?;
        let alias = key.split_once('.').filter(|(section, alias)| {
            section.eq_ignore_ascii_case("alias") && alias.eq_ignore_ascii_case(name)
        });
        alias.map(|_| text)
    });
    let mut plain = vec!["git".to_owned()];
    match alias {
        Some(text) => plain.extend(text.split_whitespace().map(str::to_owned)),
        None => plain.push(name.clone()),
    }
    plain.extend(rest.iter().cloned());
    Some(plain)
}

/// Finds what a command of git does.
pub(super) fn apply<'w>(words: &'w [String], found: &mut Found<'w>) {
    let mut at = None;
    for arg in split(words, &GLOBAL, true) {
        match arg {
            Arg::Value(text, Value::Target) => found.dir = paths::join(&found.dir, text),
            Arg::Operand(_, index) => at = Some(index),
            _ => {}
        }
    }
    let Some(rest) = at.and_then(|at| words.get(at..)) else {
        return;
    };
    let name = rest.first().map_or("", String::as_str);
    let mut options = OWN;
    if matches!(
        name,
        "clean" | "add" | "rm" | "diff" | "log" | "status" | "commit" | "mv"
    ) {
        // There these take no value.
        options.skip = "-m --message --author --date -F --file --format -e --exclude";
    }
    let args = split(rest, &options, false);
    let has = |short: char, long: &str| {
        let is = |arg: &Arg| *arg == Arg::Short(short) || *arg == Arg::Long(long);
        args.iter().any(is)
    };
    let operands: Vec<&str> = args.iter().filter_map(operand).collect();
    let dashes = rest.iter().position(|word| word == "--");
    let behind = || {
        let paths = dashes.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
        paths.iter().map(String::as_str)
    };
    match name {
        "rm" if !has('n', "--dry-run") && !has('\0', "--cached") => remove(&operands, found),
        "mv" => {
            if let Some((last, sources)) = operands.split_last() {
                found.reads.extend(sources);
                remove(sources, found);
                found.writes.push(last);
                place::into(last, sources, found);
            }
        }
        "clean" if !has('n', "--dry-run") => {
            remove(
                if operands.is_empty() {
                    &["."]
                } else {
                    &operands
                },
                found,
            );
        }
        "worktree" => match operands.split_first() {
            Some((&"remove", paths)) => remove(paths, found),
            Some((&"add", paths)) => found.writes.extend(paths.first()),
            _ => {}
        },
        "add" | "stage" | "apply" | "am" => found.reads.extend(&operands),
        "restore" => found.writes.extend(&operands),
        "checkout" => {
            found.writes.extend(behind());
            // Without dashes, what follows a revision is a file, and the first may be one.
            if dashes.is_none()
                && !rest
                    .iter()
                    .any(|word| matches!(word.as_str(), "-b" | "-B" | "--orphan"))
            {
                let first = operands.iter().take(1).filter(|word| word.contains('.'));
                found.writes.extend(first.chain(operands.iter().skip(1)));
            }
        }
        "reset" => found.writes.extend(behind()),
        "diff" | "log" | "show" | "blame" | "grep" => found.reads.extend(behind()),
        "init" => found.writes.extend(operands.first()),
        "clone" => found.writes.extend(operands.get(1)),
        _ => {}
    }
    let remote = matches!(name, "clone" | "ls-remote" | "submodule" | "remote");
    for text in operands {
        let host_and_path = remote && is_remote(text);
        let peer = if host_and_path {
            Peer::Remote
        } else {
            Peer::Repository
        };
        found.peers.push((text, peer));
    }
}

fn operand<'w>(arg: &Arg<'w>) -> Option<&'w str> {
    match arg {
        Arg::Operand(text, _) => Some(text),
        _ => None,
    }
}

fn remove<'w>(paths: &[&'w str], found: &mut Found<'w>) {
    found.writes.extend(paths);
    found.deletes.extend(paths);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_front_of_the_subcommand_are_taken_off() {
        for (words, expected) in [
            ("git|push|-f", None),
            ("git", None),
            ("git|--version", None),
            ("git.exe|push", Some("git push")),
            ("git|--no-pager|-P|-p|--bare|push|-f", Some("git push -f")),
            (
                "git|--git-dir=x|--literal-pathspecs|--exec-path=y|push",
                Some("git push"),
            ),
            (
                "git|--git-dir|x|-C|y|-c|k=v|push|-C|z",
                Some("git push -C z"),
            ),
            ("git|-c|user.name=push -f|push", Some("git push")),
            (
                "git|-c|alias.P=push --force|p|o",
                Some("git push --force o"),
            ),
        ] {
            let words: Vec<String> = words.split('|').map(str::to_owned).collect();
            let found = plain(&words).map(|words| words.join(" "));
            assert_eq!(found.as_deref(), expected, "{words:?}");
        }
    }
}
