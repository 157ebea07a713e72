"""Joint centres of trunk and arms from markers; what has no markers is that of an average person, at ease.

Neck: Reed, Manary and Schneider, SAE 1999-01-0959. A trunk without markers is upright, arms without markers hang.
"""

from __future__ import annotations

import numpy as np

from gambol.assumptions import LEG_SHARE
from gambol.body.build import make_average_build
from gambol.body.measure import frames_from_axes
from gambol.fit.landmark_paths import _SIDES, LandmarkPaths
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import unit_vectors

_NECK, _NECK_TURN = 0.55, np.radians(8.0)
"""Position of the neck joint on the line from the seventh cervical vertebra to the top of the breastbone, as a share of
its length, and the angle (rad) by which the line is rotated upward."""
_CHEST = 0.47
"""Position of the chest joint as a share of the distance from lumbar joint to neck, as in the average build."""
_SHOULDER = 0.05
"""Distance (m) from a shoulder marker down to the joint."""
_LEAN = np.radians(30.0)
"""Largest angle (rad) between a trunk without markers, which is upright, and the pelvis."""
_ARM = (("shoulder", "upper_arm"), ("elbow", "forearm"), ("wrist", "hand"))


class EstimatedUpperBody:
    """Trunk and arms above a pelvis, frame by frame."""

    def __init__(self, cloud: LandmarkPaths, lumbar: Array, across: Array, up: Array, leg: float) -> None:
        """`across` (to the left) and `up` (frames, 3) are axes of the pelvis, `leg` the length of thigh and shank."""
        self._cloud, self._lumbar, self._up = cloud, lumbar, up
        self._build = make_average_build(float(np.clip(leg / LEG_SHARE, 0.4, 2.6)))
        self._upright = frames_from_axes(across, _upright(up))
        self.estimated: list[str] = []
        """What had no markers."""

    def trunk(self) -> dict[str, Array]:
        """Return spine, chest, neck and head, on the line from the lumbar joint through the neck."""
        neck = self._neck()
        if neck is None:
            self.estimated.append("trunk")
            neck = self._lumbar + self._upright @ (self._build.offsets["chest"] + self._build.offsets["head"])
        head = find_head(self._cloud)
        return {
            "spine": self._lumbar,
            "chest": self._lumbar + _CHEST * (neck - self._lumbar),
            "neck": neck,
            "head": self._lumbar + 1.4 * (neck - self._lumbar) if head is None else head.mean(axis=0),
        }

    def arm(self, side: str, outward: Array, chest: Array) -> dict[str, Array]:
        """Return shoulder, elbow and wrist of a side."""
        arm: dict[str, Array] = {}
        above = chest
        for landmark, part in _ARM:
            found = self._shoulder(side) if landmark == "shoulder" else self._cloud.between(landmark, side, outward)
            if found is None:
                if f"{landmark}s" not in self.estimated:
                    self.estimated.append(f"{landmark}s")
                found = above + self._upright @ self._offset(side, part)
            above = arm[f"{side}_{part}"] = found
        return arm

    def _offset(self, side: str, part: str) -> Array:
        offset = self._build.offsets[f"{side}_{part}"]
        return offset + self._build.offsets[f"{side}_collar"] if part == "upper_arm" else offset

    def _shoulder(self, side: str) -> Array | None:
        marker = self._cloud.find("shoulder", side)
        return self._cloud.find("shoulder_center", side) if marker is None else marker - _SHOULDER * self._up

    def _neck(self) -> Array | None:
        """Return the lowest joint of the neck; the middle of the shoulders without markers near it."""
        left, right = (self._cloud.find("shoulder", side) for side in _SIDES)
        vertebra, breastbone = self._cloud.find("vertebra"), self._cloud.find("breastbone")
        if vertebra is not None and breastbone is not None:
            across = self._upright[..., 1] if left is None or right is None else unit_vectors(left - right)
            up = quat.from_axis_angle(across, np.full(len(across), -_NECK_TURN))
            return vertebra + _NECK * quat.rotate(up, breastbone - vertebra)
        return None if left is None or right is None else 0.5 * (left + right)


def find_head(cloud: LandmarkPaths) -> Array | None:
    """Return the paths (4, frames, 3) of the head markers (front before back, left before right), if all exist."""
    found = [cloud.find(f"head_{end}", side) for end in ("front", "back") for side in _SIDES]
    seen = [path for path in found if path is not None]
    return np.array(seen) if len(seen) == len(found) else None


def _upright(up: Array) -> Array:
    """Return the vertical (frames, 3), tilted towards the pelvis's axis `up` where that is farther away than a lean."""
    vertical = np.broadcast_to(np.array([0.0, 0.0, 1.0]), up.shape)
    axis = np.cross(up, vertical)
    sine = np.linalg.norm(axis, axis=1)
    angle = np.minimum(np.arctan2(sine, up[:, 2]), _LEAN)
    axis = np.where(sine[:, None] > 1e-9, axis / np.maximum(sine, 1e-9)[:, None], (1.0, 0.0, 0.0))
    return quat.rotate(quat.from_axis_angle(axis, angle), up)
