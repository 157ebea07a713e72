"""A family of motions that was made: its members, and any motion between them by blending (L05 section 4.4.3).

The nearest 2ⁿ members are blended coordinate by coordinate, with linear weights, or with sin² and cos² where gradients
are needed across members. All members show the same seconds of the recording in the same frames; where they differ in
time, their times are blended too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.legs.planted import planted_feet
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.solving import SolvedEdit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.families.plan import FamilyPlan


@dataclass(frozen=True, eq=False)
class Family:
    """Members of a family on a grid."""

    plan: FamilyPlan
    clip: EditableClip
    character: Character
    shown: Array
    """(frames,) seconds of the recording that a frame shows, in all members"""
    times: Array
    """(*members, frames) seconds"""
    q: Array
    """(*members, frames, dofs)"""
    solved: NDArray[np.bool_]
    """(*members,) whether a member was solved; else it is filled in from others."""

    def weights(self, values: Sequence[float], smooth: bool = False) -> tuple[list[NDArray[np.intp]], Array]:
        """The members around a place of the family, as indices an axis (2ⁿ each), and how much of each is there."""
        cell, shares = self._around(values, smooth)
        corners = np.indices(shares.shape).reshape(len(cell), -1)
        return [part.start + corner for part, corner in zip(cell, corners, strict=True)], shares.ravel()

    def coordinates(self, values: Sequence[float], smooth: bool = False) -> tuple[Array, Array]:
        """Seconds (frames,) and coordinates (frames, dofs) of a place of the family."""
        cell, shares = self._around(values, smooth)
        every = shares.ndim
        return np.tensordot(shares, self.times[cell], every), np.tensordot(shares, self.q[cell], every)

    def pose(self, values: Sequence[float], seconds: float, smooth: bool = False) -> Array:
        """Coordinates (dofs,) at a time: on the cubic through the four frames around it."""
        cell, shares = self._around(values, smooth)
        flat = shares.ravel()
        times = flat @ self.times[cell].reshape(len(flat), -1)
        first = min(max(int(np.searchsorted(times, seconds)) - 2, 0), len(times) - 4)
        poses = flat @ self.q[cell][..., first : first + 4, :].reshape(len(flat), -1)
        return np.asarray(_cubic(times[first : first + 4].tolist(), seconds) @ poses.reshape(4, -1))

    def _around(self, values: Sequence[float], smooth: bool) -> tuple[tuple[slice, ...], Array]:
        """The members around a place of the family, two along every axis, and how much of each is there (2, 2, ...)."""
        cell, weights = [], np.ones(())
        for axis, value in zip(self.plan.axes, values, strict=True):
            low, high = axis.ranges[axis.measure]
            way = (value - low) / (high - low) * (axis.count - 1)
            if not -1e-9 <= way <= axis.count - 1 + 1e-9:
                raise InputError(
                    f"{axis.measure} of '{axis.stage}' is {min(low, high):g} to {max(low, high):g}, not {value:g}"
                )
            first = min(max(int(way), 0), axis.count - 2)
            share = min(max(way - first, 0.0), 1.0)
            share = np.sin(0.5 * np.pi * share) ** 2 if smooth else share
            cell.append(slice(first, first + 2))
            weights = np.multiply.outer(weights, (1.0 - share, share))
        return tuple(cell), weights

    def draft(self, values: Sequence[float]) -> Draft:
        """What the edit at a place of the family begins with: where feet are to be, exactly."""
        return draft_edit(self.clip, self.plan.edit_at(values), self.plan.rate, self.character)

    def motion(self, values: Sequence[float]) -> tuple[Draft, Motion]:
        """The motion at a place of the family, at the rate of its members, its feet where they belong."""
        from scipy.interpolate import CubicSpline

        times, q = self.coordinates(values)
        draft = self.draft(values)
        if len(times) != len(draft.reference) or not np.allclose(times, draft.reference.times, atol=1e-9):
            q = CubicSpline(times, q)(np.clip(draft.reference.times, times[0], times[-1]))
        holds = [hold for hold in draft.contact_plan.holds if hold.body.endswith("foot")]
        return draft, Motion(self.character.skeleton, planted_feet(self.character, q, holds), 1.0 / self.plan.rate)


def _cubic(times: Sequence[float], seconds: float) -> Array:
    """(4,) what each of four frames counts on the cubic through all of them; the nearest end outside."""
    seconds = min(max(seconds, times[0]), times[3])
    weights = []
    for own in times:
        others = [other for other in times if other != own]
        weights.append(prod((seconds - other) / (own - other) for other in others))
    return np.array(weights)


def resample_member(found: SolvedEdit, shown: Array) -> tuple[Array, Array]:
    """Seconds and coordinates of a solved member in frames that show given seconds of the recording."""
    from scipy.interpolate import CubicSpline

    clock, motion = found.draft.time_map, found.outcome.motion
    times = clock.from_source(shown)
    if len(times) == len(motion) and np.allclose(times, motion.times, atol=1e-9):
        return motion.times, motion.q
    return times, CubicSpline(motion.times, motion.q)(np.minimum(times, motion.duration))
