#!/usr/bin/env python3
"""Counts the instructions that a call takes, with callgrind, and holds them against a recorded budget.

Counts do not depend on what else a machine does. Each trace is replayed twice, with few calls and with
many; the difference is what calls cost by themselves, without the start of the program. callgrind knows
no SHA instructions: inputs are hashed in software there, some 44 instructions a byte.

    python3 .ci/instructions.py target/release/gate [--record]
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import corpora
import speed
from gatelib import conclude, skip, table
from pairs import POLICY

BUDGET = pathlib.Path(__file__).with_name("instructions.json")

FEW, MANY = 500, 2500

#: How far a count may be above what was recorded: compilers differ a little.
SLACK = 1.08

STAGES = ("gates", "privilege", "dfa", "contracts", "dcbf", "semantic")


def only(*stages, policy=""):
    """The text of a policy whose other stages are switched off."""
    return f"{policy}\n[pipeline]\ndisable = {json.dumps([s for s in STAGES if s not in stages])}\n"


#: By name: the kind of trace, the policy or its text, and further arguments. `reading` is what a call takes
#: before any stage sees it, each stage by its name what it takes with that.
CASES = {
    "small": ("small", str(POLICY), ["--format", "jsonl"]),
    "big": ("big", str(POLICY), ["--format", "jsonl"]),
    "one": ("one", str(POLICY), ["--format", "jsonl"]),
    "reading": ("small", only(), ["--quiet"]),
    "gates": ("small", only("gates", policy=POLICY.read_text()), ["--quiet"]),
    "dfa": ("small", only("dfa", policy=POLICY.read_text()), ["--quiet"]),
    "dcbf": ("small", only("dcbf"), ["--quiet"]),
    "semantic": ("small", only("semantic", policy="[semantic]\n"), ["--quiet"]),
    "mixed": ("mixed", only("semantic", policy="[semantic]\n"), ["--quiet"]),
    "mixed and scope": (
        "mixed",
        only("semantic", "dcbf", policy='[semantic]\n[dcbf.barriers.scope]\nembed = "static"\n'),
        ["--quiet"],
    ),
    "quiet": ("small", "default", ["--quiet"]),
    "jsonl": ("small", "default", ["--format", "jsonl"]),
    "csv": ("small", "default", ["--format", "csv"]),
    "table": ("small", "default", ["--format", "table"]),
}


def write(trace, kind, calls):
    """Writes a trace of that kind; `mixed` is what `speed.py` replays."""
    if kind == "mixed":
        speed.write(trace, calls // 50, 50)
    else:
        corpora.write(trace, kind, calls)


def instructions(gate, policy, arguments, trace):
    """Instructions of one replay."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", gate, "replay"]
    command += ["--threads", "1", "--policy", policy, *arguments, trace]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode not in (0, 1) or not found:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr[-2000:]}")
    return int(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("--record", action="store_true", help="keep what is counted as the budget")
    parser.add_argument("cases", nargs="*", default=list(CASES))
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        skip("valgrind is not installed")
    budget = json.loads(BUDGET.read_text()) if BUDGET.exists() else {}
    rows, wrong = [["case", "a call", "budget", "start"]], []
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        for name in arguments.cases:
            kind, policy, options = CASES[name]
            if "\n" in policy:
                written = folder / "policy.toml"
                written.write_text(policy)
                policy = str(written)
            counts = []
            for calls in (FEW, MANY):
                trace = str(folder / "trace.jsonl")
                write(trace, kind, calls)
                counts.append(instructions(arguments.gate, policy, options, trace))
            each = (counts[1] - counts[0]) // (MANY - FEW)
            start = counts[0] - FEW * each
            most = budget.get(name)
            rows.append([name, each, most if most else "-", start])
            if arguments.record:
                budget[name] = each
            elif most and each > SLACK * most:
                wrong.append(f"{name}: {each} instructions a call, the budget is {most}")
    table(rows)
    if arguments.record:
        BUDGET.write_text(json.dumps(budget, indent=2) + "\n")
    missing = [name for name in arguments.cases if name not in budget]
    conclude(wrong, f"within the budget, without one: {', '.join(missing)}" if missing else "within the budget")


if __name__ == "__main__":
    main()
