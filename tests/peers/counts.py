#!/usr/bin/env python3
"""Counts calls, results and errors of recordings without gate and compares with what gate imports.

Every format is read by a few lines of Python of its own, told by the folder that a recording lies in, or
by what its name in fixtures/formats begins with. gate's side is `gate convert`, whose records are
counted. Paths are directories: one with a folder a format, or one with files named by their format.

    python3 tests/peers/counts.py target/release/gate fixtures/formats ../shared/corpus
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".ci"))
from gatelib import conclude, skip, table  # noqa: E402

COLUMNS = ("calls", "results", "errors")


def values(path):
    """The JSON values of a file, be it one, an array of them or one a line; no JSON is left out."""
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    found = []
    for line in text.split("\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def flat(found):
    """The values, arrays taken apart."""
    for value in found:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def objects(found):
    return [value for value in flat(found) if isinstance(value, dict)]


def inside(value):
    """Every object anywhere in a value."""
    stack = [value]
    while stack:
        top = stack.pop()
        if isinstance(top, dict):
            yield top
            stack.extend(reversed(list(top.values())))
        elif isinstance(top, list):
            stack.extend(reversed(top))


def loads(value):
    """A value that may be the text of one."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


class Count:
    """Calls by key, results and errors by the key of their call."""

    def __init__(self):
        self.calls = collections.OrderedDict()
        self.results, self.errors = [], 0

    def call(self, key):
        self.calls[key] = True

    def result(self, key, error=False):
        self.results.append(key)
        self.errors += bool(error)

    def numbers(self):
        return len(self.calls), len(self.results), self.errors


REFUSED = "The user doesn't want to proceed with this tool use"


def claude_code(found):
    """By id within session and agent; the same written again counts once. An error that says that the
    user refused the call is no result."""
    count, seen = Count(), set()
    for row in objects(found):
        message = row.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in objects(content) if isinstance(content, list) else []:
            kind = block.get("type", "")
            run = (row.get("sessionId"), row.get("agentId"))
            if kind in ("tool_use", "server_tool_use"):
                count.call((run, block["id"], block["name"], json.dumps(block["input"])))
            elif kind.endswith("tool_result"):
                text = json.dumps(block.get("content"))
                key = (run, block.get("tool_use_id"), text)
                if key in seen or (block.get("is_error") and text.startswith('"' + REFUSED)):
                    continue
                seen.add(key)
                count.result(key, block.get("is_error"))
    return count


def openai_chat(found):
    """Entries of `tool_calls`, older `function_call`s, and messages of role tool or function."""
    count = Count()
    for record in objects(found):
        lists = record.get("messages") or record.get("traj") or ([record] if "role" in record else [])
        for message in lists:
            for entry in message.get("tool_calls") or []:
                count.call((len(count.calls), entry.get("id")))
            if message.get("function_call") and not message.get("tool_calls"):
                count.call(len(count.calls))
            if message.get("role") in ("tool", "function"):
                error = "traj" in record and str(message.get("content")).startswith("Error:")
                count.result(message.get("tool_call_id"), error)
    return count


def codex(found):
    count = Count()
    rows = objects(found)
    fork = any(r.get("payload", {}).get("forked_from_id") for r in rows if r.get("type") == "session_meta")
    started = not fork
    for row in rows:
        payload = row.get("payload", {})
        item = row.get("item", {})
        if row.get("type") == "event_msg" and payload.get("type") == "task_started":
            started = True
        if row.get("type") == "response_item" and started:
            kind = payload.get("type", "")
            if kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call"):
                count.call(payload.get("call_id", len(count.calls)))
            elif kind.endswith("_output"):
                text = str(payload.get("output"))
                failed = "exited with code" in text and "exited with code 0" not in text
                failed |= text.startswith(("failed to parse", "unsupported c"))
                failed |= '"exit_code":' in text.replace(" ", "") and '"exit_code":0' not in text.replace(" ", "")
                count.result(payload.get("call_id"), failed)
        elif row.get("type", "").startswith("item.") and item.get("type") in (
            "command_execution", "mcp_tool_call", "file_change", "web_search"
        ):
            count.call(item["id"])
            if row["type"] == "item.completed":
                failed = item.get("status") == "failed" or item.get("exit_code") not in (None, 0)
                count.result(item["id"], failed)
    return count


