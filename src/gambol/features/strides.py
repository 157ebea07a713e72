"""Strides: the cycles of a walk or run, each brought to the same phases, its root seen from the way it takes.

Phase 0 is the strike of the left foot. The way is an arc: over a stride the heading turns evenly by what the hips turn
in all, and the root moves forward and to the left of it; so a stride can be repeated, blended and steered.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gambol.body.measure import require_rig
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.cycles import MAX_CYCLE_GAP
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES, find_foot_points, track_point
from gambol.stages.gait import find_gait_events
from gambol.stages.speed import compute_speed

SAMPLES = 64
"""Phases of a stride: 32 harmonics, where walking has less than a thousandth of its variance above the tenth."""
FOOT_POINTS = ("left_heel", "left_ball", "right_heel", "right_ball")
"""Points of the feet whose contacts are kept, in this order."""
_ALONG = np.pi / 4
"""Radians between facing and travelling up to which the way is where the root goes, not where the hips face."""
_LEAST_WAY = 0.1
"""Metres of a stride below which nobody travels."""
_HELD = 0.3
"""Metres a second up to which a point that touches may be held: heels that come down and toes that leave roll."""
_SHORTEST, _LONGEST = 0.4, 3.0
"""Seconds that a stride may last."""


@dataclass(frozen=True, eq=False)
class Stride:
    """A cycle at SAMPLES + 1 phases from 0 to a full turn, both included: its end need not meet its beginning."""

    rotations: Array
    """(phases, joints, 4) in the parents' frames; the root's is seen from the way."""
    root: Array
    """(phases, 4) height above the floor, forward and left velocity, all in lengths of a leg, and turn of the way in
    radians; the last three per radian of phase."""
    contacts: Array
    """(phases, 4) from 0 to 1, of POINTS."""
    period: float
    """Seconds."""
    joints: tuple[str, ...]
    source: str
    """The clip that it is from."""


def find_strides(motion: Motion) -> list[Stride]:
    """All strides that a clip holds whole and that come back: those that begin or end at rest do not."""
    events = find_gait_events(motion)
    spans = [(a, b, a) for a, b in _spans(events.strikes["left"])]
    if not spans:
        left = events.strikes["left"]
        inside = [(a, b, left[(left > a) & (left < b)]) for a, b in _spans(events.strikes["right"])]
        spans = [(a, b, float(strikes[0])) for a, b, strikes in inside if len(strikes)]
    if not spans:
        raise InputError(
            "no foot strikes twice: there is no whole stride",
            file=motion.name,
            fix="bring a walk or run of two strides",
        )
    curves = _Curves(motion)
    found = [curves.stride(first, last, left) for first, last, left in spans]
    closing = [stride for stride in found if _openness(stride) <= MAX_CYCLE_GAP]
    if not closing:
        raise InputError(
            "no stride comes back to the pose that it began with", file=motion.name, fix="bring a steady walk or run"
        )
    return closing


def sample_whole_clip(motion: Motion) -> Stride:
    """A clip from its first frame to its last as one movement that need not come back."""
    return _Curves(motion).stride(0.0, motion.duration, 0.0)


def compute_leg_length(skeleton: Skeleton, parts: dict[str, int]) -> float:
    """Metres from hip to ankle."""
    legs = [[skeleton.offsets[parts[f"{side}_{part}"]] for part in ("shank", "foot")] for side in SIDES]
    return float(np.linalg.norm(legs, axis=2).sum(axis=1).mean())


def _openness(stride: Stride) -> float:
    """How far its end is from its beginning, as a share of how far it went away: root mean square over the joints."""
    turned = quat.multiply(quat.conjugate(stride.rotations[:1]), stride.rotations)
    away = np.sqrt(np.sum(quat.angle(turned) ** 2, axis=1))
    return float(away[-1] / max(float(away.max()), 1e-9))


def _spans(strikes: Array) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in pairwise(strikes) if _SHORTEST <= b - a <= _LONGEST]


class _Curves:
    """A clip as curves of time, to be read at any phase."""

    def __init__(self, motion: Motion) -> None:
        from scipy.interpolate import CubicSpline

        parts = require_rig(motion).parts
        self.motion, self.times = motion, motion.times
        self.local = local_frames(motion.skeleton, motion.q).rotations
        self.touching, floor = find_touching(motion)
        places = (motion.placement.positions[:, 0] - [0.0, 0.0, floor]) / compute_leg_length(motion.skeleton, dict(parts))
        self.place = CubicSpline(motion.times, places)
        hips = [motion.placement.positions[:, parts[f"{side}_thigh"]] for side in SIDES]
        across = hips[0] - hips[1]
        self.facing = np.unwrap(np.arctan2(-across[:, 0], across[:, 1]))

    def stride(self, first: float, last: float, zero: float) -> Stride:
        """The stride between two times, its phase 0 at a third between them."""
        phases = np.linspace(0.0, 2.0 * np.pi, SAMPLES + 1)
        times, period = np.linspace(first, last, SAMPLES + 1), last - first
        place, velocity = self.place(times), self.place(times, 1) * period / (2.0 * np.pi)
        facing = np.interp(times, self.times, self.facing)
        turn = (facing[-1] - facing[0]) / (2.0 * np.pi)
        way = turn * phases + np.mean(facing - turn * phases)
        way = way + _towards_travel(velocity, way)
        cos, sin = np.cos(way), np.sin(way)
        forward, left = cos * velocity[:, 0] + sin * velocity[:, 1], cos * velocity[:, 1] - sin * velocity[:, 0]
        root = np.stack((place[:, 2], forward, left, np.full_like(way, turn)), axis=1)
        rotations = _turned(self.local, times / self.motion.frame_time)
        rotations[:, 0] = quat.multiply(quat.from_axis_angle((0.0, 0.0, 1.0), -way), rotations[:, 0])
        contacts = np.stack([np.interp(times, self.times, row) for row in self.touching.T.astype(float)], axis=1)
        shift = round(SAMPLES * (zero - first) / period)
        if shift:
            # The seam of a stride that begins elsewhere is inside it then: closed here, where it is known.
            root, contacts = (np.roll(x[:-1], -shift, axis=0) for x in (root, contacts))
            rotations = np.roll(rotations[:-1], -shift, axis=0)
            root, rotations, contacts = (np.concatenate((x, x[:1])) for x in (root, rotations, contacts))
        return Stride(rotations, root, contacts, period, self.motion.skeleton.names, self.motion.name)


def find_touching(motion: Motion) -> tuple[NDArray[np.bool_], float]:
    """(frames, 4) which of POINTS touch; and the height at which they do."""
    contacts = find_foot_contacts(motion)
    points = {point.name: point for point in find_foot_points(motion)}
    places = {name: track_point(motion, points[name]) for name in FOOT_POINTS}
    touching = np.stack(
        [contacts.touching(name) & (compute_speed(places[name], motion.frame_time) < _HELD) for name in FOOT_POINTS], axis=1
    )
    heights = np.stack([places[name][:, 2] for name in FOOT_POINTS], axis=1)
    if not touching.any():
        raise InputError("its feet never touch the floor", file=motion.name)
    return touching, float(np.median(heights[touching]))


def _towards_travel(velocity: Array, way: Array) -> float:
    """Radians by which the way is turned so that the root travels along it, or backward along it."""
    c, s = np.cos(way), np.sin(way)
    forward = float(np.mean(c * velocity[:, 0] + s * velocity[:, 1]))
    left = float(np.mean(c * velocity[:, 1] - s * velocity[:, 0]))
    if 2.0 * np.pi * np.hypot(forward, left) < _LEAST_WAY:
        return 0.0
    angle = float(np.arctan2(left, forward) if forward > 0.0 else np.arctan2(-left, -forward))
    return angle if abs(angle) < _ALONG else 0.0


def _turned(local: Array, frames: Array) -> Array:
    """Rotations (phases, joints, 4) at frames that need not be whole."""
    before = np.clip(frames.astype(int), 0, len(local) - 2)
    return quat.slerp(local[before], local[before + 1], (frames - before)[:, None, None])
