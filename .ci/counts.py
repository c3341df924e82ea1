#!/usr/bin/env python3
"""Counts calls and results of recordings without gate and compares with gate's summary.

Reads Claude Code sessions and lists of chat-completions messages with a few lines of json code each;
files of other formats are named and passed over. Paths are files or directories.

    python3 .ci/counts.py target/release/gate fixtures/formats ../shared/corpus/claude_code
"""

import argparse
import json
import pathlib

from gatelib import Replay, conclude, skip, table

REFUSED = "The user doesn't want to proceed with this tool use"
COLUMNS = ("calls", "results", "orphans", "refused", "repeats", "faults")


def values(path):
    """The JSON values of a file, be it one or one a line; what is no JSON is left out."""
    text = path.read_text("utf-8-sig", errors="replace")
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except ValueError:
        pass
    found = []
    for line in text.split("\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def claude_code(rows):
    """By id within session and agent; the same written again counts once. An error that says that
    the user refused the call is a refusal, not a result."""
    calls, results, refusals = set(), set(), set()
    for row in rows:
        message = row.get("message") if isinstance(row, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else []:
            kind = block.get("type", "") if isinstance(block, dict) else ""
            run = (row["sessionId"], row.get("agentId"))
            if kind in ("tool_use", "server_tool_use"):
                calls.add((run, block["id"], block["name"], json.dumps(block["input"])))
            elif kind.endswith("tool_result"):
                text = json.dumps(block.get("content"))
                refused = block.get("is_error") and text.startswith('"' + REFUSED)
                (refusals if refused else results).add((run, block.get("tool_use_id"), text))
    known = {(run, name) for run, name, *_ in calls}
    orphans = sum((run, name) not in known for run, name, _ in results)
    return len(calls), len(results), orphans, len(refusals)


def chat(conversations):
    """Entries of `tool_calls`, older `function_call`s, and messages of role tool or function."""
    calls = results = 0
    for conversation in conversations:
        lists = conversation.get("messages") or conversation.get("traj") or []
        for message in lists:
            calls += len(message.get("tool_calls") or [])
            calls += bool(message.get("function_call"))
            results += message.get("role") in ("tool", "function")
    return calls, results, 0, 0


def counter(found):
    """How to count a file, by what its values hold; nothing for other formats."""
    objects = [value for value in found if isinstance(value, dict)]
    if any("sessionId" in o and isinstance(o.get("message"), dict) for o in objects):
        return "claude_code", claude_code, found
    if any(isinstance(o.get("messages", o.get("traj")), list) for o in objects):
        return "openai_chat", chat, objects
    if objects and len(objects) == len(found) and all("role" in o for o in objects):
        return "openai_chat", chat, [{"messages": objects}]
    return None


def check(gate, path):
    """A row of the table and what is wrong with it; no row for a file of another format."""
    counted = counter(values(path))
    if not counted:
        return None, []
    name, count, found = counted
    ours = Replay(gate, ["--fail-on", "none", path])
    problems = [f"{path}: {accident}" for accident in ours.accidents()]
    if problems:
        return None, problems
    summary = ours.summary
    said = summary["counts"]
    orphans = summary["warnings"].get("orphan_result", 0)
    refused = sum(decision["recorded"] == "block" for decision in ours.decisions)
    told = (said["calls"], said["results"], orphans, refused)
    read_as = summary["inputs"][0]["format"]
    counted = count(found)
    if (read_as, told) != (name, counted):
        problems.append(f"{path}: gate says {read_as} {told}, counted {name} {counted}")
    return [path.name, read_as, *told, said["repeats"], said["faults"]], problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    present = [path for path in arguments.paths if path.exists()]
    if len(present) < len(arguments.paths):
        print("skipped: no reference material beside the clone")
    if not present:
        skip("nothing to count")
    rows = [["file", "format", *COLUMNS]]
    problems, other = [], []
    for path in present:
        files = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
        for file in filter(pathlib.Path.is_file, files):
            row, wrong = check(arguments.gate, file)
            problems += wrong
            if row:
                rows.append(row)
            elif not wrong:
                other.append(file.name)
    table(rows)
    if other:
        print(f"  not counted, of other formats: {', '.join(other)}")
    if len(rows) < 2:
        problems.append("nothing was counted")
    conclude(problems, f"{len(rows) - 1} files, all counts equal")


if __name__ == "__main__":
    main()
