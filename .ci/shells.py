#!/usr/bin/env python3
"""Has each shell read its completions and complete with them, and formatters read the manual pages.

    python3 .ci/shells.py target/release/gate

A shell or a formatter that is not there is skipped.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile

from gatelib import conclude

#: How a shell reads a file without running it, and how it completes `gate repl` with what is in one.
#: The file is its first argument.
SHELLS = {
    "bash": (
        ["bash", "-n"],
        'source "$1"; COMP_WORDS=(gate repl); COMP_CWORD=1; _gate gate repl gate; echo "${COMPREPLY[@]}"',
    ),
    "zsh": (["zsh", "-n"], None),
    "fish": (["fish", "-n"], 'source "$argv[1]"; complete -C "gate repl"'),
}

#: What says what is wrong with a page, on either output: nothing where nothing is.
FORMATTERS = [
    ["mandoc", "-Tlint", "-Werror"],
    ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"],
    ["groff", "-man", "-ww", "-z", "-K", "utf8"],
]


def said(command, **options):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **options
    )
    return done.returncode, done.stdout, done.stderr.strip()


def completions(gate, folder):
    """What is wrong with completions, a line each."""
    for shell, (reads, completes) in SHELLS.items():
        if not shutil.which(shell):
            print(f"skipped: no {shell}")
            continue
        script = folder / f"gate.{shell}"
        script.write_bytes(subprocess.run([gate, "completions", shell], stdout=subprocess.PIPE, check=True).stdout)
        status, _, errors = said([*reads, script])
        if status or errors:
            yield f"{shell} cannot read its completions: {errors}"
        elif completes:
            # bash wants a name for the script before its arguments.
            name = ["bash"] if shell == "bash" else []
            _, found, errors = said([shell, "-c", completes, *name, script])
            if found.split()[:1] != ["replay"] or errors:
                yield f"{shell} completes `gate repl` with {found!r} {errors}"
        print(f"{shell}: read")


def pages(gate, folder):
    """What is wrong with manual pages, a line each."""
    subprocess.run([gate, "man", "--output", folder / "man"], stderr=subprocess.PIPE, check=True)
    written = sorted((folder / "man").iterdir())
    if len(written) < 2:
        yield "there is no page of a command"
    for formatter in FORMATTERS:
        if not shutil.which(formatter[0]):
            print(f"skipped: no {formatter[0]}")
            continue
        for page in written:
            environment = {**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
            status, out, errors = said([*formatter, page], env=environment)
            lint = out if formatter[0] == "mandoc" else ""
            if status or errors or lint:
                yield f"{formatter[0]} on {page.name}: {(errors or lint).splitlines()[:3]}"
        print(f"{formatter[0]}: {len(written)} pages")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate", type=pathlib.Path)
    gate = parser.parse_args().gate.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        wrong = [*completions(gate, folder), *pages(gate, folder)]
    conclude(wrong, "completions and manual pages can be read")


if __name__ == "__main__":
    main()
