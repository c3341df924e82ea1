#!/usr/bin/env python3
"""Measures how much memory a replay takes of a trace of many short runs.

Writes the trace beside other temporary files, once with the ends of the runs recorded and once
without, replays both with `--format jsonl` and prints peak memory, time and rate of the child. With
the ends recorded the peak must stay under 100 MB, however long the trace is. The peak counts this
script's own memory at the start of the child too, about 15 MB.

Then runs of 40 calls that never end, by the policy of the benches: those that follow one another may
take so many bytes each, by the growth of the peak from few of them to many; 10,000 at a time may take
so many in all. `--open COUNT` takes so many runs in place of 6,000.

Last earlier SARIF reports of `--baseline`: a result of one may take so many bytes beside its message, by the
growth of the peak from few of them to many. `--results COUNT` takes so many in place of 60,000.

    python3 .ci/memory.py target/release/gate --bytes 1000000000 --open 92000
"""

import argparse
import os
import pathlib
import random
import shutil
import tempfile
import time

import corpora
from gatelib import conclude, skip, table

#: Most memory that a replay may take where runs end, in MB of 1000000 bytes.
LIMIT = 100

#: Most bytes that an open run of 40 calls may take, without results and with them.
OPEN = {"small": 200, "big": 200}

#: Most memory of a replay of 10,000 runs at a time.
CROWD = 32

#: Most bytes that a result of an earlier report may take beside its message.
KEPT = 90

POLICY = pathlib.Path(__file__).parents[1] / "fixtures/bench/policy.toml"

LINE = r'fn part(x: &str) -> String {\n\tformat!(\"{x} and more\")\n}\n'


