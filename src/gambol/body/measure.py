"""Read the lengths of a body off a rig that moves, whatever its rest pose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.human import Build, average_build, foot_points
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.rig import Rig, lacks_thorax

_THORAX = 0.067
"""Length of the bone that the CMU conversion dropped, as a share of body height: 117 mm at 1.75 m."""
_LEGS = 0.49
_RESTING = 0.15
"""Metres a second below which a foot rests."""


def known_rig(motion: Motion) -> Rig:
    """The rig of a motion, or an error that says that it has none."""
    if motion.rig is None:
        raise InputError("the rig of this motion is not known", file=motion.name, fix="pass --rig with a mapping file")
    return motion.rig


def with_thorax(motion: Motion) -> Motion:
    """The motion on a rig whose neck and shoulders sit on a thorax of normal length, if it had lost that."""
    rig = known_rig(motion)
    if not lacks_thorax(motion.skeleton, rig):
        return motion
    chest, neck = rig.parts["chest"], rig.parts["neck"]
    # The missing bone runs on in the direction of the one below it, as the AMC skeletons have it.
    below = motion.skeleton.offsets[chest]
    way = below / np.linalg.norm(below) * _THORAX * _stature(motion)
    offsets = motion.skeleton.offsets.copy()
    offsets[[neck, rig.parts["left_collar"], rig.parts["right_collar"]]] = way
    return replace(motion, skeleton=replace(motion.skeleton, offsets=offsets))


def _stature(motion: Motion) -> float:
    """Body height by the length of the legs."""
    return (_span(motion, "left_thigh", "left_shank") + _span(motion, "left_shank", "left_foot")) / _LEGS


def _span(motion: Motion, upper: str, lower: str) -> float:
    rig = known_rig(motion)
    here = motion[:1].placement.positions[0]
    return float(np.linalg.norm(here[rig.parts[lower]] - here[rig.parts[upper]]))


def frame_of(across: Array, up: Array) -> Array:
    """Rotation matrices (..., 3, 3) with y along `across` (to the left) and z as near to `up` as can be."""
    y = across / np.linalg.norm(across, axis=-1, keepdims=True)
    x = np.cross(y, up)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack((x, y, np.cross(x, y)), axis=-1)


class Landmarks:
    """Where the parts of a rig are, and the frames of pelvis and chest that they span, in every frame."""

    def __init__(self, motion: Motion) -> None:
        rig = known_rig(motion)
        self.parts, self.motion = rig.parts, motion
        self.positions = motion.placement.positions
        self.hips = 0.5 * (self["left_thigh"] + self["right_thigh"])
        self.spine = self[self._first("spine", "chest")]
        self.chest = self[self._first("chest", "spine")]
        self.neck = self[self._first("neck", "head")]
        self.pelvis_frame = frame_of(self["left_thigh"] - self["right_thigh"], self.chest - self.hips)
        self.chest_frame = frame_of(self["left_upper_arm"] - self["right_upper_arm"], self.neck - self.chest)

    def __getitem__(self, part: str) -> Array:
        return self.positions[:, self.parts[part]]

    def __contains__(self, part: str) -> bool:
        return part in self.parts

    def _first(self, *parts: str) -> str:
        found = next((part for part in parts if part in self.parts), None)
        if found is None:
            raise InputError(f"the rig has none of {', '.join(parts)}", file=self.motion.name)
        return found

    def tip(self, part: str) -> Array | None:
        """The end of the part's longest child, if it has one."""
        skeleton, joint = self.motion.skeleton, self.parts[part]
        best = max(skeleton.children[joint], key=lambda c: float(np.linalg.norm(skeleton.offsets[c])), default=None)
        return None if best is None else self.positions[:, best]


