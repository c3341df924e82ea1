//! What all commands of a call have in common: that they only read, or only read, test and build,
//! or do no more than the ordinary work on a project; and that only what can be made again is deleted.

use super::coded::Coded;
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
const LOOKS: &str = r"^(git (status|log|diff|show|branch( -[avl]+)?$|blame|fetch|remote( -v|$)|describe|ls-files|stash list|shortlog|tag( -l|$)|grep|rev-parse)|kubectl (get|describe|logs|top|explain|config (view|current))|docker (ps|logs|images|inspect|stats|compose (ps|logs))|systemctl (status|list|is-|show|cat)|npm (ls|list|outdated|view|audit$)|pip3? (list|show|freeze|check)|cargo (tree|metadata)|aws \S+ (ls|list|get|describe)\S*|aws s3 ls|gcloud \S+( \S+)? (list|describe)|az \S+( \S+)? (list|show)|terraform (plan|show|validate|output|state list)|helm (list|status|get|template)|apt (list|show|search|policy)|brew (list|info|search)|crontab -l|gh (pr|issue|run|repo) (list|view|diff|status|checks)|pg_restore --list|go (list|version|env)|history( \d+)?$|conda list|openssl x509|curl [^-]\S*$)";

/// Commands that test and build.
const BUILDS: &str = r"^((python3? -m )?pytest|python3? -m (unittest|mypy|black|ruff|compileall)|npm (test|t|ci|run (test|build|lint|format|check|typecheck|dev|start)\S*)|yarn (test|build|lint)|pnpm (test|build|lint|run)|cargo (test|build|check|clippy|fmt|bench|run|doc)|make( (test|check|build|all|lint|format|docs))?$|go (test|build|vet|fmt|run)|mvn|gradle|\./gradlew|tsc|eslint|prettier|black|ruff|mypy|flake8|tox|nox|jest|vitest|cmake|ninja|bazel|rustc|gcc|g\+\+|javac|rustfmt|isort|pylint|shellcheck|hadolint|newman|cypress|playwright|docker (build|compose build)|pre-commit|npx (jest|tsc|eslint|prettier|playwright|vitest))\b";

/// Commands of the work on a project that change its own files or its own environment.
const WORKS: &str = r"^(mkdir|touch|cp|mv|tar -?\w*x\w*|unzip|gunzip|rm|cargo (clean|update|add|new|init)|(python3? )?(\./)?manage\.py (migrate|makemigrations|test|check|collectstatic|runserver|showmigrations)|(pip3?|python3? -m pip|uv pip) install( -(r|e|U|q))*( [\w.\[\]=<>~-]+)+$|python3? -m venv|(npm|pnpm|yarn) (ci|install|i|add)( -[\w-]+)*( [@\w./-]+)*$|alembic upgrade|docker compose (up|down|restart|stop|start)( -d| --build)*$|docker-compose (up|down|restart|stop|start)( -d| --build)*$|pkill|killall|make clean$|mvn clean|\./gradlew clean|go (mod (tidy|download)|generate|clean)|git (add|stash|pull|switch|commit|checkout [\w/.-]+$|checkout -b|merge|cherry-pick))\b";

/// Commands that make keys and certificates, and those that go with them: they make folders, look who may
/// read, and take rights from others.
const KEYS: &str = r"^(ssh-keygen|openssl (req|genrsa|genpkey|ecparam|dhparam)|gpg2? --\S*gen\S*key|mkcert|certbot|keytool -gen\w*|mkdir|cd|ls|stat|ssh-add|chmod (-\w+ )*(0?[4567]00|go-rwx|og-rwx|go=|u=rwx?,go=))( |$)";

/// Lines for a shell's start that set where programs are, or what a name stands for that is not one of
/// those that are trusted with passwords.
const SHELL_LINE: &str = r#"^(echo|printf) (export (path|manpath|editor|visual|pager|lang|lc_\w+|gopath|goroot|java_home|pnpm_home|nvm_dir|virtual_env|history\w*|term|ps1)=["']?[\w$:./~{}-]*["']?|alias [a-z0-9_.-]+=["']?[a-z0-9][\w =.-]*["']?)( >> ?\S+)?$"#;

