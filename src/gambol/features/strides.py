"""Find the strides of a walk or run and resample each to common phases, its root relative to the path.

Phase 0 is the strike of the left foot. The path is an arc: over a stride its heading turns uniformly by the net turn of
the hips, and the root moves forward and to the left of it. A stride can therefore be repeated, blended and steered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import TOUCH_SPEED
from gambol.body.measure import require_rig
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.cycles import LONGEST_CYCLE, MAX_CYCLE_GAP, SHORTEST_CYCLE, close_cycle, find_cycle, repeat_cycle
from gambol.motion.gather import gather_at_root
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES, find_foot_points, track_point
from gambol.stages.gait import find_gait_events
from gambol.stages.speed import compute_speed

SAMPLES = 64
"""Phases of a stride: 32 harmonics; walking has less than a thousandth of its variance above the tenth."""
FOOT_POINTS = ("left_heel", "left_ball", "right_heel", "right_ball")
"""Foot points whose contacts are stored, in this order."""
_ALONG = np.pi / 4
"""Radians between facing and travel direction up to which the path follows the travel of the root, not the hips."""
_MIN_TRAVEL = 0.1
"""Travel of a stride (leg lengths) below which it has no travel direction."""


@dataclass(frozen=True, eq=False)
class Stride:
    """A gait cycle at SAMPLES + 1 phases from 0 to 2 pi, both included; the end may differ from the beginning."""

    rotations: Array
    """(phases, joints, 4) in the parents' frames; the root's relative to the path."""
    root: Array
    """(phases, 4) height above the floor, forward and left velocity (leg lengths), turn of the path (radians); the last
    three per radian of phase."""
    contacts: Array
    """(phases, 4) from 0 to 1, of FOOT_POINTS."""
    period: float
    """Seconds."""
    joints: tuple[str, ...]
    source: str
    """Name of the clip."""


def find_strides(motion: Motion) -> list[Stride]:
    """Find the whole strides of a clip that end close to their first pose; strides from or to rest do not."""
    spans = _find_spans(motion)
    if not spans:
        motion = _repeat(motion)
        spans = _find_spans(motion)[:1]
    if not spans:
        raise InputError(
            "no whole stride found: no foot strikes twice",
            file=motion.name,
            fix="use a walk or run with two strides",
        )
    curves = _Curves(motion)
    found = [(curves.stride(first, last), (left - first) / (last - first)) for first, last, left in spans]
    closing = [_begin_at(stride, left) for stride, left in found if _relative_gap(stride) <= MAX_CYCLE_GAP]
    if not closing:
        raise InputError(
            "no stride ends close to the pose it begins with", file=motion.name, fix="use a steady walk or run"
        )
    return closing


def sample_whole_clip(motion: Motion) -> Stride:
    """Return the clip from its first frame to its last as one movement that need not be periodic."""
    return _Curves(motion).stride(0.0, motion.duration)


def compute_leg_length(skeleton: Skeleton, parts: dict[str, int]) -> float:
    """Return the mean leg length from hip to ankle (metres)."""
    legs = [[skeleton.offsets[parts[f"{side}_{part}"]] for part in ("shank", "foot")] for side in SIDES]
    return float(np.linalg.norm(legs, axis=2).sum(axis=1).mean())


def _relative_gap(stride: Stride) -> float:
    """Return the gap between last and first pose, relative to the largest deviation from the first (joint angles)."""
    turned = quat.multiply(quat.conjugate(stride.rotations[:1]), stride.rotations)
    away = np.sqrt(np.sum(quat.angle(turned) ** 2, axis=1))
    return float(away[-1] / max(float(away.max()), 1e-9))


def _begin_at(stride: Stride, begin: float) -> Stride:
    """Return a stride that begins at a share of its period.

    Its seam moves inside it, so that it is closed first: the gap between end and begin is spread over all phases.
    """
    shift = round(SAMPLES * begin)
    if not shift:
        return stride
    share = np.linspace(-0.5, 0.5, SAMPLES + 1)[:, None]
    root = stride.root - share * (stride.root[-1] - stride.root[0])
    gap = quat.log(quat.multiply(stride.rotations[-1], quat.conjugate(stride.rotations[0])))
    rotations = quat.multiply(quat.exp(-share[..., None] * gap), stride.rotations)
    root, rotations, contacts = (np.roll(x[:-1], -shift, axis=0) for x in (root, rotations, stride.contacts))
    root, rotations, contacts = (np.concatenate((x, x[:1])) for x in (root, rotations, contacts))
    return replace(stride, root=root, rotations=rotations, contacts=contacts)


def _repeat(motion: Motion) -> Motion:
    """Return a clip of one cycle, as games have them, three times over; other clips as they are."""
    try:
        cycle = find_cycle(motion)
    except InputError:
        return motion
    return repeat_cycle(close_cycle(motion, cycle), 3)


def _find_spans(motion: Motion) -> list[tuple[float, float, float]]:
    """Return first time, last time and left strike of every stride: from left strikes, else from right ones."""
    strikes = find_gait_events(motion).strikes
    if spans := _spans(strikes["left"]):
        return [(first, last, first) for first, last in spans]
    inside = [
        (a, b, strikes["left"][(strikes["left"] > a) & (strikes["left"] < b)]) for a, b in _spans(strikes["right"])
    ]
    return [(a, b, float(left[0])) for a, b, left in inside if len(left)]


def _spans(strikes: Array) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in pairwise(strikes) if SHORTEST_CYCLE <= b - a <= LONGEST_CYCLE]


class _Curves:
    """A clip as curves over time, evaluated at any phase."""

    def __init__(self, motion: Motion) -> None:
        from scipy.interpolate import CubicSpline

        parts = require_rig(motion).parts
        motion = gather_at_root(motion)
        self.motion, self.times = motion, motion.times
        self.local = local_frames(motion.skeleton, motion.q).rotations
        self.touching, floor = find_touching(motion)
        places = (motion.placement.positions[:, 0] - [0.0, 0.0, floor]) / compute_leg_length(
            motion.skeleton, dict(parts)
        )
        self.place = CubicSpline(motion.times, places)
        hips = [motion.placement.positions[:, parts[f"{side}_thigh"]] for side in SIDES]
        across = hips[0] - hips[1]
        self.facing = np.unwrap(np.arctan2(-across[:, 0], across[:, 1]))

    def stride(self, first: float, last: float) -> Stride:
        """Return the stride between two times."""
        phases = np.linspace(0.0, 2.0 * np.pi, SAMPLES + 1)
        times, period = np.linspace(first, last, SAMPLES + 1), last - first
        place, velocity = self.place(times), self.place(times, 1) * period / (2.0 * np.pi)
        facing = np.interp(times, self.times, self.facing)
        turn = (facing[-1] - facing[0]) / (2.0 * np.pi)
        path = turn * phases + np.mean(facing - turn * phases)
        path = path + _align_with_travel(velocity, path)
        cos, sin = np.cos(path), np.sin(path)
        forward, left = cos * velocity[:, 0] + sin * velocity[:, 1], cos * velocity[:, 1] - sin * velocity[:, 0]
        root = np.stack((place[:, 2], forward, left, np.full_like(path, turn)), axis=1)
        rotations = _interpolate_rotations(self.local, times / self.motion.frame_time)
        rotations[:, 0] = quat.multiply(quat.from_axis_angle((0.0, 0.0, 1.0), -path), rotations[:, 0])
        contacts = np.stack([np.interp(times, self.times, row) for row in self.touching.T.astype(float)], axis=1)
        return Stride(rotations, root, contacts, period, self.motion.skeleton.names, self.motion.name)


def find_sole_points(motion: Motion) -> Array:
    """Return heel and ball (2, 2, 3) of the left and the right foot in the feet's frames (m)."""
    points = {point.name: point.point for point in find_foot_points(motion)}
    return np.array([points[name] for name in FOOT_POINTS]).reshape(2, 2, 3)


