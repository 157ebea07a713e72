"""Find people of one scene who overlap, or who let go of hands that they seem to hold."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter1d

from gambol.body.measure import require_rig
from gambol.geometry.arrays import find_runs
from gambol.geometry.vectors import lengths
from gambol.judge.capsules import Capsules, name_kind, wrap_body
from gambol.judge.curves import count_odd_frames
from gambol.judge.finding import Finding, FindingKind, group_findings
from gambol.judge.seen import SeenPerson
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES

PEOPLE_INSIDE = FindingKind(
    "people_inside_each_other", "overlap by", "cm", 4.0,
    "8 recorded pairs who shake hands, link arms and pull each other: 0, and a margin for what is soft",
)  # fmt: skip
HANDS_APART = FindingKind(
    "hands_apart", "are apart, after they were together, by", "cm", 10.0,
    "3 recorded pairs who hold each other: at most 8 about the middle distance of their wrists",
)  # fmt: skip

_NEAR = 0.8
"""Distance (m) of two pelvises from which people do not touch but with their arms."""
_LINKED = 7.5
"""Depth (cm) of forearms in each other: linked ones of recordings have 5.5. What passes through comes out deeper."""
_HELD, _APART = 0.22, 0.6
"""Distances (m) of wrists of hands that hold each other, and beyond which they have let go and moved away."""
_WHILE = 1.0
"""Seconds that hands are together, and then beside each other, to be seen as hands that should hold."""


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
    """Return where two people overlap, or pass through, in the frames in which they are near."""
    first, last = np.flatnonzero(near)[[0, -1]]
    both = _wrap_pair(wrap_body(one), wrap_body(other), slice(first, last + 1))
    passed = 100.0 * both.measure_passes()
    touching = 100.0 * both.sum_radii()
    depths = np.zeros((len(near), len(both.pairs)))
    depths[first : last + 1] = touching + np.where(passed > 0.0, passed, -100.0 * both.gaps)
    depths[~near] = 0.0
    kinds = [[name_kind(both.parts[each]) for each in pair] for pair in both.pairs]
    arms = np.array([kind == ["forearm", "forearm"] for kind in kinds])
    found = []
    for limit, chosen in ((PEOPLE_INSIDE.limit, ~arms), (_LINKED, arms)):
        kind = replace(PEOPLE_INSIDE, limit=limit)
        parts = [" and ".join(both.parts[each] for each in pair) for pair in both.pairs[chosen]]
        if parts:
            found += group_findings(kind, parts, depths[:, chosen], depths[:, chosen] > kind.least, one.frame_time)
    return found


def compare_hands(one: SeenPerson, other: SeenPerson) -> Iterator[Finding]:
    """Yield where hands of two people that were together are beside each other: who lets go moves away."""
    step, frames = one.frame_time, min(len(one), len(other))
    size = count_odd_frames(_WHILE, step)
    for left, right in itertools.product(SIDES, SIDES):
        parts = f"{left}_hand", f"{right}_hand"
        if parts[0] not in one.places or parts[1] not in other.places:
            continue
        gaps = lengths(one.places[parts[0]][:frames] - other.places[parts[1]][:frames])
        runs = [run for run in find_runs(gaps < _HELD) if run[1] - run[0] + 1 >= size]
        for held, (first, last) in enumerate(runs):
            until = runs[held + 1][0] if held + 1 < len(runs) else frames
            beside = gaps[last + 1 : until]
            beside = beside[: next(iter(np.flatnonzero(beside > _APART)), len(beside))]
            if len(beside) < size:
                continue
            half = size // 2
            lasting = minimum_filter1d(beside, size)[half : len(beside) - half]
            value = 100.0 * float(lasting.max() - np.median(gaps[first : last + 1]))
            if value > HANDS_APART.least:
                end = float(last + len(beside))
                yield Finding(HANDS_APART, " and ".join(parts), (last + 1.0) * step, end * step, value)


def _wrap_pair(one: Capsules, other: Capsules, frames: slice) -> Capsules:
    """Return the capsules of two people in some frames, each part of one compared with each of the other."""
    pairs = itertools.product(range(len(one.parts)), range(len(one.parts), len(one.parts) + len(other.parts)))
    return Capsules(
        one.frame_time,
        one.parts + other.parts,
        np.concatenate((one.ends[frames], other.ends[frames]), axis=1),
        np.concatenate((one.radii, other.radii)),
        np.array(list(pairs), dtype=int).reshape(-1, 2),
    )
