//! Programs that take secrets as options, and which of their options do.

/// What of a word is secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// What follows the first such character: `user:secret`.
    After(char),
    /// All of it if it has an equals sign: `name=secret` of a cookie, where a file may stand instead.
    Pairs,
}

impl Part {
    /// Where the secret begins in a word; absent where the word has none.
    pub fn of(self, word: &str) -> Option<usize> {
        let from = match self {
            Part::Whole => 0,
            Part::After(sign) => word.find(sign)? + sign.len_utf8(),
            Part::Pairs => word.contains('=').then_some(0)?,
        };
        (from < word.len()).then_some(from)
    }
}

/// How an option takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// As the next word or in the same one.
    Either,
    /// In the same word alone.
    Glued,
    /// As the next word alone.
    Next,
}

/// A program.
#[derive(Debug)]
pub struct Program {
    /// What it is called.
    pub name: &'static str,
    /// Whether it reads a secret from standard input.
    pub reads: bool,
    /// Whether its options mean this only if it is to log in.
    login: bool,
    options: &'static [(&'static str, Part, Takes)],
}

use Part::{After, Pairs, Whole};
use Takes::{Either, Glued, Next};

const CURL: &[(&str, Part, Takes)] = &[
    ("-u", After(':'), Either),
    ("--user", After(':'), Next),
    ("-U", After(':'), Either),
    ("--proxy-user", After(':'), Next),
    ("-b", Pairs, Either),
    ("-E", After(':'), Either),
    ("--cert", After(':'), Next),
];
const SMALL_P: &[(&str, Part, Takes)] = &[("-p", Whole, Either)];
const GLUED_P: &[(&str, Part, Takes)] = &[("-p", Whole, Glued)];
const LARGE_P: &[(&str, Part, Takes)] = &[("-P", Whole, Either)];
const SMALL_W: &[(&str, Part, Takes)] = &[("-w", Whole, Either)];
const SMALL_A: &[(&str, Part, Takes)] = &[("-a", Whole, Next)];
const WINDOWS: &[(&str, Part, Takes)] = &[("-U", After('%'), Either)];
const RDP: &[(&str, Part, Takes)] = &[("/p:", Whole, Glued)];
const NOTHING: &[(&str, Part, Takes)] = &[];

/// Whose options are which: names, whether they read secrets, whether they have to log in, options.
type Row = (
    &'static [&'static str],
    bool,
    bool,
    &'static [(&'static str, Part, Takes)],
);

const PROGRAMS: &[Row] = &[
    (&["curl"], false, false, CURL),
    (
        &["http", "https", "xh"],
        false,
        false,
        &[("-a", After(':'), Either)],
    ),
    (
        &[
            "sshpass",
            "hydra",
            "nxc",
            "netexec",
            "crackmapexec",
            "evil-winrm",
        ],
        false,
        false,
        SMALL_P,
    ),
    (
        &[
            "docker", "podman", "nerdctl", "helm", "buildah", "skopeo", "oras", "crane", "regctl",
            "az", "oc", "cf",
        ],
        false,
        true,
        SMALL_P,
    ),
    (
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mariadb",
            "mariadb-dump",
            "7z",
            "7za",
            "rar",
            "unrar",
        ],
        false,
        false,
        GLUED_P,
    ),
    (
        &[
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "mongoexport",
        ],
        false,
        false,
        SMALL_P,
    ),
    (&["redis-cli"], false, false, SMALL_A),
    (
        &[
            "ldapsearch",
            "ldapmodify",
            "ldapadd",
            "ldapdelete",
            "ldapwhoami",
        ],
        false,
        false,
        SMALL_W,
    ),
    (&["smbclient", "rpcclient", "smbget"], false, false, WINDOWS),
    (
        &["zip", "unzip", "sqlcmd", "bcp", "ipmitool"],
        false,
        false,
        LARGE_P,
    ),
    (
        &["ssh-keygen"],
        false,
        false,
        &[("-N", Whole, Either), ("-P", Whole, Either)],
    ),
    (
        &["openssl"],
        false,
        false,
        &[("-k", Whole, Next), ("-K", Whole, Next)],
    ),
    (&["lftp"], false, false, &[("-u", After(','), Either)]),
    (&["xfreerdp", "wfreerdp"], false, false, RDP),
    (&["sudo"], false, false, NOTHING),
    (
        &[
            "su",
            "passwd",
            "chpasswd",
            "smbpasswd",
            "kinit",
            "cryptsetup",
        ],
        true,
        false,
        NOTHING,
    ),
];

impl Program {
    /// The program of that name.
    pub fn named(name: &str) -> Option<&'static Program> {
        let all = Program::all();
        let found = all
            .binary_search_by(|program| program.name.cmp(name))
            .ok()?;
        all.get(found)
    }

    fn all() -> &'static [Program] {
        static ALL: std::sync::OnceLock<Vec<Program>> = std::sync::OnceLock::new();
        ALL.get_or_init(|| {
            let programs = PROGRAMS.iter().flat_map(|&(names, reads, login, options)| {
                names.iter().map(move |&name| Program {
                    name,
                    reads,
                    login,
                    options,
                })
            });
            let mut all: Vec<Program> = programs.collect();
            all.sort_by_key(|program| program.name);
            all
        })
    }

    fn options(&self, login: bool) -> &'static [(&'static str, Part, Takes)] {
        if self.login && !login {
            return &[];
        }
        self.options
    }

    /// What of the next word is secret, after this option. Short options may stand together, the one
    /// that takes a value last.
    pub fn awaits(&self, word: &str, login: bool) -> Option<Part> {
        let together = |option: &str| {
            let letters = word.strip_prefix('-').unwrap_or("");
            let short = option.len() == 2 && letters.bytes().all(|b| b.is_ascii_alphabetic());
            short && letters.len() <= 6 && letters.ends_with(&option[1..])
        };
        let options = self.options(login).iter();
        let mut taking = options.filter(|(_, _, takes)| *takes != Glued);
        let found = taking.find(|(option, ..)| word == *option || together(option));
        found.map(|(_, part, _)| *part)
    }

    /// Where in this word the secret begins that stands behind an option in it.
    pub fn glued(&self, word: &str, login: bool) -> Option<usize> {
        self.options(login)
            .iter()
            .find_map(|(option, part, takes)| {
                let value = word.strip_prefix(option).filter(|_| *takes != Next)?;
                let from = word.len() - value.len();
                part.of(value).map(|begins| from + begins)
            })
    }
}
