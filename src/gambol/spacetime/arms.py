"""Take arms out of the body: turn the shoulder as little as needed, to the side from which the arm came."""

from __future__ import annotations

import numpy as np

from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import cover
from gambol.geometry.segments import find_nearest_points
from gambol.geometry.vectors import cross, lengths, unit_vectors
from gambol.judge.capsules import wrap_body
from gambol.judge.finding import Finding
from gambol.judge.limbs import LIMB_THROUGH_LIMB, find_limb_faults
from gambol.judge.seen import SeenPerson, see_person
from gambol.motion.channels import turn_joints
from gambol.motion.motion import Motion
from gambol.spacetime.mending import mend_findings

_DEPTH = 0.5
"""Share of the depth that people have to which an arm is taken out."""
_BESIDE = 0.5
"""Seconds before and after in which the side is looked for from which an arm came."""
_EASE = 0.12
"""Seconds over which the turn comes and goes."""
_ROUNDS = 2
"""Turns one after the other: the point that is deepest moves along the arm."""
_SEVERE = 1.5
"""Severity from which a viewer does not accept it."""


def free_arms(motion: Motion) -> tuple[Motion, int]:
    """Move arms out of trunk, head and thighs; return the motion and how often one was."""
    return mend_findings(motion, _find_faults, _free)


def _find_faults(motion: Motion) -> list[Finding]:
    """Return where a forearm is in another part."""
    found = find_limb_faults(see_person(motion))
    through = [one for one in found if one.kind.name == LIMB_THROUGH_LIMB.name and one.severity > _SEVERE]
    return [one for one in through if "forearm" in one.part]


def _free(motion: Motion, fault: Finding) -> Motion:
    """Turn the upper arm so that the forearm is as near to the other part as people have it."""
    arm, other = sorted(fault.part.split(" and "), key=lambda part: "forearm" not in part)
    joint, step = require_rig(motion).parts[arm.replace("forearm", "upper_arm")], motion.frame_time
    allowed, size = _DEPTH * fault.kind.limit / 100.0, 2 * max(1, round(_EASE / step)) + 1
    around = np.zeros(len(motion), dtype=bool)
    around[max(round((fault.start - _BESIDE) / step), 0) : round((fault.end + _BESIDE) / step) + 1] = True
    came: Array | None = None
    for _ in range(_ROUNDS):
        seen = see_person(motion)
        point, way, depth = _measure(seen, arm, other)
        turned = seen.rotations[next(part for part in (other, "chest", "pelvis") if part in seen.rotations)]
        if came is None:
            outside = int(np.argmin(np.where(around, depth, np.inf)))
            came = quat.rotate(quat.conjugate(turned[outside]), unit_vectors(way[outside]))
        aside = quat.rotate(turned, came)
        missing = depth + lengths(way) - allowed - np.sum(way * aside, axis=1)
        missing = np.where(around & (depth > allowed), np.maximum(missing, 0.0), 0.0)
        lever = point - motion.placement.positions[:, joint]
        angle = cover(missing / np.maximum(lengths(lever), 1e-6), size)
        motion = turn_joints(motion, {joint: quat.from_axis_angle(unit_vectors(cross(lever, aside)), angle)})
    return motion


def _measure(seen: SeenPerson, arm: str, other: str) -> tuple[Array, Array, Array]:
    """Return the deepest point of a forearm, the way to it from the other part, both (frames, 3), and its depth (m)."""
    body = wrap_body(seen)
    mine, theirs = body.parts.index(arm), [n for n, part in enumerate(body.parts) if part == other]
    points, ways = zip(*(_find_near(body.ends[:, mine], body.ends[:, each]) for each in theirs), strict=True)
    depths = np.stack([body.radii[[mine, each]].sum() - lengths(way) for each, way in zip(theirs, ways, strict=True)])
    deepest, frames = depths.argmax(axis=0), np.arange(len(seen))
    return np.stack(points)[deepest, frames], np.stack(ways)[deepest, frames], depths[deepest, frames]


def _find_near(one: Array, other: Array) -> tuple[Array, Array]:
    point, near = find_nearest_points(one, other)
    return point, point - near
