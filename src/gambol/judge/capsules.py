"""Capsules around the limbs, trunk and head of a seen person: how deep they overlap, and what passes.

A forearm reaches to the middle of the palm. The trunk is two capsules as thick as it is deep, so that arms hang beside
it, and a thigh starts below the hip, where thighs are beside each other.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.geometry.segments import find_passes, measure_gaps
from gambol.geometry.vectors import unit_vectors
from gambol.judge.seen import SeenPerson
from gambol.stages.feet import SIDES

_RADII = {"trunk": 0.060, "head": 0.045, "thigh": 0.042, "shank": 0.027, "foot": 0.022, "forearm": 0.021}
"""Radii as shares of stature: the smaller half widths of the drawn body (gambol.motion.body_limbs)."""
_PALM = 0.04
"""From the wrist to the middle of the palm, as a share of stature."""
_SKULL = 0.055
"""From the joint of the head to the middle of the skull, as a share of stature."""
_HIP = 0.15
"""Share of a thigh at the hip that is left out."""
_REACH = 0.15
"""Seconds before and after a pass in which the distance to the far side is looked for."""
_PAIRS = {
    ("forearm", "trunk"), ("forearm", "head"), ("forearm", "thigh"), ("forearm", "forearm"), ("thigh", "thigh"),
    ("thigh", "shank"), ("shank", "shank"), ("shank", "foot"), ("foot", "foot"),
}  # fmt: skip
"""Kinds of parts that are compared; of the parts of one side, only a forearm and the thigh."""


_Axis = tuple[str, Array, Array]
"""A part of the body with both ends (frames, 3) of its axis."""


@dataclass(frozen=True, eq=False)
class Capsules:
    """Capsules over time, and the pairs of them that are compared."""

    frame_time: float
    parts: tuple[str, ...]
    """Part of the body of each, such as left_forearm; the trunk has two."""
    ends: Array
    """(frames, capsules, 2, 3) of their axes (m)."""
    radii: Array
    """(capsules,) m."""
    pairs: NDArray[np.intp]
    """(pairs, 2) numbers of capsules."""

    @cached_property
    def gaps(self) -> Array:
        """Distances (frames, pairs) between axes (m)."""
        return measure_gaps(*self._sides)

    def measure_passes(self) -> Array:
        """Return how far (m) one axis passes through the other (frames, pairs): 0 but in frames beside a pass.

        It is the distance between them in the time before or after, whichever is smaller.
        """
        far = np.zeros_like(self.gaps)
        passes = find_passes(*self._sides, self.gaps)
        reach = max(1, round(_REACH / self.frame_time))
        for pair in np.flatnonzero(passes.any(axis=0)):
            gaps, events = self.gaps[:, pair], np.flatnonzero(passes[:, pair])
            edges = np.concatenate(([-1], events, [len(gaps) - 1]))
            for last, event, following in zip(edges, events, edges[2:], strict=False):
                before = gaps[max(last + 1, event + 1 - reach) : event + 1].max()
                after = gaps[event + 1 : min(following, event + reach) + 1].max()
                far[event : event + 2, pair] = np.maximum(far[event : event + 2, pair], min(before, after))
        return far

    def sum_radii(self) -> Array:
        """Return the distances (pairs,) of axes at which capsules touch (m)."""
        return np.asarray(self.radii[self.pairs].sum(axis=1))

    @cached_property
    def _sides(self) -> tuple[Array, Array]:
        one, other = self.pairs.T
        return self.ends[:, one], self.ends[:, other]


def wrap_body(seen: SeenPerson) -> Capsules:
    """Return the capsules of a person; parts that the rig lacks have none."""
    axes = _list_arms(seen) + _list_legs(seen) + _list_trunk(seen)
    parts = tuple(part for part, _, _ in axes)
    ends = np.stack([np.stack((start, end), axis=1) for _, start, end in axes], axis=1)
    radii = np.array([_RADII[name_kind(part)] for part in parts]) * seen.stature
    pairs = [(a, b) for a, b in itertools.combinations(range(len(parts)), 2) if _is_compared(parts[a], parts[b])]
    return Capsules(seen.frame_time, parts, ends, radii, np.array(pairs, dtype=int).reshape(-1, 2))


def name_kind(part: str) -> str:
    """Return a part of the body without its side."""
    return part.partition("_")[2] or part


def _is_compared(one: str, other: str) -> bool:
    kinds = name_kind(one), name_kind(other)
    same_side = one.partition("_")[0] == other.partition("_")[0]
    return bool(_PAIRS & {kinds, kinds[::-1]}) and (not same_side or "forearm" in kinds)


def _list_legs(seen: SeenPerson) -> list[_Axis]:
    axes: list[_Axis] = []
    for side in SIDES:
        hip, knee, ankle = (seen.places[f"{side}_{part}"] for part in ("thigh", "shank", "foot"))
        axes.append((f"{side}_thigh", hip + _HIP * (knee - hip), knee))
        axes.append((f"{side}_shank", knee, ankle))
        axes.append((f"{side}_foot", ankle, seen.soles[side][:, -1]))
    return axes


def _list_arms(seen: SeenPerson) -> list[_Axis]:
    axes: list[_Axis] = []
    for side in SIDES:
        if {f"{side}_forearm", f"{side}_hand"} <= seen.places.keys():
            elbow, wrist = (seen.places[f"{side}_{part}"] for part in ("forearm", "hand"))
            palm = wrist + _PALM * seen.stature * unit_vectors(wrist - elbow)
            axes.append((f"{side}_forearm", elbow, palm))
    return axes


def _list_trunk(seen: SeenPerson) -> list[_Axis]:
    places = seen.places
    top: Array
    hips = 0.5 * (places["left_thigh"] + places["right_thigh"])
    if {"left_upper_arm", "right_upper_arm"} <= places.keys():
        top = 0.5 * (places["left_upper_arm"] + places["right_upper_arm"])
    elif (highest := next((part for part in ("neck", "head", "chest") if part in places), None)) is not None:
        top = places[highest]
    else:
        return []
    middle: Array = places.get("chest", places.get("spine", np.asarray(0.5 * (hips + top))))
    axes: list[_Axis] = [("trunk", hips, middle), ("trunk", middle, top)]
    if "head" in places:
        up = unit_vectors(places["head"] - places.get("neck", top))
        axes.append(("head", places["head"], places["head"] + _SKULL * seen.stature * up))
    return axes
