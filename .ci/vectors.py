#!/usr/bin/env python3
"""Replays conformance vectors in both modes and compares every decision.

A vector is a folder with policy.toml and trace.jsonl, and in enforce.jsonl and observe.jsonl what a
replay written apart from gate decides. Names and order are compared exactly, values of barriers to
1e-12.

    python3 .ci/vectors.py target/release/gate ../shared/vectors
"""

import argparse
import json
import pathlib

from gatelib import Replay, conclude, need

EXACT = (
    "run", "seq", "call", "turn", "tool", "decision", "stage", "rule", "broken", "standing",
    "checks_passed", "counterfactual", "hazard",
)
TOLERANCE = 1e-12


def close(a, b):
    """Whether two values of a barrier are the same; null is null alone."""
    if a is None or b is None:
        return a is b
    return abs(a - b) <= TOLERANCE


def difference(ours, theirs):
    """The first field in which two decisions differ, or nothing."""
    for field in EXACT:
        if ours[field] != theirs[field]:
            return f"{field} is {ours[field]!r}, expected {theirs[field]!r}"
    a, b = ours["barriers"], theirs["barriers"]
    if list(a) != list(b):
        return f"barriers are {list(a)}, expected {list(b)}"
    for name in b:
        for value in ("h", "next", "slack"):
            if not close(a[name][value], b[name][value]):
                return f"{name}.{value} is {a[name][value]}, expected {b[name][value]}"
    return None


def compare(gate, folder, mode):
    """Replays one folder in one mode: problems, and how many decisions were compared."""
    policy, trace = folder / "policy.toml", folder / "trace.jsonl"
    replay = Replay(gate, ["--policy", policy, "--mode", mode, trace])
    where = f"{folder.name} {mode}"
    problems = [f"{where}: {accident}" for accident in replay.accidents()]
    lines = (folder / f"{mode}.jsonl").read_text("utf-8").splitlines()
    expected = [json.loads(line) for line in lines]
    ours = replay.decisions
    if len(ours) != len(expected):
        problems.append(f"{where}: {len(ours)} decisions, expected {len(expected)}")
    pairs = list(zip(ours, expected))
    for i, (a, b) in enumerate(pairs, 1):
        differs = difference(a, b)
        if differs:
            problems.append(f"{where}: decision {i}, call {b['call']}: {differs}")
            break
    return problems, len(pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("vectors", type=pathlib.Path)
    arguments = parser.parse_args()
    need(arguments.vectors)
    folders = sorted(p.parent for p in arguments.vectors.glob("*/policy.toml"))
    problems, replays, decisions = [], 0, 0
    for folder in folders:
        for mode in ("enforce", "observe"):
            wrong, compared = compare(arguments.gate, folder, mode)
            problems += wrong
            replays += 1
            decisions += compared
    if not decisions:
        problems.append("nothing was compared")
    print(f"  {len(folders)} folders, {replays} replays, {decisions} decisions compared")
    conclude(problems, "every decision is as expected")


if __name__ == "__main__":
    main()
