"""Run CasADi functions fast: array buffers without copies, and compiled code where there is a C compiler.

Compiled libraries are kept in the user's cache folder. The name of a file has a hash of what identifies the code, by
which it is found, and a hash of its content, by which damage is noticed: loading a truncated library ends the process.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import casadi as ca
import numpy as np

from gambol.geometry.arrays import Array
from gambol.progress import Progress, silent
from gambol.solve.building import FLAGS, compile_library, find_compiler, shorten, start_build

CANNOT_COMPILE = (OSError, subprocess.CalledProcessError, RuntimeError)
"""Exceptions where code cannot be compiled, stored or (CasADi's RuntimeError) loaded."""
_COMPILED_PER_SECOND = 5_000
"""Instructions compiled per second on one core of a small, lightly loaded machine; for the estimate in messages."""
_BUILDS: dict[Path, subprocess.Popen[str]] = {}
"""What this process has begun to compile in others, by the beginning of its path."""


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


def compile_function(function: ca.Function, progress: Progress = silent) -> ca.Function:
    """Compile a function; return it unchanged where it cannot be compiled, kept in the cache folder or loaded.

    `progress` gets a message before compilation.
    """
    name, code = function.name(), generate_c(function)
    try:
        library = find_library(name, code)
        if library is None:
            find_compiler()
            seconds = estimate_compilation(function)
            progress(f"compiling {name}, once for this body: about {seconds} s", 0, None)
            library = build_library(name, code, code)
        return ca.external(name, str(library))
    except CANNOT_COMPILE:
        return function


def estimate_compilation(*functions: ca.Function) -> int:
    """Estimate how long it takes to compile functions (s)."""
    return 1 + sum(function.n_instructions() for function in functions) // _COMPILED_PER_SECOND


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
        if library.stem.endswith(shorten(library.read_bytes())):
            return library
    return None


def _stem(name: str, key: str) -> str:
    built_for = f"{platform.machine()}\n{' '.join(FLAGS)}\n{key}"
    return f"{name}-{shorten(built_for.encode())}"


def _folder() -> Path:
    chosen = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(chosen) if chosen else Path.home() / ".cache") / "gambol"
    except RuntimeError as error:
        raise FileNotFoundError("no home folder for the cache of compiled code") from error


def build_library(name: str, key: str, code: str) -> Path:
    """Compile code into a library of the cache folder, atomically; raises OSError or CalledProcessError."""
    return compile_library(_folder(), _stem(name, key), code)


def build_library_beside(name: str, key: str, make_code: Callable[[], str]) -> bool:
    """Compile code into a library of the cache folder in another process; return whether that begins now.

    `find_library` finds it when it is complete, also in later programs. Raises OSError where it cannot be compiled.
    """
    place = _folder() / _stem(name, key)
    known = _BUILDS.get(place)
    ended = 0 if known is None else known.poll()
    if ended:
        raise OSError("the C compiler failed")
    if ended == 0:  # a library that is missing after that was removed or damaged
        find_compiler()
        _BUILDS[place] = start_build(place.parent, place.name, make_code())
    return ended == 0


def wait_for_builds() -> bool:
    """Wait until all libraries that this process has begun are complete; return whether there are any."""
    waited = [build.wait() for build in _BUILDS.values()]
    _BUILDS.clear()
    return bool(waited)