/// What such a line never holds.
const NO_SHELL_LINE: &str =
    r"alias (sudo|su|ssh|scp|doas|passwd|login|gpg|git)=|/tmp|/shm|/\.\w*/?:|=\.?:|::";

/// Files that a shell reads when it starts.
const STARTS: &[&str] = &[
    ".bash_profile",
    ".bashrc",
    ".profile",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// A search that deletes what a build makes again.
const SWEEPS: &str = r#"^find (\S+)( -type [fd])? -name ["']?(\*\.(pyc|pyo|o|class)|__pycache__|\.pytest_cache|node_modules)["']?( -type [fd])?( -prune)? (-delete|-exec rm -r?f?r? ["']?\{\}["']? (\+|\\?;)?)\s*$"#;

/// Top folders that hold projects, beside those of users.
const HOMES: &[&str] = &[
    "builds",
    "code",
    "project",
    "projects",
    "repo",
    "work",
    "workspace",
    "workspaces",
];

/// Folders and files that a build makes again, by their names.
const MADE: &[&str] = &[
    ".cache",
    ".coverage",
    ".eggs",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".turbo",
    ".venv",
    "__pycache__",
    "build",
    "coverage",
    "dist",
    "htmlcov",
    "node_modules",
    "out",
    "target",
    "venv",
];

/// Endings of files that a build makes again.
const MADE_ENDINGS: &[&str] = &[".class", ".egg-info", ".o", ".pyc", ".pyo", ".tsbuildinfo"];

struct Kinds {
    acts: Option<Regex>,
    looks: Option<Regex>,
    builds: Option<Regex>,
    works: Option<Regex>,
    sweeps: Option<Regex>,
    keys: Option<Regex>,
    shell_line: Option<Regex>,
    no_shell_line: Option<Regex>,
}

fn kinds() -> &'static Kinds {
    static KINDS: OnceLock<Kinds> = OnceLock::new();
    let regex = |pattern| RegexBuilder::new(pattern).unicode(false).build().ok();
    KINDS.get_or_init(|| Kinds {
        acts: regex(ACTS),
        looks: regex(LOOKS),
        builds: regex(BUILDS),
        works: regex(WORKS),
        sweeps: regex(SWEEPS),
        keys: regex(KEYS),
        shell_line: regex(SHELL_LINE),
        no_shell_line: regex(NO_SHELL_LINE),
    })
}

/// The signs of a call's commands and files.
pub fn signs(action: &Action<'_>, found: &mut impl FnMut(Coded)) {
    let facets = action.facets;
    for (sign, list) in [
        (Coded::Reads, &facets.reads),
        (Coded::Writes, &facets.writes),
        (Coded::Deletes, &facets.deletes),
        (Coded::Commands, &facets.commands),
    ] {
        if !list.is_empty() {
            found(sign);
        }
    }
    if !facets.complete {
        return;
    }
    let sweeps =
        |path: &str, c: &str| c.split(' ').nth(1) == Some(path) && matches(&kinds().sweeps, c);
    let swept = |path: &str| facets.commands.iter().any(|c| sweeps(path, c));
    let removed = |path: &str| facets.commands.iter().any(|c| removes(c, path));
    let is_clear = |path: &str| is_made_again(path) || swept(path) && !removed(path);
    let clears = facets.deletes.iter().all(|path| is_clear(path));
    if clears && !facets.deletes.is_empty() {
        found(Coded::ScratchOnly);
    }
    if facets.commands.is_empty() {
        return;
    }
    if facets.commands.iter().all(|c| matches(&kinds().keys, c)) {
        found(Coded::KeyMade);
    }
    if !facets.writes.is_empty() && facets.writes.iter().all(|path| is_start(path)) {
        let sets = |c: &String| {
            let line = c.to_ascii_lowercase();
            matches(&kinds().shell_line, &line) && !matches(&kinds().no_shell_line, &line)
        };
        if facets.commands.iter().all(sets) {
            found(Coded::ShellLine);
        }
    }
    let own = facets.writes.iter().all(|path| is_own(path));
    let moves = |c: &str| c.starts_with("mv ");
    let leaves = clears
        || facets.commands.iter().any(|c| moves(c)) && facets.deletes.iter().all(|p| is_own(p));
    let reads: Vec<bool> = facets.commands.iter().map(|c| is_read(c)).collect();
    let is_work = |(c, reads): (&String, &bool)| {
        *reads
            || matches(&kinds().builds, c)
            || matches(&kinds().works, c)
                && (clears && !facets.deletes.is_empty() || !c.starts_with("rm"))
            || matches(&kinds().sweeps, c)
    };
    if own && leaves && facets.commands.iter().zip(&reads).all(is_work) {
        found(Coded::EveryWork);
    }
    if !facets.writes.is_empty() {
        return;
    }
    let mut builds = false;
    for (command, reads) in facets.commands.iter().zip(&reads) {
        if *reads {
            continue;
        }
        builds = matches(&kinds().builds, command);
        if !builds {
            return;
        }
    }
    found(Coded::EveryBuild);
    if !builds {
        found(Coded::EveryRead);
    }
}

