#!/usr/bin/env python3
"""Converts recordings and replays both: the decisions have to be the same, in both modes.

Only the place of a decision may differ, and, where the recording has faults, what they leave in doubt:
the converted trace lacks the records that could not be read.

    python3 .ci/convert.py target/release/gate fixtures/formats ../shared/corpus
"""

import argparse
import pathlib
import subprocess
import tempfile

from gatelib import Replay, conclude, skip

PLACE = ("file", "line", "policy_line", "inconclusive")


def decisions(gate, path, options):
    replay = Replay(gate, [*options, "--fail-on", "none", str(path)])
    told = [{k: v for k, v in d.items() if k not in PLACE} for d in replay.decisions]
    return told, [f"{path}: {what}" for what in replay.accidents()]


def convert(gate, source, target):
    command = [gate, "convert", "--allow-faults", "--allow-empty", "-o", str(target), "--force", str(source)]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        return [f"{source}: convert ends with {done.returncode}: {done.stderr.decode()[:200]}"]
    return []


def check(gate, path, scratch):
    once, twice = scratch / "once.jsonl", scratch / "twice.jsonl"
    problems = convert(gate, path, once) + convert(gate, once, twice)
    if problems:
        return 0, problems
    if once.read_bytes() != twice.read_bytes():
        problems.append(f"{path}: converted twice it is not the same")
    compared = 0
    for options in ([], ["--mode", "observe"], ["--policy", "coding-agent"]):
        before, wrong = decisions(gate, path, options)
        after, also = decisions(gate, once, options)
        problems += wrong + also
        compared += len(before)
        if before != after:
            first = next((i for i, pair in enumerate(zip(before, after)) if pair[0] != pair[1]), "count")
            problems.append(f"{path} {options}: decisions differ, first {first}: {len(before)}, {len(after)}")
    return compared, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    present = [path for path in arguments.paths if path.exists()]
    if len(present) < len(arguments.paths):
        print("skipped: no reference material beside the clone")
    if not present:
        skip("nothing to convert")
    problems, files, compared = [], 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for path in present:
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if not file.is_file() or "faults" in file.parts or file.suffix == ".md":
                    continue
                files += 1
                count, wrong = check(arguments.gate, file, pathlib.Path(scratch))
                compared += count
                problems += wrong
    conclude(problems, f"{files} files, {compared} decisions compared, all the same")


if __name__ == "__main__":
    main()
