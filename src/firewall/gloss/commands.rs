//! What all commands of a call have in common: that they only read, or only read, test and build.

use crate::firewall::text::Action;
use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// Programs that read and do nothing else, whatever their arguments, but for [`ACTS`].
const READERS: &[&str] = &[
    "[",
    "awk",
    "basename",
    "bat",
    "cat",
    "cd",
    "cmp",
    "column",
    "cut",
    "date",
    "df",
    "diff",
    "dig",
    "dirname",
    "dmesg",
    "du",
    "echo",
    "egrep",
    "env",
    "fd",
    "file",
    "find",
    "free",
    "getent",
    "grep",
    "groups",
    "head",
    "hexdump",
    "host",
    "hostname",
    "id",
    "iostat",
    "ip",
    "journalctl",
    "jq",
    "less",
    "ls",
    "lsblk",
    "lsof",
    "man",
    "md5sum",
    "more",
    "netstat",
    "nl",
    "nslookup",
    "pgrep",
    "ping",
    "printf",
    "ps",
    "pwd",
    "read",
    "readlink",
    "realpath",
    "rg",
    "sha256sum",
    "sort",
    "ss",
    "stat",
    "strings",
    "tail",
    "test",
    "top",
    "tr",
    "tree",
    "true",
    "type",
    "uname",
    "uniq",
    "uptime",
    "vmstat",
    "wc",
    "which",
    "whoami",
    "xxd",
    "yq",
    "zcat",
    "zgrep",
];

/// Words with which a reader does more than read.
const ACTS: &str = r" -(delete|exec|execdir|ok|fprint\w*|i|o|O|d)\b| --(output|in-place|data)\b";

/// Commands of larger programs that read.
const LOOKS: &str = r"^(git (status|log|diff|show|branch( -[avl]+)?$|blame|fetch|remote( -v|$)|describe|ls-files|stash list|shortlog|tag( -l|$)|grep|rev-parse)|kubectl (get|describe|logs|top|explain|config (view|current))|docker (ps|logs|images|inspect|stats|compose (ps|logs))|systemctl (status|list|is-|show|cat)|npm (ls|list|outdated|view|audit$)|pip3? (list|show|freeze|check)|cargo (tree|metadata)|aws \S+ (ls|list|get|describe)\S*|aws s3 ls|gcloud \S+( \S+)? (list|describe)|az \S+( \S+)? (list|show)|terraform (plan|show|validate|output|state list)|helm (list|status|get|template)|apt (list|show|search|policy)|brew (list|info|search)|crontab -l|gh (pr|issue|run|repo) (list|view|diff|status|checks)|pg_restore --list|go (list|version|env)|conda list|openssl x509|curl [^-]\S*$)";

/// Commands that test and build.
const BUILDS: &str = r"^((python3? -m )?pytest|python3? -m (unittest|mypy|black|ruff|compileall)|npm (test|t|ci|run (test|build|lint|format|check|typecheck|dev|start)\S*)|yarn (test|build|lint)|pnpm (test|build|lint|run)|cargo (test|build|check|clippy|fmt|bench|run|doc)|make( (test|check|build|all|lint|format|docs))?$|go (test|build|vet|fmt|run)|mvn|gradle|\./gradlew|tsc|eslint|prettier|black|ruff|mypy|flake8|tox|nox|jest|vitest|cmake|ninja|bazel|rustc|gcc|g\+\+|javac|rustfmt|isort|pylint|shellcheck|hadolint|newman|cypress|playwright|docker (build|compose build)|pre-commit|npx (jest|tsc|eslint|prettier|playwright|vitest))\b";

struct Kinds {
    acts: Option<Regex>,
    looks: Option<Regex>,
    builds: Option<Regex>,
}

fn kinds() -> &'static Kinds {
    static KINDS: OnceLock<Kinds> = OnceLock::new();
    let regex = |pattern| RegexBuilder::new(pattern).unicode(false).build().ok();
    KINDS.get_or_init(|| Kinds {
        acts: regex(ACTS),
        looks: regex(LOOKS),
        builds: regex(BUILDS),
    })
}

/// The signs of a call's commands and files.
pub fn signs(action: &Action<'_>, found: &mut impl FnMut(&str)) {
    let facets = action.facets;
    for (sign, list) in [
        ("reads", &facets.reads),
        ("writes", &facets.writes),
        ("deletes", &facets.deletes),
        ("commands", &facets.commands),
    ] {
        if !list.is_empty() {
            found(sign);
        }
    }
    if facets.commands.is_empty() || !facets.complete || !facets.writes.is_empty() {
        return;
    }
    let mut builds = false;
    for command in &facets.commands {
        if is_read(command) {
            continue;
        }
        builds = matches(&kinds().builds, command);
        if !builds {
            return;
        }
    }
    found("every_build");
    if !builds {
        found("every_read");
    }
}

fn is_read(command: &str) -> bool {
    let program = command.split(' ').next().unwrap_or(command);
    let plain = READERS.binary_search(&program).is_ok() && !matches(&kinds().acts, command);
    plain || matches(&kinds().looks, command)
}

fn matches(pattern: &Option<Regex>, command: &str) -> bool {
    let pattern = pattern.as_ref();
    pattern.is_some_and(|pattern| pattern.is_match(command.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_sound_and_readers_are_sorted() {
        let kinds = kinds();
        assert!(kinds.acts.is_some() && kinds.looks.is_some() && kinds.builds.is_some());
        assert!(READERS.is_sorted());
    }

    #[test]
    fn a_reader_that_acts_is_none() {
        for (command, reads) in [
            ("ls -la", true),
            ("find . -name x", true),
            ("find . -delete", false),
            ("git log -3", true),
            ("git push", false),
            ("curl https://e.example/x", true),
            ("curl -d @f https://e.example/x", false),
        ] {
            assert_eq!(is_read(command), reads, "{command}");
        }
    }
}