def openai_agents(found):
    """Spans of functions, or items of the Responses API."""
    count = Count()
    for value in objects(found):
        if value.get("object") == "trace.span":
            data = value["span_data"]
            if data["type"] == "function":
                count.call(value["id"])
                if data.get("output") is not None:
                    count.result(value["id"], value.get("error"))
            continue
        items = value.get("output") or value.get("input") or []
        for item in items if isinstance(items, list) and "type" not in value else [value]:
            kind = item.get("type", "")
            if kind.endswith("_call"):
                count.call(item.get("call_id", item.get("id")))
            elif kind.endswith("_call_output"):
                count.result(item["call_id"])
    return count


def attributes(span):
    def plain(value):
        for kind, inner in value.items():
            if kind == "kvlistValue":
                return {a["key"]: plain(a["value"]) for a in inner.get("values", [])}
            if kind == "arrayValue":
                return [plain(v) for v in inner.get("values", [])]
            return inner
        return None

    return {a["key"]: plain(a["value"]) for a in span.get("attributes", [])}


def otel(found):
    count = Count()
    for value in objects(found):
        for span in (o for o in inside(value) if "spanId" in o and "startTimeUnixNano" in o):
            known = attributes(span)
            if not (
                known.get("gen_ai.operation.name") == "execute_tool"
                or known.get("openinference.span.kind") == "TOOL"
                or span["name"] == "running tool"
            ):
                continue
            count.call((span["traceId"], span["spanId"]))
            result = [k for k in ("gen_ai.tool.call.result", "output.value", "tool_response") if k in known]
            failed = span.get("status", {}).get("code") in (2, "STATUS_CODE_ERROR")
            if result or failed:
                count.result(span["spanId"], failed)
    return count


def langfuse(found):
    count = Count()
    for record in objects(found):
        listed = record.get("observations") or record["trace"].get("observations")
        for seen in listed:
            meta = loads(seen.get("metadata")) or {}
            known = meta.get("attributes", {}) if isinstance(meta, dict) else {}
            parent = next((o for o in listed if o["id"] == seen.get("parentObservationId")), {})
            tool = (
                seen["type"] == "TOOL"
                or known.get("gen_ai.operation.name") == "execute_tool"
                or known.get("openinference.span.kind") == "TOOL"
                or "gen_ai.tool.name" in known
                or (seen["type"] == "SPAN" and parent.get("name") == "tools")
            )
            if tool:
                count.call(seen["id"])
                failed = seen.get("level") == "ERROR"
                if seen.get("output") is not None or failed:
                    count.result(seen["id"], failed)
    return count


def mcp(found):
    """Requests of the client, paired with what comes the other way; raw frames have one direction."""
    count, open_calls = Count(), {}
    for value in flat(found):
        if not isinstance(value, dict):
            continue
        frame = value.get("message", value)
        direction = value.get("direction")
        for one in frame if isinstance(frame, list) else [frame]:
            key = json.dumps(one.get("id"))
            if one.get("method") == "tools/call":
                count.call((len(count.calls), key))
                open_calls[key] = direction
            elif "method" not in one and key in open_calls:
                if direction is None or direction != open_calls[key]:
                    del open_calls[key]
                    failed = "error" in one or (one.get("result") or {}).get("isError")
                    count.result(key, failed)
    return count


def anthropic(found):
    count = Count()
    for value in objects(found):
        for block in inside(value.get("messages", value)):
            if str(block.get("type", "")).endswith("tool_use") and "id" in block:
                count.call(block["id"])
            elif str(block.get("type", "")).endswith("tool_result"):
                count.result(block.get("tool_use_id"), block.get("is_error"))
    return count


