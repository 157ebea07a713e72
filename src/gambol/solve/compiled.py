"""CasADi functions at their fastest: arrays in and out without copies in between, and machine code where there is a
compiler. The code is kept in the user's cache folder, by its content or by a key that stands for it.
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


class Runner:
    """A function on arrays of one shape: `run` takes (batch, size) arrays and gives arrays that the next run reuses.

    Inputs named in `shared` are the same for the whole batch: (size,) arrays.
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
        """Outputs of the function, each (batch, size); matrices lie column by column."""
        for held, value in zip(self._inputs, values, strict=True):
            held[...] = value
        self._evaluate()
        return self._outputs


def compiled(function: ca.Function) -> ca.Function:
    """The same function as machine code; itself where there is no compiler, or nowhere to keep what it makes."""
    code = generated(function)
    try:
        library = library_of(function.name(), code)
        if not library.exists():
            build(library, code)
    except (OSError, subprocess.CalledProcessError):
        return function
    return ca.external(function.name(), str(library))


def generated(*functions: ca.Function) -> str:
    """C code of functions."""
    generator = ca.CodeGenerator(f"{functions[0].name()}.c")
    for function in functions:
        generator.add(function)
    return generator.dump()


def library_of(name: str, key: str) -> Path:
    """Where the user's cache folder keeps, or would keep, the library of some code for this kind of machine."""
    digest = hashlib.sha256(f"{platform.machine()}\n{key}".encode()).hexdigest()
    return _folder() / f"{name}-{digest[:24]}.so"


def _folder() -> Path:
    chosen = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(chosen) if chosen else Path.home() / ".cache") / "gambol"
    except RuntimeError as error:
        raise FileNotFoundError("the user has no home folder to keep machine code in") from error


def compiler() -> str:
    """The C compiler; raises FileNotFoundError."""
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found is None:
        raise FileNotFoundError("there is no C compiler (cc, gcc or clang)")
    return found


def build(library: Path, code: str) -> None:
    """Compile code into a library that is there whole or not at all; raises OSError or CalledProcessError."""
    library.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=library.parent) as making:
        source, built = Path(making) / "code.c", Path(making) / "code.so"
        source.write_text(code)
        # One level of optimisation compiles three times as fast as two, and runs as fast.
        command: list[str | Path] = [compiler(), "-O1", "-fno-math-errno", "-shared", "-fPIC", source, "-o", built]
        subprocess.run(command, capture_output=True, check=True)
        built.replace(library)
