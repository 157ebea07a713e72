"""Primitives as one file, model.npz: numbers and words, nothing that runs."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from pathlib import Path

from gambol.features.layout import Layout
from gambol.io.archive import INVALID_CONTENT, invalid_content_error, read_archive, write_archive
from gambol.motion.motion import Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.primitives.model import Primitives
from gambol.primitives.sources import SourceMaps

_FORMAT = 1
_WHAT = "model of primitives"
_KINDS = (Dof, Layout, Origin, Rig, Skeleton, SourceMaps)


def save_primitives(model: Primitives, path: Path) -> None:
    """Write a model; the file is there whole or not at all."""
    write_archive(path, _WHAT, _FORMAT, {field.name: getattr(model, field.name) for field in fields(model)})


def load_primitives(path: str | PathLike[str]) -> Primitives:
    """A model as it was saved."""
    values = read_archive(Path(path), _WHAT, _FORMAT, _KINDS, "'gambol primitives learn CLIPS -o FILE' makes one")
    try:
        if not (isinstance(values["layout"], Layout) and isinstance(values["maps"], SourceMaps)):
            raise ValueError("its layout or its sources are none")
        return Primitives(**values)
    except INVALID_CONTENT as error:
        raise invalid_content_error(Path(path), _WHAT, error) from None
