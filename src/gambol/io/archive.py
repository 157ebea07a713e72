"""Read and write fitted models and solved families as npz archives of exact arrays and JSON, without pickled code.

A file is written atomically and states its content and format version. A file of another kind or version raises an
InputError. Members are stored, not compressed, so that a file needs no more memory than its size; the shape of an array
is compared with the bytes that are there before the array is made.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError, missing_file_error
from gambol.io.output import atomic_write
from gambol.io.packed import MAX_STORED, pack, unpack
from gambol.io.yamls import abbreviate
from gambol.motion.motion import Origin
from gambol.version import __version__

INVALID_CONTENT = (
    TypeError, ValueError, LookupError, AttributeError, RecursionError, ArithmeticError, AssertionError, InputError,
)  # fmt: skip
"""Exceptions that reconstructing objects from invalid content raises."""
_NUMBERS_AND_TEXT = "?biufU"
"""Kinds of arrays that are read, by NumPy's letters: no complex numbers, records or objects."""
_HEADER = "gambol "
"""Begins the key that states the kind of an archive; its value is the version."""
_ENCRYPTED = 1
"""Flag of an encrypted member of a zip file."""


def write_archive(
    path: Path, what: str, version: int, values: Mapping[str, Any], beside: Mapping[str, NDArray[Any]] = {}
) -> None:
    """Write named values: arrays, numbers, strings, collections of these, and dataclasses.

    Arrays `beside` them keep their names in the file, for other programs; `read_archive` does not return them.
    """
    arrays: list[NDArray[Any]] = []
    tree = {name: pack(value, arrays) for name, value in values.items()}
    for origin in _list_origins(tree):
        clip = Path(origin["file"])
        origin |= {"file": clip.name, "digest": origin["digest"] or hash_file(clip)}
    about = json.dumps({f"{_HEADER}{what}": version, "version": __version__, "values": tree})
    content: dict[str, Any] = {**beside, **{f"array {n}": array for n, array in enumerate(arrays)}}
    content["about"] = np.frombuffer(about.encode(), dtype=np.uint8)
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **content)


def read_archive(path: Path, what: str, version: int, kinds: Iterable[type] = (), fix: str = "") -> dict[str, Any]:
    """Read the values of a file of kind `what`; `kinds` are the classes allowed in it, `fix` says how to create one."""
    if not path.is_file():
        raise missing_file_error(path, fix)
    size, free = path.stat().st_size, available_memory()
    if size > free:
        raise InputError(f"needs {size / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free", file=path)
    try:
        content = read_arrays(path)
        about = json.loads(content["about"].tobytes())
        written = about[f"{_HEADER}{what}"]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    except INVALID_CONTENT:
        raise InputError(f"not {name_one(what)}, or truncated", file=path, fix=fix) from None
    check_version(path, what, written, version, f" (gambol {about.get('version')})")
    try:
        arrays = [content[f"array {n}"] for n in range(sum(name.startswith("array ") for name in content))]
        if not all(array.dtype.kind == "U" or float(np.abs(array).max(initial=0)) <= MAX_STORED for array in arrays):
            raise ValueError("a number is not finite, or too large")
        for origin in _list_origins(about["values"]):
            origin["file"] = find_beside(path, origin["file"])
        return {name: unpack(tree, arrays, kinds) for name, tree in about["values"].items()}
    except INVALID_CONTENT as error:
        raise invalid_content_error(path, what, error) from None


def read_archive_kind(path: Path) -> str:
    """Return the kind that an archive states; empty where the file is damaged or no archive of gambol."""
    try:
        about = json.loads(read_arrays(path, only=("about",))["about"].tobytes())
        return next(key.removeprefix(_HEADER) for key in about if key.startswith(_HEADER))
    except (*INVALID_CONTENT, OSError, MemoryError, StopIteration):
        return ""


def name_one(what: str) -> str:
    """Return the name of a kind with its article."""
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def check_version(path: Path, what: str, written: Any, version: int, writer: str = "") -> None:
    """Raise an InputError unless a file has the version that is read; `writer` says what wrote it."""
    if written != version:
        raise InputError(
            f"{what} format {abbreviate(written)}{writer}, but this gambol reads format {version}",
            file=path,
            fix="create it again",
        )


def _list_origins(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield the origins of packed motions."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree if isinstance(tree, list) else ()):
        if key == Origin.__name__ and isinstance(value, dict):
            yield value
        yield from _list_origins(value)


def find_beside(model: Path, file: str) -> str:
    """Return the path of a file that is beside a model, or else its name: folders are those of another machine."""
    name = Path(file).name
    beside = model.parent / name
    return str(beside) if name and is_there(beside) else name


def is_there(file: Path) -> bool:
    """Return whether a file exists; none has a name that the system refuses."""
    try:
        return file.is_file()
    except (OSError, ValueError):
        return False


def hash_file(file: Path) -> str:
    """Return the SHA-256 hash of a file; empty if it cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest() if is_there(file) else ""
    except OSError:
        return ""


def is_changed(file: str, digest: str) -> bool:
    """Return whether a file that is there is another one than a model was learned from."""
    return digest not in ("", hash_file(Path(file))) and is_there(Path(file))


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


def read_arrays(path: Path, expansion: float = 1.0, only: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return all arrays of a file that `np.savez` wrote, or `only` some; raise a ValueError for anything else.

    Compressed arrays may be as large as `expansion` files.
    """
    size = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > expansion * size:
                raise ValueError("members overlap or are compressed")
            named = {member.filename.removesuffix(".npy"): member for member in members}
            return {name: _read_member(archive, named[name]) for name in named if only is None or name in only}
    except OSError:
        raise
    except Exception as error:  # zipfile and NumPy raise more kinds of exceptions than they document
        raise ValueError(f"not a file of arrays: {error}") from None


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or member.flag_bits & _ENCRYPTED:
        raise ValueError("compressed in another way than NumPy's, or encrypted")
    with archive.open(member) as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("another version of NumPy's format")
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        if dtype.kind not in _NUMBERS_AND_TEXT or min(shape, default=0) < 0:
            raise ValueError(f"{shape} of {dtype}")
        if math.prod(shape) * dtype.itemsize != member.file_size - stream.tell():
            raise ValueError("more or fewer numbers than stated")
        stream.seek(0)
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array
