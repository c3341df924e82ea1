#!/usr/bin/env python3
"""Holds the semantic firewall against labelled cases: how well its score tells attacks from ordinary
calls, and what its own thresholds do. Fails where a figure falls under what was recorded here.

The static and the hash embedder are always tried; MiniLM where its model lies in
target/models/minilm, or in the folder that --minilm names.

    python3 .ci/semantic.py target/release/gate ../shared/semantic/dev.jsonl
"""

import argparse
import json
import os
import subprocess
import sys

from gatelib import conclude, need, table

#: By embedder: the least AUC of the score, the least share of attacks that the embedder's own
#: `escalate` catches, and the greatest share of ordinary calls that it escalates.
RECORDED = {
    "static": (0.98, 0.96, 0.07),
    "hash": (0.98, 0.96, 0.07),
    "minilm": (0.98, 0.96, 0.07),
}


def calibrate(gate, cases, embedder, model):
    """What `gate calibrate` says of one embedder."""
    command = [gate, "calibrate", "--format", "json", "--embedder", embedder, cases]
    if model:
        command += ["--model", f"{embedder}={model}"]
    # A policy that happens to lie above the clone is not what is looked at.
    command += ["--policy", os.devnull]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode('utf-8', 'replace')}")
    return json.loads(done.stdout)["embedders"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("cases")
    parser.add_argument("--minilm", default="target/models/minilm", help="folder of the model")
    options = parser.parse_args()
    need(options.cases)
    problems = []
    rows = [("embedder", "AUC", "low", "high", "escalate", "caught", "false alarms", "blocked")]
    for embedder, (auc, caught, alarms) in RECORDED.items():
        model = options.minilm if embedder == "minilm" else None
        if model and not os.path.isdir(model):
            print(f"  skipped: no model in {model}")
            continue
        found = calibrate(options.gate, options.cases, embedder, model)
        escalate, block = found["bands"][:2]
        area, share = found["auc"]["area"], escalate["caught"]["rate"]
        false = escalate["false_alarms"]["rate"]
        bounds = [f"{found['auc']['interval_95'][end]:.3f}" for end in ("low", "high")]
        figures = [f"{figure:.3f}" for figure in (share, false, block["caught"]["rate"])]
        rows.append((embedder, f"{area:.3f}", *bounds, found["bands"][0]["threshold"], *figures))
        for name, figure, least in (("AUC", area, auc), ("share of attacks escalated", share, caught)):
            # Written so that a figure that is none fails.
            if not figure >= least:
                problems.append(f"{embedder}: {name} {figure:.3f} is under {least}")
        if not false <= alarms:
            problems.append(f"{embedder}: share of ordinary calls escalated {false:.3f} is over {alarms}")
    table(rows)
    conclude(problems, f"{len(rows) - 1} embedders keep to their recorded figures")


if __name__ == "__main__":
    main()
