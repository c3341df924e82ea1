#!/usr/bin/env python3
"""Holds the robustness of runs against a monitor of signal temporal logic made by others.

Random traces are replayed. For every run RTAMT (https://github.com/nickovic/rtamt, BSD) computes the
offline discrete-time robustness of `always(h >= 0)` on the series of h that `gate replay --format
jsonl` prints, barrier by barrier, and that of the conjunction on the series of h over its scale. Both
have to be what `gate robustness` says, to 1e-12.

RTAMT is installed into an environment of its own. Where that cannot be had the check is skipped.

    python3 .ci/rtamt.py target/release/gate target/rtamt
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from gatelib import Replay, skip

VERSION = "0.4.10"

TOOLS = ("read_file", "think", "send_email", "http_request", "sql_query", "search", "grep")

#: Policies that make barriers fall in different ways.
POLICIES = {
    "default": "",
    "halved": "[dcbf]\nkappa = 0.5\n",
    "squared": "[dcbf.barriers.privacy]\npower = 2.0\n",
    "margin": "[dcbf.barriers.resource]\nmargin = 1.5\n",
}

#: Run by the other interpreter: series in, robustness out.
MONITOR = r"""
import json, sys
import rtamt

for line in sys.stdin:
    series = json.loads(line)
    spec = rtamt.StlDiscreteTimeSpecification()
    for name in series:
        spec.declare_var(name, "float")
    spec.spec = "always(" + " and ".join("(%s >= 0)" % name for name in series) + ")"
    spec.parse()
    length = len(next(iter(series.values())))
    if length == 1:
        # RTAMT asks for two samples; the same once more changes no minimum.
        length, series = 2, {name: 2 * values for name, values in series.items()}
    data = {"time": list(range(length)), **series}
    # The robustness at the first sample is that of the whole series.
    print(json.dumps(spec.evaluate(data)[0][1]), flush=True)
"""


def interpreter(folder):
    """Python with RTAMT, made if it is not there."""
    python = folder / "bin" / "python"
    probe = [str(python), "-c", "import rtamt"]

    def ready():
        return python.exists() and subprocess.run(probe, capture_output=True, check=False).returncode == 0

    if ready():
        return python
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "-q", f"rtamt=={VERSION}"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            skip(f"RTAMT cannot be installed: {' '.join(last)}")
    if not ready():
        skip("RTAMT is installed and cannot be imported")
    return python


def write(path, rng, runs):
    """A trace of runs whose calls come in turn."""
    open_runs = {f"run-{i}": rng.randint(1, 40) for i in range(runs)}
    with open(path, "w", encoding="utf-8") as out:
        while open_runs:
            run = rng.choice(list(open_runs))
            call = {"run": run, "tool": rng.choice(TOOLS), "args": {"n": rng.randrange(1000)}}
            if rng.random() < 0.5:
                call["estimated_cost"] = round(rng.random() * 2, 3)
            if rng.random() < 0.9:
                call["result"] = "done"
                call["cost_usd"] = round(rng.random() * 1.5, 4)
            if rng.random() < 0.3:
                call["context_embedding"] = [1.0, 0.0]
                call["action_embedding"] = [rng.random(), rng.random()]
            out.write(json.dumps(call) + "\n")
            open_runs[run] -= 1
            if open_runs[run] == 0:
                del open_runs[run]


def series_of(replay, barriers):
    """The values of each barrier by run, in the order of the calls that reached the barriers."""
    found = {}
    for decision in replay.decisions:
        if decision["barriers"]:
            run = found.setdefault(decision["run"], {name: [] for name in barriers})
            for name in barriers:
                run[name].append(decision["barriers"][name]["h"])
    return found


class Monitor:
    """The other monitor, asked one series at a time."""

    def __init__(self, python):
        self.process = subprocess.Popen(
            [str(python), "-c", MONITOR],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def robustness(self, series):
        self.process.stdin.write(json.dumps(series) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("RTAMT ended: " + self.process.stderr.read().strip()[-500:])
        return json.loads(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--traces", type=int, default=12)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    monitor = Monitor(interpreter(arguments.folder.resolve()))
    rng = random.Random(arguments.seed)
    compared, worst, below = 0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.traces):
            name = list(POLICIES)[number % len(POLICIES)]
            policy = pathlib.Path(folder, f"{name}.toml")
            policy.write_text(POLICIES[name], encoding="utf-8")
            trace = pathlib.Path(folder, f"{number}.jsonl")
            write(trace, rng, arguments.runs)
            mode = ("enforce", "observe")[rng.randrange(2)]
            options = ["--policy", policy, "--mode", mode, trace]
            told = subprocess.run(
                [arguments.gate, "robustness", "--format", "json", "--top", "1000000", *map(str, options)],
                capture_output=True,
                check=False,
            )
            if told.returncode != 0:
                sys.exit(f"gate robustness: status {told.returncode}: {told.stderr.decode()}")
            told = json.loads(told.stdout)
            scales = {barrier: told["barriers"][barrier]["scale"] for barrier in told["barriers"]}
            listed = {row["run"]: row for row in told["listed"]}
            series = series_of(Replay(arguments.gate, options), list(scales))
            if set(series) != set(listed):
                sys.exit(f"other runs: {sorted(set(series) ^ set(listed))}")
            for run, values in series.items():
                row = listed[run]
                pairs = []
                for barrier in scales:
                    expected = monitor.robustness({barrier: values[barrier]})
                    pairs.append((barrier, expected, row["barriers"][barrier]["least_h"]["value"]))
                scaled = {b: [h / scales[b] for h in values[b]] for b in scales}
                pairs.append(("all", monitor.robustness(scaled), row["robustness"]["scaled"]))
                for what, expected, found in pairs:
                    difference = abs(expected - found)
                    if not difference <= 1e-12:
                        sys.exit(f"{trace} {run} {what}: RTAMT {expected}, gate {found}")
                    worst = max(worst, difference)
                    compared += 1
                below += row["robustness"]["scaled"] < 0
    if not 0 < below:
        sys.exit("no run left the safe set: the traces show nothing")
    print(f"  {compared} robustness values agree with RTAMT, greatest difference {worst:g}, {below} runs below zero")


main()
