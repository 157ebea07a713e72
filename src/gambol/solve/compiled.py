"""Run CasADi functions fast: array buffers without copies, and compiled code where there is a C compiler.

Compiled libraries are kept in the user's cache folder. The name of a file has a hash of what identifies the code, by
which it is found, and a hash of its content, by which damage is noticed: loading a truncated library ends the process.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import casadi as ca
import numpy as np

from gambol.geometry.arrays import Array

CANNOT_COMPILE = (OSError, subprocess.CalledProcessError, RuntimeError)
"""Exceptions where code cannot be compiled, stored or (CasADi's RuntimeError) loaded."""


class Runner:
    """Evaluates a function on a batch: `run` takes (batch, size) arrays and returns arrays that the next run reuses.

    Inputs whose numbers are in `shared` are (size,) arrays, the same for the whole batch.
    """

    def __init__(self, function: ca.Function, batch: int, shared: Sequence[int] = ()) -> None:
        mapped = (
            function if batch == 1 else function.map(f"{function.name()}_{batch}", "serial", batch, list(shared), [])
        )
        self._inputs: list[Array] = [
            np.zeros((1 if n in shared else batch, function.numel_in(n))) for n in range(function.n_in())
        ]
        self._outputs: list[Array] = [np.zeros((batch, function.numel_out(n))) for n in range(function.n_out())]
        self._buffer, self._evaluate = mapped.buffer()
        for n, array in enumerate(self._inputs):
            self._buffer.set_arg(n, memoryview(array))  # type: ignore[call-arg,arg-type]
        for n, array in enumerate(self._outputs):
            self._buffer.set_res(n, memoryview(array))  # type: ignore[call-arg,arg-type]

    def run(self, *values: Array | float) -> list[Array]:
        """Return the outputs of the function, each (batch, size); matrices are stored column by column."""
        for buffer, value in zip(self._inputs, values, strict=True):
            buffer[...] = value
        self._evaluate()
        return self._outputs


def compile_function(function: ca.Function) -> ca.Function:
    """Compile a function; return it unchanged where it cannot be compiled, kept in the cache folder or loaded."""
    name, code = function.name(), generate_c(function)
    try:
        return ca.external(name, str(find_library(name, code) or build_library(name, code, code)))
    except CANNOT_COMPILE:
        return function


def generate_c(*functions: ca.Function) -> str:
    """Return the C code of functions."""
    generator = ca.CodeGenerator(f"{functions[0].name()}.c")
    for function in functions:
        generator.add(function)
    return generator.dump()


def find_library(name: str, key: str) -> Path | None:
    """Return the library that was built for a key (any text) on this machine architecture; raises OSError.

    None if it is missing or damaged.
    """
    for library in _folder().glob(f"{_stem(name, key)}-*.so"):
        if library.stem.endswith(_shorten(library.read_bytes())):
            return library
    return None


def _stem(name: str, key: str) -> str:
    built_for = f"{platform.machine()}\n{key}"
    return f"{name}-{_shorten(built_for.encode())}"


def _shorten(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:24]


def _folder() -> Path:
    chosen = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(chosen) if chosen else Path.home() / ".cache") / "gambol"
    except RuntimeError as error:
        raise FileNotFoundError("no home folder for the cache of compiled code") from error


def find_compiler() -> str:
    """Return the path of the C compiler; raises FileNotFoundError."""
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found is None:
        raise FileNotFoundError("no C compiler found (cc, gcc or clang)")
    return found


def build_library(name: str, key: str, code: str) -> Path:
    """Compile code into a library of the cache folder, atomically; raises OSError or CalledProcessError."""
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as making:
        source, built = Path(making) / "code.c", Path(making) / "code.so"
        source.write_text(code)
        # -O1 compiles three times as fast as -O2, and the code runs as fast.
        command: list[str | Path] = [find_compiler(), "-O1", "-fno-math-errno", "-shared", "-fPIC", source, "-o", built]
        subprocess.run(command, capture_output=True, check=True)
        with built.open("rb") as file:
            content = file.read()
            os.fsync(file.fileno())
        return built.replace(folder / f"{_stem(name, key)}-{_shorten(content)}.so")
