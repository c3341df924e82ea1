#!/usr/bin/env python3
"""Holds reports against what others have written down of their formats, and reads them with others' readers.

JUnit: the schema by which Jenkins' xUnit plugin reads (`junit-10.xsd`, out of the source distribution of
pytest), with lxml, and `junitparser`. OTLP: the messages of `opentelemetry-proto`, by the JSON reader of
protobuf, which refuses what it does not know. SARIF: the schema of OASIS, with `jsonschema`, and the SARIF
Multitool, which also knows the rules that no schema can say.

All of them read an ordinary audit, ones with faults, with nothing in it, with several inputs, filtered,
and one of recordings whose names, ids, arguments and reasons are hostile. What counts them is the JSON
report of the same audit. Each reader is shown a report that is wrong first, which it has to refuse.

They are installed into a folder of their own. Where they cannot be had the check is skipped.

    python3 .ci/reports.py target/release/gate target/validators
"""

import argparse
import base64
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

from gatelib import conclude, skip

PACKAGES = ("lxml==6.1.3", "junitparser==5.0.3", "opentelemetry-proto==1.45.2", "jsonschema==4.26.0")

#: Where the schema of JUnit reports is: the package, and the file in it.
PYTEST = ("pytest==8.3.4", "junit-10.xsd")

#: Package of the SARIF Multitool, and what of it is used.
MULTITOOL = ("@microsoft/sarif-multitool-linux@5.7.0", "sarif-2.1.0.json", "Sarif.Multitool")

#: `STATUS_CODE_ERROR` of a span.
ERROR = 2

#: What build servers read of a test and the schema does not have.
BESIDE_THE_SCHEMA = ("file", "line")

README = ("fixtures/readme/trace.jsonl", "--policy", "fixtures/readme/gate.toml")

HOSTILE = ("--policy", "fixtures/docs/hostile.toml", "fixtures/docs/hostile.jsonl")


def cases(folder):
    """Name and arguments of every audit."""
    empty = folder / "empty.jsonl"
    empty.write_text("")
    clean = folder / "clean.jsonl"
    clean.write_text('{"tool":"read_file","run":"a"}\n{"type":"run_start","run":"without calls"}\n')
    cut_off = folder / "cut-off.jsonl.gz"
    cut_off.write_bytes(gzip.compress(pathlib.Path("fixtures/readme/trace.jsonl").read_bytes(), mtime=0)[:-20])
    yield "ordinary", README
    yield "clean", (str(clean),)
    yield "faults", ("fixtures/docs/faulty.jsonl",)
    yield "faults allowed", ("fixtures/docs/faulty.jsonl", "--allow-faults")
    yield "cut off", (str(cut_off),)
    yield "empty", (str(empty),)
    yield "empty allowed", (str(empty), "--allow-empty")
    yield "hostile", (*HOSTILE, "fixtures/docs/hostile_faulty.jsonl", "--show-args")
    yield "hostile and sound", HOSTILE
    yield "several inputs", (
        "fixtures/cases",
        "fixtures/docs",
        "--policy",
        "default",
        "--fail-on",
        "drift,hazard,violation,escalate",
    )
    yield "unsound", ("fixtures/docs/trace.jsonl", "--policy", "fixtures/docs/unsound.toml", "--fail-on", "unsound")
    yield "filtered", (*README, "--run", "ticket-4711", "--only", "refused")
    yield "quiet", (*README, "--quiet")


def report(gate, arguments, name):
    """Status of a replay, and its report in a format."""
    command = [gate, "replay", *arguments, "--format", name]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout


