"""Sample motions at other times: by cubic splines of coordinates, by slerp of a rig's rotations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion

FASTEST = 60.0
"""Frames per second that are solved at most; faster clips are subsampled, and interpolated afterwards."""


def choose_every(frame_time: float, fps: float = FASTEST) -> int:
    """Return how many frames are skipped to the next that is solved, so that at most `fps` per second are."""
    return max(1, int(np.ceil(1.0 / (frame_time * fps) - 1e-6)))


def sample_curves(motion: Motion, q: Array, times: Array) -> Array:
    """Sample curves (frames, dofs) over the frames of a motion at times (s), by cubic splines."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(motion.times, q)(np.minimum(times, motion.times[-1])))


def resample_at(motion: Motion, times: Array) -> Motion:
    """Resample a motion at times (frames,) in seconds; the frame time stays."""
    local = local_frames(motion.skeleton, motion.q).rotations
    frames = np.clip(times / motion.frame_time, 0.0, len(motion) - 1)
    before = frames.astype(int)
    after, part = np.minimum(before + 1, len(motion) - 1), frames - before
    q = (1.0 - part[:, None]) * motion.q[before] + part[:, None] * motion.q[after]
    turned = quat.slerp(local[before], local[after], part[:, None, None])
    return replace_rotations(replace(motion, q=q), turned)


def sample_fit(fitted: Fit, seconds: Array, frame_time: float) -> Fit:
    """Sample the motion of character and rig at times (s) of the recording, one frame each."""
    motion = replace(fitted.motion, q=sample_curves(fitted.motion, fitted.motion.q, seconds), frame_time=frame_time)
    source = replace(resample_at(fitted.source, seconds), frame_time=frame_time)
    near = np.minimum(np.round(seconds / fitted.motion.frame_time).astype(int), len(fitted.errors) - 1)
    return Fit(fitted.character, motion, source, fitted.errors[near])
