#!/usr/bin/env python3
"""Compares the processor time of a whole replay with that of plain tools over the same file.

The tools do far less: count lines, decode every line, filter with jq. Everything is run in turn
several times and the least time of each counts. The ratios are printed and not asserted: they say
more of a machine than of a change.

    python3 .ci/pairs.py target/release/gate --calls 100000
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

from gatelib import table

LOOP = "import json, sys\nfor line in open(sys.argv[1]): json.loads(line)"

FILTER = 'select(.tool == "Bash" and (.args.file_path | startswith("src")))'

LINE = r'fn part(x: &str) -> String {\n\tformat!(\"{x} and more\")\n}\n'


def write(path, calls, size):
    """Writes a trace of that many calls, with results of about `size` bytes where that is not 0."""
    result = ',"result":"%s"' % (LINE * (size // len(LINE))) if size else ""
    with open(path, "w", encoding="utf-8") as out:
        for i in range(calls):
            tool = ("Bash", "Read", "Edit", "Grep")[i % 4]
            out.write(
                '{"run":"session-%x","id":"c%d","tool":"%s","args":{"file_path":"src/part_%d.rs"}%s}\n'
                % (i // 20, i % 20, tool, i % 1000, result)
            )


def seconds(command):
    """Processor time of a command, user and system."""
    null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=null)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime


def rivals(gate, path):
    """Name and command of everything that is run."""
    yield "gate --format jsonl", [gate, "replay", "--format", "jsonl", path]
    yield "gate --quiet", [gate, "replay", "--quiet", path]
    yield "wc -l", ["wc", "-l", path]
    yield "python3 json loop", [sys.executable, "-c", LOOP, path]
    if shutil.which("jq"):
        yield "jq -c filter", ["jq", "-c", FILTER, path]
    else:
        print("  skipped: jq is not installed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rows = [["trace", "command", "cpu s", "us/call", "of gate"]]
    with tempfile.TemporaryDirectory() as directory:
        path = str(pathlib.Path(directory, "trace.jsonl"))
        for name, size in (("small calls", 0), ("results of 1 KB", 1024)):
            write(path, arguments.calls, size)
            commands = dict(rivals(arguments.gate, path))
            least = {command: float("inf") for command in commands}
            for _ in range(arguments.rounds):
                for command, words in commands.items():
                    least[command] = min(least[command], seconds(words))
            own = next(iter(least.values()))
            for command, time in least.items():
                each = time / arguments.calls * 1e6
                rows.append([name, command, f"{time:.3f}", f"{each:.2f}", f"{time / own:.2f}"])
    table(rows)


if __name__ == "__main__":
    main()
