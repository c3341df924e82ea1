#!/usr/bin/env python3
"""Compares two builds of gate on the same traces, run in turn: how many times the processor time of the
first the second takes, as the median of the rounds, with the least and the greatest.

    python3 .ci/versus.py before/gate after/gate --calls 100000
"""

import argparse
import pathlib
import statistics
import tempfile

import corpora
from gatelib import table
from pairs import measured, replay


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("kinds", nargs="*", default=["small", "big", "heavy", "interleaved", "one"])
    arguments = parser.parse_args()
    rows = [["trace", "before s", "after s", "median", "least", "greatest", "before MB", "after MB"]]
    with tempfile.TemporaryDirectory() as directory:
        path = str(pathlib.Path(directory, "trace.jsonl"))
        for kind in arguments.kinds:
            corpora.write(path, kind, arguments.calls)
            builds = [arguments.before, arguments.after]
            rounds = []
            for turn in range(arguments.rounds):
                # Who goes first alternates.
                order = builds if turn % 2 == 0 else builds[::-1]
                found = {build: measured(replay(build, path)) for build in order}
                rounds.append([found[build] for build in builds])
            ratios = [after[0] / before[0] for before, after in rounds]
            least = [min(time for time, _ in build) for build in zip(*rounds)]
            peaks = [max(memory for _, memory in build) for build in zip(*rounds)]
            rows.append(
                [kind, *(f"{time:.3f}" for time in least)]
                + [f"{ratio:.3f}" for ratio in (statistics.median(ratios), min(ratios), max(ratios))]
                + [f"{peak:.0f}" for peak in peaks]
            )
    table(rows)


if __name__ == "__main__":
    main()
