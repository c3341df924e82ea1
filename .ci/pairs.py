#!/usr/bin/env python3
"""Compares the processor time and the peak memory of a whole replay with those of plain tools.

Every tool reads the same trace in turn, several times, and the least time of each counts; so do the
greatest peaks. gate does the whole of its work: every stage, twelve regexes, an allow-set, budgets, five
barriers, and a decision a line with all their values. The others do far less: count lines, decode each
line, filter by four tests. Ratios are printed; with `--floors` those that fall below what docs/performance.md
promises are errors.

    python3 .ci/pairs.py target/release/gate --calls 100000
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import corpora
from gatelib import conclude, table

POLICY = pathlib.Path(__file__).parent.parent / "fixtures/bench/policy.toml"

LOOP = "import json, sys\nfor line in open(sys.argv[1]): json.loads(line)"

#: Four tests, as of an allow rule of two tools.
FILTER = 'select((.tool == "Bash" or .tool == "Read") and .agent == "coder" and .turn > 20)'

DUCK = """
import duckdb, sys
db = duckdb.connect(config={"threads": 1})
fields = "{run: 'VARCHAR', id: 'VARCHAR', turn: 'BIGINT', tool: 'VARCHAR', agent: 'VARCHAR', args: 'JSON', result: 'VARCHAR'}"
print(db.sql(f"SELECT count(*), max(length(args::VARCHAR)), count(result) FROM read_json('{sys.argv[1]}', "
             f"format='newline_delimited', columns={fields}) WHERE tool IN ('Bash', 'Read') AND agent = 'coder' AND turn > 20").fetchall())
"""

#: By trace and rival: how many times its processor time gate's may at most be (`wc`), or has to be at least.
FLOORS = {
    ("big", "jq -c filter"): 12.0,
    ("small", "jq -c filter"): 9.0,
    ("big", "duckdb, 1 thread"): 3.0,
    ("small", "duckdb, 1 thread"): 3.0,
    ("big", "wc -l"): 1 / 6,
}


def measured(command):
    """Processor time of a command in seconds, and its peak memory in MB."""
    null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=null)
    _, status, usage = os.wait4(child, 0)
    # Findings are what a replay may end with.
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def seconds(command):
    """Processor time of a command, user and system."""
    return measured(command)[0]


def replay(gate, path):
    """The replay that is measured."""
    return [gate, "replay", "--format", "jsonl", "--policy", str(POLICY), path]


def duckdb(folder):
    """Python with DuckDB, made if it is not there; absent where it cannot be had."""
    python = folder / "bin" / "python"
    if not python.exists():
        for command in (
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "-q", "duckdb"],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                shutil.rmtree(folder, ignore_errors=True)
                return None
    return str(python)


def rivals(gate, path, python):
    """Name and command of everything that is run."""
    yield "gate", replay(gate, path)
    yield "wc -l", ["wc", "-l", path]
    yield "python3 json loop", [sys.executable, "-c", LOOP, path]
    if shutil.which("jq"):
        yield "jq -c filter", ["jq", "-c", FILTER, path]
    else:
        print("  skipped: jq is not installed")
    if python:
        yield "duckdb, 1 thread", [python, "-c", DUCK, path]
    else:
        print("  skipped: DuckDB cannot be installed")


def compare(name, commands, calls, rounds):
    """Rows of the table, and by rival how many times gate's time its own is."""
    least = {command: float("inf") for command in commands}
    peak = dict.fromkeys(commands, 0.0)
    for _ in range(rounds):
        for command, words in commands.items():
            time, memory = measured(words)
            least[command] = min(least[command], time)
            peak[command] = max(peak[command], memory)
    own = least["gate"]
    rows = [
        [name, command, f"{time:.3f}", f"{time / calls * 1e6:.2f}", f"{time / own:.2f}", f"{peak[command]:.0f}"]
        for command, time in least.items()
    ]
    return rows, {command: time / own for command, time in least.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--venv", type=pathlib.Path, default=pathlib.Path("target/duckdb"))
    parser.add_argument("--floors", action="store_true", help="fail where a promised ratio is missed")
    parser.add_argument("kinds", nargs="*", default=["small", "big", "one"])
    arguments = parser.parse_args()
    python = duckdb(arguments.venv.absolute())
    rows = [["trace", "command", "cpu s", "us/call", "of gate", "peak MB"]]
    missed = []
    with tempfile.TemporaryDirectory() as directory:
        path = str(pathlib.Path(directory, "trace.jsonl"))
        for name in arguments.kinds:
            corpora.write(path, name, arguments.calls)
            commands = dict(rivals(arguments.gate, path, python))
            found, ratios = compare(name, commands, arguments.calls, arguments.rounds)
            rows += found
            for rival, ratio in ratios.items():
                floor = FLOORS.get((name, rival))
                if floor and ratio < floor:
                    missed.append(f"{name}: {rival} takes {ratio:.2f} times as long, not {floor:.2f}")
    table(rows)
    if arguments.floors:
        conclude(missed, "every ratio is as promised")
    for line in missed:
        print(f"  below the goal: {line}")


if __name__ == "__main__":
    main()
