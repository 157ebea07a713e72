"""Recordings of two people whose hands meet: which hands, when they touch and where, and in which style.

All of a trial is in the frame of person 1: the ground below the pelvis in the first frame, x towards person 2, z up.
Recordings end at the wrist or at the base of the fingers, so that hands stay 0.1 to 0.4 m apart when they touch. The
touching points of both hands are therefore fitted: as near to the palms as possible, and together at the contact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from gambol.body.measure import require_rig
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.kinematics import Placement, local_frames
from gambol.motion.motion import Motion
from gambol.poses.reach import Arm, HandPoint, find_arm

NEUTRAL: Mapping[str, float] = MappingProxyType({})
"""The style without emotions."""
_PALM = 0.08
"""Distance (m) from the wrist to the middle of the palm; a hand is 0.108 of the stature long (Winter 2009)."""
_PALM_SHARE = 0.43
"""The same as a share of the length of a hand."""
_FARTHEST = 0.25
"""Largest distance (m) from the wrist to the point that touches, beyond the fingertips of a large hand."""
_STIFFNESS = 0.05
"""Weight of the distance of a touching point from the palm, relative to that between both points."""
_TOUCHING = 0.02
"""Seconds around the contact in which touching points should be together."""
_APART, _TOGETHER = 0.6, 0.2
"""Largest distance (m) between the wrists of hands that touch, and the one within which they surely do."""
_PART = 0.15
"""Metres by which wrists that are within _TOGETHER are farther apart in the first frame or in the last. People who walk
arm in arm, or hand in hand, do not meet."""
_APPROACH = 0.35
"""Metres by which the wrists of hands that meet are farther apart in the first frame than at the contact. Arms that
swing side by side come up to 0.3 m nearer."""


@dataclass(frozen=True, eq=False)
class Trial:
    """Two people who meet; made by `find_trial`."""

    people: tuple[Motion, Motion]
    """On one clock and in one world."""
    hands: tuple[HandPoint, HandPoint]
    contact: int
    """Frame in which their hands touch."""
    style: Mapping[str, float] = field(default_factory=dict)
    """Share of every emotion; none: neutral."""

    def __len__(self) -> int:
        return len(self.people[0])

    @property
    def frame_time(self) -> float:
        """Seconds."""
        return self.people[0].frame_time

    @cached_property
    def frame(self) -> GroundFrame:
        """The frame of person 1."""
        one, two = (person.placement.positions[0, 0] for person in self.people)
        return GroundFrame(one * [1.0, 1.0, 0.0], float(np.arctan2(*(two - one)[[1, 0]])))

    @cached_property
    def arms(self) -> tuple[Arm, Arm]:
        """The arms whose hands touch."""
        one, two = (find_arm(person, hand) for person, hand in zip(self.people, self.hands, strict=True))
        return one, two

    @cached_property
    def local(self) -> tuple[Placement, Placement]:
        """Joints relative to their parents, the roots relative to the frame of the trial."""
        one, two = (self.frame.see(local_frames(person.skeleton, person.q)) for person in self.people)
        return one, two

    @cached_property
    def paths(self) -> tuple[Array, Array]:
        """Places (frames, 3) of both touching points in the frame of the trial (m)."""
        one, two = (arm.locate(local) for arm, local in zip(self.arms, self.local, strict=True))
        return one, two

    @property
    def place(self) -> Array:
        """(3,) where the hands touch, in the frame of the trial (m)."""
        return 0.5 * (self.paths[0][self.contact] + self.paths[1][self.contact])

    @property
    def gap(self) -> float:
        """Distance (m) between the touching points at the contact."""
        return float(np.linalg.norm(self.paths[0][self.contact] - self.paths[1][self.contact]))

    @cached_property
    def phases(self) -> Array:
        """(frames,) from 0 over 0.5 at the contact to 1."""
        last = len(self) - 1
        return np.interp(np.arange(len(self)), [0, self.contact, last], [0.0, 0.5, 1.0])


@dataclass(frozen=True, eq=False)
class GroundFrame:
    """A frame on the ground: where it is, and the direction of its x axis."""

    origin: Array
    """(3,) metres."""
    heading: float
    """Radians from the world's x axis."""

    @cached_property
    def turn(self) -> Array:
        """(4,) rotation from this frame to the world."""
        return quat.from_axis_angle(UP, np.array(self.heading))

    def see(self, local: Placement) -> Placement:
        """Return joints' frames relative to their parents with the root relative to this frame, not to the world."""
        positions, rotations = local.positions.copy(), local.rotations.copy()
        positions[:, 0] = self.from_world(local.positions[:, 0])
        rotations[:, 0] = quat.multiply(quat.conjugate(self.turn), local.rotations[:, 0])
        return Placement(positions, rotations)

    def from_world(self, points: Array) -> Array:
        """Return points (..., 3) of the world as seen in this frame (m)."""
        return quat.rotate(quat.conjugate(self.turn), points - self.origin)

    def to_world(self, points: Array) -> Array:
        """Return world positions (..., 3) of points of this frame (m)."""
        return self.origin + quat.rotate(self.turn, points)