/// Whether a command other than a sweep names a path that is deleted.
fn removes(command: &str, path: &str) -> bool {
    !matches(&kinds().sweeps, command) && command.split(' ').any(|word| word == path)
}

/// Whether a path stays below the folder of the work, as far as it tells.
fn is_own(path: &str) -> bool {
    let outside = path.starts_with(['/', '~', '$', '-']) || path.contains(':');
    let climbs = path.split('/').any(|part| part == ".." || part == ".git");
    !outside && !climbs && !matches!(path, "" | "." | "./" | "*" | "./*")
}

/// Whether a path is that of something a build makes again, or lies in a folder for what may go.
fn is_made_again(path: &str) -> bool {
    let mut parts = path.split('/').filter(|p| !matches!(*p, "" | "." | "*"));
    if path.contains("..") {
        return false;
    }
    let Some(last) = parts.next_back() else {
        return false;
    };
    // What programs keep below a folder of this name they fetch or make again.
    if path.split('/').rev().skip(1).any(|part| part == ".cache") {
        return true;
    }
    let rooted = path.starts_with(['/', '~', '$']);
    let scratch = path
        .strip_prefix("/tmp/")
        .or(path.strip_prefix("/var/tmp/"));
    if let Some(rest) = scratch {
        return !rest.starts_with(['*', '.', '$']) && !rest.is_empty();
    }
    let made =
        MADE.binary_search(&last).is_ok() || MADE_ENDINGS.iter().any(|end| last.ends_with(end));
    // The folder itself of a user or of the machine is none of a project.
    let (top, below) = (parts.next().unwrap_or_default(), parts.count());
    let in_project = match top {
        "app" | "testbed" => true,
        "home" | "Users" => below >= 2,
        top => below >= 1 && (top.starts_with(['~', '$']) || HOMES.binary_search(&top).is_ok()),
    };
    made && (!rooted || in_project)
}

/// Whether a path is that of a file that a shell reads when it starts.
fn is_start(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    STARTS.binary_search(&name).is_ok()
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
        assert!(
            kinds.works.is_some()
                && kinds.sweeps.is_some()
                && HOMES.is_sorted()
                && MADE.is_sorted()
        );
        assert!(READERS.is_sorted() && STARTS.is_sorted());
        assert!(
            kinds.keys.is_some() && kinds.shell_line.is_some() && kinds.no_shell_line.is_some()
        );
    }

    #[test]
    fn what_a_build_makes_again_is_no_loss() {
        for (path, made) in [
            ("target", true),
            ("./node_modules/", true),
            ("dist/*", true),
            ("src/a.pyc", true),
            ("/home/ann/shop/build", true),
            ("/tmp/work", true),
            ("/tmp/*", false),
            ("/tmp/../home", false),
            ("~/build", false),
            ("~/.cache/pip", true),
            ("/home/ann/.cache", false),
            ("/home/build", false),
            ("/srv/www/build", false),
            ("src", false),
            ("/", false),
            ("*", false),
        ] {
            assert_eq!(is_made_again(path), made, "{path}");
        }
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
