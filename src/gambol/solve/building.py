"""Compile C code into a library, also as a program of its own: `python building.py FOLDER STEM < code.c`.

That program outlives the one that started it. It imports nothing but the standard library.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = ("-O1", "-fno-math-errno", "-ffp-contract=off", "-shared", "-fPIC")
"""-O1 compiles three times as fast as -O2, and the code runs as fast. Without fused multiplications and additions it
gives the interpreter's numbers to the last bit: a result does not depend on when the compiler was done."""


def find_compiler() -> str:
    """Return the path of the C compiler; raises FileNotFoundError."""
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found is None:
        raise FileNotFoundError("no C compiler found (cc, gcc or clang)")
    return found


def shorten(content: bytes) -> str:
    """Return a hash of content for the name of a file."""
    return hashlib.sha256(content).hexdigest()[:24]


def compile_library(folder: Path, stem: str, code: str) -> Path:
    """Compile code into FOLDER/STEM-HASH.so, atomically; raises OSError or CalledProcessError."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as making:
        source, built = Path(making) / "code.c", Path(making) / "code.so"
        source.write_text(code)
        subprocess.run([find_compiler(), *FLAGS, source, "-o", built], capture_output=True, check=True)
        with built.open("rb") as file:
            content = file.read()
            os.fsync(file.fileno())
        return built.replace(folder / f"{stem}-{shorten(content)}.so")


def start_build(folder: Path, stem: str, code: str) -> subprocess.Popen[str]:
    """Compile code in a process of its own, that outlives this one; raises OSError where that cannot begin."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-I", __file__, str(folder), stem]
    unheard = subprocess.DEVNULL
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=unheard, stderr=unheard, text=True, start_new_session=True
    )
    assert process.stdin is not None
    with process.stdin as code_of_process:
        code_of_process.write(code)
    return process


def main() -> None:
    """Compile standard input, unless another process compiles the same."""
    folder, stem, code = Path(sys.argv[1]), sys.argv[2], sys.stdin.read()
    place = folder / f".{stem}.lock"
    with place.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        try:
            compile_library(folder, stem, code)
        finally:
            place.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
