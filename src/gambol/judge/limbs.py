"""Find knees and elbows that bend as no person's do, and limbs that go through other parts of the body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross, lengths, unit_vectors
from gambol.judge.capsules import name_kind, wrap_body
from gambol.judge.finding import Finding, FindingKind, group_findings
from gambol.judge.seen import SeenPerson
from gambol.legs.knees import MAX_TURN, measure_seen_knees
from gambol.stages.feet import SIDES

KNEE_BACKWARD = FindingKind(
    "knee_backward", "bends beyond straight by", "degrees", 18.0,
    "75 recorded clips: at most 16, but for one that is broken",
)  # fmt: skip
KNEE_TURNED = FindingKind(
    "knee_turned", "is bent and turned to the back of the body by", "degrees", float(np.degrees(MAX_TURN)),
    "75 recorded clips: at most 60, but for one that is broken",
)  # fmt: skip
KNEE_SIDEWAYS = FindingKind(
    "knee_sideways", "bends sideways by", "degrees", 12.0,
    "recordings are solved with hinges: 0; a knee under load gives by less than 10",
)  # fmt: skip
ELBOW_BACKWARD = FindingKind(
    "elbow_backward", "bends beyond straight by", "degrees", 15.0,
    "75 recorded clips: at most 1; lax elbows of people: 10 to 15",
)  # fmt: skip
ELBOW_SIDEWAYS = FindingKind(
    "elbow_sideways", "bends sideways by", "degrees", 20.0,
    "recordings are solved with hinges: 0; one of inertial sensors: at most 12",
)  # fmt: skip
LIMB_THROUGH_LIMB = FindingKind(
    "limb_through_limb", "overlap by", "cm", 6.5,
    "75 recorded clips, by kind of part, for a stature of 1.75 m",
)  # fmt: skip
FEET_CROSSING = FindingKind(
    "feet_crossing",
    "pass through each other by",
    "cm",
    1.0,
    "75 recorded clips: axes of both legs meet in one, and do in no other",
)

_DEPTHS = {
    "forearm-trunk": 8.0, "forearm-head": 5.0, "forearm-forearm": 5.0, "forearm-thigh": 13.5,
    "legs": 6.5,
}  # fmt: skip
"""Largest depth (cm at a stature of `_STATURE`): that of recordings and a margin; where they do not touch, a third of
the thickness of both. Hands of recordings lie on thighs so deep that only what comes out at the far side counts."""
_LEG = {"thigh", "shank", "foot"}
"""Parts of which all pairs count as one."""
_STATURE = 1.75
"""Stature (m) to which the depths belong."""
_BENT = 20.0
"""Flexion (degrees) from which a knee has a front, and that an elbow must reach in a clip for its hinge to be known."""


class _Curves(NamedTuple):
    """A fault over time, of parts that count as one."""

    kind: FindingKind
    parts: tuple[str, ...]
    values: Array
    """(frames, parts) in the unit of the kind."""


def find_limb_faults(seen: SeenPerson) -> list[Finding]:
    """Return knees, elbows and limbs that no recorded person has so."""
    curves = [*_measure_knees(seen), *_measure_elbows(seen), *_measure_touches(seen)]
    found = [
        one
        for kind, parts, values in curves
        for one in group_findings(kind, parts, values, values > kind.least, seen.frame_time)
    ]
    crossings = [one for one in found if one.kind.name == FEET_CROSSING.name]
    return [one for one in found if not any(_is_of_crossing(one, crossing) for crossing in crossings)]


def _is_of_crossing(found: Finding, crossing: Finding) -> bool:
    """Return whether legs overlap because they pass through each other: one fault."""
    return (found.kind.name, found.limbs) == (LIMB_THROUGH_LIMB.name, crossing.limbs) and found.is_near(crossing)


def _measure_knees(seen: SeenPerson) -> Iterator[_Curves]:
    knees = measure_seen_knees(seen.places, seen.rotations)
    flexion, turn, sideways = (np.degrees(each) for each in (*knees.angles, knees.sideways))
    for number, side in enumerate(SIDES):
        knee, bent = (f"{side}_knee",), flexion[:, [number]]
        yield _Curves(KNEE_BACKWARD, knee, -bent)
        yield _Curves(KNEE_TURNED, knee, np.where(bent > _BENT, np.abs(turn[:, [number]]), 0.0))
        yield _Curves(KNEE_SIDEWAYS, knee, np.abs(sideways[:, [number]]))


def _measure_elbows(seen: SeenPerson) -> Iterator[_Curves]:
    for side in SIDES:
        joints = [f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")]
        if not set(joints) <= seen.places.keys():
            continue
        shoulder, elbow, wrist = (seen.places[joint] for joint in joints)
        flexion, sideways = _measure_elbow(elbow - shoulder, wrist - elbow, seen.rotations[joints[0]])
        if flexion.max() > _BENT:
            yield _Curves(ELBOW_BACKWARD, (f"{side}_elbow",), -flexion[:, None])
            yield _Curves(ELBOW_SIDEWAYS, (f"{side}_elbow",), np.abs(sideways[:, None]))


def _measure_elbow(upper: Array, lower: Array, turned: Array) -> tuple[Array, Array]:
    """Return the flexion (frames,) in degrees of an arm about a hinge fixed to the upper arm, and how far it is beside.

    `upper` and `lower` (frames, 3) are its bones, `turned` (frames, 4) the rotation of the upper arm. The hinge is the
    axis about which the arm bends most, and its sign the one with which it bends more.
    """
    across = quat.rotate(quat.conjugate(turned), cross(upper, lower))
    straight = np.sum(upper * lower, axis=1)
    bends = unit_vectors(across) * np.arctan2(lengths(across), straight)[:, None]
    axis = np.linalg.eigh(bends.T @ bends)[1][:, -1]
    about = bends @ axis
    sign = np.sign(np.sum(about * np.abs(about)))
    flexion = np.arctan2(sign * across @ axis, straight)
    beside = quat.rotate(quat.conjugate(turned), unit_vectors(lower) - unit_vectors(upper)) @ axis
    return np.degrees(flexion), np.degrees(np.arcsin(np.clip(beside, -1.0, 1.0)))


def _measure_touches(seen: SeenPerson) -> Iterator[_Curves]:
    body = wrap_body(seen)
    passed = 100.0 * body.measure_passes()
    touching = 100.0 * body.sum_radii()
    # What comes out at the far side is deeper than all of the thickness.
    depths = touching + np.where(passed > 0.0, passed, -100.0 * body.gaps)
    scale = seen.stature / _STATURE
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, pair in enumerate(body.pairs):
        parts = tuple(body.parts[each] for each in pair)
        groups.setdefault(("legs",) if set(map(name_kind, parts)) <= _LEG else parts, []).append(number)
    for group, numbers in groups.items():
        parts = tuple(" and ".join(body.parts[each] for each in body.pairs[number]) for number in numbers)
        limit = _DEPTHS["-".join(name_kind(part) for part in group)]
        yield _Curves(replace(LIMB_THROUGH_LIMB, limit=scale * limit), parts, depths[:, numbers])
        if group == ("legs",):
            crossing = replace(FEET_CROSSING, limit=scale * FEET_CROSSING.limit)
            yield _Curves(crossing, parts, passed[:, numbers])
