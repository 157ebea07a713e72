"""Count faults of legs that a viewer sees at once: knees that bend backward, and legs that jump between two frames."""

from __future__ import annotations

import numpy as np

from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.legs.knees import MAX_TURN, measure_knees
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES

BENT_BACK = np.radians(20.0)
"""Flexion beyond straight from which a knee bends backward: recorded people stay within 16 degrees."""
POP_ANGLE = np.radians(20.0)
"""Rotation of a thigh or shank in one frame, other than in the frames around it, from which a leg jumps."""
_POP_RATE = 60.0
"""Frames per second below which a fast leg may rotate by more, in proportion to the time between frames."""


def count_backward_knees(motion: Motion) -> int:
    """Count legs and frames with a knee bent backward about its hinge, or bent and turned to the back of the body."""
    flexion, turn = measure_knees(motion)
    return int(((flexion < -BENT_BACK) | ((flexion > BENT_BACK) & (np.abs(turn) > MAX_TURN))).sum())


def count_leg_pops(motion: Motion) -> int:
    """Count legs and frames in which thigh or shank jumps: rotates unlike in the two frames before and after."""
    from scipy.ndimage import median_filter

    parts = require_rig(motion).parts
    joints = [[parts[f"{side}_{part}"] for part in ("thigh", "shank")] for side in SIDES]
    world = motion.placement.rotations[:, joints]
    steps = quat.log(quat.multiply(world[1:], quat.conjugate(world[:-1])))
    usual = median_filter(steps, (5, 1, 1, 1), mode="nearest")
    limit = POP_ANGLE * max(1.0, _POP_RATE * motion.frame_time)
    return int((np.linalg.norm(steps - usual, axis=3).max(axis=2) > limit).sum())
