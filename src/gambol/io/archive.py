"""Read and write fitted models and solved families as npz archives of exact arrays and JSON, without pickled code.

A file is written atomically and states its content and format version. A file of another kind or version raises an
InputError.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.io.output import atomic_write
from gambol.io.packed import pack, unpack
from gambol.version import __version__

INVALID_CONTENT = (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError, InputError)
"""Exceptions that reconstructing objects from invalid content raises."""
_UNREADABLE = (OSError, ValueError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error, NotImplementedError)


def write_archive(
    path: Path, what: str, version: int, values: Mapping[str, Any], beside: Mapping[str, NDArray[Any]] = {}
) -> None:
    """Write named values: arrays, numbers, strings, collections of these, and dataclasses.

    Arrays `beside` them keep their names in the file, for other programs; `read_archive` does not return them.
    """
    arrays: list[NDArray[Any]] = []
    tree = {name: pack(value, arrays) for name, value in values.items()}
    about = json.dumps({f"gambol {what}": version, "version": __version__, "values": tree})
    content: dict[str, Any] = {**beside, **{f"array {n}": array for n, array in enumerate(arrays)}}
    content["about"] = np.frombuffer(about.encode(), dtype=np.uint8)
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **content)


def read_archive(path: Path, what: str, version: int, kinds: Iterable[type] = (), fix: str = "") -> dict[str, Any]:
    """Read the values of a file of kind `what`; `kinds` are the classes allowed in it, `fix` says how to create one."""
    article = "an" if what[0] in "aeiou" else "a"
    foreign = InputError(f"not {article} {what}, or truncated", file=path, fix=fix)
    if not path.is_file():
        raise InputError("no such file", file=path, fix=fix)
    try:
        content = _content(path)
    except _UNREADABLE:
        raise foreign from None
    try:
        about = json.loads(content["about"].tobytes())
        written = about[f"gambol {what}"]
    except INVALID_CONTENT:
        raise foreign from None
    if written != version:
        raise InputError(
            f"{what} format {written} (gambol {about.get('version')}), but this gambol reads format {version}",
            file=path,
            fix="create it again",
        )
    try:
        arrays = [content[f"array {n}"] for n in range(sum(name.startswith("array ") for name in content))]
        return {name: unpack(tree, arrays, kinds) for name, tree in about["values"].items()}
    except INVALID_CONTENT as error:
        raise invalid_content_error(path, what, error) from None


def invalid_content_error(path: Path, what: str, error: Exception) -> InputError:
    """Return the error for a file whose content is inconsistent."""
    return InputError(f"the content of this {what} is inconsistent: {error}", file=path, fix="create it again")


def available_memory() -> int:
    """Return the free memory in bytes."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):  # not Linux: total memory instead
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _content(path: Path) -> dict[str, NDArray[Any]]:
    """Return all arrays of a file."""
    with zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > available_memory():
        raise InputError(f"needs {size / 1e9:.1f} GB of memory, {available_memory() / 1e9:.1f} GB are free", file=path)
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
