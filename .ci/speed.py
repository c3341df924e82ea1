#!/usr/bin/env python3
"""Compares the processor time of a replay with the semantic stage and of one without, over calls of
different kinds whose texts differ, and of one line. It holds nothing to a bound: how much of the
ratio is memory differs between machines, so that `instructions.py` counts what the same calls take.

    python3 .ci/speed.py target/release/gate
"""

import argparse
import json
import pathlib
import random
import tempfile

from gatelib import conclude, table
from pairs import seconds

WORDS = (
    "account archive backup budget customer deploy document draft export filter flight header index "
    "invoice login market meeting order payment project queue refund release report review schedule "
    "session shipment summary support table ticket travel update"
).split()

POLICIES = {
    "plain": "",
    "semantic": "[semantic]\n",
    "semantic and scope": '[semantic]\n[dcbf.barriers.scope]\nembed = "static"\n',
}

def call(rng):
    """A tool and arguments of about 180 bytes."""

    def words(count):
        return " ".join(rng.choices(WORDS, k=count))

    word, number = rng.choice(WORDS), rng.randrange(1, 1_000_000)
    return rng.choice(
        (
            ("send_email", {"to": f"{word}@corp.example", "subject": f"{words(4)} {number}", "body": words(15)}),
            (
                "run_sql",
                {
                    "query": f"SELECT {word}, count(*) FROM {word}s JOIN orders ON orders.id = {word}_id"
                    f" WHERE id > {number} GROUP BY {word} ORDER BY {word} LIMIT {number}"
                },
            ),
            ("Bash", {"command": f"cd src/{word} && grep -rn '{words(2)}' . | sort | uniq -c > /tmp/{number}.txt", "description": words(6)}),
            (
                "http_request",
                {"method": "POST", "url": f"https://api.{word}.example/v2?n={number}", "body": {"note": words(11), "id": number}},
            ),
            ("write_file", {"path": f"/home/dana/{word}/{number}.md", "content": words(18)}),
        )
    )


def write(path, runs, calls):
    """Writes runs with an intent each."""
    rng = random.Random(7)
    with open(path, "w", encoding="utf-8") as out:
        for run in range(runs):
            intent = f"Find the {rng.choice(WORDS)} of last week and send a {rng.choice(WORDS)} to the team"
            records = [{"type": "run_start", "run": f"r{run}", "intent": intent}]
            for _ in range(calls):
                tool, args = call(rng)
                records.append({"type": "tool_call", "run": f"r{run}", "tool": tool, "args": args})
            out.writelines(json.dumps(record) + "\n" for record in records)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rows = [["trace", "policy", "cpu s", "us/call", "of plain"]]
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        for name, runs, calls in (("many calls", arguments.runs, 100), ("one call", 1, 1)):
            trace = str(folder / "trace.jsonl")
            write(trace, runs, calls)
            least = dict.fromkeys(POLICIES, float("inf"))
            for _ in range(arguments.rounds):
                for policy, text in POLICIES.items():
                    file = folder / "gate.toml"
                    file.write_text(text, encoding="utf-8")
                    command = [arguments.gate, "replay", "--quiet", "--fail-on", "none", "--policy", str(file), trace]
                    least[policy] = min(least[policy], seconds(command))
            for policy, time in least.items():
                ratio = time / least["plain"]
                each = time / (runs * calls) * 1e6
                rows.append([name, policy, f"{time:.3f}", f"{each:.1f}", f"{ratio:.2f}"])
    table(rows)
    conclude([], "replayed")


if __name__ == "__main__":
    main()
