//! What well-known programs read, write and connect to: the table.
//!
//! To add a program, add a row to [`PROGRAMS`]. An option that is wrongly said to take a value
//! hides the operand behind it, so in doubt it is left out: its value then counts as an operand,
//! and a rule sees too much rather than too little.

use super::options::{NONE, Options};
use foldhash::HashMap;
use std::sync::LazyLock;

/// What a program does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Nothing that is known.
    Other,
    /// Reads each.
    Read,
    /// Reads the first; the rest are for the program it names.
    ReadFirst,
    /// Reads each but the first, which is a pattern unless an option gives one.
    Search,
    /// Writes each: creates or changes it.
    Write,
    /// Removes each.
    Remove,
    /// Writes each but the first, which is a mode or an owner unless an option gives one.
    Change,
    /// Reads each but the last, which is written.
    CopyTo,
    /// As `CopyTo`, and the sources are gone afterwards.
    MoveTo,
    /// Writes the last and reads none.
    Link,
    /// `if=` is read, `of=` written.
    Assign,
    /// Searches the directories in front of the first test.
    Find,
    /// As its subcommand says.
    Git,
    /// Packs or unpacks, as its letters say.
    Tar,
    /// Packs.
    Zip,
    /// Unpacks.
    Unzip,
}

/// Which operands of a program name a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// None.
    None,
    /// Each that has a scheme or looks like a host's name or address.
    Web,
    /// The first: `[user@]host`.
    First,
    /// The first, and each further one that looks like a host's name or address.
    Each,
    /// Each `KIND:host:port`, where the kind is one of connections.
    Socket,
    /// Each `[user@]host:path`; the others are files.
    Remote,
    /// Each `user@host:path` and each address: what else holds a colon is a revision.
    Repository,
}

/// A row of the table.
#[derive(Debug)]
pub struct Program {
    /// Its names, separated by spaces.
    pub names: &'static str,
    /// What it does with its operands.
    pub operands: Operands,
    /// Options that take a value.
    pub options: Options,
    /// Options that make it write the operands it reads, separated by spaces.
    pub in_place: &'static str,
    /// Options that make it remove operands, separated by spaces: the sources of a copy, or with
    /// `--delete…` what lies in its destination.
    pub removing: &'static str,
    /// Which operands name a host.
    pub peer: Peer,
}

const fn row(names: &'static str, operands: Operands, skip: &'static str) -> Program {
    Program {
        names,
        operands,
        options: Options { skip, ..NONE },
        in_place: "",
        removing: "",
        peer: Peer::None,
    }
}

const fn net(names: &'static str, peer: Peer, skip: &'static str) -> Program {
    Program {
        peer,
        ..row(names, Operands::Other, skip)
    }
}

use Operands::{
    Assign, Change, CopyTo, Find, Git, Link, MoveTo, Other, Read, ReadFirst, Remove, Search, Tar,
    Unzip, Write, Zip,
};

/// The row of a program; `None` if it is not known.
pub fn find(name: &str) -> Option<&'static Program> {
    static ROWS: LazyLock<HashMap<&str, &Program>> = LazyLock::new(|| {
        let names = |row: &'static Program| row.names.split(' ').map(move |name| (name, row));
        PROGRAMS.iter().flat_map(names).collect()
    });
    ROWS.get(name).copied()
}

