"""A family of motions: its members on a grid, and any motion between them by blending (L05 section 4.4.3).

The nearest 2ⁿ members are blended coordinate by coordinate, with linear weights, or with sin² and cos² weights where a
gradient that is continuous across members is needed. A frame shows the same time of the recording in all members; where
members differ in time, their times are blended too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, make_dataclass, replace
from math import prod
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.contacts.contact import BodyPoint, Contact
from gambol.contacts.timeline import Contacts, Floor
from gambol.contacts.views import add_ground, list_constraints
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array, summarise_fields
from gambol.io.models import ModelKind, register
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.poses.feet import restore_feet
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip, divide_clip
from gambol.spacetime.edits.solve_edit import SolvedEdit
from gambol.spacetime.families.plan import Axis, FamilyPlan


@dataclass(frozen=True, eq=False)
class Family:
    """Members of a family on a grid."""

    __repr__ = summarise_fields

    plan: FamilyPlan
    clip: EditableClip
    character: Character
    source_times: Array
    """(frames,) seconds of the recording that a frame shows, in all members"""
    times: Array
    """Seconds (members of all axes, frames)."""
    q: Array
    """Coordinates (members of all axes, frames, dofs)."""
    solved: NDArray[np.bool_]
    """(members of all axes,) whether a member was solved; otherwise it is interpolated."""

    def weights(self, values: Sequence[float], smooth: bool = False) -> tuple[list[NDArray[np.intp]], Array]:
        """Return the members around axis values, as indices per axis (2ⁿ each), and their blend weights."""
        cell, shares = self._cell(values, smooth)
        corners = np.indices(shares.shape).reshape(len(cell), -1)
        return [part.start + corner for part, corner in zip(cell, corners, strict=True)], shares.ravel()

    def coordinates(self, values: Sequence[float], smooth: bool = False) -> tuple[Array, Array]:
        """Return times (frames,) in seconds and coordinates (frames, dofs) at axis values."""
        cell, shares = self._cell(values, smooth)
        every = shares.ndim
        return np.tensordot(shares, self.times[cell], every), np.tensordot(shares, self.q[cell], every)

    def pose(self, values: Sequence[float], seconds: float, smooth: bool = False) -> Array:
        """Return the coordinates (dofs,) at axis values and a time: cubic interpolation of four frames."""
        cell, shares = self._cell(values, smooth)
        flat = shares.ravel()
        times = flat @ self.times[cell].reshape(len(flat), -1)
        first = min(max(int(np.searchsorted(times, seconds)) - 2, 0), len(times) - 4)
        poses = flat @ self.q[cell][..., first : first + 4, :].reshape(len(flat), -1)
        return np.asarray(_cubic(times[first : first + 4].tolist(), seconds) @ poses.reshape(4, -1))

    def _cell(self, values: Sequence[float], smooth: bool) -> tuple[tuple[slice, ...], Array]:
        """Return the members around axis values, two per axis, and their blend weights (2, 2, ...)."""
        cell, weights = [], np.ones(())
        for axis, value in zip(self.plan.axes, values, strict=True):
            low, high = axis.ranges[axis.measure]
            position = (value - low) / (high - low) * (axis.count - 1)
            if not -1e-9 <= position <= axis.count - 1 + 1e-9:
                raise InputError(
                    f"{axis.measure} of '{axis.stage}' must be {min(low, high):g} to {max(low, high):g}, not {value:g}"
                )
            first = min(max(int(position), 0), axis.count - 2)
            share = min(max(position - first, 0.0), 1.0)
            share = np.sin(0.5 * np.pi * share) ** 2 if smooth else share
            cell.append(slice(first, first + 2))
            weights = np.multiply.outer(weights, (1.0 - share, share))
        return tuple(cell), weights

    def draft(self, values: Sequence[float]) -> Draft:
        """Draft the edit at axis values; its contacts are exact."""
        return draft_edit(self.clip, self.plan.edit_at(values), self.plan.fps, self.character)

    def motion(self, values: Sequence[float]) -> tuple[Draft, Motion]:
        """Return the draft and the motion at axis values, at the rate of the members, with planted feet."""
        from scipy.interpolate import CubicSpline

        times, q = self.coordinates(values)
        draft = self.draft(values)
        if len(times) != len(draft.reference) or not np.allclose(times, draft.reference.times, atol=1e-9):
            q = CubicSpline(times, q)(np.clip(draft.reference.times, times[0], times[-1]))
        feet = [contact for contact in list_constraints(draft.contacts) if contact.body.endswith("foot")]
        return draft, Motion(self.character.skeleton, restore_feet(self.character, q, feet), 1.0 / self.plan.fps)


def _cubic(times: Sequence[float], seconds: float) -> Array:
    """Return the weights (4,) of four frames in cubic interpolation; outside, those of the nearest end."""
    seconds = min(max(seconds, times[0]), times[3])
    weights = []
    for own in times:
        others = [other for other in times if other != own]
        weights.append(prod((seconds - other) / (own - other) for other in others))
    return np.array(weights)


def resample_member(found: SolvedEdit, source_times: Array) -> tuple[Array, Array]:
    """Return times (s) and coordinates of a solved member in the frames that show given times of the recording."""
    from scipy.interpolate import CubicSpline

    time_map, motion = found.draft.time_map, found.outcome.motion
    times = time_map.from_source(source_times)
    if len(times) == len(motion) and np.allclose(times, motion.times, atol=1e-9):
        return motion.times, motion.q
    return times, CubicSpline(motion.times, motion.q)(np.minimum(times, motion.duration))


# Files of this version name the class of a plan "Plan" and the source times "shown".
_PLAN_FIELDS = tuple(field.name for field in fields(FamilyPlan))
_PlanRecord: type = make_dataclass("Plan", get_type_hints(FamilyPlan).items(), frozen=True)
_MEMBERS = {"shown": "source_times", "times": "times", "q": "q", "solved": "solved"}


def _pack(family: Family) -> dict[str, Any]:
    """Return members, plan and the fitted clip: loading needs no other file."""
    plan = _PlanRecord(*(getattr(family.plan, name) for name in _PLAN_FIELDS))
    parts = {"plan": plan, "clip": family.clip.fitted, "character": family.character}
    if any(contact.given for contact in family.clip.contacts.items):  # others are found again
        parts["contacts"] = replace(family.clip.contacts, ground=np.zeros((0, 0)))
    return {**parts, **{key: getattr(family, name) for key, name in _MEMBERS.items()}}


def _unpack(values: dict[str, Any]) -> Family:
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
    contacts = values.get("contacts")
    if contacts is not None:
        if not isinstance(contacts, Contacts) or contacts.frames != len(fitted.motion):
            raise ValueError("the contacts are not those of the clip")
        contacts = add_ground(contacts, fitted.motion)
    return Family(plan, divide_clip(fitted, contacts=contacts), character, source_times, times, q, solved)


_CLASSES = (
    *(Axis, BodyPoint, Change, Character, Contact, Contacts, Dof, Edit, Fit, Floor, Motion, Origin, Rig, Skeleton),
    _PlanRecord,
)
register(ModelKind(Family, "family", 2, "'gambol family CLIP FAMILY -o FILE' makes one", _CLASSES, _pack, _unpack))
