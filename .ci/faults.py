#!/usr/bin/env python3
"""Runs gate over faulty recordings and checks what each must come to.

Files are named F01.jsonl and so on; those with a row in CHECKS have to come out as it says, all
others have to end in status 0, 1 or 2 without a panic, with a fault listed where it is 2.

    python3 .ci/faults.py target/release/gate ../shared/corpus/faults
"""

import argparse
import pathlib
import re
import subprocess
import tempfile

from gatelib import Replay, conclude, need, table

#: Characters that could steer a terminal or reorder its text.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")

#: Longest line that a report may make of arguments of any length, in characters.
LONGEST = 4000


class Case:
    """One file, replayed, with ways to ask what became of it."""

    def __init__(self, gate, path):
        self.gate, self.path = gate, path
        self.replay = Replay(gate, [path])
        self.wrong = self.replay.accidents()

    def expect(self, holds, what):
        if not holds:
            self.wrong.append(what)

    def comes_to(self, status=0, **counts):
        """The exit status and counts of the summary."""
        self.expect(self.replay.status == status, f"status {self.replay.status}, expected {status}")
        said = self.replay.summary["counts"]
        for name, count in counts.items():
            self.expect(said[name] == count, f"{said[name]} {name}, expected {count}")

    def warns(self, code, count=1):
        said = self.replay.summary["warnings"].get(code, 0)
        self.expect(said == count, f"{said} {code}, expected {count}")

    def calls(self, field):
        return [decision[field] for decision in self.replay.decisions]

    def withheld(self, condition):
        """Ids of the calls whose result a contract with this condition keeps back."""
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as policy:
            policy.write(f"[[contracts]]\ntools = ['*']\nensure = ['''{condition}''']\n")
            policy.flush()
            replay = Replay(self.gate, ["--policy", policy.name, self.path])
        self.wrong += replay.accidents()
        return [d["call"] for d in replay.decisions if d["decision"] == "withhold"]

    def shown(self, form):
        """Standard output of a format with the arguments shown."""
        command = [self.gate, "replay", "--show-args", "--format", form, str(self.path)]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        return done.stdout.decode("utf-8")


def byte_order_mark(case):
    case.comes_to(calls=1, results=1, faults=0)


def half_surrogate(case):
    case.comes_to(calls=1, results=1, faults=0)
    case.warns("repaired_text")
    case.expect(case.withheld("result.contains('\ufffd')") == [], "the half pair is not U+FFFD")


def torn_line(case):
    case.comes_to(2, calls=2, faulty=1, inconclusive_runs=1)
    case.expect(f"{case.path.name}:3:" in case.replay.stderr, "line 3 is not named on stderr")


def bare_words(case):
    case.comes_to(2, calls=1, faulty=5, faults=5)


def split_message(case):
    case.comes_to(calls=2, results=2, faults=0)
    case.expect(case.calls("turn") == [1, 1], f"turns {case.calls('turn')}, expected one")


def resumed(case):
    case.comes_to(calls=2, faults=0)
    case.warns("repeated_call")


def empty_arguments(case):
    case.comes_to(calls=1, results=1, faults=0)
    case.warns("assumed")
    case.expect(all(case.calls("checks_passed")), "no stage looked at the call")


def no_object(case):
    case.comes_to(calls=4, faults=0)
    case.warns("unparsed_arguments", 3)
    case.warns("assumed", 1)


def garbage_arguments(case):
    case.comes_to(calls=2, faults=0)
    for form in ("table", "json", "jsonl", "csv"):
        out = case.shown(form)
        steering = STEERING.search(out)
        case.expect(not steering, f"{form} shows {steering and ascii(steering[0])} unescaped")
        records = [line for line in out.splitlines() if "gate.report/1" not in line]
        longest = max(map(len, records))
        case.expect(longest < LONGEST, f"{form} has a line of {longest} characters")


def blocks(case):
    case.comes_to(calls=1, results=1, faults=0)
    joined = "result.contains('FAILED 3 tests') && result.contains('more')"
    case.expect(case.withheld(joined) == [], "the text of the result is not joined")
    case.expect(case.withheld("!error") == ["t1"], "the error flag is lost")


def killed(case):
    case.comes_to(calls=2, results=1, faults=0)
    case.expect(case.withheld("false") == ["t2"], "the call without a result has got one")


def unpaired(case):
    case.comes_to(calls=2, faults=0)
    case.warns("orphan_result")
    case.expect(case.withheld("!error") == [], "the result of no call went to one")
    case.expect(case.withheld("false") == ["t1"], "t2 has got a result")


def journal(case):
    case.comes_to(2, calls=0)
    case.expect("unknown_type" in case.replay.summary["faults"], "it is taken for a trace")


