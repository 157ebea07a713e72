"""The measures of a body from the joints of its rig: stature, the widths of hips and shoulders, thickness of limbs."""

from __future__ import annotations

import numpy as np

from gambol.assumptions import LEG_SHARE, TRUNK_SHARE, UPPER_ARM_SHARE
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.motion.neutral_pose import BODY_SIDES, NeutralPose

_ARM = 0.332
"""Shoulder to wrist, as a share of stature (Drillis and Contini)."""
_HIPS, _SHOULDERS = (0.035, 0.08), (0.08, 0.15)
"""Least and largest distance of hips and shoulders from the middle, as fractions of stature."""


class BodySize:
    """Measures in metres; most girths are fractions of `stature`."""

    def __init__(self, pose: NeutralPose) -> None:
        hips, shoulders = (
            np.array([pose.positions[pose.parts[f"{side}_{part}"]] for side, _ in BODY_SIDES])
            for part in ("thigh", "upper_arm")
        )
        self.shoulders: Array = shoulders.mean(axis=0)
        """(3,) the place between the shoulders."""
        leg = np.mean([_measure(pose, side, "thigh", "shank", "foot") for side, _ in BODY_SIDES]) / LEG_SHARE
        arm = np.mean([_measure(pose, side, "upper_arm", "forearm") for side, _ in BODY_SIDES]) / UPPER_ARM_SHARE
        if {"left_hand", "right_hand"} <= pose.parts.keys():
            arm = np.mean([_measure(pose, side, "upper_arm", "forearm", "hand") for side, _ in BODY_SIDES]) / _ARM
        self.stature = float(np.median([leg, arm, self.shoulders[2] / TRUNK_SHARE]))
        # A short limb is thinner than one of ordinary length, but less so than it is shorter.
        self.leg, self.arm = np.sqrt(self.stature * np.clip([leg, arm], 0.5 * self.stature, 2.0 * self.stature))
        """Stature of somebody with legs, or arms, as thick as these."""
        self.hip = float(np.clip(0.5 * np.ptp(hips[:, 1]), *np.multiply(_HIPS, self.stature)))
        """From the middle to a hip."""
        self.shoulder = float(np.clip(0.5 * np.ptp(shoulders[:, 1]), *np.multiply(_SHOULDERS, self.stature)))
        """From the middle to a shoulder."""


def _measure(pose: NeutralPose, side: str, *parts: str) -> float:
    chain = pose.limb(side, *parts)
    return float(lengths(np.diff(pose.positions[chain], axis=0)).sum())
