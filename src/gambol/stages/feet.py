"""Find and track heels, balls and toes, the points of feet that touch the floor, on rigs, characters and markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gambol.body.measure import require_rig
from gambol.contacts.contact import BodyPoint
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, lengths
from gambol.motion.kinematics import place
from gambol.motion.marker_names import find_landmarks, find_marker_parts
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import NeutralPose, has_body
from gambol.motion.recording import Markers
from gambol.motion.rig import find_one_bone_limbs
from gambol.motion.skeleton import Skeleton

SIDES = ("left", "right")
_HEEL_BEHIND = 0.4
"""Distance of the heel behind the ankle, as a share of the horizontal distance from ankle to toe joint."""
_QUIET = 0.1
"""Share of the frames, the slowest, in which a foot is assumed to be flat on the floor."""
_STILL, _TILT = 0.1, 0.26
"""Speed (m/s) of such a foot, and difference (rad) to its pitch in the rest pose, from which it was not flat."""


@dataclass(frozen=True, eq=False)
class FootTrack:
    """Positions (frames, 3) in metres of heel and toe of a foot; NaN where not visible."""

    heel: Array
    toe: Array


@dataclass(frozen=True, eq=False)
class Feet:
    """Both feet of a person over time, by side."""

    tracks: Mapping[str, FootTrack]
    frame_time: float

    def __post_init__(self) -> None:
        if set(self.tracks) != set(SIDES):
            raise InputError(f"expected tracks of the left and the right foot, not {', '.join(self.tracks) or 'none'}")


def track_point(motion: Motion, point: BodyPoint) -> Array:
    """Return the world positions (frames, 3) of a point of a body."""
    joint = motion.skeleton.index(point.body)
    placed = motion.placement
    return placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point.point)


@lru_cache(maxsize=8)
def find_foot_points(motion: Motion) -> tuple[BodyPoint, ...]:
    """Return heel, ball and toe of both feet, as far as the character or the rig has them.

    A leg of one bone has one point: below its joint, on the floor on which the rest pose stands.
    """
    skeleton = motion.skeleton
    if "left_ball_tip" in skeleton.names:
        tips = [f"{side}_{tip}" for side in SIDES for tip in ("heel", "ball", "toe")]
        return tuple(find_tip(skeleton, tip) for tip in tips if f"{tip}_tip" in skeleton.names)
    if motion.rig is None and (legs := find_one_bone_limbs(skeleton, "leg")):
        return tuple(point for side, leg in legs.items() for point in _soles(skeleton, leg, side))
    parts = require_rig(motion).parts
    return tuple(point for side in SIDES for point in _rig_points(motion, parts, side))


def feet_of_motion(motion: Motion) -> Feet:
    """Return heels and toes of a motion; the ball is used as the toe, as with the markers of a laboratory."""
    points = {point.name: point for point in find_foot_points(motion)}
    tracks = {
        side: FootTrack(track_point(motion, points[f"{side}_heel"]), track_point(motion, points[f"{side}_ball"]))
        for side in SIDES
    }
    return Feet(tracks, motion.frame_time)


def feet_of_markers(markers: Markers) -> Feet:
    """Return heels and toes of a recording, by marker names, else by their order along the direction of travel."""
    parts, landmarks = find_marker_parts(markers.names), find_landmarks(markers.names)
    tracks = {}
    for side in SIDES:
        own = [name for name, part in parts.items() if part in (f"{side}_foot", f"{side}_toes")]
        seen = [name for name in own if markers.missing[markers.names.index(name)] < 1.0]
        ends = (("heel",), ("toe", "ball_out"))
        heel, toe = (
            next((n for mark in marks for n in landmarks.get(f"{side}_{mark}", ()) if n in seen), None)
            for marks in ends
        )
        if heel is None or toe is None:
            heel, toe = _ends_along_travel(markers, seen, side)
        tracks[side] = FootTrack(*(markers.positions[:, markers.names.index(name)] for name in (heel, toe)))
    return Feet(tracks, markers.frame_time)


def _travel_direction(positions: Array) -> Array:
    """Return the horizontal unit direction (3,) of a track (frames, 3) from its first to its last visible frame."""
    seen = positions[np.isfinite(positions).all(axis=1)]
    if len(seen) < 2:
        raise InputError("a foot is visible in fewer than two frames")
    travel = (seen[-1] - seen[0]) * (1.0, 1.0, 0.0)
    length = float(np.linalg.norm(travel))
    return travel / length if length > 0.0 else np.array([1.0, 0.0, 0.0])


def find_tip(skeleton: Skeleton, tip: str) -> BodyPoint:
    """Return a tip of a character's foot or hand, such as left_heel."""
    joint = skeleton.index(f"{tip}_tip")
    return BodyPoint(tip, skeleton.names[skeleton.parents[joint]], skeleton.offsets[joint])