def write(path, size, ends):
    """Writes a trace of about `size` bytes: runs of 10 to 30 calls with results of about 1 KB."""
    chance = random.Random(7)
    tools = ("Bash", "Read", "Edit", "Grep")
    result = LINE * (1024 // len(LINE))
    written = run = 0
    with open(path, "w", encoding="utf-8") as out:
        while written < size:
            name = f"session-{run:08x}"
            lines = ['{"type":"run_start","run":"%s","agent":"coder","intent":"mend it"}\n' % name]
            for i in range(chance.randint(10, 30)):
                tool = tools[chance.randrange(len(tools))]
                args = '{"file_path":"src/part_%d.rs"}' % chance.randrange(1000)
                lines.append(
                    '{"type":"tool_call","run":"%s","id":"call_%x_%d","tool":"%s","args":%s}\n'
                    % (name, run, i, tool, args)
                )
                lines.append(
                    '{"type":"tool_result","run":"%s","call":"call_%x_%d","result":"%s"}\n'
                    % (name, run, i, result)
                )
            if ends:
                lines.append('{"type":"run_end","run":"%s","status":"answered"}\n' % name)
            written += out.write("".join(lines))
            run += 1
    return run


def measure(gate, path, *options):
    """Peak memory in MB, seconds and processor seconds of a replay, and its status."""
    path = str(path)
    begun = time.monotonic()
    null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    command = [gate, "replay", "--format", "jsonl", *options, path]
    child = os.posix_spawn(gate, command, os.environ, file_actions=null)
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - begun
    cpu = usage.ru_utime + usage.ru_stime
    return usage.ru_maxrss * 1024 / 1e6, seconds, cpu, os.waitstatus_to_exitcode(status)


def open_runs(gate, path, most):
    """What runs that never end take: rows of a table, and what is too much."""
    rows, problems = [["trace", "runs", "peak MB", "bytes a run"]], []

    def peak(kind, runs):
        corpora.write(path, kind, runs * corpora.CALLS)
        measured, _, _, status = measure(gate, path, "--threads", "1", "--policy", str(POLICY))
        if status != 0:
            problems.append(f"{kind}: status {status}")
        return measured

    for kind, bound in OPEN.items():
        few = most // 6
        least, all_of_them = peak(kind, few), peak(kind, most)
        each = (all_of_them - least) * 1e6 / (most - few)
        rows.append([kind, most, f"{all_of_them:.1f}", f"{each:.0f}"])
        if each > bound:
            problems.append(f"{kind}: {each:.0f} bytes a run, at most {bound} are allowed")
    crowd = peak("crowd", 10_000)
    rows.append(["crowd", 10_000, f"{crowd:.1f}", ""])
    if crowd > CROWD:
        problems.append(f"crowd: peak {crowd:.0f} MB, at most {CROWD} are allowed")
    return rows, problems


def earlier(gate, folder, most):
    """What earlier reports take: rows of a table, and what is too much."""
    policy, trace, old = folder / "p.toml", folder / "t.jsonl", folder / "old.sarif"
    policy.write_text('[gates]\nallow = ["read"]\n', encoding="utf-8")
    rows, peaks = [["earlier report", "results", "peak MB", "seconds", "bytes a result"]], []
    options = ("--threads", "1", "--policy", str(policy), "--force", "--sarif")
    for count in (most // 6, most):
        with open(trace, "w", encoding="utf-8") as out:
            for call in range(count):
                out.write('{"tool":"send_email","run":"r%d","id":"c%d"}\n' % (call // 40, call))
        measure(gate, trace, *options, str(old))
        trace.write_text('{"tool":"send_email"}\n', encoding="utf-8")
        new = (str(folder / "new.sarif"), "--baseline", str(old))
        peak, seconds, _, status = measure(gate, trace, *options, *new)
        peaks.append(peak)
        size = f"{old.stat().st_size / 1e6:.0f} MB"
        rows.append([size, count, f"{peak:.1f}", f"{seconds:.2f}", ""])
        if status != 1:
            return rows, [f"earlier report: status {status}"]
    message = len(f"call of `send_email` is blocked: `send_email` is not allowed (run `r{most // 40}`, call `c{most}`)")
    each = (peaks[1] - peaks[0]) * 1e6 / (most - most // 6)
    rows[-1][-1] = f"{each:.0f}"
    too_much = f"earlier report: {each:.0f} bytes a result, at most {KEPT} and its message are allowed"
    return rows, [too_much] if each > KEPT + message else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("--bytes", type=int, default=64 << 20, help="size of each trace")
    parser.add_argument("--open", type=int, default=6000, help="runs that never end")
    parser.add_argument("--results", type=int, default=60_000, help="results of an earlier report")
    parser.add_argument("--directory", help="where the traces are written for a while")
    arguments = parser.parse_args()
    rows = [["trace", "MB", "runs", "peak MB", "seconds", "cpu s", "MB/cpu s"]]
    problems = []
    with tempfile.TemporaryDirectory(dir=arguments.directory) as directory:
        if shutil.disk_usage(directory).free < arguments.bytes * 1.2:
            skip(f"no room for {arguments.bytes} bytes in {directory}")
        path = pathlib.Path(directory, "trace.jsonl")
        for name, ends in (("ends recorded", True), ("no run ends", False)):
            runs = write(path, arguments.bytes, ends)
            size = path.stat().st_size / 1e6
            peak, seconds, cpu, status = measure(arguments.gate, path)
            times = [f"{seconds:.2f}", f"{cpu:.2f}", f"{size / cpu:.0f}"]
            rows.append([name, f"{size:.1f}", runs, f"{peak:.1f}", *times])
            if status != 0:
                problems.append(f"{name}: status {status}")
            if ends and peak > LIMIT:
                problems.append(f"{name}: peak {peak:.0f} MB, at most {LIMIT} are allowed")
        opened, more = open_runs(arguments.gate, path, arguments.open)
        problems += more
        reports, more = earlier(arguments.gate, path.parent, arguments.results)
        problems += more
    table(rows)
    table(opened)
    table(reports)
    conclude(problems, f"at most {LIMIT} MB where the ends of runs are recorded")


if __name__ == "__main__":
    main()