def find_touching(motion: Motion) -> tuple[NDArray[np.bool_], float]:
    """Return which of FOOT_POINTS touch the floor (frames, 4), and the height (metres) at which they do."""
    contacts = find_foot_contacts(motion)
    points = {point.name: point for point in find_foot_points(motion)}
    places = {name: track_point(motion, points[name]) for name in FOOT_POINTS}
    touching = np.stack(
        [
            contacts.touching(name) & (compute_speed(places[name], motion.frame_time) < TOUCH_SPEED)
            for name in FOOT_POINTS
        ],
        axis=1,
    )
    heights = np.stack([places[name][:, 2] for name in FOOT_POINTS], axis=1)
    if not touching.any():
        raise InputError("no contact of the feet with the floor was found", file=motion.name)
    return touching, float(np.median(heights[touching]))


def _align_with_travel(velocity: Array, path: Array) -> float:
    """Return radians to add to the path's heading so that the root travels along it, forward or backward."""
    c, s = np.cos(path), np.sin(path)
    forward = float(np.mean(c * velocity[:, 0] + s * velocity[:, 1]))
    left = float(np.mean(c * velocity[:, 1] - s * velocity[:, 0]))
    if 2.0 * np.pi * np.hypot(forward, left) < _MIN_TRAVEL:
        return 0.0
    angle = float(np.arctan2(left, forward) if forward > 0.0 else np.arctan2(-left, -forward))
    return angle if abs(angle) < _ALONG else 0.0


def _interpolate_rotations(local: Array, frames: Array) -> Array:
    """Interpolate rotations (phases, joints, 4) at fractional frames."""
    before = np.clip(frames.astype(int), 0, len(local) - 2)
    return quat.slerp(local[before], local[before + 1], (frames - before)[:, None, None])
