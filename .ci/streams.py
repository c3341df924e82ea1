#!/usr/bin/env python3
"""Checks what gate writes as a stream: same bytes every time, whole records, and the right status
when the reader goes away or the disk is full.

    python3 .ci/streams.py target/release/gate fixtures
"""

import argparse
import csv
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from gatelib import STATUSES, conclude, table

#: Calls in the long trace: several times what a pipe holds, whatever the format.
CALLS = 20_000

FULL = "/dev/full"

CHECKS = ("same bytes twice", "reads back", "| head -1", "full disk")


def run(gate, *arguments, **streams):
    """Runs `gate replay` to its end."""
    streams = {"stdin": subprocess.DEVNULL, "capture_output": not streams.get("stdout")} | streams
    return subprocess.run([gate, "replay", *map(str, arguments)], check=False, **streams)


def formats(gate):
    """Every format of standard output, as the program lists them."""
    refused = run(gate, "--format", "?", "x").stderr.decode()
    return re.search(r"possible values: ([^\]]+)", refused)[1].split(", ")


def long_trace(path, refused):
    """Writes a trace of many calls, one of them refused at the very end if wanted."""
    with open(path, "w", encoding="utf-8") as out:
        for i in range(CALLS):
            out.write('{"run":"r%d","tool":"read","args":{"path":"f%d"}}\n' % (i // 20, i))
        tools = ("file_read", "send_email") if refused else ("file_read",)
        for tool in tools:
            out.write('{"run":"last","tool":"%s","result":"ok"}\n' % tool)
    return path


def same_bytes(gate, form, inputs):
    """Two runs over the same inputs write the same."""
    runs = [run(gate, "--format", form, *inputs) for _ in range(2)]
    if len({(done.stdout, done.stderr, done.returncode) for done in runs}) > 1:
        yield f"{form}: two runs differ"
    if runs[0].returncode not in STATUSES:
        yield f"{form}: status {runs[0].returncode}"


def whole(form, out):
    """The records of a machine format can be read back, the summary last."""
    try:
        if form == "jsonl":
            records = [json.loads(line) for line in out.splitlines()]
            if records[-1]["record"] != "summary":
                yield "jsonl: the last record is not the summary"
        elif form == "json":
            document = json.loads(out)
            if document["summary"]["record"] != "summary" or not document["records"]:
                yield "json: records or summary are missing"
        elif form == "csv":
            rows = list(csv.reader(io.StringIO(out.decode(), newline=""), strict=True))
            if len({len(row) for row in rows}) != 1:
                yield "csv: rows differ in length"
    except (ValueError, KeyError, IndexError, csv.Error) as error:
        yield f"{form}: cannot be read back: {error!r}"


def reader_leaves(gate, form, trace, status):
    """As behind `| head -1`: the audit is finished and its status kept, a report file too."""
    with tempfile.TemporaryDirectory() as directory:
        report = pathlib.Path(directory, "report.jsonl")
        command = [gate, "replay", "--format", form, "--jsonl", report, trace]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdout.readline()
        child.stdout.close()
        said = child.stderr.read().decode()
        child.stderr.close()
        if child.wait() != status:
            yield f"{form} | head -1: status {child.returncode}, expected {status}"
        if "panicked" in said or "write" in said:
            yield f"{form} | head -1: {said.splitlines()[0]}"
        if not report.exists() or b'"summary"' not in report.read_bytes().splitlines()[-1]:
            yield f"{form} | head -1: the report file is not complete"


def disk_is_full(gate, form, trace):
    """Output that cannot be written is status 2, and said."""
    if not os.path.exists(FULL):
        return
    with open(FULL, "wb") as full:
        done = run(gate, "--format", form, trace, stdout=full, stderr=subprocess.PIPE)
        said = done.stderr.decode()
        if done.returncode != 2 or "panicked" in said or "cannot be written" not in said:
            yield f"{form} > {FULL}: status {done.returncode}, {said.strip()!r}"
        status = run(gate, "--format", form, trace).returncode
        done = run(gate, "--format", form, trace, stdout=subprocess.DEVNULL, stderr=full)
        if done.returncode != status:
            yield f"{form} 2> {FULL}: status {done.returncode}, expected {status}"


def interrupted(gate):
    """An interrupt ends the program as one, without a report file or a piece of one."""
    with tempfile.TemporaryDirectory() as directory:
        report = pathlib.Path(directory, "report.jsonl")
        command = [gate, "replay", "--jsonl", report, "-"]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        child.stdin.write(b'{"tool":"read"}\n')
        child.stdin.flush()
        patience = time.monotonic() + 10
        while not os.listdir(directory) and time.monotonic() < patience:
            time.sleep(0.01)
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        status = child.wait()
        child.stdin.close()
        left = os.listdir(directory)
        if status not in (130, -signal.SIGINT) or left:
            yield f"interrupt: status {status}, files left: {left}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    gate = arguments.gate
    rows, problems = [["format", "bytes", *CHECKS]], []
    with tempfile.TemporaryDirectory() as directory:
        clean = long_trace(pathlib.Path(directory, "clean.jsonl"), refused=False)
        refused = long_trace(pathlib.Path(directory, "refused.jsonl"), refused=True)
        for form in formats(gate):
            first = run(gate, "--format", form, *arguments.inputs)
            wrong = [
                [*same_bytes(gate, form, arguments.inputs), *same_bytes(gate, form, [refused])],
                [*whole(form, first.stdout)],
                [*reader_leaves(gate, form, clean, 0), *reader_leaves(gate, form, refused, 1)],
                [*disk_is_full(gate, form, refused)],
            ]
            verdicts = ["WRONG" if found else "good" for found in wrong]
            rows.append([form, len(first.stdout), *verdicts])
            problems += sum(wrong, [])
    problems += interrupted(gate)
    table(rows)
    conclude(problems, f"{len(rows) - 1} formats; an interrupt leaves no file behind")


if __name__ == "__main__":
    main()
