"""Save a family as one file, family.npz: members, plan and the fitted clip, so that loading needs no other file."""

from __future__ import annotations

from dataclasses import fields, make_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from gambol.body.character import Character
from gambol.fit.rig import Fit
from gambol.io.archive import INVALID_CONTENT, invalid_content_error, read_archive, write_archive
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import divide_clip
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.plan import Axis, FamilyPlan

_FORMAT = 2
# Files of this format name the class of a plan "Plan" and the source times "shown".
_PLAN_FIELDS = tuple(field.name for field in fields(FamilyPlan))
_PlanRecord: type = make_dataclass("Plan", get_type_hints(FamilyPlan).items(), frozen=True)
_KINDS = (Axis, Change, Character, Dof, Edit, Fit, Motion, Origin, _PlanRecord, Rig, Skeleton)
_MEMBERS = {"shown": "source_times", "times": "times", "q": "q", "solved": "solved"}


def save_family(family: Family, path: Path) -> None:
    """Write a family; an interrupted write leaves no partial file."""
    plan = _PlanRecord(*(getattr(family.plan, name) for name in _PLAN_FIELDS))
    parts = {"plan": plan, "clip": family.clip.fitted, "character": family.character}
    members = {key: getattr(family, name) for key, name in _MEMBERS.items()}
    write_archive(path, "family", _FORMAT, {**parts, **members})


def load_family(path: str | PathLike[str]) -> Family:
    """Load a family from a file.

    >>> jumps = gb.load_family("jumps.npz")  # doctest: +SKIP
    """
    values = read_archive(Path(path), "family", _FORMAT, _KINDS, "'gambol family CLIP FAMILY -o FILE' makes one")
    try:
        return _family(values)
    except INVALID_CONTENT as error:
        raise invalid_content_error(Path(path), "family", error) from None


def _family(values: dict[str, Any]) -> Family:
    record, fitted, character = values["plan"], values["clip"], values["character"]
    if not (isinstance(record, _PlanRecord) and isinstance(fitted, Fit) and isinstance(character, Character)):
        raise ValueError("the plan, clip or character is missing or of another type")
    plan = FamilyPlan(*(getattr(record, name) for name in _PLAN_FIELDS))
    source_times, times, q, solved = (values[key] for key in _MEMBERS)
    shape, dofs = (*plan.shape, len(source_times)), len(character.skeleton.dofs)
    for array, expected, kind in (
        (source_times, (len(source_times),), "f8"),
        (times, shape, "f8"),
        (q, (*shape, dofs), "f8"),
        (solved, plan.shape, "?"),
    ):
        if array.shape != expected or array.dtype != kind or not np.isfinite(array).all():
            raise ValueError(
                f"expected finite numbers of type {kind} and shape {expected}, not {array.dtype} {array.shape}"
            )
    return Family(plan, divide_clip(fitted), character, source_times, times, q, solved)