def langchain(found):
    """LangSmith runs, or messages of LangChain, wherever they are kept; a message is told by its id."""
    count = Count()
    runs = [o for o in objects(found) if "run_type" in o]
    for run in runs:
        if run["run_type"] == "tool":
            count.call(run["id"])
            if run.get("outputs") or run.get("error"):
                count.result(run["id"], run.get("error") or '"status": "error"' in json.dumps(run.get("outputs")))
    if runs:
        return count
    answered = set()
    for value in objects(found):
        for one in inside(value):
            said = one.get("kwargs") or one.get("data") or one
            if not isinstance(said, dict) or not one.get("type") or "content" not in said:
                continue
            if said is one and (one.get("lc") or "tool_call_id" not in one and "tool_calls" not in one):
                continue
            raw = [] if "tool_calls" in said else (said.get("additional_kwargs") or {}).get("tool_calls") or []
            for call in (said.get("tool_calls") or []) + (said.get("invalid_tool_calls") or []) + raw:
                count.call(call["id"])
            if said.get("tool_call_id") and said["tool_call_id"] not in answered:
                answered.add(said["tool_call_id"])
                count.result(said["tool_call_id"], said.get("status") == "error")
    return count


def agentdojo(found):
    count = Count()
    for run in objects(found):
        for message in run.get("messages", run.get("conversations", [])):
            for call in message.get("tool_calls") or []:
                count.call((len(count.calls), call["function"]))
            if message["role"] == "tool":
                count.result(message.get("tool_call_id"), message.get("error"))
    return count


def inspect_ai(found):
    """Tool events where a sample has them, else its messages."""
    count = Count()
    for log in objects(found):
        for sample in log.get("samples", [log] if "messages" in log else []):
            events = [e for e in sample.get("events", []) if e.get("event") == "tool"]
            for event in events:
                count.call((sample["id"], sample.get("epoch"), event["id"]))
                rejected = (event.get("error") or {}).get("type") == "approval"
                if not rejected and (event.get("result") is not None or event.get("error")):
                    count.result(event["id"], event.get("error"))
            for message in [] if events else sample.get("messages", []):
                for call in message.get("tool_calls") or []:
                    count.call((sample["id"], sample.get("epoch"), call["id"]))
                if message["role"] == "tool":
                    count.result(message["tool_call_id"], message.get("error"))
    return count


def atif(found):
    count = Count()
    for run in objects(found):
        for trajectory in [run, *(run.get("subagent_trajectories") or [])]:
            for step in trajectory.get("steps", []):
                if step.get("is_copied_context"):
                    continue
                calls = step.get("tool_calls") or []
                for call in calls:
                    count.call((step["step_id"], call["tool_call_id"]))
                for result in (step.get("observation") or {}).get("results", []) if calls else []:
                    count.result(result.get("source_call_id"))
    return count


def gemini(found):
    """Rows of the chat log, the last of an id counting; lines of a stream; requests of the API."""
    count, rows = Count(), collections.OrderedDict()
    for value in objects(found):
        for row in value.get("$set", {}).get("messages", []):
            rows[row["id"]] = row
        if value.get("type") in ("gemini", "user") and "id" in value:
            rows[value["id"]] = value
        for row in value.get("messages", []):
            rows[row["id"]] = row
        if value.get("type") == "tool_use":
            count.call(value["tool_id"])
        elif value.get("type") == "tool_result":
            count.result(value["tool_id"], value.get("status") == "error")
        for content in value.get("contents", []):
            for part in content.get("parts", []):
                if "functionCall" in part:
                    count.call(len(count.calls))
                if "functionResponse" in part:
                    count.result(part["functionResponse"]["name"])
    for row in rows.values():
        for call in row.get("toolCalls", []):
            count.call(call["id"])
            if call.get("result") or call.get("status") in ("success", "error"):
                count.result(call["id"], call.get("status") == "error")
    return count


def google_adk(found):
    count = Count()
    for value in objects(found):
        for event in value.get("events", [value]):
            for part in (event.get("content") or {}).get("parts") or []:
                call = part.get("functionCall") or part.get("function_call")
                result = part.get("functionResponse") or part.get("function_response")
                if call:
                    count.call((len(count.calls), call.get("id")))
                if result:
                    said = result.get("response") or {}
                    count.result(result.get("id"), said.get("status") == "error" or said.get("error"))
    return count