/// The programs that are known.
pub const PROGRAMS: &[Program] = &[
    row(
        "cat tac nl less more bat batcat file stat wc md5sum sha1sum sha256sum sha512sum base64 \
         base32 readlink zcat bzcat xzcat cmp comm rev cksum sum view pdftotext ls",
        Read,
        "",
    ),
    row("head tail", Read, "-n -c --lines --bytes --pid"),
    row("cut", Read, "-d -f -c -b --delimiter --fields"),
    row("uniq", Read, "-f -s -w"),
    row("fold fmt", Read, "-w --width"),
    row("paste", Read, "-d --delimiters"),
    row("column", Read, "-s -c -o"),
    row("od", Read, "-A -j -N -t -w"),
    row("xxd", Read, "-l -s -c -g -o"),
    row("hexdump hd", Read, "-n -s -e"),
    row("strings", Read, "-n -t -e"),
    row("du", Read, "-d --max-depth --exclude"),
    row("tree", Read, "-L -P -I"),
    row("diff", Read, "-x -U -C -W --exclude"),
    Program {
        options: Options {
            skip: "-k -t -S -T --key --field-separator --parallel",
            write: "-o --output",
            ..NONE
        },
        ..row("sort", Read, "")
    },
    Program {
        options: Options {
            skip: "-A -B -C -m -d -D --include --exclude --exclude-dir --max-count --context",
            pattern_file: "-f --file",
            pattern: "-e --regexp",
            ..NONE
        },
        ..row("grep egrep fgrep zgrep ggrep", Search, "")
    },
    Program {
        options: Options {
            skip: "-A -B -C -m -g -t -T -j -M --type --type-not --glob --max-count --context",
            pattern_file: "-f --file",
            pattern: "-e --regexp --files",
            ..NONE
        },
        ..row("rg", Search, "")
    },
    row("ag ack", Search, "-A -B -C -m -G"),
    Program {
        options: Options {
            pattern_file: "-f --file",
            pattern: "-e --expression",
            ..NONE
        },
        in_place: "-i --in-place",
        ..row("sed gsed", Search, "")
    },
    Program {
        options: Options {
            pattern: "-e -E",
            ..NONE
        },
        in_place: "-i",
        ..row("perl ruby", ReadFirst, "")
    },
    Program {
        options: Options {
            skip: "-F -v --field-separator --assign",
            pattern_file: "-f --file",
            ..NONE
        },
        ..row("awk gawk mawk nawk", Search, "")
    },
    Program {
        options: Options {
            skip: "--indent --arg --argjson",
            pattern_file: "-f --from-file",
            ..NONE
        },
        ..row("jq yq", Search, "")
    },
    row("source .", ReadFirst, ""),
    Program {
        options: Options {
            pattern: "-c -m",
            skip: "-W -X",
            ..NONE
        },
        ..row("python python2 python3 pypy", ReadFirst, "")
    },
    Program {
        options: Options {
            pattern: "-e --eval -p --print",
            skip: "-r --require --import",
            ..NONE
        },
        ..row("node deno bun", ReadFirst, "")
    },
    row(
        "rm grm rmdir unlink srm wipe trash trash-put rimraf",
        Remove,
        "",
    ),
    row("Remove-Item remove-item ri del erase rd", Remove, ""),
    row("shred", Remove, "-n -s --iterations --size"),
    row("tee sponge", Write, ""),
    row("mkdir mkfifo", Write, "-m --mode"),
    row("touch gtouch", Write, "-t -d -r --date --reference"),
    row("truncate", Write, "-s -r --size --reference"),
    row("mktemp", Write, "-p"),
    row("setfacl", Write, "-m -x -M -X"),
    row("vi vim nvim", Write, "-c -u -T"),
    row(
        "nano emacs ed pico gzip gunzip bzip2 bunzip2 xz unxz zstd",
        Write,
        "",
    ),
    Program {
        options: Options {
            pattern: "--reference",
            skip: "--from",
            ..NONE
        },
        ..row("chmod chown chgrp chattr gchmod gchown", Change, "")
    },
    Program {
        options: Options {
            skip: "-S --suffix",
            target: "-t --target-directory",
            ..NONE
        },
        ..row("cp gcp", CopyTo, "")
    },
    Program {
        options: Options {
            skip: "-S --suffix -m --mode -o --owner -g --group",
            target: "-t --target-directory",
            ..NONE
        },
        ..row("install", CopyTo, "")
    },
    Program {
        options: Options {
            skip: "-S --suffix",
            target: "-t --target-directory",
            ..NONE
        },
        ..row("mv gmv", MoveTo, "")
    },
    Program {
        options: Options {
            skip: "-S --suffix",
            target: "-t --target-directory",
            ..NONE
        },
        ..row("ln gln", Link, "")
    },
    row("dd gdd", Assign, ""),
    row("find gfind", Find, ""),
    Program {
        options: Options {
            skip: "-H --header -A --user-agent -e --referer -u --user -X --request -b --cookie -m \
                   --max-time --connect-timeout -w --write-out -r --range --retry \
                   --retry-delay --limit-rate -C -E --cacert --cert --key -y -Y -z --data-raw \
                   --form-string",
            read: "-T --upload-file -K --config",
            write: "-o --output -c --cookie-jar -D --dump-header",
            target: "--output-dir",
            at_file: "-d --data --data-binary --data-ascii --data-urlencode -F --form --json",
            host: "--url -x --proxy --preproxy --socks5 --socks5-hostname --socks4 --socks4a --doh-url",
            route: "--resolve --connect-to",
            ..NONE
        },
        ..net("curl", Peer::Web, "")
    },
    Program {
        options: Options {
            skip: "-U --user-agent --header -t --tries -T --timeout -w --wait --post-data -e \
                   --method --body-data --referer -A -R -D -l --level --user --password",
            read: "-i --input-file --post-file --body-file",
            write: "-O --output-document -o --output-file -a",
            target: "-P --directory-prefix",
            ..NONE
        },
        ..net("wget wget2", Peer::Web, "")
    },
    net("http https xh httpie", Peer::Web, "-a --auth --verify"),
    Program {
        options: Options {
            skip: "-b -B -c -D -E -e -F -I -L -l -m -o -O -p -P -Q -R -S -W -w",
            read: "-i",
            host: "-J",
            ..NONE
        },
        ..net("ssh slogin sftp ssh-copy-id", Peer::First, "")
    },
    Program {
        options: Options {
            skip: "-p --strip -F --fuzz -B -z -Y -V -D -g",
            read: "-i --input",
            write: "-o --output -r --reject-file",
            dir: "-d --directory",
            ..NONE
        },
        ..row("patch", Write, "")
    },
    net("socat", Peer::Socket, "-t -T -b -lf"),
    net("lynx w3m aria2c links elinks axel", Peer::Web, ""),
    net("mosh ftp lftp telnet", Peer::First, "-p -u -e -l"),
    net("nc ncat netcat", Peer::Each, "-p -w -s -i -q -e -x -X -c"),
    net(
        "ping ping6 traceroute",
        Peer::Each,
        "-c -i -w -W -s -t -I -m",
    ),
    net("nmap", Peer::Each, "-p -e -oN -oX -oG -oA"),
    net("whois dig host nslookup", Peer::Each, "-h -p"),
    Program {
        peer: Peer::Remote,
        options: Options {
            skip: "-c -F -l -o -P -S -D -X",
            read: "-i",
            host: "-J",
            ..NONE
        },
        ..row("scp", CopyTo, "")
    },
    Program {
        peer: Peer::Remote,
        options: Options {
            skip: "-e --rsh -f -B -M -T --exclude --include --bwlimit --timeout --port",
            read: "--files-from --exclude-from --include-from --password-file",
            ..NONE
        },
        removing: "--del --delete --delete-after --delete-before --delete-delay --delete-during \
                   --delete-excluded --delete-missing-args --remove-source-files",
        ..row("rsync", CopyTo, "")
    },
    row("git", Git, ""),
    row("tar gtar bsdtar", Tar, ""),
    row("zip", Zip, ""),
    row("unzip", Unzip, ""),
    Program {
        options: Options {
            skip: "-j --jobs -o -W -l -I --load-average",
            read: "-f --file --makefile",
            dir: "-C --directory",
            ..NONE
        },
        ..row("make gmake", Other, "")
    },
    Program {
        options: Options {
            host: "-connect",
            ..NONE
        },
        ..row("openssl", Other, "")
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_program_has_one_row() {
        let mut seen = BTreeSet::new();
        for row in PROGRAMS {
            for name in row.names.split(' ') {
                assert!(!name.is_empty() && seen.insert(name), "`{name}` twice");
            }
        }
    }
}