def find_trial(one: Motion, two: Motion, style: Mapping[str, float] | str = "neutral") -> Trial:
    """Return two people as a trial: hands and contact are those that come nearest to each other."""
    if len(one) != len(two) or abs(one.frame_time - two.frame_time) > 1e-6:
        raise InputError(
            f"'{one.name}' has {len(one)} frames of {one.frame_time:g} s, "
            f"'{two.name}' {len(two)} of {two.frame_time:g} s",
            fix="use two recordings of one scene, on one clock",
        )
    nearest = min(
        (_measure_nearest(one, two, first, second) for first in ("left", "right") for second in ("left", "right")),
        key=lambda found: found[0],
    )
    apart, contact, sides = nearest
    if not np.isfinite(apart):
        raise InputError(
            f"the rig of '{one.name}' or of '{two.name}' has no hands", fix="map the hands' joints with --rig"
        )
    if apart > _APART:
        raise InputError(
            f"the hands of '{one.name}' and '{two.name}' never touch: their wrists stay {apart:.2f} m apart",
            fix="use two people of one scene, who shake hands or give a high five",
        )
    first, last = _measure_distances(one, two, *sides)[[0, -1]]
    if first - apart < _APPROACH and (apart > _TOGETHER or max(first, last) - apart < _PART):
        raise InputError(
            f"the hands of '{one.name}' and '{two.name}' do not meet: their wrists are {first:.2f} m apart in the "
            f"first frame and {apart:.2f} m where they are nearest",
            fix="use two people who shake hands or give a high five, in clips that begin with their hands apart",
        )
    shares = parse_style(style) if isinstance(style, str) else dict(style)
    return Trial((one, two), fit_hands((one, two), sides, contact), contact, shares)


def parse_style(name: str) -> dict[str, float]:
    """Return the shares of emotions: "happy", "happy=0.5,sad=0.5", or "neutral" for none."""
    shares: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in name.split(","))):
        emotion, _, share = part.partition("=")
        try:
            number = float(share) if share else 1.0
        except ValueError:
            number = np.nan
        if not emotion.strip() or not np.isfinite(number):
            raise InputError(f"'{part}' is not a style and a number", fix='write styles as "happy=0.5,sad=0.5"')
        shares[emotion.strip()] = number
    return {emotion: share for emotion, share in shares.items() if emotion != "neutral" and share != 0.0}