def opencode(found):
    count = Count()
    for value in objects(found):
        messages = value.get("messages", [])
        parts = [part for message in messages for part in message.get("parts", [])]
        for part in parts or ([value["part"]] if "part" in value else []):
            if part.get("type") == "tool":
                state = part["state"]
                count.call(part["callID"])
                # A call that could not be read is kept as a call of `invalid`, which always works.
                if state["status"] in ("completed", "error"):
                    failed = state["status"] == "error" or part["tool"] == "invalid"
                    count.result(part["callID"], failed)
    return count


def pi(found):
    count = Count()
    for row in objects(found):
        message = row.get("message") or {}
        content = message.get("content")
        if message.get("role") == "assistant" and isinstance(content, list):
            for block in content:
                if block.get("type") == "toolCall":
                    count.call(block["id"])
        if message.get("role") == "toolResult":
            count.result(message["toolCallId"], message.get("isError"))
    return count


def swe_agent(found):
    """A step is a call, if it has an action; what it saw is its result. Structured calls of the history,
    demonstrations apart, count instead where there are any."""
    count = Count()
    for run in objects(found):
        history = [m for m in run.get("history", []) if not m.get("is_demo")]
        if any(m.get("tool_calls") for m in history):
            for message in history:
                for call in message.get("tool_calls") or []:
                    count.call((len(count.calls), call["id"]))
                if message.get("role") == "tool":
                    count.result(str(message.get("tool_call_ids")))
            continue
        for i, step in enumerate(run.get("trajectory", [])):
            action = (step.get("action") or "").strip()
            if action and not action.startswith("exit_"):
                count.call(i)
                if step.get("observation") is not None:
                    count.result(i)
    return count


def openhands(found):
    count = Count()
    for event in objects(found):
        kind = event.get("kind")
        if kind == "ActionEvent":
            count.call(event["tool_call_id"])
        elif kind == "ObservationEvent":
            seen = event.get("observation") or {}
            count.result(event["tool_call_id"], seen.get("is_error"))
        elif kind == "AgentErrorEvent":
            count.result(event["tool_call_id"], True)
    return count


def autogen(found):
    count = Count()
    for value in objects(found):
        kept = [m for o in inside(value) if "llm_context" in o for m in o["llm_context"]["messages"]]
        for message in kept or [value]:
            kind, content = message.get("type"), message.get("content")
            if not isinstance(content, list):
                continue
            for item in content:
                if kind in ("ToolCallRequestEvent", "AssistantMessage") and "arguments" in item:
                    count.call(item["id"])
                elif kind in ("ToolCallExecutionEvent", "FunctionExecutionResultMessage"):
                    count.result(item["call_id"], item.get("is_error"))
    return count


def smolagents(found):
    """Calls of a step, else those that the model asked for in it; a step has one observation."""
    count = Count()
    for value in objects(found):
        for step in value.get("steps", [value]):
            asked = (step.get("model_output_message") or {}).get("tool_calls") or []
            calls = step.get("tool_calls") or asked
            for call in calls:
                count.call((step.get("step_number"), call.get("id")))
            failed = bool(step.get("error"))
            if calls and (step.get("observations") is not None or failed):
                count.result(step.get("step_number"), failed)
    return count


def pydantic_ai(found):
    """A result that sends the model back is an error, in its older and its newer form."""
    count = Count()
    for message in objects(found):
        for part in message.get("parts", []):
            kind = part.get("part_kind")
            if kind == "tool-call":
                count.call(part["tool_call_id"])
            elif kind == "tool-return" or (kind == "retry-prompt" and part.get("tool_name")):
                failed = kind == "retry-prompt" or part.get("outcome") in ("failed", "retried")
                count.result(part["tool_call_id"], failed)
    return count