def build_of(motion: Motion) -> Build:
    """The lengths of the body that a rig shows."""
    marks = Landmarks(with_thorax(motion))
    usual = average_build(float(np.clip(_stature(motion), 0.4, 2.6)))
    offsets, tips = dict(usual.offsets), dict(usual.tips)

    def middle(frame: Array, way: Array) -> Array:
        return np.median(np.einsum("fji,fj->fi", frame, way), axis=0)

    def length(a: Array, b: Array) -> float:
        return float(np.median(np.linalg.norm(b - a, axis=1)))

    plane = np.array([1.0, 0.0, 1.0])
    lumbar = middle(marks.pelvis_frame, marks.spine - marks.hips) * plane
    offsets["spine"] = lumbar if lumbar[2] > 0.01 else usual.offsets["spine"]
    offsets["chest"] = np.array(
        [0.0, 0.0, max(length(marks.hips, marks.chest) - float(np.linalg.norm(offsets["spine"])), 0.02)]
    )
    offsets["head"] = middle(marks.chest_frame, marks.neck - marks.chest) * plane
    crown = marks.tip("head")
    if crown is not None and (reach := length(marks.neck, crown)) > 0.08 * usual.height:
        tips["head"] = np.array([0.0, 0.0, reach])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        shoulder = marks[f"{side}_upper_arm"]
        collar = marks[f"{side}_collar" if f"{side}_collar" in marks else f"{side}_upper_arm"]
        if length(collar, shoulder) < 0.03:
            collar = shoulder + (marks.neck - shoulder) * 0.8
        offsets[f"{side}_collar"] = middle(marks.chest_frame, collar - marks.chest)
        offsets[f"{side}_upper_arm"] = np.array([0.0, sign * length(collar, shoulder), 0.0])
        offsets[f"{side}_thigh"] = np.array([0.0, 0.5 * sign * length(marks["left_thigh"], marks["right_thigh"]), 0.0])
        for upper, lower in (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shank"), ("shank", "foot")):
            if f"{side}_{lower}" in marks:
                offsets[f"{side}_{lower}"] = np.array(
                    [0.0, 0.0, -length(marks[f"{side}_{upper}"], marks[f"{side}_{lower}"])]
                )
        tips |= _foot(marks, side, usual.height)
    return Build(offsets, tips)


def toe_joint(motion: Motion, side: str) -> Array | None:
    """The rig's toe joint in the frame of a flat foot at its ankle (x forward, z up), where the rig has one."""
    rig = known_rig(motion)
    if f"{side}_toes" not in rig.parts:
        return None
    ankle, toe = rig.parts[f"{side}_foot"], rig.parts[f"{side}_toes"]
    positions = motion.placement.positions
    reach = float(np.median(np.linalg.norm(positions[:, toe] - positions[:, ankle], axis=1)))
    drop = _drop_at_rest(motion, ankle, toe)
    drop = drop if 0.0 < drop < 0.7 * reach else 0.3 * reach
    return np.array([np.sqrt(max(reach**2 - drop**2, 1e-4)), 0.0, -drop])


def _drop_at_rest(motion: Motion, ankle: int, toe: int) -> float:
    """How far the ankle is above the toe joint while the foot rests on the ground, or else in the rest pose."""
    places = motion.placement.positions[:, [ankle, toe]]
    speeds = (
        np.linalg.norm(np.gradient(places, motion.frame_time, axis=0), axis=2).max(axis=1) if len(places) > 2 else []
    )
    still = np.flatnonzero(np.asarray(speeds) < _RESTING)
    if len(still) > 4:
        low = still[places[still, 1, 2] <= np.percentile(places[still, 1, 2], 50)]
        return float(np.median(places[low, 0, 2] - places[low, 1, 2]))
    at_rest = place(motion.skeleton, np.zeros((1, motion.q.shape[1]))).positions[0]
    return float(at_rest[ankle, 2] - at_rest[toe, 2])


def _foot(marks: Landmarks, side: str, height: float) -> dict[str, Array]:
    """Heel, ball and tip of a foot: on the ground under the toe joint, which sits inside the foot."""
    toe = toe_joint(marks.motion, side)
    if toe is None:
        return foot_points(side, 0.039 * height, 0.152 * height)
    sole = toe[2] - 0.014 * height
    return {
        f"{side}_heel": np.array([-0.5 * toe[0], 0.0, sole]),
        f"{side}_ball": np.array([toe[0], 0.0, sole]),
        f"{side}_toe": np.array([1.58 * toe[0], 0.0, sole]),
    }


def rotations_of(frames: Array) -> Array:
    """Quaternions of rotation matrices (frames, 3, 3), signs running on."""
    return quat.continuous(quat.from_matrix(frames))
