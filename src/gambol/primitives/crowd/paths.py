"""Bodies on their paths: whole motions on a rig for everyone in a crowd whose paths, phases and steps are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.primitives.bodies import PoseBlender, WalkerStates

_TAKEN_UP = 0.2
"""Seconds in which steps follow what is wanted of them by two thirds: nobody changes step within a step."""

_HURRY = 2.0
"""How many times as fast as usual steps may follow for someone to catch up."""


class CrowdPaths(NamedTuple):
    """What n walkers do over time; the first axis is the frame."""

    phases: Array
    """(frames, n) radians, running on."""
    places: Array
    """(frames, n, 2) metres."""
    headings: Array
    """(frames, n) radians."""
    blends: Array
    """(frames, n, prototypes) shares."""
    sway_forward: bool
    """Whether places move evenly; else they have the pace of the steps already."""


def follow_oscillators(phases: Array, oscillators: Array, usual: float) -> Array:
    """Phases (n,) of bodies a frame later, in which steps go on by `usual` radians, behind those of their oscillators.

    A body waits or hurries where an oscillator jumps, and never steps backward in its stride.
    """
    behind = oscillators - phases
    behind = behind - 2.0 * np.pi * np.round(behind / (2.0 * np.pi))
    return phases + np.clip(behind, 0.0, _HURRY * usual)


def pose_paths(
    bodies: PoseBlender, paths: CrowdPaths, frame_time: float, progress: Callable[[int, int], object] | None = None
) -> list[Motion]:
    """A motion for every walker, on the rig of the prototypes."""
    frames, count = paths.phases.shape
    joints = len(bodies.layout.skeleton.names)
    local, places = np.empty((frames, count, joints, 4)), np.empty((frames, count, 3))
    walkers = WalkerStates.unlocked(paths.phases[0], paths.places[0], paths.headings[0])
    blend, follow = paths.blends[0], 1.0 - np.exp(-frame_time / _TAKEN_UP)
    for frame in range(frames):
        blend = blend + follow * (paths.blends[frame] - blend)
        way = WalkerStates(paths.phases[frame], paths.places[frame], paths.headings[frame], walkers.lock)
        walkers, poses = bodies.follow(walkers, blend, way, frame_time, paths.sway_forward)
        local[frame], places[frame] = poses
        if progress is not None:
            progress(frame, frames)
    return [
        bodies.layout.motion(local[:, one], places[:, one], frame_time, f"walker {one + 1}") for one in range(count)
    ]
