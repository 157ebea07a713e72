"""Cycles: the stretch of a clip that best leads back to its own beginning, closed so that it repeats without a seam."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton

SHORTEST_CYCLE, LONGEST_CYCLE = 0.4, 3.0
"""Seconds that a cycle of human movement lasts."""
_AHEAD = 0.1
"""Seconds of movement that a pose is compared with besides its own shape."""
MAX_CYCLE_GAP = 0.5
"""A return counts where it is nearer than this share of how far the movement went away."""
_STILL = 1e-4
"""Metres below which poses are the same."""


def find_cycle(motion: Motion) -> slice:
    """The frames [start, stop) whose end leads back to their start best, for all joints and their velocities."""
    shape = _poses(motion)
    shortest = max(4, round(SHORTEST_CYCLE / motion.frame_time))
    longest = min(len(motion) - 2, round(LONGEST_CYCLE / motion.frame_time))
    if longest < shortest:
        raise InputError(
            f"{motion.duration:.2f} s are too short for a cycle", file=motion.name, fix=f"{SHORTEST} s are the least"
        )
    best = (np.inf, 0, 0)
    for length in range(shortest, longest + 1):
        apart = np.linalg.norm(shape[length:] - shape[:-length], axis=1)
        # A cycle goes away before it comes back: a pose that is merely held does neither.
        away = np.linalg.norm(shape[length // 2 : length // 2 + len(apart)] - shape[: len(apart)], axis=1)
        openness = apart / np.maximum(away, _STILL)
        start = int(np.argmin(openness))
        # Of returns that are equally near the shortest is the cycle: the others are several of it.
        if openness[start] < 0.9 * best[0]:
            best = (float(openness[start]), start, length)
    if best[0] > MAX_CYCLE_GAP:
        raise InputError(
            "the clip never comes back to a pose that it had", file=motion.name, fix="it has no cycle to loop"
        )
    return slice(best[1], best[1] + best[2])


def _poses(motion: Motion) -> Array:
    """(frames, numbers): joints seen from the root and from its heading, and where they move, in metres."""
    positions = motion.placement.positions - motion.placement.positions[:, :1] * [1.0, 1.0, 0.0]
    heading = _heading(motion)
    cos, sin = np.cos(heading)[:, None], np.sin(heading)[:, None]
    x, y, z = np.moveaxis(positions, -1, 0)
    turned = np.stack((cos * x + sin * y, cos * y - sin * x, z), axis=-1).reshape(len(motion), -1)
    moving = np.gradient(turned, motion.frame_time, axis=0) * _AHEAD
    return np.hstack((turned, moving)) / np.sqrt(len(motion.skeleton.names))


def _heading(motion: Motion) -> Array:
    """Angle (frames,) about the vertical in which the hips face; 0 where they are not known."""
    if motion.rig is None:
        return np.zeros(len(motion))
    hips = [motion.placement.positions[:, motion.rig.parts[f"{side}_thigh"]] for side in ("left", "right")]
    across = hips[0] - hips[1]
    return np.arctan2(-across[:, 0], across[:, 1])


def close_cycle(motion: Motion, cycle: slice, in_place: bool = False) -> Motion:
    """The cycle alone, its end bent to its beginning little by little; `in_place` takes its way out too.

    The last frame is followed by the first: it is not repeated.
    """
    count = cycle.stop - cycle.start
    q = motion.q[cycle.start : cycle.stop + 1]
    gap = q[-1] - q[0]
    gap = gap - 2.0 * np.pi * np.round(gap / (2.0 * np.pi)) * _turns(motion.skeleton)
    if not in_place:
        gap = gap - _way(motion.skeleton, q[-1] - q[0])
    share = np.arange(count) / count
    return replace(motion, q=q[:count] - share[:, None] * gap)


def repeat_cycle(motion: Motion, times: int) -> Motion:
    """A closed cycle several times over, going on along its way."""
    if times < 1:
        raise InputError(f"a cycle is repeated once or more, not {times} times")
    last, before = motion.q[-1], motion.q[-2]
    way = _way(motion.skeleton, last - motion.q[0]) + _way(motion.skeleton, last - before)
    return replace(motion, q=np.concatenate([motion.q + n * way for n in range(times)]))


def _turns(skeleton: Skeleton) -> Array:
    return np.array([float(dof.kind == "turn") for dof in skeleton.dofs])


def _way(skeleton: Skeleton, change: Array) -> Array:
    """The part of a change of coordinates that moves the root along the ground."""
    columns = skeleton.columns(0, "slide")
    axes = np.array([skeleton.dofs[c].axis for c in columns]).reshape(-1, 3)
    moved = change[columns] @ axes * [1.0, 1.0, 0.0]
    out = np.zeros_like(change)
    out[columns] = axes @ moved
    return out
