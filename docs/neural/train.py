#!/usr/bin/env python3
"""Trains a neural barrier on a table of features and writes it for gate. Needs numpy alone.

    gate features recordings/ -o features.csv
    gate features --list --format jsonl > features.json
    python3 docs/neural/train.py features.csv features.json ncbf.safetensors

The barrier is a small network h of the features: h >= 0 is meant to be the states in which the five
barriers hold. Three losses, each zero once it is met:

    safe states        h >= GAMMA
    unsafe states      h <= -GAMMA
    safe transitions   h(next) >= h - KAPPA * h, the condition that gate checks

What comes of it is a function that fits the states it has seen. It is no proof that others are safe.
"""

import argparse
import csv
import json
import struct
import sys

import numpy as np

GAMMA = 0.2
KAPPA = 1.0
HIDDEN = (16, 16)
GOLDEN = 16


def table(path, names):
    """The features of both states of every row, whether each is safe, and the run of the row."""
    now, later, safe, later_safe, runs = [], [], [], [], []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["inconclusive"] == "1":
                continue
            cells = [row[name] for name in names] + [row["next_" + name] for name in names]
            if "" in cells:
                continue  # a state whose numbers are none
            numbers = [float(cell) for cell in cells]
            now.append(numbers[: len(names)])
            later.append(numbers[len(names):])
            safe.append(row["safe"] == "1")
            later_safe.append(row["next_safe"] == "1")
            runs.append((row["file"], row["run"]))
    return np.array(now), np.array(later), np.array(safe), np.array(later_safe), runs