#: How a folder of recordings is counted, and the formats that gate may read its files as.
FORMATS = {
    "claude_code": (claude_code, {"claude_code"}),
    "openai_chat": (openai_chat, {"openai_chat"}),
    "codex": (codex, {"codex"}),
    "openai_agents": (openai_agents, {"openai_agents", "openai_responses"}),
    "openai_responses": (openai_agents, {"openai_responses"}),
    "otel": (otel, {"otel"}),
    "langfuse": (langfuse, {"langfuse"}),
    "mcp": (mcp, {"mcp"}),
    "anthropic": (anthropic, {"anthropic"}),
    "langchain": (langchain, {"langchain", "langsmith"}),
    "langsmith": (langchain, {"langsmith"}),
    "agentdojo": (agentdojo, {"agentdojo"}),
    "inspect_ai": (inspect_ai, {"inspect_ai"}),
    "atif": (atif, {"atif", "gemini"}),
    "gemini": (gemini, {"gemini"}),
    "google_adk": (google_adk, {"adk"}),
    "adk": (google_adk, {"adk"}),
    "opencode": (opencode, {"opencode"}),
    "pi": (pi, {"pi"}),
    "swe_agent": (swe_agent, {"swe_agent"}),
    "openhands": (openhands, {"openhands"}),
    "autogen": (autogen, {"autogen"}),
    "smolagents": (smolagents, {"smolagents"}),
    "pydantic_ai": (pydantic_ai, {"pydantic_ai"}),
}


def archive(path):
    """The samples of a log that is a ZIP archive; none where Python cannot unpack it."""
    with zipfile.ZipFile(path) as packed:
        names = [n for n in packed.namelist() if n.startswith("samples/")]
        try:
            return [{"samples": [json.loads(packed.read(n)) for n in names]}]
        except NotImplementedError:
            return None


def imported(gate, path):
    """The format, and calls, results and errors of what gate converts; and what went wrong."""
    # Damage that the Python side passes over too is no matter here, nor is a file without calls.
    command = [gate, "convert", "--allow-faults", "--allow-empty", str(path)]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    told = done.stderr.decode("utf-8", "replace").strip()
    count = Count()
    for line in done.stdout.splitlines():
        record = json.loads(line)
        kind = record.get("type", "tool_call")
        if kind == "tool_call":
            count.call(len(count.calls))
        if kind == "tool_result" or (kind == "tool_call" and ("result" in record or "error" in record)):
            count.result(record.get("call"), record.get("error"))
    seen = subprocess.run([gate, "inspect", "--format", "json", str(path)], capture_output=True, check=False)
    try:
        name = json.loads(seen.stdout)["inputs"][0]["format"]
    except (ValueError, KeyError, IndexError):
        name = None
    wrong = [f"status {done.returncode}: {told[:300]}"] if done.returncode else []
    return name, count.numbers(), wrong


def rule_for(path):
    """How a file is counted: by its folder, or by the beginning of its name."""
    for part in (path.parent.name, path.parent.parent.name, path.parent.parent.parent.parent.name):
        if part in FORMATS:
            return FORMATS[part]
    names = [name for name in FORMATS if path.name.startswith(name)]
    return FORMATS[max(names, key=len)] if names else None


def check(gate, path):
    """A row of the table and what is wrong with it; no row for a file that is not counted."""
    rule = rule_for(path)
    if rule is None:
        return None, []
    count, names = rule
    found = archive(path) if path.suffix == ".eval" else values(path)
    name, told, wrong = imported(gate, path)
    problems = [f"{path}: {what}" for what in wrong]
    if name not in names:
        problems.append(f"{path}: taken for {name}, not {' or '.join(sorted(names))}")
    if found is not None:
        counted = count(found).numbers()
        if told != counted:
            problems.append(f"{path}: gate has {told} calls, results, errors; counted {counted}")
    return [path.name[:50], name, *told, "" if found is not None else "not counted here"], problems


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
    rows = [["file", "format", *COLUMNS, ""]]
    problems, other = [], []
    for path in present:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in filter(pathlib.Path.is_file, files):
            if "faults" in file.parts or file.suffix == ".md":
                continue
            row, wrong = check(arguments.gate, file)
            problems += wrong
            if row:
                rows.append(row)
            else:
                other.append(file.name)
    table(rows)
    if other:
        print(f"  not counted: {', '.join(other)}")
    if len(rows) < 2:
        problems.append("nothing was counted")
    conclude(problems, f"{len(rows) - 1} files, all counts equal")


if __name__ == "__main__":
    main()
