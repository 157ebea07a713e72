"""Measure jerk, the rate of acceleration: jitter raises it in every frame, a spike in the frames around it.

The literature on smoothness makes jerk dimensionless with the duration and the peak speed of one reaching movement,
which a clip does not have. Here it is in m/s³, after the low-pass that is also used to find contacts, so that it hardly
depends on the frame rate and on the usual noise of optical recordings.
"""

from __future__ import annotations

import numpy as np

from gambol.assumptions import LIMB_CUTOFF
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.motion.motion import Motion


def compute_strongest_jerks(motion: Motion) -> Array:
    """Return the largest jerk (frames - 3,) of any joint centre in m/s³, by third differences.

    The joints are the parts of a known rig, else all joints. Fingers, which are tracked badly, are not parts of a rig.
    """
    if len(motion) < 4:
        raise InputError(
            f"jerk cannot be measured on {len(motion)} frames", file=motion.name, fix="four or more are needed"
        )
    skeleton = motion.skeleton
    joints = sorted(
        set(range(len(skeleton.names))) - skeleton.ends if motion.rig is None else set(motion.rig.parts.values())
    )
    centres = low_pass(motion.placement.positions[:, joints], motion.frame_time, LIMB_CUTOFF)
    return np.linalg.norm(np.diff(centres, n=3, axis=0), axis=2).max(axis=1) / motion.frame_time**3