def fused(case):
    case.comes_to(2, calls=0, faulty=1)
    case.expect(f"{case.path.name}:2:" in case.replay.stderr, "line 2 is not named on stderr")


def nul_bytes(case):
    case.comes_to(2, calls=2, faulty=1)
    case.warns("nul_character")
    case.expect(case.calls("tool") == ["exec\0\0cmd", "exec_command"], "the names of the tools changed")
    for form in ("table", "json", "jsonl", "csv"):
        case.expect("\0" not in case.shown(form), f"{form} shows a NUL")


def big_image(case):
    case.comes_to(calls=1, results=1, faults=0)
    held = case.withheld("!result.matches('[A-Za-z0-9+/]{200}')")
    case.expect(held == [], "the image is kept in the result")


def long_line(case):
    case.comes_to(calls=1, faults=0)


def packed(case):
    case.comes_to(calls=1, faults=0)


def forked(case):
    case.comes_to(calls=1, faults=0)
    case.expect(set(case.calls("run")) == {"child"}, f"runs {case.calls('run')}, expected child")
    told = case.replay.summary["warnings"]
    case.expect(set(told) & {"repeated_call", "assumed"}, "the copied history is not told")


def without_ids(case):
    case.comes_to(calls=2, results=2, faults=0)
    rain = case.withheld("result.r != 'rain'")
    case.expect(rain == case.calls("call")[:1], "the first call has not got the first result")


def not_finite(case):
    case.comes_to(calls=1, results=1, faults=0)
    case.warns("assumed")


def two_spellings(case):
    case.comes_to(calls=1, runs=1, faults=0)


def units(case):
    case.comes_to(calls=1, faults=0)
    told = [w for w in case.replay.of("warning") if "since 1970" in w["message"]]
    case.expect(told, "it is not said which unit was taken")


CHECKS = {
    "F06": (fused, "a record that runs into another is listed, not fused"),
    "F08": (nul_bytes, "NUL characters escaped, NUL bytes listed"),
    "F09": (big_image, "an image is kept by its size and hash"),
    "F10": (long_line, "a long line is decided"),
    "F12": (packed, "zstd is unpacked"),
    "F17": (forked, "copied history is told and not counted"),
    "F19": (without_ids, "calls without ids are paired in order"),
    "F32": (not_finite, "NaN and Infinity are read as null"),
    "F33": (two_spellings, "ids in two spellings are one run"),
    "F35": (units, "the unit of a time is told by its size"),
    "F01": (byte_order_mark, "byte order mark and CRLF accepted"),
    "F03": (half_surrogate, "half a surrogate pair replaced, with a warning"),
    "F05": (torn_line, "torn line named, what follows decided"),
    "F11": (bare_words, "lines that are no object listed"),
    "F14": (split_message, "rows of one message are one turn"),
    "F16": (resumed, "history written again counted once"),
    "F21": (empty_arguments, "empty arguments read as {}"),
    "F23": (no_object, "arguments that are no object kept, a double encoding undone"),
    "F24": (garbage_arguments, "garbage arguments cut and escaped"),
    "F25": (blocks, "blocks of a result joined, its error flag kept"),
    "F27": (killed, "call without a result has none"),
    "F28": (unpaired, "result without an id goes to no call"),
    "F30": (journal, "journal is no trace"),
}


def handled(case):
    """What holds of any file: damage is listed, and what is not damaged was recognised."""
    summary = case.replay.summary
    listed = summary["counts"]["faults"] > 0 and case.replay.of("fault")
    if case.replay.status == 2:
        case.expect(listed or not summary["counts"]["calls"], "status 2 without a listed fault")
    else:
        case.expect(summary["inputs"][0]["format"], "passed without being of any format")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("faults", type=pathlib.Path)
    arguments = parser.parse_args()
    need(arguments.faults)
    rows = [["file", "status", "calls", "faults", "warnings", "expected"]]
    problems, met = [], set()
    for path in sorted(arguments.faults.glob("F*.json*")):
        case = Case(arguments.gate, path)
        name = path.name.split(".")[0]
        met.add(name)
        check, expected = CHECKS.get(name, (handled, "ends properly, damage listed"))
        if not case.wrong:
            handled(case)
            check(case)
            counts = case.replay.summary["counts"]
            said = [counts["calls"], counts["faults"], counts["warnings"]]
            mark = "WRONG: " if case.wrong else ""
            rows.append([path.name, case.replay.status, *said, mark + expected])
        problems += [f"{path.name}: {wrong}" for wrong in case.wrong]
    problems += [f"{name}: no such file" for name in sorted(CHECKS.keys() - met)]
    table(rows)
    conclude(problems, f"{len(rows) - 1} files, {len(CHECKS)} of them held to more than an end")


if __name__ == "__main__":
    main()
