"""Measure the build of a body on a moving rig, independently of the rig's rest pose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.assumptions import LEG_SHARE, REST_SPEED
from gambol.body.build import Build, estimate_foot_points, make_average_build
from gambol.errors import InputError, RigError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import unit_vectors
from gambol.motion.kinematics import place
from gambol.motion.motion import POINTS_FORMAT, Motion, explain_missing_rig
from gambol.motion.rig import Rig, lacks_thorax

_THORAX = 0.067
"""Length of the bone that is missing in the CMU conversion, as a share of body height: 117 mm at 1.75 m."""
_APART = 0.005
"""Distance (m) below which two joints count as one point, so that the bone has no direction."""
_LUMBAR, _THORACIC = 0.164, 0.466
"""Position of missing back joints, as shares of the distance from the hips to the neck (lumbar) and from the lumbar
joint to the neck (thoracic). Both are the shares of `make_average_build`."""
_COLLAR = 0.8
"""Length of a missing collar, as a share of the horizontal distance from the middle to the shoulder."""
_BONES = (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shank"), ("shank", "foot"))


def require_rig(motion: Motion) -> Rig:
    """Return the rig of a motion; raise an error that lists the missing parts of a person if it has none."""
    if motion.rig is None and motion.origin.format == POINTS_FORMAT:
        raise RigError(f"no person can be fitted to its markers, {motion.notes[-1]}", file=motion.name)
    if motion.rig is None:
        raise explain_missing_rig(motion, motion.name)
    return motion.rig


def restore_thorax(motion: Motion) -> Motion:
    """Return the motion with a thorax of normal length below neck and shoulders, if the rig lacks one."""
    rig = require_rig(motion)
    if not lacks_thorax(motion.skeleton, rig) or not motion.skeleton.offsets[rig.parts["chest"]].any():
        return motion
    chest, neck = rig.parts["chest"], rig.parts["neck"]
    # The missing bone continues in the direction of the one below it, as in the AMC skeletons.
    below = motion.skeleton.offsets[chest]
    thorax = below / np.linalg.norm(below) * _THORAX * _stature(motion)
    offsets = motion.skeleton.offsets.copy()
    offsets[[neck, rig.parts["left_collar"], rig.parts["right_collar"]]] = thorax
    return replace(motion, skeleton=replace(motion.skeleton, offsets=offsets))


def _stature(motion: Motion) -> float:
    """Return the body height (m) that follows from the length of the legs."""
    return measure_leg_length(motion) / LEG_SHARE


def measure_leg_length(motion: Motion) -> float:
    """Return the mean length (m) of a rig's legs from hip to ankle, in the first frame."""
    parts, here = require_rig(motion).parts, motion[:1].placement.positions[0]
    legs = [here[[parts[f"{side}_{part}"] for part in ("thigh", "shank", "foot")]] for side in ("left", "right")]
    return float(np.linalg.norm(np.diff(legs, axis=1), axis=2).sum(axis=1).mean())


def frames_from_axes(across: Array, up: Array) -> Array:
    """Return rotation matrices (..., 3, 3) with y along `across` (to the left) and z as close to `up` as possible."""
    y = unit_vectors(across)
    x = np.cross(y, up)
    x = unit_vectors(x)
    return np.stack((x, y, np.cross(x, y)), axis=-1)


class Landmarks:
    """Positions of the parts of a rig over time, and the orientations of pelvis and chest.

    A rig may lack neck, collars, hands or toes, and may have one back joint or none: `spine` and `chest` are then on
    the line to the neck, at the shares of an average back.
    """

    def __init__(self, motion: Motion) -> None:
        self.motion, self.positions = motion, motion.placement.positions
        self.parts = dict(require_rig(motion).parts)
        for side in ("left", "right"):
            if f"{side}_toes" in self and not self._apart(self[f"{side}_foot"], self[f"{side}_toes"]):
                del self.parts[f"{side}_toes"]
        self._check_bones()
        self.hips = 0.5 * (self["left_thigh"] + self["right_thigh"])
        self.neck = self["neck" if "neck" in self else "head"]
        if not self._apart(self.hips, self.neck):
            raise self._same_place("hips", "neck")
        self.spine, self.chest = self._back()
        self.pelvis_frame = frames_from_axes(self["left_thigh"] - self["right_thigh"], self.chest - self.hips)
        below = self.chest if self._apart(self.chest, self.neck) else self.spine
        self.chest_frame = frames_from_axes(self["left_upper_arm"] - self["right_upper_arm"], self.neck - below)

    def __getitem__(self, part: str) -> Array:
        return self.positions[:, self.parts[part]]

    def __contains__(self, part: str) -> bool:
        return part in self.parts

    def _back(self) -> tuple[Array, Array]:
        """Return lumbar and thoracic joint (frames, 3); if the rig lacks one, both are on the line to the neck."""
        joints = [self[part] for part in ("spine", "chest") if part in self]
        if len(joints) == 2 and self._apart(*joints):
            return joints[0], joints[1]
        shown = bool(joints) and self._apart(joints[0], self.neck)
        lumbar = joints[0] if shown else self.hips + _LUMBAR * (self.neck - self.hips)
        return lumbar, lumbar + _THORACIC * (self.neck - lumbar)

    def _check_bones(self) -> None:
        """Raise an error if a bone that defines an orientation has no length."""
        pairs = [(f"left_{part}", f"right_{part}") for part in ("thigh", "upper_arm")]
        pairs += [(f"{side}_{upper}", f"{side}_{lower}") for side in ("left", "right") for upper, lower in _BONES]
        for one, other in pairs:
            if one in self and other in self and not self._apart(self[one], self[other]):
                raise self._same_place(one, other)

    def _apart(self, one: Array, other: Array) -> bool:
        # Relative to the body too: a wrong --scale is reported by its height, not as joints in one place.
        extent = float(np.ptp(self.positions[0], axis=0).max())
        return float(np.median(np.linalg.norm(other - one, axis=1))) > min(_APART, 1e-3 * extent)

    def _same_place(self, one: str, other: str) -> InputError:
        return InputError(
            f"the joints of {one} and {other} are in the same place: the bone between them has no direction",
            file=self.motion.name,
            fix="map each part to its own joint in a file for --rig",
        )

    def tip(self, part: str) -> Array | None:
        """Return the positions (frames, 3) of the end of the part's longest child bone, or None without children."""
        skeleton, joint = self.motion.skeleton, self.parts[part]
        best = max(skeleton.children[joint], key=lambda c: float(np.linalg.norm(skeleton.offsets[c])), default=None)
        return None if best is None else self.positions[:, best]