class JUnit:
    """The schema, and a reader of such reports."""

    def __init__(self, schema):
        from lxml import etree

        self.etree = etree
        self.schema = etree.XMLSchema(etree.parse(str(schema)))

    def wrong(self):
        yield b"<testsuites><testsuite name='a' tests='1' failures='0'/></testsuites>"
        yield b"<testsuites><testsuite name='a' tests='1' failures='0' errors='0'><test/></testsuite></testsuites>"
        yield b"<testsuites>\x01</testsuites>"

    def check(self, text, status=None, records=None):
        """What is wrong with a report."""
        try:
            root = self.etree.fromstring(text)
        except self.etree.XMLSyntaxError as why:
            return [f"no XML: {why}"]
        for test in root.iter("testcase"):
            for name in BESIDE_THE_SCHEMA:
                test.attrib.pop(name, None)
        found = []
        if not self.schema.validate(root):
            found += [f"schema: {error.message}" for error in self.schema.error_log]
        return found if records is None else found + self.counts(text, status, records)

    def counts(self, text, status, records):
        """Where what another reader finds is not what the JSON report says."""
        import junitparser

        suites = junitparser.JUnitXml.fromstring(text)
        tests = [test for suite in suites for test in suite]
        found = []
        told = (suites.tests, suites.failures, suites.errors)
        kinds = [{type(result).__name__ for result in test.result} for test in tests]
        counted = (len(tests), sum("Failure" in k for k in kinds), sum("Error" in k for k in kinds))
        if told != counted:
            found.append(f"counts {told}, and has {counted}")
        summary = records["summary"]
        beside = [test for test in tests if test.name in ("the input", "exit status")]
        if len(tests) - len(beside) != summary["counts"]["runs"]:
            found.append(f"{len(tests) - len(beside)} runs, not {summary['counts']['runs']}")
        names = [(test.classname, test.name) for test in tests]
        if len(set(names)) != len(names):
            found.append("two tests of one name")
        _, failures, errors = told
        if not {0: not failures and not errors, 1: failures and not errors}.get(status, errors):
            found.append(f"status {status} with {failures} failures and {errors} errors")
        properties = {p.name: p.value for suite in suites for p in suite.properties()}
        if properties["exit.status"] != str(status):
            found.append("another status")
        stopped = {r["run"] for r in records["records"] if r["record"] == "decision" and r["decision"] != "allow"}
        passed = sum(not kind for kind in kinds)
        if passed > summary["counts"]["runs"] - len(stopped):
            found.append(f"{passed} passed, and {len(stopped)} runs were stopped")
        return found


class Otlp:
    """The messages of the protocol."""

    def wrong(self):
        span = {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "1", "name": "a"}
        good = {**span, "startTimeUnixNano": "1", "endTimeUnixNano": "2"}
        wrong = (
            {**good, "started": "1"},
            {**good, "startTimeUnixNano": "-1"},
            {**good, "startTimeUnixNano": "3"},
            {**good, "traceId": "12"},
            {**good, "attributes": [{"key": "a", "value": {"intValue": "x"}}]},
            {**good, "attributes": [{"key": "a", "value": {}}, {"key": "a", "value": {}}]},
        )
        for spans in wrong:
            yield json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [spans]}]}]}).encode()

    def check(self, text, status=None, records=None):
        """What is wrong with a report."""
        from google.protobuf import json_format
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        found, spans = [], []
        for line in text.splitlines():
            if len(line) >= 1 << 20:
                found.append(f"a line of {len(line)} bytes")
            try:
                request = json_format.ParseDict(to_base64(json.loads(line)), ExportTraceServiceRequest())
            except (json_format.ParseError, ValueError) as why:
                return [f"no request: {why}"]
            for resource in request.resource_spans:
                spans += [span for scope in resource.scope_spans for span in scope.spans]
        ids = [(span.trace_id, span.span_id) for span in spans]
        if len(set(ids)) != len(ids):
            found.append("two spans of one id")
        for span in spans:
            found += wrong_span(span, set(ids))
        return found if records is None else found + self.counts(spans, status, records)

    def counts(self, spans, status, records):
        """Where it is not what the JSON report says."""
        found = []
        events = [event.name for span in spans for event in span.events]
        decisions = sum(record["record"] == "decision" for record in records["records"])
        if events.count("gate.decision") != decisions:
            found.append(f"{events.count('gate.decision')} decisions, not {decisions}")
        runs = [span for span in spans if span.name == "gate run"]
        if len(runs) != records["summary"]["counts"]["runs"]:
            found.append(f"{len(runs)} runs, not {records['summary']['counts']['runs']}")
        faults = records["summary"]["counts"]["faults"]
        if events.count("gate.fault") != faults:
            found.append(f"{events.count('gate.fault')} faults, not {faults}")
        last = spans[-1]
        told = {pair.key: pair.value for pair in last.attributes}
        if last.name != "gate replay" or told["gate.exit.status"].int_value != status:
            found.append("no status at the end")
        if (last.status.code == ERROR) != (status != 0):
            found.append(f"code {last.status.code} for status {status}")
        return found