class Network:
    """Dense layers with tanh between them, and the moments that Adam needs."""

    def __init__(self, sizes, rng):
        self.parameters = []
        for inputs, outputs in zip(sizes, sizes[1:]):
            self.parameters.append(rng.normal(0, inputs**-0.5, (outputs, inputs)))
            self.parameters.append(np.zeros(outputs))
        self.moments = [(np.zeros_like(p), np.zeros_like(p)) for p in self.parameters]
        self.steps = 0

    def forward(self, x):
        """h of every row, and what each layer saw."""
        seen = [x]
        layers = len(self.parameters) // 2
        for i in range(layers):
            weight, bias = self.parameters[2 * i: 2 * i + 2]
            x = x @ weight.T + bias
            if i + 1 < layers:
                x = np.tanh(x)
            seen.append(x)
        return x[:, 0], seen

    def backward(self, seen, slope):
        """The gradient of the parameters, where `slope` is that of every row's h."""
        gradients = [None] * len(self.parameters)
        slope = slope[:, None]
        for i in reversed(range(len(self.parameters) // 2)):
            gradients[2 * i] = slope.T @ seen[i]
            gradients[2 * i + 1] = slope.sum(axis=0)
            if i > 0:
                slope = (slope @ self.parameters[2 * i]) * (1 - seen[i] ** 2)
        return gradients

    def adam(self, gradients, rate, decay=1e-4):
        """One step of Adam (Kingma and Ba, 2015), with weights drawn towards zero."""
        self.steps += 1
        for p, g, (m, v) in zip(self.parameters, gradients, self.moments):
            g = g + decay * p
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            unbiased = m / (1 - 0.9**self.steps)
            p -= rate * unbiased / (np.sqrt(v / (1 - 0.999**self.steps)) + 1e-8)


def slopes(h, later, safe, later_safe):
    """The loss, and its derivative by h of the states before and after."""
    below, above = np.maximum(GAMMA - h, 0), np.maximum(GAMMA + h, 0)
    # Each kind of state counts as a whole, however many there are of it.
    kinds = [(safe, below, -1.0), (~safe, above, 1.0)]
    loss, slope, later_slope = 0.0, np.zeros_like(h), np.zeros_like(later)
    for rows, miss, sign in kinds:
        count = max(rows.sum(), 1)
        loss += miss[rows].sum() / count
        slope += np.where(rows & (miss > 0), sign / count, 0)
    # A transition from a safe state to a safe one has to be admitted; others have to be refused.
    stays, leaves = safe & later_safe, ~later_safe
    fall = np.maximum((1 - KAPPA) * h - later, 0)
    count = max(stays.sum(), 1)
    loss += fall[stays].sum() / count
    slope += np.where(stays & (fall > 0), (1 - KAPPA) / count, 0)
    later_slope += np.where(stays & (fall > 0), -1 / count, 0)
    for rows, miss, sign in [(later_safe, GAMMA - later, -1.0), (leaves, GAMMA + later, 1.0)]:
        count = max(rows.sum(), 1)
        miss = np.maximum(miss, 0)
        loss += miss[rows].sum() / count
        later_slope += np.where(rows & (miss > 0), sign / count, 0)
    return loss, slope, later_slope


def fit(now, later, safe, later_safe, epochs, rng):
    """A network that fits the normalised states."""
    network = Network((now.shape[1], *HIDDEN, 1), rng)
    both = np.concatenate([now, later])
    for epoch in range(epochs):
        h, seen = network.forward(both)
        loss, slope, later_slope = slopes(h[: len(now)], h[len(now):], safe, later_safe)
        network.adam(network.backward(seen, np.concatenate([slope, later_slope])), 3e-3)
        if epoch % 500 == 0:
            print(f"epoch {epoch}: loss {loss:.4f}")
    return network


def share(found, of):
    """A share in words."""
    return f"{found} of {of}" + (f" ({100 * found / of:.1f}%)" if of else "")


def save(path, tensors, metadata):
    """Writes safetensors: the length of the header, the header, the numbers."""
    header, numbers = {"__metadata__": metadata}, b""
    for name, tensor in tensors.items():
        data = tensor.astype("<f4").tobytes()
        offsets = [len(numbers), len(numbers) + len(data)]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
        numbers += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + numbers)


def main():
    """Reads, trains, tells how it went, writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", help="what `gate features` wrote")
    parser.add_argument("list", help="what `gate features --list --format jsonl` wrote")
    parser.add_argument("model", help="the .safetensors file to write")
    parser.add_argument("--epochs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with open(args.list, encoding="utf-8") as file:
        described = json.load(file)
    names = [feature["name"] for feature in described["features"]]
    now, later, safe, later_safe, runs = table(args.table, names)
    if not len(now) or safe.all() or not safe.any():
        sys.exit("the table needs safe states and unsafe ones: record runs that go wrong too")
    # What never varies teaches nothing.
    varied = [i for i in range(len(names)) if np.ptp(np.concatenate([now, later])[:, i]) > 0]
    names, now, later = [names[i] for i in varied], now[:, varied], later[:, varied]

    # Every fifth run is held out.
    order = {run: i for i, run in enumerate(dict.fromkeys(runs))}
    held = np.array([order[run] % 5 == 4 for run in runs])
    kept = ~held
    # Single precision, so that gate normalises with the very same numbers.
    mean = now[kept].mean(axis=0).astype("<f4").astype(float)
    std = np.maximum(now[kept].std(axis=0), 1e-3).astype("<f4").astype(float)
    x, y = (now - mean) / std, (later - mean) / std
    rng = np.random.default_rng(args.seed)
    network = fit(x[kept], y[kept], safe[kept], later_safe[kept], args.epochs, rng)
    network.parameters = [p.astype("<f4").astype(float) for p in network.parameters]

    h, after = network.forward(x)[0], network.forward(y)[0]
    for what, rows in [("trained on", kept), ("held out", held)]:
        good, bad = rows & safe, rows & ~safe
        right = (h >= 0) & (after >= (1 - KAPPA) * h)
        stays, leaves = rows & safe & later_safe, rows & safe & ~later_safe
        print(f"{what}: safe states with h >= 0: {share((h[good] >= 0).sum(), good.sum())}")
        print(f"{what}: unsafe states with h < 0: {share((h[bad] < 0).sum(), bad.sum())}")
        print(f"{what}: safe transitions admitted: {share(right[stays].sum(), stays.sum())}")
        print(f"{what}: unsafe transitions refused: {share((~right[leaves]).sum(), leaves.sum())}")

    tensors = {"mean": mean, "std": std}
    layers = [f"net.{i}" for i in range(len(network.parameters) // 2)]
    for i, layer in enumerate(layers):
        tensors[layer + ".weight"], tensors[layer + ".bias"] = network.parameters[2 * i: 2 * i + 2]
    rows = np.linspace(0, len(now) - 1, min(GOLDEN, len(now))).astype(int)
    golden = {"x": now[rows].tolist(), "h": h[rows].tolist()}
    save(args.model, tensors, {
        "format": "gate-ncbf",
        "version": "1",
        "safe_set": "h>=0",
        "layers": ",".join(layers),
        "activation": "tanh",
        "features": json.dumps(names),
        "features_version": described["version"],
        "features_sha256": described["sha256"],
        "parameters_sha256": described["parameters_sha256"],
        "golden": json.dumps(golden),
        "tolerance": "1e-6",
    })
    print(f"{args.model}: {len(names)} features, {sum(p.size for p in network.parameters)} numbers")


if __name__ == "__main__":
    main()
