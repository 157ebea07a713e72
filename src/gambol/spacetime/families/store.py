"""A family as one file, family.npz: members, plan and the fitted clip, so that it comes back without its sources.

Numbers are kept to the last bit; nothing in the file is code.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.io.output import replacing
from gambol.spacetime.edits.parts import clip_of
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.memory import available
from gambol.spacetime.families.packed import pack, unpack
from gambol.spacetime.families.plan import Plan
from gambol.version import __version__

_FORMAT = 1
_MEMBERS = ("shown", "times", "q", "solved")
_UNREADABLE = (OSError, ValueError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error, NotImplementedError)
_UNSOUND = (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError, InputError)


def save_family(family: Family, path: Path) -> None:
    """Write a family; the file is there whole or not at all."""
    arrays: list[NDArray[Any]] = []
    parts = {"plan": family.plan, "clip": family.clip.fitted, "character": family.character}
    tree = {name: pack(value, arrays) for name, value in parts.items()}
    about = json.dumps({"gambol family": _FORMAT, "version": __version__, **tree})
    content: dict[str, Any] = {"about": np.frombuffer(about.encode(), dtype=np.uint8)}
    content |= {name: getattr(family, name) for name in _MEMBERS}
    content |= {f"array {n}": array for n, array in enumerate(arrays)}
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **content)


def load_family(path: Path) -> Family:
    """A family as it was saved."""
    content = _content(path)
    try:
        about = json.loads(content["about"].tobytes())
        written = about["gambol family"]
    except _UNSOUND:
        raise _foreign(path) from None
    if written != _FORMAT:
        raise InputError(
            f"is a family of format {written} (gambol {about.get('version')}), this gambol reads {_FORMAT}",
            file=path,
            fix="make it again",
        )
    try:
        family = _family(about, content)
    except _UNSOUND as error:
        raise InputError(f"is a family whose parts do not fit: {error}", file=path, fix="make it again") from None
    return family


def _content(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of a file."""
    if not path.is_file():
        raise InputError("no such file", file=path, fix="'gambol family CLIP FAMILY -o FILE' makes one")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > available():
            raise InputError(f"takes {size / 1e9:.1f} GB of memory and {available() / 1e9:.1f} are free", file=path)
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except _UNREADABLE:
        raise _foreign(path) from None


def _foreign(path: Path) -> InputError:
    return InputError("is not a family, or is cut off", file=path, fix="'gambol family' makes families")


def _family(about: dict[str, Any], content: dict[str, NDArray[Any]]) -> Family:
    arrays = [content[f"array {n}"] for n in range(sum(name.startswith("array ") for name in content))]
    plan, fitted, character = (unpack(about[name], arrays) for name in ("plan", "clip", "character"))
    if not (isinstance(plan, Plan) and isinstance(fitted, Fit) and isinstance(character, Character)):
        raise ValueError("its plan, clip or character is none")
    shown, times, q, solved = (content[name] for name in _MEMBERS)
    shape, dofs = (*plan.shape, len(shown)), len(character.skeleton.dofs)
    for array, wanted, kind in (
        (shown, (len(shown),), "f8"),
        (times, shape, "f8"),
        (q, (*shape, dofs), "f8"),
        (solved, plan.shape, "?"),
    ):
        if array.shape != wanted or array.dtype != kind or not np.isfinite(array).all():
            raise ValueError(f"numbers of shape {array.shape} where {wanted} are expected")
    return Family(plan, clip_of(fitted), character, shown, times, q, solved)
