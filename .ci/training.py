#!/usr/bin/env python3
"""Runs the training example of the documentation from end to end, in an environment with numpy.

Recorded runs become a table, the table a barrier, and `gate verify-barriers` has to take the barrier
and to find the transitions that leave the safe set.

    python3 .ci/training.py target/release/gate fixtures/neural/runs.jsonl
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import venv

from gatelib import conclude, skip

TRAIN = pathlib.Path(__file__).parent.parent / "docs" / "neural" / "train.py"


def python_with_numpy(folder):
    """A Python that has numpy: this one, or one made for the purpose."""
    has = [sys.executable, "-c", "import numpy"]
    if subprocess.run(has, capture_output=True, check=False).returncode == 0:
        return sys.executable
    try:
        venv.create(folder, with_pip=True)
    except (OSError, subprocess.CalledProcessError):
        skip("no virtual environment can be made")
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "numpy"]
    if subprocess.run(install, capture_output=True, check=False).returncode != 0:
        skip("numpy cannot be installed")
    return python


def main():
    """Trains a barrier and checks what gate says of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("gate")
    parser.add_argument("runs")
    args = parser.parse_args()
    problems = []

    def run(*command, status=(0,)):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
        if done.returncode not in status:
            said = (done.stderr or done.stdout).strip()
            problems.append(f"{command[1]}: status {done.returncode}: {said}")
            conclude(problems, "")
        return done.stdout

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        python = python_with_numpy(folder / "venv")
        table, described, model = (folder / n for n in ("f.csv", "f.json", "ncbf.safetensors"))
        run(args.gate, "features", args.runs, "-o", table)
        described.write_text(run(args.gate, "features", "--list", "--format", "jsonl"), "utf-8")
        said = run(python, TRAIN, table, described, model)
        print("  " + said.strip().replace("\n", "\n  "))
        shown = json.loads(run(args.gate, "model", model, "--inputs", table, "--format", "json"))
        if not shown["golden"] or shown["golden"]["greatest_difference"] > 1e-6:
            problems.append(f"golden outputs: {shown['golden']}")
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        wrong = sum((h >= 0) != (row["safe"] == "1") for h, row in zip(shown["h"], rows))
        if len(shown["h"]) != len(rows) or wrong > len(rows) / 20:
            problems.append(f"{wrong} of {len(rows)} states on the wrong side")
        policy = folder / "gate.toml"
        policy.write_text('[dcbf]\nneural = "ncbf.safetensors"\n', "utf-8")
        verify = ("verify-barriers", "--format", "json", "--policy", policy, args.runs)
        report = json.loads(run(args.gate, *verify, status=(0, 1)))
        leaving = sum(row["safe"] == "1" and row["next_safe"] == "0" for row in rows)
        if list(report["barriers"]) != ["neural"] or "no proof" not in " ".join(report["notes"]):
            problems.append(f"the report is of {list(report['barriers'])}: {report['notes']}")
        if abs(report["violations"] - leaving) > leaving / 5:
            problems.append(f"{report['violations']} violations, and {leaving} transitions leave")
    conclude(problems, f"a barrier was trained: {wrong} of {len(rows)} states on the wrong side, "
                       f"{report['violations']} of {leaving} leaving transitions refused")


if __name__ == "__main__":
    main()
