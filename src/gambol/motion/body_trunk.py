"""The cage of trunk, neck and head: rings of twelve vertices from the hips to the shoulders, and of eight above.

Lengths in the tables are fractions of stature, after anthropometric tables and pictures.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.body_size import BodySize
from gambol.motion.cage import BODY, FACE, SHRINKING, Cage, Ring, Weights, go_around, mix, share_along
from gambol.motion.neutral_pose import NeutralPose

# The lower edge on the left side, from the side by way of the front: ahead, from the hip to the left (or from the
# middle), up. The fifth is between the legs, behind it the last two.
_GROIN = (
    (0.000, True, 0.042, 0.000), (0.034, True, 0.030, -0.010), (0.052, True, 0.000, -0.026),
    (0.040, False, 0.000, -0.044), (-0.004, False, 0.000, -0.062), (-0.052, False, 0.000, -0.050),
    (-0.068, True, 0.000, -0.040), (-0.046, True, 0.030, -0.016),
)  # fmt: skip
_GROIN_RING = (
    (0, 1),
    (1, 1),
    (2, 1),
    (3, 1),
    (2, -1),
    (1, -1),
    (0, -1),
    (7, -1),
    (6, -1),
    (5, 1),
    (6, 1),
    (7, 1),
    (4, 1),
)
"""Places of the edge around both sides, each with its side; the last one is inside."""
_THIGH = 0.3
"""Share of the thigh in the weights of the edge, but not in the middle."""
# Rings: share of the height of the shoulders; half width as a share of that of the hips (0) to that of the chest (1),
# and of this mixture; half depth; ahead.
_RINGS = (
    (0.10, 0.0, 1.00, 0.066, -0.004), (0.25, 0.1, 0.95, 0.060, 0.001), (0.42, 0.5, 0.84, 0.054, 0.004),
    (0.60, 1.0, 0.90, 0.060, 0.003), (0.80, 1.0, 1.00, 0.067, 0.002), (0.95, 1.0, 0.92, 0.058, -0.004),
)  # fmt: skip
_ANGLES = np.radians([0.0, 30.0, 62.0, 90.0, 118.0, 150.0, 180.0, 210.0, 242.0, 270.0, 298.0, 330.0])
_BLUNT = 0.85
"""Exponent of the outline: 1 is an ellipse, 0 a rectangle."""
_ARMHOLES = (0, 5, 6, 11)
"""Sides of the upper two rows of faces that are left out for the arms."""
# The upper edge on the left side, from the shoulder by way of the front: ahead; to the left, as a share of the shoulder
# or of stature; up. The last one is beside the neck.
_TOP = (
    (0.000, 0.74, 0.0, 0.021), (0.032, 0.74, 0.0, 0.010), (0.034, 0.0, 0.036, 0.022), (0.036, 0.0, 0.0, 0.012),
    (-0.040, 0.0, 0.0, 0.046), (-0.038, 0.0, 0.036, 0.042), (-0.032, 0.74, 0.0, 0.012), (-0.002, 0.0, 0.037, 0.048),
)  # fmt: skip
_TOP_RING = (
    (0, 1), (1, 1), (2, 1), (3, 1), (2, -1), (1, -1), (0, -1), (6, -1), (5, -1), (4, 1), (5, 1), (6, 1),
    (7, 1), (7, -1),
)  # fmt: skip
_NECK_RING = (12, 2, 3, 4, 13, 8, 9, 10)
_NECK = 0.033
# Rings of the head: above its base, half width, reach ahead and behind, and of the middle ahead in addition.
_HEAD = (
    (-0.024, 0.032, 0.042, 0.030, 0.008), (-0.006, 0.041, 0.053, 0.044, 0.006), (0.013, 0.044, 0.057, 0.054, 0.004),
    (0.025, 0.047, 0.059, 0.059, 0.032), (0.038, 0.048, 0.060, 0.062, 0.003), (0.059, 0.049, 0.060, 0.063, 0.006),
    (0.075, 0.046, 0.055, 0.059, 0.002), (0.095, 0.034, 0.040, 0.043, 0.0),
)  # fmt: skip
_CROWN = 0.106
_VISOR = 5
"""The ring of the head below which the face is marked."""
_RIBS = 0.65
"""Share of the height of the shoulders from which the trunk moves with the chest at the latest."""


class Trunk:
    """The trunk and head in a cage, with the rings from which the limbs begin."""

    def __init__(self, cage: Cage, pose: NeutralPose, size: BodySize) -> None:
        self._cage, self._pose, self._size = cage, pose, size
        self._rows = [self._add_groin(), *self._add_rings(), self._add_top()]
        for number, (lower, upper) in enumerate(zip(self._rows[:-1], self._rows[1:], strict=True)):
            beside = _ARMHOLES if number >= len(self._rows) - 3 else ()
            cage.bridge(upper[:12], lower[:12], BODY, without=beside)
        top = self._rows[-1]
        for a, b, c, d in ((12, 2, 1, 0), (10, 12, 0, 11), (13, 8, 7, 6), (4, 13, 6, 5)):
            cage.add_face((top[a], top[b], top[c], top[d]), BODY)
        self._add_head([top[k] for k in _NECK_RING])

    def find_leg_ring(self, sign: float) -> Ring:
        """Return the edge from which a leg begins, from its outside by way of the front."""
        edge = self._rows[0]
        return [edge[k] for k in ((0, 1, 2, 3, 12, 9, 10, 11) if sign > 0 else (6, 5, 4, 3, 12, 9, 8, 7))]

    def find_arm_ring(self, sign: float, collar: int, upper: int) -> Ring:
        """Return the edge from which an arm begins, from above by way of the front; it follows the arm in part."""
        low, middle, top = self._rows[-3:]
        a, b, c = (0, 1, 11) if sign > 0 else (6, 5, 7)
        ring = [top[a], top[b], middle[b], low[b], low[a], low[c], middle[c], top[c]]
        for vertex in ring:
            lifted = 0.45 if vertex in top else 0.2
            follows = mix([(lifted, {collar: 1.0}), (0.2, {upper: 1.0}), (0.8 - lifted, self._cage.weights[vertex])])
            self._cage.weights[vertex] = follows
        return ring

    def _share(self, height: float) -> Weights:
        """Return the weights at a height: each joint of the back moves what is between it and the next one."""
        stature, shoulder = self._size.stature, self._size.shoulders[2]
        trunk, parts = self._pose.trunk, self._pose.parts
        starts = self._pose.positions[trunk, 2].copy()
        if "chest" in parts:  # its joint can be as high as the shoulders, but the ribs are one body
            chest = trunk.index(parts["chest"])
            starts[chest] = min(starts[chest], _RIBS * shoulder)
        neck = trunk.index(parts.get("neck", parts["head"]))
        starts[neck:] = np.maximum(starts[neck:], shoulder + 0.03 * stature)
        starts = np.minimum.accumulate(starts[::-1])[::-1]
        reaches = np.where(np.arange(len(trunk)) < neck, 0.06, 0.025) * stature
        return share_along(trunk, starts[1:], reaches[1:], height)

    def _add_groin(self) -> Ring:
        """Add the lower edge of the trunk: twelve vertices around it, and one between the legs."""
        places = [
            np.array([x, y, z]) * self._size.stature + [0.0, beside * self._size.hip, 0.0] for x, beside, y, z in _GROIN
        ]
        points, weights = [], []
        for number, sign in _GROIN_RING:
            thigh = self._pose.parts["left_thigh" if sign > 0 else "right_thigh"]
            share = _THIGH if _GROIN[number][1] else 0.0
            points.append(places[number] * [1.0, sign, 1.0])
            weights.append({self._pose.parts["pelvis"]: 1.0 - share, thigh: share})
        return self._cage.add(points, weights)

    def _add_rings(self) -> list[Ring]:
        size, made = self._size, []
        hips, chest = size.hip + 0.040 * size.stature, 0.94 * size.shoulder
        outline = np.stack((np.sin(_ANGLES), np.cos(_ANGLES)), axis=1)
        outline = np.sign(outline) * np.abs(outline) ** _BLUNT / 0.95
        for share, mixed, width, depth, ahead in _RINGS:
            half = np.array([depth * size.stature, width * ((1.0 - mixed) * hips + mixed * chest)])
            flat = [share * size.shoulders[0] + ahead * size.stature, 0.0] + half * outline
            height = share * size.shoulders[2]
            made.append(self._cage.add(np.column_stack((flat, np.full(12, height))), self._share(height)))
        return made

    def _add_top(self) -> Ring:
        """Add the upper edge of the trunk: twelve vertices around it, and two beside the neck."""
        size = self._size
        middle = size.shoulders * [1.0, 0.0, 1.0]
        places = [
            middle + [x * size.stature, out * size.shoulder + y * size.stature, z * size.stature]
            for x, out, y, z in _TOP
        ]
        return self._cage.add(
            [places[number] * [1.0, sign, 1.0] for number, sign in _TOP_RING], self._share(size.shoulders[2])
        )

    def _add_head(self, ring: Ring) -> None:
        stature, head = self._size.stature, self._pose.parts["head"]
        skull = self._find_skull(head)
        foot = self._size.shoulders * [1.0, 0.0, 1.0] + [0.0, 0.0, 0.03 * stature]
        for share in (0.35, 0.75):
            center = foot + share * (skull - [0.0, 0.0, 0.01 * stature] - foot)
            around = go_around(np.array([0.0, _NECK, 0.0]), np.array([_NECK, 0.0, 0.0]))
            upper = self._cage.add(center + stature * around, self._share(float(center[2])))
            self._cage.bridge(upper, ring, BODY)
            ring = upper
        for number, (height, half, ahead, behind, nose) in enumerate(_HEAD):
            points = go_around(np.array([0.0, half, 0.0]), np.array([1.0, 0.0, 0.0]))
            points[:, 0] *= np.where(points[:, 0] > 0.0, ahead, behind)
            points[2, 0] += nose / SHRINKING
            upper = self._cage.add(skull + stature * (points + [0.0, 0.0, height]), {head: 1.0})
            face = (1, 2) if number == _VISOR else ()
            self._cage.bridge(upper, ring, BODY, without=face)
            for k in face:
                self._cage.add_face((upper[k], upper[k + 1], ring[k + 1], ring[k]), FACE)
            ring = upper
        self._cage.close(ring[::-1], skull + [0.0, 0.0, _CROWN * stature], {head: 1.0}, BODY)

    def _find_skull(self, head: int) -> Array:
        """Return the base of the skull: the joint of the head, or above it where that is at the foot of the neck."""
        stature, base, tip = self._size.stature, self._pose.positions[head].copy(), self._pose.find_tip(head)
        lowest = self._size.shoulders[2] + 0.06 * stature
        if tip is not None and tip[2] - base[2] < 0.2 * stature:
            lowest = max(lowest, tip[2] - _CROWN * stature)
        base[2] = max(base[2], lowest)
        return base
