#!/usr/bin/env python3
"""Computes reference outputs of a network, stored in three ways, and refuses the one that is code.

The folder has cases.json with inputs `x` and outputs `y`, and the network as .safetensors, as a state
dict, as a checkpoint and as a whole pickled module.

    python3 .ci/neural.py target/release/gate ../shared/neural
"""

import argparse
import json
import pathlib
import subprocess

from gatelib import conclude, need

TOLERANCE = 1e-6
MODELS = {
    "ncbf.safetensors": [],
    "ncbf.pt": ["--activation", "tanh"],
    "ncbf_ckpt.pt": ["--activation", "tanh"],
}
CODE = "ncbf_fullmodule.pt"


def model(gate, *arguments):
    """A finished `gate model`."""
    command = [gate, "model", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    """Compares every output of every file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("gate")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    cases = args.folder / "cases.json"
    need(cases)
    expected = json.loads(cases.read_text(encoding="utf-8"))["y"]
    problems, worst = [], 0.0
    for name, more in MODELS.items():
        done = model(args.gate, args.folder / name, "--inputs", cases, "--format", "json", *more)
        if done.returncode != 0:
            problems.append(f"{name}: status {done.returncode}: {done.stderr.strip()}")
            continue
        ours = json.loads(done.stdout)["h"]
        if len(ours) != len(expected):
            problems.append(f"{name}: {len(ours)} outputs, expected {len(expected)}")
            continue
        # A value that is no number compares as farther than any tolerance.
        far = max(abs(a - b) if a is not None else float("inf") for a, b in zip(ours, expected))
        worst = max(worst, far)
        if not far <= TOLERANCE:
            problems.append(f"{name}: off by {far}")
    done = model(args.gate, args.folder / CODE, "--activation", "tanh")
    if done.returncode != 2 or "is code" not in done.stderr or "help:" not in done.stderr:
        problems.append(f"{CODE}: status {done.returncode}: {done.stderr.strip()}")
    conclude(problems, f"{len(expected)} outputs of {len(MODELS)} files within {worst:.1e}; {CODE} refused")


if __name__ == "__main__":
    main()
