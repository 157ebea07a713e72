"""The cage of legs, feet, arms and hands: rings of eight vertices along the bones.

Lengths in the tables are fractions of stature, after anthropometric tables and pictures.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.motion.body_size import BodySize
from gambol.motion.cage import LEFT, RIGHT, Cage, Ring, go_around, share_along
from gambol.motion.neutral_pose import NeutralPose

_AHEAD, _ASIDE = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
# Rings of a limb: bone (0 upper, 1 lower), place along it (0 to 1), half width or height, half depth, ahead of it.
_LEG = (
    (0, 0.30, 0.0465, 0.0500, 0.002), (0, 0.50, 0.0420, 0.0465, 0.005), (0, 0.70, 0.0360, 0.0400, 0.004),
    (0, 0.87, 0.0315, 0.0350, 0.002), (0, 0.96, 0.0300, 0.0340, 0.003), (1, 0.04, 0.0290, 0.0330, 0.003),
    (1, 0.14, 0.0290, 0.0310, -0.003), (1, 0.30, 0.0320, 0.0335, -0.009), (1, 0.52, 0.0270, 0.0290, -0.007),
    (1, 0.75, 0.0200, 0.0215, -0.003), (1, 0.92, 0.0185, 0.0210, -0.002),
)  # fmt: skip
_ARM = (
    (0, -0.03, 0.0320, 0.0370, 0.0), (0, 0.10, 0.0365, 0.0370, 0.0), (0, 0.36, 0.0315, 0.0320, 0.0),
    (0, 0.68, 0.0265, 0.0280, 0.0), (0, 0.93, 0.0235, 0.0250, 0.0), (1, 0.07, 0.0235, 0.0250, 0.0),
    (1, 0.25, 0.0255, 0.0255, 0.0), (1, 0.50, 0.0220, 0.0220, 0.0), (1, 0.76, 0.0170, 0.0185, 0.0),
    (1, 0.95, 0.0150, 0.0190, 0.0),
)  # fmt: skip
# Rings of the hand: place along it, half thickness, half width. The thumb is between the first two.
_HAND = ((0.16, 0.0145, 0.0225), (0.42, 0.0155, 0.0260), (0.68, 0.0130, 0.0250), (0.92, 0.0090, 0.0195))
# Rings of the thumb: out of the palm, along the hand, and size as a share of its root.
_THUMB = ((0.008, 0.006, 0.85), (0.013, 0.022, 0.62), (0.015, 0.032, 0.38))
# Rings of the foot around the ankle, from above: height as a share of the ankle's, half width, reach ahead and behind.
_ANKLE = ((0.90, 0.021, 0.023, 0.026), (0.45, 0.022, 0.026, 0.038), (0.00, 0.021, 0.026, 0.034))
# Outline of the foot across, from above outside by way of the inside: share of half the width, of the height.
_FOOT_OUTLINE = np.array(
    [(0.8, 0.88), (0.0, 1.0), (-0.8, 0.88), (-1.0, 0.45), (-0.85, 0.0), (0.0, 0.0), (0.85, 0.0), (1.0, 0.45)]
)
# Rings of the foot ahead of the ankle: from the ankle to the ball (0 to 1) and to the tip (2), half width, height.
_FOOT = ((0.5, 0.025, 0.86), (0.85, 0.029, 0.68), (1.3, 0.030, 0.56), (1.88, 0.024, 0.46))


def add_leg(cage: Cage, pose: NeutralPose, size: BodySize, side: str, ring: Ring) -> None:
    """Add the leg and foot of a side ('left' or 'right'), from a ring of the trunk."""
    zone, sign = (LEFT, 1.0) if side == "left" else (RIGHT, -1.0)
    chain = pose.limb(side, "thigh", "shank", "foot")
    hip, knee, ankle = (pose.positions[pose.parts[f"{side}_{part}"]] for part in ("thigh", "shank", "foot"))
    down = (ankle - hip) / lengths(ankle - hip)
    starts = (pose.positions[chain] - hip) @ down
    starts[0] += 0.035 * size.leg
    reaches = np.array([0.075, *[0.05] * (len(chain) - 2), 0.03]) * size.leg
    for bone, along, width, depth, ahead in _LEG:
        start, end = ((hip, knee), (knee, ankle))[bone]
        center = start + along * (end - start)
        weights = share_along([pose.parts["pelvis"], *chain], starts, reaches, float((center - hip) @ down))
        around = go_around(sign * width * _ASIDE, depth * _AHEAD) + ahead * _AHEAD
        lower = cage.add(center + size.leg * around, weights)
        cage.bridge(ring, lower, zone)
        ring = lower
    _Foot(cage, pose, size.stature, side).add(ring)


class _Foot:
    """A foot of a cage: from the ankle down to the sole, and ahead to the toes."""

    def __init__(self, cage: Cage, pose: NeutralPose, stature: float, side: str) -> None:
        self.cage, self.stature = cage, stature
        self.zone, self.sign = (LEFT, 1.0) if side == "left" else (RIGHT, -1.0)
        self.shank, self.foot = (pose.parts[f"{side}_{part}"] for part in ("shank", "foot"))
        self.toes = pose.parts.get(f"{side}_toes")
        self.ankle = pose.positions[self.foot]
        below = [self.foot if self.toes is None else self.toes]
        tip = pose.find_tip(below[0])
        marks = np.array([pose.positions[below[0]], *([] if tip is None else [tip])]) - self.ankle
        self.height = float(np.clip(0.011 * stature - marks[:, 2].min(), 0.039 * stature, 0.07 * stature))
        self.ball, self.tip = 0.075 * stature, 0.12 * stature
        if self.toes is not None:
            self.ball = float(np.clip(marks[0, 0], 0.05 * stature, 0.11 * stature))
            self.tip = self.ball + 0.045 * stature
        if tip is not None and marks[-1, 0] > self.ball:
            reach = marks[-1, 0] + 0.008 * stature
            self.tip = float(np.clip(reach, self.ball + 0.03 * stature, self.ball + 0.07 * stature))

    def add(self, ring: Ring) -> None:
        """Add the foot below a ring of the shank."""
        cage, zone = self.cage, self.zone
        above, middle, sole = (self._add_around(*row) for row in _ANKLE)
        cage.bridge(ring, above, zone)
        cage.bridge(above, middle, zone, without=(1, 2))
        cage.bridge(middle, sole, zone, without=(1, 2))
        cage.close(sole, self.ankle - [0.004 * self.stature, 0.0, self.height], {self.foot: 1.0}, zone)
        ring = [above[1], above[2], above[3], middle[3], sole[3], sole[2], sole[1], middle[1]]
        for place, width, height in _FOOT:
            forward = self._add_across(place, width, height)
            cage.bridge(ring, forward, zone)
            ring = forward
        cage.close(ring, self.ankle + [self.tip, 0.0, -0.8 * self.height], cage.weights[ring[0]], zone)

    def _add_around(self, height: float, width: float, ahead: float, behind: float) -> Ring:
        points = go_around(self.sign * width * _ASIDE, _AHEAD) * self.stature
        points[:, 0] *= np.where(points[:, 0] > 0.0, ahead, behind)
        points[:, 2] = (height - 1.0) * self.height
        share = 0.25 if height > 0.8 else 0.0
        return self.cage.add(self.ankle + points, {self.foot: 1.0 - share, self.shank: share})

    def _add_across(self, place: float, width: float, height: float) -> Ring:
        ahead = np.interp(place, [0.0, 1.0, 2.0], [0.0, self.ball, self.tip])
        aside = self.sign * width * self.stature * _FOOT_OUTLINE[:, 0]
        up = (height * _FOOT_OUTLINE[:, 1] - 1.0) * self.height
        owners, starts = ([self.foot], []) if self.toes is None else ([self.foot, self.toes], [self.ball])
        weights = share_along(owners, starts, [0.022 * self.stature] * len(starts), float(ahead))
        return self.cage.add(self.ankle + np.column_stack((np.full(8, ahead), aside, up)), weights)


def add_arm(cage: Cage, pose: NeutralPose, size: BodySize, side: str, ring: Ring) -> None:
    """Add the arm and hand of a side ('left' or 'right'), from a ring of the trunk."""
    zone, sign = (LEFT, 1.0) if side == "left" else (RIGHT, -1.0)
    chain = pose.limb(side, "upper_arm", "forearm", "hand")
    shoulder, elbow = (pose.positions[pose.parts[f"{side}_{part}"]] for part in ("upper_arm", "forearm"))
    wrist, hand = _find_hand(pose, size.stature, side, elbow, shoulder)
    along = (wrist - shoulder) / lengths(wrist - shoulder)
    up = sign * np.cross(_AHEAD, along)
    starts = (pose.positions[chain] - shoulder) @ along
    reaches = np.where(np.arange(len(chain)) == 0, 0.045, 0.028) * size.arm
    rings = []
    for bone, at, high, deep, _ in _ARM:
        start, end = ((shoulder, elbow), (elbow, wrist))[bone]
        rings.append((start + at * (end - start), high, deep))
    rings += [(wrist + at * hand * along, high, deep) for at, high, deep in _HAND]
    owners = [find_collar(pose, side), *chain]
    made = []
    for number, (center, high, deep) in enumerate(rings):
        weights = share_along(owners, starts, reaches, float((center - shoulder) @ along))
        outer = cage.add(center + size.arm * go_around(high * up, deep * _AHEAD), weights)
        cage.bridge(ring, outer, zone, without=(1, 2) if number == len(_ARM) + 1 else ())
        made.append(outer)
        ring = outer
    cage.close(ring, wrist + hand * along, cage.weights[ring[0]], zone)
    root = [*made[len(_ARM)][1:4], *made[len(_ARM) + 1][3:0:-1]]
    _add_thumb(cage, root, size.arm * (_AHEAD - 0.3 * up), size.arm * along, zone)


def find_collar(pose: NeutralPose, side: str) -> int:
    """Return the joint that carries an arm: its collar, or the chest, or what is below the head."""
    return pose.parts.get(f"{side}_collar", pose.parts.get("chest", pose.trunk[-2]))


def _find_hand(pose: NeutralPose, stature: float, side: str, elbow: Array, shoulder: Array) -> tuple[Array, float]:
    """Return the wrist and the length of the hand."""
    joint = pose.parts.get(f"{side}_hand")
    if joint is None:
        return elbow + 0.8 * (elbow - shoulder), 0.1 * stature
    tip = pose.find_tip(joint)
    length = 0.1 * stature if tip is None else float(lengths(tip - pose.positions[joint]))
    return pose.positions[joint], float(np.clip(length, 0.085 * stature, 0.115 * stature))


def _add_thumb(cage: Cage, root: Ring, out: Array, along: Array, zone: int) -> None:
    """Add a thumb on two faces of the palm, with their six corners in order around them."""
    base = np.array([cage.points[k] for k in root])
    center, weights = base.mean(axis=0), cage.weights[root[0]]
    ring = root
    for far, on, scale in _THUMB:
        outer = cage.add(center + scale * (base - center) + far * out + on * along, weights)
        cage.bridge(ring, outer, zone)
        ring = outer
    for corners in ((0, 1, 4, 5), (1, 2, 3, 4)):
        cage.add_face([ring[k] for k in corners], zone)