def fit_hands(people: Sequence[Motion], sides: Sequence[str], contact: int) -> tuple[HandPoint, HandPoint]:
    """Return the points of both hands that touch in a frame."""
    near = max(1, round(_TOUCHING / people[0].frame_time))
    frames = np.arange(max(contact - near, 0), min(contact + near + 1, len(people[0])))
    wrists, turns, palms = [], [], []
    for person, side in zip(people, sides, strict=True):
        joint = require_rig(person).parts[f"{side}_hand"]
        wrists.append(person.placement.positions[frames, joint])
        turns.append(quat.to_matrix(person.placement.rotations[frames, joint]))
        palms.append(_PALM * _find_fingers(person, joint))
    # |wrist 1 + turn 1 point 1 - wrist 2 - turn 2 point 2|² + stiffness |points - palms|², both linear in the points.
    rows = np.concatenate([turns[0], -turns[1]], axis=2).reshape(-1, 6)
    stiff = np.sqrt(_STIFFNESS * len(frames)) * np.eye(6)
    sides_known = np.concatenate([(wrists[1] - wrists[0]).ravel(), stiff @ np.concatenate(palms)])
    found = np.linalg.lstsq(np.vstack([rows, stiff]), sides_known, rcond=None)[0].reshape(2, 3)
    sizes = np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    found *= np.minimum(1.0, _FARTHEST / sizes)
    return HandPoint(sides[0], found[0]), HandPoint(sides[1], found[1])


def shorten_hands(trial: Trial) -> Trial:
    """Return a trial whose touching points are no farther from the wrists than the palms of the rigs' hands.

    Rigs of recordings may have arms that are too short. Touching points that are together in the air then leave a gap
    between the hands; with these, arms have to reach farther (`move_contact`).
    """
    one, two = (
        replace(hand, point=hand.point * min(1.0, _measure_palm(person, hand.side) / float(np.linalg.norm(hand.point))))
        for person, hand in zip(trial.people, trial.hands, strict=True)
    )
    return replace(trial, hands=(one, two))


def _measure_palm(motion: Motion, side: str) -> float:
    """Return the distance (m) from the wrist to the middle of the palm of a rig's hand."""
    joint, skeleton = require_rig(motion).parts[f"{side}_hand"], motion.skeleton
    below = [n for n in range(joint + 1, len(skeleton.names)) if joint in skeleton.path_to_root(n)]
    places = motion.placement.positions[0]
    longest = float(max([0.0, *np.linalg.norm(places[below] - places[joint], axis=1)]))
    return _PALM_SHARE * longest if longest > 1e-3 else _PALM


def _find_fingers(motion: Motion, hand: int) -> Array:
    """Return the unit direction (3,) from a wrist to the fingers in the frame of the hand."""
    skeleton = motion.skeleton
    below = [joint for joint in range(hand + 1, len(skeleton.names)) if hand in skeleton.path_to_root(joint)]
    placed = motion.placement
    places = placed.positions[0, below] - placed.positions[0, hand] if below else np.zeros((0, 3))
    sizes = np.linalg.norm(places, axis=1) if len(places) else np.zeros(0)
    if not len(sizes) or sizes.max() < 1e-3:  # the forearm's direction
        away = placed.positions[0, hand] - placed.positions[0, skeleton.parents[hand]]
    else:
        away = places[sizes.argmax()]
    away = quat.rotate(quat.conjugate(placed.rotations[0, hand]), away)
    return np.asarray(away / np.linalg.norm(away))


def _measure_nearest(one: Motion, two: Motion, first: str, second: str) -> tuple[float, int, tuple[str, str]]:
    """Return the least distance (m) between two wrists, its frame and the sides."""
    apart = _measure_distances(one, two, first, second)
    return float(apart.min()), int(apart.argmin()), (first, second)


def _measure_distances(one: Motion, two: Motion, first: str, second: str) -> Array:
    """Return the distances (frames,) between two wrists (m), infinite without hands."""
    wrists = []
    for person, side in ((one, first), (two, second)):
        joint = require_rig(person).parts.get(f"{side}_hand")
        if joint is None:
            return np.full(len(one), np.inf)
        wrists.append(person.placement.positions[:, joint])
    return np.asarray(np.linalg.norm(wrists[0] - wrists[1], axis=1))
