"""Jerk, the rate of change of acceleration: jitter raises it in every frame, a spike in the frames around it.

Literature on smoothness makes jerk dimensionless with the duration and the peak speed of one reach, and a clip has
neither. Here it stays in m/s³, after the low-pass that contacts are found with, so that frame rates and the noise that
all optical recordings have matter little.
"""

from __future__ import annotations

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.motion.motion import Motion
from gambol.stages.speed import SPEED_CUTOFF


def compute_strongest_jerks(motion: Motion) -> Array:
    """(frames - 3,) m/s³: the jerk of the joint centre that is jerked most, by third differences.

    The joints are the parts of a known rig, else all that move: fingers, which nobody tracks well, stay out of it.
    """
    if len(motion) < 4:
        raise InputError(f"{len(motion)} frames have no jerk", file=motion.name, fix="four or more are needed")
    skeleton = motion.skeleton
    joints = sorted(
        set(range(len(skeleton.names))) - skeleton.ends if motion.rig is None else set(motion.rig.parts.values())
    )
    centres = low_pass(motion.placement.positions[:, joints], motion.frame_time, SPEED_CUTOFF)
    return np.linalg.norm(np.diff(centres, n=3, axis=0), axis=2).max(axis=1) / motion.frame_time**3
