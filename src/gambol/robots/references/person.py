"""Where the bodies of a person are, from single frames of a rig.

Joint centres are those of the rig; pelvis, chest and head have the axes that joints span in a frame. Heads look where
they look in the rest pose; feet turn with their joints. A character that is fitted is measured on all frames of a clip:
it would be another one when the clip is cut elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.body.measure import Landmarks, restore_thorax
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross, lengths
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import NeutralPose, has_body
from gambol.spacetime.resampling import resample_at, sample_curves
from gambol.stages.feet import SIDES, find_flat_foot

_JOINTS = ("thigh", "shank", "foot", "upper_arm", "forearm")
_TURNED = ("pelvis", "chest", "head", "left_foot", "right_foot")
_AHEAD = np.array([1.0, 0.0, 0.0])
_MIDDLE, _THICK = 0.25, 0.17
"""Where the middle of a sole is: ahead of the ankle, as a share of the way to the toe joint, and below that joint, as a
share of its distance from the ankle."""
_ENDS = (-0.4, 1.0)
"""Heel and ball ahead of the ankle, as shares of that way."""


class PersonBodies(NamedTuple):
    """Bodies of a person by name."""

    positions: Mapping[str, Array]
    """(frames, 3) each (m): joint centres, the middle between the hips as the pelvis."""
    rotations: Mapping[str, Array]
    """(frames, 4) each, from axes that point ahead, left and up: of pelvis, chest, head and feet."""

    def find_sole(self, side: str) -> Array:
        """Return the middle of a sole (frames, 3) (m)."""
        ankle, turned = (each[f"{side}_foot"] for each in self)
        toes = quat.rotate(quat.conjugate(turned), self.positions[f"{side}_toes"] - ankle)
        own = toes * (_MIDDLE, 0.0, 1.0)
        own[:, 2] -= _THICK * lengths(toes)
        return np.asarray(ankle + quat.rotate(turned, own))

    def find_sole_ends(self, side: str) -> Array:
        """Return heel and ball (2, 3) of a sole, level and along x, from its middle (m)."""
        ankle, turned = (each[f"{side}_foot"] for each in self)
        ahead = quat.rotate(quat.conjugate(turned), self.positions[f"{side}_toes"] - ankle)[:, 0]
        return np.outer(np.subtract(_ENDS, _MIDDLE) * np.median(ahead), _AHEAD)

    def level_foot(self, side: str, up: Array) -> PersonBodies:
        """Return them with a foot that is level where a direction (frames, 3) in its axes points up."""
        foot = f"{side}_foot"
        toward = self.positions[f"{side}_toes"] - self.positions[foot]
        turned = quat.make_continuous(_find_axes(quat.rotate(self.rotations[foot], up), toward))
        return self._replace(rotations={**self.rotations, foot: turned})

    def cut(self, frames: slice) -> PersonBodies:
        """Return some of the frames."""
        return PersonBodies(*({name: values[frames] for name, values in each.items()} for each in self))

    def shift(self, by: Array) -> PersonBodies:
        """Return them moved by (frames, 3) metres."""
        return self._replace(positions={name: places + by for name, places in self.positions.items()})

    def turn(self, by: Array) -> PersonBodies:
        """Return them turned by (frames, 4) about the pelvis."""
        base = self.positions["pelvis"]
        positions = {name: base + quat.rotate(by, places - base) for name, places in self.positions.items()}
        return PersonBodies(positions, {name: quat.multiply(by, each) for name, each in self.rotations.items()})


@dataclass(frozen=True, eq=False)
class TrackedPerson:
    """A person who moves."""

    character: Character
    rig: Motion
    bodies: PersonBodies
    """In the frames of the rig."""

    def sample(self, seconds: Array, frame_time: float) -> TrackedPerson:
        """Return the person at some times (s), one frame each."""
        if len(self.rig) == 1:
            return replace(self, rig=replace(self.rig, frame_time=frame_time))
        positions, rotations = (
            sample_curves(self.rig, np.stack(list(each.values()), axis=1), seconds).swapaxes(0, 1)
            for each in self.bodies
        )
        bodies = PersonBodies(
            dict(zip(self.bodies.positions, positions, strict=True)),
            dict(zip(self.bodies.rotations, quat.normalise(rotations), strict=True)),
        )
        return TrackedPerson(self.character, replace(resample_at(self.rig, seconds), frame_time=frame_time), bodies)


def track_person(rig: Motion) -> TrackedPerson:
    """Return the person whom a rig shows."""
    tracker = PersonTracker(rig)
    return TrackedPerson(tracker.character, rig, tracker.track(rig))


class PersonTracker:
    """Finds the bodies of a person in frames of a rig, with the axes of head and feet that one clip of it shows."""

    def __init__(self, rig: Motion) -> None:
        self.character = Character.from_motion(rig)
        marks = Landmarks(restore_thorax(rig))
        feet = [_find_foot_axes(rig, marks, self.character, side) for side in SIDES]
        self._feet = _find_axes(*(np.array(each) for each in zip(*feet, strict=True)))
        """(2, 4): their axes in the frames of their joints."""
        self._toes = dict(zip(SIDES, (toe for _, toe in feet), strict=True))
        """In the frame of the foot's joint (m)."""
        self._face, self._top = _find_head_axes(rig, marks)

    def track(self, rig: Motion) -> PersonBodies:
        """Return the bodies in the frames of the same rig."""
        marks, placed = Landmarks(restore_thorax(rig)), rig.placement.rotations
        head, *feet = (placed[:, marks.parts[name]] for name in ("head", "left_foot", "right_foot"))
        crown = marks.tip("head")
        top = quat.rotate(head, self._top) if crown is None else crown - marks.neck
        rotations = [quat.from_matrix(each) for each in (marks.pelvis_frame, marks.chest_frame)]
        rotations += [_find_axes(top, quat.rotate(head, self._face)), *map(quat.multiply, feet, self._feet)]
        positions: dict[str, Array] = {"pelvis": marks.hips}
        for side, joint in zip(SIDES, feet, strict=True):
            positions |= {f"{side}_{part}": marks[f"{side}_{part}"] for part in _JOINTS}
            shoulder, elbow, hand = (f"{side}_{part}" for part in ("upper_arm", "forearm", "hand"))
            positions[hand] = marks[hand] if hand in marks else 2.0 * positions[elbow] - positions[shoulder]
            positions[f"{side}_toes"] = positions[f"{side}_foot"] + quat.rotate(joint, self._toes[side])
        return PersonBodies(positions, dict(zip(_TURNED, map(quat.make_continuous, rotations), strict=True)))