def to_base64(value, key=None):
    """Ids of OTLP are hexadecimal, those of protobuf's JSON base64."""
    if isinstance(value, dict):
        return {name: to_base64(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [to_base64(inner) for inner in value]
    if key in ("traceId", "spanId", "parentSpanId"):
        return base64.b64encode(bytes.fromhex(value)).decode()
    return value


def wrong_span(span, known):
    """What no message can say of a span."""
    if (len(span.trace_id), len(span.span_id)) != (16, 8) or not any(span.trace_id) or not any(span.span_id):
        yield f"`{span.name}` has no id"
    if span.parent_span_id and (span.trace_id, span.parent_span_id) not in known:
        yield f"`{span.name}` is below nothing"
    if span.start_time_unix_nano > span.end_time_unix_nano:
        yield f"`{span.name}` ends before it begins"
    for owner in (span, *span.events):
        keys = [pair.key for pair in owner.attributes]
        if len(set(keys)) != len(keys) or not all(keys):
            yield f"attributes of `{owner.name}`: {keys}"
        if any(pair.value.WhichOneof("value") is None for pair in owner.attributes):
            yield f"an attribute of `{owner.name}` without a value"


class Sarif:
    """The schema of OASIS, and the tool of those who maintain it."""

    def __init__(self, schema, tool):
        import jsonschema

        schema = json.loads(schema.read_text(encoding="utf-8-sig"))
        self.validator = jsonschema.validators.validator_for(schema)(schema)
        self.tool = tool

    def wrong(self):
        yield b'{"version":"2.1.0"}'
        yield b'{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a"}},"results":[{"ruleId":"a"}]}]}'
        yield b'{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a"}},"more":1}]}'

    def check(self, text, status=None, records=None):
        """What is wrong with a report."""
        try:
            log = json.loads(text)
        except ValueError as why:
            return [f"no JSON: {why}"]
        found = [f"schema: {error.json_path}: {error.message[:200]}" for error in self.validator.iter_errors(log)]
        return found if records is None else found + self.told(text)

    def told(self, text):
        """What the tool calls an error."""
        with tempfile.TemporaryDirectory() as folder:
            log, out = pathlib.Path(folder, "log.sarif"), pathlib.Path(folder, "out.sarif")
            log.write_bytes(text)
            command = [str(self.tool), "validate", str(log), "--output", str(out), "--rule-kind", "Sarif;Ghas"]
            environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            if not out.exists():
                return [f"the tool ended with {done.returncode}: {done.stdout[-300:]}"]
            lines = done.stdout.splitlines()
        return [line.split("): ", 1)[-1][:300] for line in lines if ": error " in line]


def download(package, wanted, folder, command):
    """Files out of a package, fetched if they are not there; absent where they cannot be had."""
    files = [folder / name for name in wanted]
    if not all(file.exists() for file in files):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run([*command, package], cwd=folder, capture_output=True, check=False)
        except FileNotFoundError:
            return None
        for archive in [*folder.glob("*.tar.gz"), *folder.glob("*.tgz")]:
            with tarfile.open(archive) as members:
                for member in members:
                    name = pathlib.PurePosixPath(member.name).name
                    if name in wanted and member.isfile():
                        (folder / name).write_bytes(members.extractfile(member).read())
            archive.unlink()
        if done.returncode != 0 or not all(file.exists() for file in files):
            return None
    for file in files:
        file.chmod(0o755)
    return files


def readers(folder):
    """Format and reader, as far as they can be had."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    schema = download(PYTEST[0], PYTEST[1:], folder / "junit", pip)
    if schema:
        yield "junit", JUnit(*schema)
    else:
        print("  skipped: the schema of JUnit reports cannot be had")
    yield "otlp", Otlp()
    tool = download(MULTITOOL[0], MULTITOOL[1:], folder / "sarif", ["npm", "pack", "--silent"])
    if tool:
        yield "sarif", Sarif(*tool)
    else:
        print("  skipped: the SARIF Multitool cannot be had")


def inside(gate, folder):
    """The check itself, where the packages are."""
    problems, checked = [], 0
    with tempfile.TemporaryDirectory() as directory:
        audits = list(cases(pathlib.Path(directory)))
        facts = {name: report(gate, arguments, "json") for name, arguments in audits}
        for form, reader in readers(folder):
            if form not in known(gate):
                print(f"  skipped: gate writes no {form}")
                continue
            problems += [f"{form}: {wrong[:80]} passes" for wrong in reader.wrong() if not reader.check(wrong)]
            for name, arguments in audits:
                status, text = report(gate, arguments, form)
                expected, records = facts[name]
                if status != expected:
                    problems.append(f"{form}, {name}: status {status}, not {expected}")
                found = reader.check(text, status, json.loads(records))
                problems += [f"{form}, {name}: {why}" for why in found]
                checked += 1
    conclude(problems, f"{checked} reports are what others take them for")


def known(gate):
    """The formats that gate writes."""
    done = subprocess.run([gate, "replay", "--help"], capture_output=True, text=True, check=False)
    return {word for word in ("junit", "otlp", "sarif") if f"--{word} " in done.stdout}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    if arguments.inside:
        return inside(os.path.abspath(arguments.gate), folder)
    python = folder / "bin" / "python"
    installed = folder / "installed"
    if not installed.exists() or installed.read_text() != "\n".join(PACKAGES):
        for command in (
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "-q", *PACKAGES],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                skip("the readers cannot be installed")
        installed.write_text("\n".join(PACKAGES))
    command = [str(python), __file__, arguments.gate, str(folder), "--inside"]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
