"""The neutral pose of a rig, in which its body is shaped: upright, arms spread and lowered, legs straight, feet flat.

It is reached from a standing pose, the rig's own rest pose or a frame of a clip, by turning bones without twist. So it
is the same whatever pose a rig rests in, and its joints are as far apart as in the rig.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths, unit_vectors
from gambol.motion.kinematics import Placement, place
from gambol.motion.motion import Motion
from gambol.motion.rig_names import REQUIRED_PARTS
from gambol.motion.skeleton import Skeleton

BODY_SIDES = (("left", 1.0), ("right", -1.0))
_AHEAD = np.array([1.0, 0.0, 0.0])
_LOWERED, _SPREAD = 0.75, 0.06
"""Angles (rad) of the arms below horizontal and of the legs to the side."""
_FOOT_PITCH = (0.2, 0.35, 0.7)
"""Least, usual and largest angle (rad) from the ankle down to the toes of a foot that stands flat."""
_STANDS = 0.8
"""Least likeness of a rest pose to standing, from -1 to 1."""
_APART = 1e-6
"""Distance (m) of joints above which the bone between them has a direction."""
_MOST = 400
"""Largest number of frames that are looked at."""


def has_body(motion: Motion) -> bool:
    """Return whether the rig has all parts of a body, with legs and arms as chains of joints that are apart."""
    if motion.rig is None or not set(REQUIRED_PARTS) <= motion.rig.parts.keys():
        return False
    parts, skeleton = motion.rig.parts, motion.skeleton
    chains = [
        (parts[f"{side}_{upper}"], parts[f"{side}_{lower}"])
        for side, _ in BODY_SIDES
        for upper, lower in (("thigh", "shank"), ("upper_arm", "forearm"))
    ]
    bones = [(parts[f"{side}_shank"], parts[f"{side}_foot"]) for side, _ in BODY_SIDES]
    bones += [(parts[f"left_{part}"], parts[f"right_{part}"]) for part in ("thigh", "upper_arm")]
    bones += [(parts["pelvis"], parts["head"]), *chains]
    at = place(skeleton, motion.q[:1]).positions[0]
    return all(upper in skeleton.path_to_root(lower) for upper, lower in chains) and all(
        lengths(at[one] - at[other]) > _APART for one, other in bones
    )


class NeutralPose:
    """Joints in the neutral pose: x ahead, y to the left, z up, in metres, with the hips at the origin."""

    def __init__(self, motion: Motion) -> None:
        assert motion.rig is not None
        self.skeleton, self.parts = motion.skeleton, motion.rig.parts
        self._stand, self.rests = _find_standing(motion)
        """The second: whether the rig stands in its rest pose, from which the neutral one is then reached."""
        self._pitch = _find_foot_pitch(motion)
        self._axes = quat.from_matrix(_body_axes(self._stand.positions[:1], self.parts)[0])
        self._leans = self._find_leans(motion.placement) if self.rests else {}
        """Angles (rad) to the side in which legs, and feet with them, rest."""
        self._above = self._find_above()
        self._directions = self._find_directions()
        count = len(self.skeleton.names)
        self.positions, self.rotations = np.zeros((count, 3)), np.zeros((count, 4))
        self._turns: dict[int, Array] = {}
        for joint in range(count):
            self._place(joint)
        hips = [self.parts["left_thigh"], self.parts["right_thigh"]]
        self.positions -= self.positions[hips].mean(axis=0)

    @cached_property
    def trunk(self) -> list[int]:
        """The joints from the pelvis to the head."""
        return _find_chain(self.skeleton, self.parts["pelvis"], self.parts["head"])

    def limb(self, side: str, *parts: str) -> list[int]:
        """Return the joints from the first of these parts to the last; parts that the rig lacks are left out."""
        known = [self.parts[f"{side}_{part}"] for part in parts if f"{side}_{part}" in self.parts]
        chain = known[:1]
        for joint in known[1:]:
            chain += _find_chain(self.skeleton, chain[-1], joint)[1:]
        return chain

    def find_tip(self, joint: int) -> Array | None:
        """Return the position of the farthest joint below a joint; None where nothing is below it."""
        below = {joint}
        for other, parent in enumerate(self.skeleton.parents):
            if parent in below:
                below.add(other)
        away = {other: float(lengths(self.positions[other] - self.positions[joint])) for other in below}
        tip = max(away, key=lambda other: away[other])
        return self.positions[tip] if away[tip] > _APART else None

    def _find_above(self) -> list[int]:
        """Return for every joint the one it hangs on: its parent, or for a foot beside its leg the shank."""
        above = list(self.skeleton.parents)
        for side, _ in BODY_SIDES:
            shank, foot = self.parts[f"{side}_shank"], self.parts[f"{side}_foot"]
            if shank not in self.skeleton.path_to_root(foot):
                above[foot] = shank
        return above

    def _find_directions(self) -> dict[int, tuple[int, Array]]:
        """Return for the joint of each bone of the limbs the joint at its end, and where it points."""
        found: dict[int, tuple[int, Array]] = {}
        for side, sign in BODY_SIDES:
            leg = np.array([0.0, sign * np.sin(_SPREAD), -np.cos(_SPREAD)])
            arm = np.array([0.0, sign * np.cos(_LOWERED), -np.sin(_LOWERED)])
            for direction, *names in ((leg, "thigh", "shank", "foot"), (arm, "upper_arm", "forearm", "hand")):
                chain = self.limb(side, *names)
                found |= {joint: (end, direction) for joint, end in pairwise(chain)}
            hand = self.limb(side, "forearm", "hand")[-1]
            ends = self.skeleton.children[hand]
            if ends:
                reach = [float(lengths(self._stand.positions[0, end] - self._stand.positions[0, hand])) for end in ends]
                found[hand] = (ends[int(np.argmax(reach))], arm)
        return found

    def _place(self, joint: int) -> Array:
        """Place a joint after the one it hangs on; return the rotation (4,) from the standing pose."""
        if joint in self._turns:
            return self._turns[joint]
        stand, above = self._stand, self._above[joint]
        turn, shift = self._axes, stand.positions[0, joint]
        if above >= 0:
            turn = self._place(above)
            shift = shift - stand.positions[0, above]
            self.positions[joint] = self.positions[above]
        self.positions[joint] += quat.rotate(turn, shift)
        feet = {self.parts["left_foot"], self.parts["right_foot"]}
        if joint in feet:
            turn = self._turn_foot(joint, turn)
        elif joint in self._directions:
            end, direction = self._directions[joint]
            bone = quat.rotate(turn, stand.positions[0, end] - stand.positions[0, joint])
            if lengths(bone) > _APART:
                turn = quat.multiply(quat.shortest_arc(bone, direction), turn)
        self._turns[joint] = turn
        self.rotations[joint] = quat.multiply(turn, stand.rotations[0, joint])
        return turn

    def _find_leans(self, clip: Placement) -> dict[int, float]:
        """Return how far to the side (rad) both legs rest, by foot; zero if feet are level nevertheless.

        In some rigs the feet of spread legs lean with them: then ankles are not rolled in the clip as compared to rest.
        """
        leans, seen = {}, []
        for side, _ in BODY_SIDES:
            shank, foot = self.parts[f"{side}_shank"], self.parts[f"{side}_foot"]
            leg = self._stand.positions[0, shank] - self._stand.positions[0, foot]
            leans[foot] = float(_measure_lean(quat.rotate(self._axes, leg)))
            back = quat.multiply(
                quat.multiply(self._axes, self._stand.rotations[0, foot]), quat.conjugate(clip.rotations[:, foot])
            )
            seen.append(np.median(_measure_lean(quat.rotate(back, clip.positions[:, shank] - clip.positions[:, foot]))))
        legs = np.array(list(leans.values()))
        return leans if legs @ seen > 0.5 * legs @ legs else dict.fromkeys(leans, 0.0)

    def _turn_foot(self, joint: int, shank: Array) -> Array:
        """Return the rotation of a foot: ahead, and flat as it rests; by its toes where it rests otherwise."""
        side = "left" if joint == self.parts["left_foot"] else "right"
        below = [self.parts[f"{side}_toes"]] if f"{side}_toes" in self.parts else self.skeleton.children[joint]
        bones = [self._stand.positions[0, end] - self._stand.positions[0, joint] for end in below]
        bone = max(bones, key=lambda b: float(quat.rotate(self._axes, b)[0]), default=np.zeros(3))
        level = quat.multiply(quat.from_axis_angle(_AHEAD, -self._leans.get(joint, 0.0)), self._axes)
        ahead = quat.rotate(level, bone)
        if self.rests and np.hypot(ahead[1], 0.25 * ahead[2]) < ahead[0]:
            return quat.multiply(quat.shortest_arc(ahead * [1.0, 1.0, 0.0], _AHEAD), level)
        if lengths(bone) < _APART:
            return self._axes
        flat = np.array([np.cos(self._pitch), 0.0, -np.sin(self._pitch)])
        return quat.multiply(quat.shortest_arc(quat.rotate(shank, bone), flat), shank)


def _measure_lean(legs: Array) -> Array:
    """Return the angles (rad) of legs (..., 3), from the foot up, to the side that is positive in y."""
    return np.arctan2(-legs[..., 1], legs[..., 2])


def _find_chain(skeleton: Skeleton, first: int, last: int) -> list[int]:
    """Return the joints from one to another below it; where it is not below, those below their common joint."""
    above, path = skeleton.path_to_root(first), skeleton.path_to_root(last)
    return [first, *reversed([joint for joint in path if joint not in above])]


def _find_standing(motion: Motion) -> tuple[Placement, bool]:
    """Return the rest pose as one frame if the body stands in it, else the frame in which it stands most upright.

    The second value says whether it is the rest pose. Joints are as far apart as in the middle of the clip: some rigs
    have slides instead of offsets.
    """
    assert motion.rig is not None
    skeleton, parts = motion.skeleton, motion.rig.parts
    rest = place(skeleton, np.where(skeleton.turning, 0.0, np.median(motion.q, axis=0))[None])
    if _judge_standing(rest.positions, parts)[0] > _STANDS:
        return rest, True
    clip = place(skeleton, motion.q[:: -(-len(motion) // _MOST)])
    likeness = _judge_standing(clip.positions, parts)
    best = int(np.argmax(likeness))
    if likeness[best] <= _judge_standing(rest.positions, parts)[0]:
        return rest, True
    return Placement(clip.positions[[best]], clip.rotations[[best]]), False


def _find_foot_pitch(motion: Motion) -> float:
    """Return the angle (rad) from ankles down to toes of feet that stand flat: then the ankle is as low as it comes."""
    assert motion.rig is not None
    positions, parts = motion.placement.positions, motion.rig.parts
    least, usual, largest = _FOOT_PITCH
    found = []
    for side, _ in BODY_SIDES:
        if f"{side}_toes" in parts:
            ankle, toes = (positions[:, parts[f"{side}_{part}"]] for part in ("foot", "toes"))
            fall = np.percentile(ankle[:, 2], 5) - np.percentile(toes[:, 2], 5)
            reach = max(float(np.median(lengths(toes - ankle))), _APART)
            found.append(float(np.arcsin(np.clip(fall / reach, -1.0, 1.0))))
    return float(np.clip(min(found, default=usual), least, largest))


def _body_axes(positions: Array, parts: Mapping[str, int]) -> Array:
    """Return the matrices (frames, 3, 3) to axes ahead, left and up of poses: up is the nearest axis of the world."""
    hips, shoulders = (
        [positions[:, parts[f"{side}_{part}"]] for side, _ in BODY_SIDES] for part in ("thigh", "upper_arm")
    )
    rise = unit_vectors(positions[:, parts["head"]] - np.mean(hips, axis=0))
    main = np.argmax(np.abs(rise), axis=1)
    up = np.eye(3)[main] * np.sign(np.take_along_axis(rise, main[:, None], axis=1))
    across = unit_vectors(hips[0] - hips[1]) + unit_vectors(shoulders[0] - shoulders[1])
    left = unit_vectors(across - up * np.sum(across * up, axis=1, keepdims=True))
    return np.stack((np.cross(left, up), left, up), axis=1)


def _judge_standing(positions: Array, parts: Mapping[str, int]) -> Array:
    """Return how much poses (frames, joints, 3) are like standing: the worst of several cosines (frames,)."""
    axes = _body_axes(positions, parts)

    def along(end: str, start: str) -> Array:
        bone = positions[:, parts[end]] - positions[:, parts[start]]
        return np.einsum("fij,fj->fi", axes, unit_vectors(bone))

    found = [along("left_thigh", "right_thigh")[:, 1], along("left_upper_arm", "right_upper_arm")[:, 1]]
    found.append(along("head", "pelvis")[:, 2])
    for side, _ in BODY_SIDES:
        upper, lower = (
            along(f"{side}_{end}", f"{side}_{start}") for end, start in (("shank", "thigh"), ("foot", "shank"))
        )
        arm = along(f"{side}_forearm", f"{side}_upper_arm")
        found += [-upper[:, 2], -lower[:, 2], np.hypot(arm[:, 1], arm[:, 2])]
        if f"{side}_toes" in parts:
            found.append(np.minimum(1.0, 1.2 * along(f"{side}_toes", f"{side}_foot")[:, 0]))
    return np.min(found, axis=0)
