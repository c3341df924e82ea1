#!/usr/bin/env python3
"""Runs the README's command that replays a trace from a release build, as it stands there.

In a console block the command follows `$ `, and the status that it must end with follows on the next
line as `? N`; without one it must end with 0.

    python3 .ci/readme.py README.md
"""

import argparse
import pathlib
import re
import subprocess

from gatelib import conclude, skip

COMMAND = re.compile(r"^(?:\$ )?(cargo run --release -- replay .*)\n(?:\? (\d+)\n)?", re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readme", type=pathlib.Path)
    arguments = parser.parse_args()
    found = COMMAND.search(arguments.readme.read_text("utf-8") + "\n")
    if not found:
        skip("the README shows no `cargo run --release -- replay`")
    command, expected = found[1], int(found[2] or 0)
    print(f"$ {command}", flush=True)
    done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, check=False)
    status = done.returncode
    wrong = [] if status == expected else [f"status {status}, the README says {expected}"]
    conclude(wrong, f"status {status}, as the README says")


if __name__ == "__main__":
    main()