def measure_build(motion: Motion) -> Build:
    """Measure the build of the body that a rig represents."""
    marks = Landmarks(restore_thorax(motion))
    usual = make_average_build(float(np.clip(_stature(motion), 0.4, 2.6)))
    offsets, tips = dict(usual.offsets), dict(usual.tips)

    def middle(frame: Array, offset: Array) -> Array:
        return np.median(np.einsum("fji,fj->fi", frame, offset), axis=0)

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
        offsets[f"{side}_collar"] = middle(marks.chest_frame, collar - marks.chest)
        offsets[f"{side}_upper_arm"] = np.array([0.0, sign * length(collar, shoulder), 0.0])
        if length(collar, shoulder) < 0.03:
            out = middle(marks.chest_frame, shoulder - marks.chest)
            offsets[f"{side}_collar"] = out * [1.0, 1.0 - _COLLAR, 1.0]
            offsets[f"{side}_upper_arm"] = out * [0.0, _COLLAR, 0.0]
        offsets[f"{side}_thigh"] = np.array([0.0, 0.5 * sign * length(marks["left_thigh"], marks["right_thigh"]), 0.0])
        for upper, lower in _BONES:
            if f"{side}_{lower}" in marks:
                offsets[f"{side}_{lower}"] = np.array(
                    [0.0, 0.0, -length(marks[f"{side}_{upper}"], marks[f"{side}_{lower}"])]
                )
        tips |= _foot(marks, side, usual.height)
    return Build(offsets, tips)


def find_toe_joint(marks: Landmarks, side: str) -> Array | None:
    """Return the toe joint (3,) in the frame of a flat foot at its ankle (x forward, z up), or None without one."""
    if f"{side}_toes" not in marks:
        return None
    reach = float(np.median(np.linalg.norm(marks[f"{side}_toes"] - marks[f"{side}_foot"], axis=1)))
    drop = _drop_at_rest(marks.motion, marks.parts[f"{side}_foot"], marks.parts[f"{side}_toes"])
    drop = drop if 0.0 < drop < 0.7 * reach else 0.3 * reach
    return np.array([np.sqrt(max(reach**2 - drop**2, 1e-4)), 0.0, -drop])


def _drop_at_rest(motion: Motion, ankle: int, toe: int) -> float:
    """Return the height (m) of the ankle above the toe joint while the foot is on the ground, else in the rest pose."""
    places = motion.placement.positions[:, [ankle, toe]]
    speeds = (
        np.linalg.norm(np.gradient(places, motion.frame_time, axis=0), axis=2).max(axis=1) if len(places) > 2 else []
    )
    still = np.flatnonzero(np.asarray(speeds) < REST_SPEED)
    if len(still) > 4:
        low = still[places[still, 1, 2] <= np.percentile(places[still, 1, 2], 50)]
        return float(np.median(places[low, 0, 2] - places[low, 1, 2]))
    at_rest = place(motion.skeleton, np.zeros((1, motion.q.shape[1]))).positions[0]
    return float(at_rest[ankle, 2] - at_rest[toe, 2])


def _foot(marks: Landmarks, side: str, height: float) -> dict[str, Array]:
    """Return heel, ball and toe tip of a foot: on the sole, which lies below the toe joint."""
    toe = find_toe_joint(marks, side)
    if toe is None:
        return estimate_foot_points(side, 0.039 * height, 0.152 * height)
    sole = toe[2] - 0.014 * height
    return {
        f"{side}_heel": np.array([-0.5 * toe[0], 0.0, sole]),
        f"{side}_ball": np.array([toe[0], 0.0, sole]),
        f"{side}_toe": np.array([1.58 * toe[0], 0.0, sole]),
    }


def matrices_to_quaternions(frames: Array) -> Array:
    """Return quaternions of rotation matrices (frames, 3, 3), with continuous signs."""
    return quat.make_continuous(quat.from_matrix(frames))
