"""A family as one file, family.npz: members, plan and the fitted clip, so that it comes back without its sources."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from gambol.body.character import Character
from gambol.fit.rig import Fit
from gambol.io.archive import INVALID_CONTENT, read_archive, invalid_content_error, write_archive
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import divide_clip
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.plan import Axis, FamilyPlan

_FORMAT = 2
_KINDS = (Axis, Change, Character, Dof, Edit, Fit, Motion, Origin, FamilyPlan, Rig, Skeleton)
_MEMBERS = ("shown", "times", "q", "solved")


def save_family(family: Family, path: Path) -> None:
    """Write a family; the file is there whole or not at all."""
    parts = {"plan": family.plan, "clip": family.clip.fitted, "character": family.character}
    members = {name: getattr(family, name) for name in _MEMBERS}
    write_archive(path, "family", _FORMAT, {**parts, **members})


def load_family(path: str | PathLike[str]) -> Family:
    """A family as it was saved."""
    values = read_archive(Path(path), "family", _FORMAT, _KINDS, "'gambol family CLIP FAMILY -o FILE' makes one")
    try:
        return _family(values)
    except INVALID_CONTENT as error:
        raise invalid_content_error(Path(path), "family", error) from None


def _family(values: dict[str, Any]) -> Family:
    plan, fitted, character = values["plan"], values["clip"], values["character"]
    if not (isinstance(plan, FamilyPlan) and isinstance(fitted, Fit) and isinstance(character, Character)):
        raise ValueError("its plan, clip or character is none")
    shown, times, q, solved = (values[name] for name in _MEMBERS)
    shape, dofs = (*plan.shape, len(shown)), len(character.skeleton.dofs)
    for array, wanted, kind in (
        (shown, (len(shown),), "f8"),
        (times, shape, "f8"),
        (q, (*shape, dofs), "f8"),
        (solved, plan.shape, "?"),
    ):
        if array.shape != wanted or array.dtype != kind or not np.isfinite(array).all():
            raise ValueError(f"numbers of shape {array.shape} where {wanted} are expected")
    return Family(plan, divide_clip(fitted), character, shown, times, q, solved)
