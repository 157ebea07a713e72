"""The build of a person: positions of the joints and of the segment ends in the rest pose.

Joints are those of the body of YL08 (section 4), see `anatomy`; x is forward, y left, z up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array


@dataclass(frozen=True)
class Build:
    """The lengths of a body: positions of joints in their parents' frames at rest, and of the segment ends."""

    offsets: Mapping[str, Array]
    """Joint positions (m) by part; the pelvis is the middle of the hips."""
    tips: Mapping[str, Array]
    """Segment ends (m): crown of the head, finger tips; heel, ball (where toes would turn) and toe tip of each foot."""

    @property
    def height(self) -> float:
        """Height (m) from the soles to the crown, standing straight on legs of mean length."""
        above = sum(float(self.offsets[part][2]) for part in ("spine", "chest", "head")) + float(self.tips["head"][2])
        below = [
            sum(float(self.offsets[f"{side}_{part}"][2]) for part in ("thigh", "shank", "foot"))
            + float(self.tips[f"{side}_heel"][2])
            for side in ("left", "right")
        ]
        return above - 0.5 * sum(below)


def make_average_build(height: float) -> Build:
    """Return an adult build for a height in m (Drillis and Contini, in Winter 2009, fig. 4.1; de Leva's trunk)."""
    if not 0.4 <= height <= 2.6:
        raise InputError(f"height {height} m is outside 0.4 to 2.6 m", fix="give the height in metres")
    h = height
    offsets = {"pelvis": _at(), "spine": _at(z=0.057 * h), "chest": _at(z=0.135 * h), "head": _at(z=0.155 * h)}
    tips = {"head": _at(z=0.1395 * h)}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        offsets |= {
            f"{side}_collar": _at(0.0, sign * 0.018 * h, 0.125 * h),
            f"{side}_upper_arm": _at(0.0, sign * 0.087 * h, 0.0),
            f"{side}_forearm": _at(z=-0.172 * h),
            f"{side}_hand": _at(z=-0.157 * h),
            f"{side}_thigh": _at(y=sign * 0.0495 * h),
            f"{side}_shank": _at(z=-0.245 * h),
            f"{side}_foot": _at(z=-0.246 * h),
        }
        tips |= {f"{side}_hand": _at(z=-0.108 * h)} | estimate_foot_points(side, 0.039 * h, 0.152 * h)
    return scale_build(Build(offsets, tips), height)


def estimate_foot_points(side: str, ankle: float, length: float) -> dict[str, Array]:
    """Return heel, ball and toe tip of a flat foot relative to its ankle, for an ankle height and a foot length (m)."""
    heel, ball = -0.24 * length, 0.48 * length
    return {
        f"{side}_heel": _at(heel, 0.0, -ankle),
        f"{side}_ball": _at(ball, 0.0, -ankle),
        f"{side}_toe": _at(heel + length, 0.0, -ankle),
    }


def scale_build(build: Build, height: float) -> Build:
    """Scale a build to another height (m), keeping its proportions."""
    factor = height / build.height
    scaled = {name: factor * offset for name, offset in build.offsets.items()}
    return replace(build, offsets=scaled, tips={name: factor * tip for name, tip in build.tips.items()})


def _at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    return np.array([x, y, z], dtype=float)
