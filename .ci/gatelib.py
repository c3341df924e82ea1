"""What the checks share: running gate, reading its records, telling how it went."""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True

#: Statuses that a replay may end with: no finding, findings, unusable input.
STATUSES = (0, 1, 2)


class Replay:
    """A finished `gate replay --format jsonl`."""

    def __init__(self, gate, arguments):
        command = [gate, "replay", "--format", "jsonl", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        self.status = done.returncode
        self.stderr = done.stderr.decode("utf-8", "replace")
        self.bytes = done.stdout
        self.records = [json.loads(line) for line in done.stdout.splitlines()]

    def of(self, kind):
        """The records of a kind: `decision`, `fault`, `warning`."""
        return [record for record in self.records if record["record"] == kind]

    @property
    def decisions(self):
        return self.of("decision")

    @property
    def summary(self):
        """The last record, which must be the summary; empty if there is none."""
        last = self.records[-1] if self.records else {}
        return last if last.get("record") == "summary" else {}

    def accidents(self):
        """What no input may bring about: a panic, a status that is none, an output cut off."""
        found = []
        if self.status not in STATUSES:
            found.append(f"status {self.status}")
        if "panicked" in self.stderr:
            found.append("panic: " + self.stderr.strip().splitlines()[0])
        if not self.summary:
            found.append("no summary record")
        elif self.summary["broken_laws"]:
            found.append(f"broken laws: {self.summary['broken_laws']}")
        return found


def skip(reason):
    """Ends the check without having checked anything, and says so."""
    print(f"skipped: {reason}")
    sys.exit(0)


def need(*paths):
    """Skips the check unless all of this reference material is there."""
    if not all(os.path.exists(path) for path in paths):
        skip("no reference material beside the clone")


def conclude(problems, good):
    """Prints what is wrong, or `good`, and ends with the status to match."""
    for problem in problems[:50]:
        print(f"  WRONG {problem}")
    if len(problems) > 50:
        print(f"  ... and {len(problems) - 50} more")
    if problems:
        print(f"{len(problems)} wrong")
        sys.exit(1)
    print(good)


def table(rows):
    """Prints rows in columns, the first row being their names; columns of numbers flush right."""
    columns = [[str(cell) for cell in column] for column in zip(*rows)]
    for i, column in enumerate(columns):
        width = max(map(len, column))
        numbers = all(cell.replace(".", "", 1).isdigit() for cell in column[1:])
        columns[i] = [cell.rjust(width) if numbers else cell.ljust(width) for cell in column]
    for row in zip(*columns):
        print("  " + "  ".join(row).rstrip())
