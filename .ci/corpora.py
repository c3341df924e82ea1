"""Traces that speed is measured on: realistic, made anew from a seed, of as many calls as asked.

    python3 .ci/corpora.py big 100000 trace.jsonl

Kinds, with the bytes of a call: `small` (270, no results), `big` (1,250), `heavy` (5,300), each of runs
that follow one another; `interleaved` (as big, 64 runs at a time), `crowd` (as small, 10,000 runs at a
time), `one` (178 bytes, all in one run), `hostile` (escapes, depth, damaged lines among good ones).
"""

import json
import random
import sys

CALLS = 40
WORDS = (
    "account archive backup budget customer deploy document draft export filter flight header index "
    "invoice login market meeting order payment project queue refund release report review schedule "
    "session shipment summary support table ticket travel update"
).split()
NAMES = ("parse", "render", "load", "merge", "walk", "check", "write", "split")
LINES = (
    "    let {a} = {b}.{f}(\"{c}\")?;\n",
    "fn {f}_{a}(x: &str) -> Option<{C}> {{\n",
    "\treturn \"{a}\\n{b}\";\n",
    "// the {a} of the {b} is kept: see {c}\n",
    "{a}.{f}(&mut out, {n}); // {b}\n",
    "}}\n",
)


def prose(rng, count):
    """So many words."""
    return " ".join(rng.choices(WORDS, k=count))


def code(rng, size):
    """Lines of code of about so many bytes, with a backslash in JSON every 25 of them."""
    lines, length = [], 0
    while length < size:
        a, b, c = rng.choices(WORDS, k=3)
        line = rng.choice(LINES).format(
            a=a, b=b, c=c, C=c.title(), f=rng.choice(NAMES), n=rng.randrange(10_000)
        )
        lines.append(line)
        length += len(line) + line.count("\n") + line.count('"') + line.count("\\")
    return "".join(lines)


def arguments(rng):
    """A tool and its arguments."""
    name = f"src/{rng.choice(WORDS)}/{rng.choice(WORDS)}_{rng.randrange(1000)}.rs"
    return rng.choice(
        (
            lambda: ("Bash", {"command": f"grep -rn '{prose(rng, 2)}' {name} | head -{rng.randrange(90)}", "timeout": 120_000}),
            lambda: ("Read", {"file_path": f"/home/dev/work/{name}", "offset": rng.randrange(4000), "limit": 200}),
            lambda: ("Edit", {"file_path": name, "old_string": f"{prose(rng, 4)} {{", "new_string": f"{prose(rng, 5)} {{"}),
            lambda: ("search", {"query": prose(rng, 8), "filters": {"kind": "doc", "year": 2026}}),
            lambda: ("sql_query", {"sql": f"SELECT id, total FROM {rng.choice(WORDS)}s WHERE state = '{rng.choice(WORDS)}' LIMIT 50"}),
        )
    )()


def call(rng, run, number, size):
    """A call of a run, with a result of so many bytes where that is not 0."""
    tool, args = arguments(rng)
    record = {"run": run, "id": f"call_{number:05d}", "turn": number, "tool": tool, "args": args}
    record["agent"] = "coder"
    record["ts"] = f"2026-03-02T10:{number // 60 % 60:02d}:{number % 60:02d}Z"
    if size:
        record["result"] = code(rng, size)
    return json.dumps(record, ensure_ascii=False) + "\n"


def runs(rng, calls, size, together=1):
    """Calls of runs of CALLS each, so many of them at a time."""
    made = 0
    batch = 0
    while made < calls:
        for number in range(CALLS):
            for run in range(together):
                if made < calls:
                    yield call(rng, f"session-{batch}-{run:05x}", number, size)
                    made += 1
        batch += 1


def one(rng, calls):
    """Calls of 178 bytes in one run."""
    for number in range(calls):
        line = json.dumps(
            {"run": "r", "id": f"c{number:06d}", "tool": "read_file", "args": {"path": f"docs/{rng.choice(WORDS)}.md", "note": ""}}
        )
        pad = 177 - len(line)
        yield line.replace('"note": ""', f'"note": "{"x" * pad}"') + "\n"


def hostile(rng, calls):
    """Good calls among lines that are hard to read or cannot be."""
    odd = (
        lambda: '{"run":"r\\u0031","tool":"B\\u0061sh","args":{"command":"\\u006cs \\ud83d\\ude00 \\ud800"}}\n',
        lambda: '{"run":"r","tool":"x","args":' + "[" * 120 + "]" * 120 + "}\n",
        lambda: '{"run":"r","tool":"x","args":' + "[" * 5000 + "\n",
        lambda: '{"run":"r","tool":"x","tool":"y","args":{"a":1,"a":2}}\n',
        lambda: '{"run":"r","tool":"x","args":{"s":"' + "\\\\\\\"" * 500 + '"}}\n',
        lambda: '{"run":"r","tool":"x","args":{"s":"' + "é漢\u202e" * 200 + '"}}\n',
        lambda: '{"run":"r","tool":"x","args":{"s":"a\u0000b"}}\n',
        lambda: "not JSON at all\n",
    )
    for number in range(calls):
        if rng.random() < 0.3:
            yield rng.choice(odd)()
        else:
            yield call(rng, "run", number, 300)


KINDS = {
    "small": lambda rng, calls: runs(rng, calls, 0),
    "big": lambda rng, calls: runs(rng, calls, 1000),
    "heavy": lambda rng, calls: runs(rng, calls, 5000),
    "interleaved": lambda rng, calls: runs(rng, calls, 1000, together=64),
    "crowd": lambda rng, calls: runs(rng, calls, 0, together=10_000),
    "one": one,
    "hostile": hostile,
}


def write(path, kind, calls):
    """Writes a trace of a kind."""
    with open(path, "w", encoding="utf-8") as out:
        for line in KINDS[kind](random.Random(7), calls):
            out.write(line)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    write(sys.argv[3], sys.argv[1], int(sys.argv[2]))