def _find_axes(up: Array, ahead: Array) -> Array:
    """Return rotations (frames, 4) to axes of which the third points up and the first as much ahead as it can."""
    left = cross(up, ahead)
    z, y = (each / np.maximum(lengths(each), 1e-12)[:, None] for each in (up, left))
    return quat.from_matrix(np.stack((cross(y, z), y, z), axis=-1))


def _find_head_axes(rig: Motion, marks: Landmarks) -> tuple[Array, Array]:
    """Return where face and top of the head are (3,), in the frame of its joint.

    The face is ahead in the rest pose. Rigs that do not stand in it look ahead on average, with the top up.
    """
    head = marks.parts["head"]
    back = quat.conjugate(rig.placement.rotations[:, head])
    face, top = (quat.rotate(back, marks.chest_frame[..., axis]).mean(axis=0) for axis in (0, 2))
    if has_body(rig) and (neutral := NeutralPose(rig)).rests:
        face = quat.rotate(quat.conjugate(neutral.rotations[head]), _AHEAD)
    return face, top


def _find_foot_axes(rig: Motion, marks: Landmarks, person: Character, side: str) -> tuple[Array, Array]:
    """Return what is up, and where the toe joint is (m), in the frame of a foot's joint (3,).

    A foot without toes points ahead as the pelvis does on average, and is of average length.
    """
    up, toe = find_flat_foot(rig, side)
    if toe.any():
        return up, toe
    back = quat.conjugate(rig.placement.rotations[:, marks.parts[f"{side}_foot"]])
    ahead = quat.rotate(back, marks.pelvis_frame[..., 0]).mean(axis=0)
    ball = person.skeleton.offsets[person.skeleton.index(f"{side}_ball_tip")]
    return up, quat.rotate(_find_axes(up[None], ahead[None])[0], ball)