def _soles(skeleton: Skeleton, leg: int, side: str) -> list[BodyPoint]:
    """Return the point below a leg of one bone, as heel and as ball."""
    rest = place(skeleton, np.zeros((1, len(skeleton.dofs))))
    below = quat.rotate(quat.conjugate(rest.rotations[0, leg]), rest.positions[0, leg] * (0.0, 0.0, -1.0))
    return [BodyPoint(f"{side}_{end}", skeleton.names[leg], below) for end in ("heel", "ball")]


def _rig_points(motion: Motion, parts: Mapping[str, int], side: str) -> list[BodyPoint]:
    """Return the points of a rig's foot; the heel, which rigs lack, is behind the ankle, level with the toe joint."""
    skeleton, ankle = motion.skeleton, parts[f"{side}_foot"]
    body = skeleton.names[ankle]
    toes = _find_toes(skeleton, parts, side)
    if toes < 0:
        return [BodyPoint(f"{side}_heel", body, np.zeros(3)), BodyPoint(f"{side}_ball", body, np.zeros(3))]
    up, toe = find_flat_foot(motion, side)
    heel = (toe @ up) * up - _HEEL_BEHIND * (toe - (toe @ up) * up)
    points = [BodyPoint(f"{side}_heel", body, heel), BodyPoint(f"{side}_ball", body, toe)]
    tip = max(skeleton.children[toes], key=lambda c: _length(skeleton, c), default=-1)
    if tip >= 0 and _length(skeleton, tip) > 0.0:
        points.append(BodyPoint(f"{side}_toe", skeleton.names[toes], skeleton.offsets[tip]))
    return points


def _find_toes(skeleton: Skeleton, parts: Mapping[str, int], side: str) -> int:
    """Return the joint of the toes, or the end of the foot; -1 without."""
    ankle = parts[f"{side}_foot"]
    return parts.get(f"{side}_toes", max(skeleton.children[ankle], key=lambda c: _length(skeleton, c), default=-1))


def find_flat_foot(motion: Motion, side: str) -> tuple[Array, Array]:
    """Return what is up while a foot of a rig is flat, and where its toes are (m), both (3,) in its joint's frame.

    Toes are at zero if the rig has none. A foot that is never still is flat as in the rest pose, unless it is about so
    where it is slow.
    """
    parts = require_rig(motion).parts
    ankle, toes = parts[f"{side}_foot"], _find_toes(motion.skeleton, parts, side)
    up, speed = _find_quiet_up(motion, ankle, ankle if toes < 0 else toes)
    toe = np.zeros(3) if toes < 0 else _offset_below(motion, ankle, toes)
    if speed > _STILL and toe.any() and (resting := _find_resting_up(motion, ankle)) is not None:
        slow, still = np.arcsin(np.clip(np.array([up, resting]) @ toe / np.linalg.norm(toe), -1.0, 1.0))
        if abs(slow - still) > _TILT:
            return resting, toe
    return up, toe


def _find_resting_up(motion: Motion, foot: int) -> Array | None:
    """Return what is up (3,) in the frame of a foot as it rests; None if the rig does not stand in its rest pose."""
    if not has_body(motion) or not (neutral := NeutralPose(motion)).rests:
        return None
    return quat.rotate(quat.conjugate(neutral.rotations[foot]), UP)


def _offset_below(motion: Motion, joint: int, below: int) -> Array:
    """Return where a joint below another is in its frame (3,); joints in between, as of an ankle, hardly turn."""
    if motion.skeleton.parents[below] == joint:
        return motion.skeleton.offsets[below]
    placed = motion[:1].placement
    step = placed.positions[0, below] - placed.positions[0, joint]
    return quat.rotate(quat.conjugate(placed.rotations[0, joint]), step)


def _length(skeleton: Skeleton, joint: int) -> float:
    return float(np.linalg.norm(skeleton.offsets[joint]))


def _find_quiet_up(motion: Motion, ankle: int, toes: int) -> tuple[Array, float]:
    """Return the direction (3,) in a foot's frame that points up while the foot hardly moves, and its speed then."""
    placed = motion.placement
    if len(motion) < 2:
        speeds = np.zeros(1)
    else:
        steps = lengths(np.diff(placed.positions[:, [ankle, toes]], axis=0)).mean(axis=1) / motion.frame_time
        speeds = np.append(steps, steps[-1])
    slow = float(np.quantile(speeds, _QUIET))
    up = np.median(quat.rotate(quat.conjugate(placed.rotations[speeds <= slow, ankle]), UP), axis=0)
    return up / np.linalg.norm(up), slow


def _ends_along_travel(markers: Markers, names: list[str], side: str) -> tuple[str, str]:
    if len(names) < 2:
        raise InputError(
            f"no heel and toe markers on the {side} foot",
            file=markers.name,
            fix="name them e.g. LHEE, LTOE, RHEE, RTOE",
        )
    places = markers.positions[:, [markers.names.index(name) for name in names]]
    together = places[np.isfinite(places).all(axis=(1, 2))]
    if len(together) < 2:
        raise InputError(f"the markers of the {side} foot are never visible together", file=markers.name)
    along = (together @ _travel_direction(together.mean(axis=1))).mean(axis=0)
    return names[int(np.argmin(along))], names[int(np.argmax(along))]
