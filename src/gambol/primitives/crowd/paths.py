"""Make whole-body motions for walkers with given paths, phases and blends of steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry.angles import whole_turns
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.primitives.bodies import PoseBlender, WalkerStates
from gambol.progress import Progress, silent

_BLEND_TIME = 0.2
"""Time constant (seconds) of the blend: a walker does not change its steps within a step."""

_MAX_RATE = 2.0
"""Largest phase rate of a body that catches up, relative to the usual."""


class CrowdPaths(NamedTuple):
    """Paths, phases and blends of n walkers over time."""

    phases: Array
    """(frames, n) radians, unwrapped."""
    places: Array
    """(frames, n, 2) metres."""
    headings: Array
    """(frames, n) radians."""
    blends: Array
    """(frames, n, prototypes) shares."""
    sway_forward: bool
    """Whether to add the forward sway of the steps: for paths at uniform speed, which lack it."""
    radii: Array | None = None
    """(frames, n) of the walkers' oscillators; 1 by default."""
    lean: Array | None = None
    """(frames, n, 2) metres forward and to the left that bodies are moved over their feet."""


def follow_oscillators(phases: Array, oscillators: Array, usual: float) -> Array:
    """Advance the phases (n,) of bodies by a frame towards those of their oscillators, usually by `usual` rad.

    Where an oscillator jumps, a body waits or catches up; its phase never decreases.
    """
    behind = oscillators - phases
    behind = behind - whole_turns(behind)
    return phases + np.clip(behind, 0.0, _MAX_RATE * usual)


def pose_paths(bodies: PoseBlender, paths: CrowdPaths, frame_time: float, progress: Progress = silent) -> list[Motion]:
    """Make a motion for every walker, on the rig of the prototypes."""
    frames, count = paths.phases.shape
    joints = len(bodies.layout.skeleton.names)
    local, places = np.empty((frames, count, joints, 4)), np.empty((frames, count, 3))
    walkers = WalkerStates.unlocked(paths.phases[0], paths.places[0], paths.headings[0])
    blend, follow = paths.blends[0], 1.0 - np.exp(-frame_time / _BLEND_TIME)
    for frame in range(frames):
        blend = blend + follow * (paths.blends[frame] - blend)
        target = WalkerStates(paths.phases[frame], paths.places[frame], paths.headings[frame], walkers.lock)
        radii = None if paths.radii is None else paths.radii[frame]
        lean = None if paths.lean is None else paths.lean[frame]
        walkers, poses = bodies.follow(walkers, blend, target, frame_time, paths.sway_forward, radii, lean)
        local[frame], places[frame] = poses
        progress("walking: frame", frame + 1, frames)
    return [
        bodies.layout.motion(local[:, one], places[:, one], frame_time, f"walker {one + 1}") for one in range(count)
    ]
