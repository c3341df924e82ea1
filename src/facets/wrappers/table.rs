//! The tables of programs that run others.
//!
//! To add one, add a row to `WRAPPERS`, `CARRIERS` or `RUNNERS`, or a name to [`is_shell`].

use crate::facets::options::{NONE, Options};
use foldhash::HashSet;
use std::sync::LazyLock;

/// A program that runs the command in its operands.
pub(super) struct Wrapper {
    /// Its names, separated by spaces.
    pub names: &'static str,
    /// Options that take a value; `script` ones hold a command line. One that is wrongly said to
    /// take a value hides the command behind it.
    pub options: Options,
    /// Operands in front of the command.
    pub operands: usize,
    /// Whether `NAME=value` may stand in front of the command.
    pub assignments: bool,
    /// Options with which it does something else, separated by spaces.
    pub except: &'static str,
    /// Options whose value is the directory it runs the command in, separated by spaces.
    pub dir: &'static str,
}

const fn plain(names: &'static str, skip: &'static str) -> Wrapper {
    Wrapper {
        names,
        options: Options { skip, ..NONE },
        operands: 0,
        assignments: false,
        except: "",
        dir: "",
    }
}

/// Wrappers, which are taken off.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        assignments: true,
        except: "-e -l --edit --list",
        dir: "-D --chdir",
        ..plain(
            "sudo",
            "-u -g -h -p -C -R -T -U -r -t -a -c --user --group --host --prompt --chroot \
             --close-from --command-timeout --other-user --role --type",
        )
    },
    plain("doas", "-u -C -a"),
    Wrapper {
        assignments: true,
        options: Options {
            skip: "-u --unset -a --argv0 -P",
            script: "-S --split-string",
            ..NONE
        },
        dir: "-C --chdir",
        ..plain("env", "")
    },
    Wrapper {
        operands: 1,
        ..plain("timeout gtimeout", "-s --signal -k --kill-after")
    },
    plain(
        "nohup setsid builtin unbuffer fakeroot busybox toybox noglob nocorrect winpty chronic \
         proxychains proxychains4 torsocks xvfb-run dbus-run-session rlwrap pkexec unshare setarch \
         linux32 linux64 npx bunx uvx",
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
    plain(
        "prlimit cpulimit firejail systemd-run numactl",
        "-p -u --unit --property -N -m",
    ),
    Wrapper {
        operands: 1,
        ..plain("gosu su-exec chrt", "")
    },
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
pub(super) const LINES: &[(&str, Options)] = &[(
    "su runuser script",
    Options {
        skip: "-s --shell -g -G",
        script: "-c --command",
        ..NONE
    },
)];

/// Whether a program is a shell: `-c` makes its first operand a command line, and without operands it reads one.
pub fn is_shell(program: &str) -> bool {
    matches!(
        program,
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "fish"
    )
}

/// Programs with options that run a command up to `;` or `+`, and those options.
pub(super) const EXECUTING: &[(&str, &str)] = &[
    ("find gfind", "-exec -execdir -ok -okdir"),
    ("fd fdfind", "-x --exec -X --exec-batch"),
];

/// Whether a program is in one of the tables.
pub(super) fn is_known(program: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let wrappers = WRAPPERS.iter().map(|row| row.names);
        let carriers = CARRIERS.iter().map(|row| row.names);
        let lines = LINES.iter().map(|(names, _)| *names);
        let executing = EXECUTING.iter().map(|(names, _)| *names);
        let others = OTHER_SHELLS.iter().map(|(names, _)| *names);
        let lists = wrappers
            .chain(carriers)
            .chain(lines)
            .chain(executing)
            .chain(others);
        let lists = lists.chain(["eval trap"]);
        lists.flat_map(|names| names.split(' ')).collect()
    });
    is_shell(program) || is_reading(program) || NAMES.contains(program)
}

/// Programs whose operands are joined to one command line.
pub(super) const JOINING: &str = "watch parallel entr";

/// Whether a program reads a command line as its input.
pub(super) fn is_reading(program: &str) -> bool {
    matches!(program, "at" | "batch")
}

/// A program that runs a command on another host or in a container. It stays in sight.
pub(super) struct Carrier {
    /// Its names, separated by spaces.
    pub names: &'static str,
    /// Words that say that it runs a command, separated by spaces; empty if it always does.
    pub subcommands: &'static str,
    /// Options that take a value; `script` ones hold a command line.
    pub options: Options,
    /// Options whose value is the directory it runs the command in.
    pub dir: &'static str,
    /// Options whose value is the program.
    pub program: &'static str,
    /// Operands in front of the command.
    pub operands: usize,
    /// Whether what remains is joined to a command line.
    pub joins: bool,
    /// Whether the command stands behind `--` alone.
    pub dashes: bool,
}

const fn carrier(names: &'static str, subcommands: &'static str, skip: &'static str) -> Carrier {
    Carrier {
        names,
        subcommands,
        options: Options { skip, ..NONE },
        dir: "",
        program: "",
        operands: 1,
        joins: false,
        dashes: false,
    }
}

/// Carriers, which stay in sight beside the command that they run.
pub(super) const CARRIERS: &[Carrier] = &[
    Carrier {
        joins: true,
        ..carrier(
            "ssh slogin autossh",
            "",
            "-b -B -c -D -E -e -F -I -i -J -L -l -m -o -O -p -P -Q -R -S -W -w",
        )
    },
    Carrier {
        dir: "-w --workdir",
        program: "--entrypoint",
        ..carrier(
            "docker podman nerdctl docker-compose podman-compose",
            "exec run",
            "-e --env --env-file -u --user -v --volume --mount --name -p --publish --network --net \
             --label -l --memory -m --cpus --platform --pull --restart --hostname -h --add-host \
             --ulimit --device --cap-add --cap-drop --security-opt --detach-keys -c --cidfile \
             --gpus --ipc --pid --runtime --shm-size --tmpfs --userns --volumes-from --index -f",
        )
    },
    Carrier {
        dashes: true,
        ..carrier("kubectl oc", "exec run debug", "")
    },
    carrier("lxc incus", "exec", "--cwd --env --user --group --mode"),
    Carrier {
        dashes: true,
        ..carrier("npm pnpm", "exec", "")
    },
    Carrier {
        operands: 0,
        ..carrier(
            "uv poetry pipenv pdm rye hatch",
            "run",
            "--with --python -p --extra --group",
        )
    },
    Carrier {
        operands: 0,
        ..carrier("bundle pnpm yarn", "exec dlx", "")
    },
    Carrier {
        operands: 0,
        ..carrier(
            "conda mamba micromamba",
            "run",
            "-n --name -p --prefix --cwd",
        )
    },
    Carrier {
        options: Options {
            script: "-c --command",
            ..NONE
        },
        ..carrier("vagrant", "ssh", "")
    },
    Carrier {
        options: Options {
            script: "--run --command",
            ..NONE
        },
        ..carrier("nix-shell", "", "-A -p -I")
    },
    Carrier {
        joins: true,
        operands: 0,
        ..carrier("adb", "shell", "-s")
    },
    Carrier {
        joins: true,
        operands: 0,
        ..carrier(
            "tmux",
            "new-session new-window split-window new",
            "-s -t -n -c -x -y -F -e",
        )
    },
];

/// Shells of other systems, which are not read but guessed at, and the options in front of their
/// command lines. Compared in lower case.
pub(super) const OTHER_SHELLS: &[(&str, &str)] = &[
    (
        "powershell powershell.exe pwsh pwsh.exe",
        "-command -c -commandwithargs",
    ),
    ("cmd cmd.exe", "/c /k"),
];
