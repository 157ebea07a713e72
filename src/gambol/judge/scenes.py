"""Find people of one scene who overlap, or who do not stand on its floor, which is at z = 0."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gambol.body.measure import require_rig
from gambol.geometry.segments import measure_gaps
from gambol.geometry.vectors import lengths
from gambol.judge.capsules import wrap_body
from gambol.judge.finding import Finding, FindingKind, group_findings
from gambol.judge.seen import SeenPerson
from gambol.motion.motion import Motion

PEOPLE_INSIDE = FindingKind(
    "people_inside_each_other", "overlap by", "cm", 4.0,
    "8 recorded pairs who shake hands, link arms and pull each other: 0, and a margin for what is soft",
)  # fmt: skip

_NEAR = 0.8
"""Distance (m) of two pelvises from which trunks and heads are not touched."""
_SOLID = {"trunk", "head"}
"""Parts of which one at least must be inside the other person: hands hold each other, and arms are linked."""


def find_meetings(people: Sequence[Motion]) -> dict[tuple[int, int], NDArray[np.bool_]]:
    """Return the numbers of two people who come near each other, with the frames (frames,) in which they are."""
    frames = min(map(len, people), default=0)
    pelvises = np.array([one.placement.positions[:frames, require_rig(one).parts["pelvis"]] for one in people])
    found: dict[tuple[int, int], NDArray[np.bool_]] = {}
    for one in range(len(people) - 1):
        near = lengths(pelvises[one + 1 :] - pelvises[one]) < _NEAR
        found |= {(one, one + 1 + n): near[n] for n in np.flatnonzero(near.any(axis=1)).tolist()}
    return found


def compare_bodies(one: SeenPerson, other: SeenPerson, near: NDArray[np.bool_]) -> list[Finding]:
    """Return where two people overlap, in the frames in which they are near."""
    first_body, second_body = wrap_body(one), wrap_body(other)
    frames = np.flatnonzero(near)
    pairs = [
        (a, b)
        for a, b in itertools.product(range(len(first_body.parts)), range(len(second_body.parts)))
        if {first_body.parts[a], second_body.parts[b]} & _SOLID
    ]
    first, second = np.array(pairs).T
    gaps = measure_gaps(first_body.ends[frames][:, first], second_body.ends[frames][:, second])
    depths = np.zeros((len(near), len(pairs)))
    depths[frames] = 100.0 * (first_body.radii[first] + second_body.radii[second] - gaps)
    parts = [f"{first_body.parts[a]} and {second_body.parts[b]}" for a, b in pairs]
    return group_findings(PEOPLE_INSIDE, parts, depths, depths > PEOPLE_INSIDE.least, one.frame_time)
