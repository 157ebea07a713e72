"""Save and load primitives as one .npz file, which contains no code."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from pathlib import Path

from gambol.features.layout import Layout
from gambol.io.archive import INVALID_CONTENT, invalid_content_error, read_archive, write_archive
from gambol.io.packed import build
from gambol.motion.motion import Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.primitives.model import Primitives
from gambol.primitives.sources import SourceMaps

_FORMAT = 1
_WHAT = "model of primitives"
_KINDS = (Dof, Layout, Origin, Rig, Skeleton, SourceMaps)


def save_primitives(model: Primitives, path: Path) -> None:
    """Save a model; the file is complete or not written."""
    write_archive(path, _WHAT, _FORMAT, {field.name: getattr(model, field.name) for field in fields(model)})


def load_primitives(path: str | PathLike[str]) -> Primitives:
    """Load primitives that `PrimitivesResult.save` or the command line wrote.

    >>> gaits = gb.load_primitives("gaits.npz")  # doctest: +SKIP
    """
    values = read_archive(Path(path), _WHAT, _FORMAT, _KINDS, "make one with 'gambol primitives learn CLIPS -o FILE'")
    try:
        return build(Primitives, values)
    except INVALID_CONTENT as error:
        raise invalid_content_error(Path(path), _WHAT, error) from None
