"""Quiet standing: one breath of sway over feet that do not move.

The centre of mass sways by 2 mm to the side and 4 mm fore and aft, as Winter reports in A.B.C. of Balance during
Standing and Walking (1995); 15 breaths per minute.
"""

from __future__ import annotations

import numpy as np

from gambol.motion.motion import Motion
from samples import rig
from samples.body import Arm, Posture, pose_on_center
from samples.legs import Foot

_SECONDS = 4.0
"""One breath, so that the clip loops."""


def stand() -> Motion:
    """Make the standing figure; the clip loops."""
    time = np.arange(round(_SECONDS * rig.RATE) + 1) / rig.RATE
    turn = 2.0 * np.pi * time / _SECONDS
    zero, degree = np.zeros_like(time), np.radians(np.ones_like(time))
    breath = -0.5 * np.cos(turn)
    center = np.stack((0.05 + 0.004 * np.sin(turn), 0.002 * np.sin(turn + 1.0), 0.974 + 0.001 * breath), axis=-1)
    arm = Arm(
        np.radians(0.4 * breath),
        np.radians(8.0 + 0.6 * breath),
        6.0 * degree,
        16.0 * degree,
        8.0 * degree,
    )
    posture = Posture(
        np.stack((np.radians(0.3 * np.sin(turn + 1.0)), 2.0 * degree, zero), axis=-1),
        np.stack((np.radians(-0.3 * np.sin(turn + 1.0)), np.radians(1.0 - 0.8 * breath), zero), axis=-1),
        (arm, arm),
        zero,
    )
    feet = []
    for side in (1.0, -1.0):
        ankle = np.tile([0.0, 0.10 * side, rig.ANKLE_HEIGHT], (len(time), 1))
        feet.append(Foot(ankle, zero, zero, float(np.radians(6.0)) * side))
    figure = pose_on_center(center, posture, (feet[0], feet[1]), center - [0.03, 0.0, 0.02], rounds=14)
    return rig.to_motion("stand", figure.root, figure.rotations)
