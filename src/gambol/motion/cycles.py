"""Cycles of a clip: stretches that lead back to their own beginning. The best can be closed to repeat seamlessly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

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
_EQUAL = 1e-4
"""Share of how far a movement goes away: returns that differ by less are equally near."""


@dataclass(frozen=True, eq=False)
class Cycles:
    """Every stretch of a clip that leads back to its own beginning, weighted by how well it does.

    The weights vary continuously with the clip. A choice of one best cycle does not: of cycles that are nearly equal
    the last digit of the coordinates decides, and thus where the clip stands in the world.
    """

    frames: int
    """Frames of the clip."""
    weights: Mapping[int, Array]
    """By length in frames: weight (starts,) of the cycle that begins in each frame."""
    whole: float
    """Weight of the clip as a whole: 0 beside a perfect cycle, 1 where there is none."""

    @cached_property
    def coverage(self) -> Array:
        """(frames,) weight of every frame; the sum is 1. Each cycle shares its weight equally among its frames."""
        changes = np.zeros(self.frames + 1)
        changes[0] += self.whole / self.frames
        for length, weights in self.weights.items():
            changes[: len(weights)] += weights / length
            changes[length : length + len(weights)] -= weights / length
        covered = np.maximum(np.cumsum(changes)[:-1], 0.0)
        return covered / covered.sum()

    def mean_maximum(self, values: Array) -> float:
        """The largest of the values (frames,) within a cycle, averaged over all cycles."""
        from scipy.ndimage import maximum_filter1d

        total, weight = self.whole * float(values.max()), self.whole
        for length, weights in self.weights.items():
            if weights.any():
                largest = maximum_filter1d(values, length, origin=-(length // 2))[: len(weights)]
                total += float(weights @ largest)
                weight += float(weights.sum())
        return total / weight


def select_cycle(frames: int, cycle: slice) -> Cycles:
    """A clip of so many frames in which one given cycle counts and nothing else."""
    weights = np.append(np.zeros(cycle.start), 1.0)
    return Cycles(frames, {cycle.stop - cycle.start: weights}, 0.0)


def weigh_cycles(motion: Motion) -> Cycles:
    """All cycles of a clip; the clip as a whole counts by as much as its best cycle falls short of closing."""
    weights, best = {}, 0.0
    for length, openness in _openness(motion):
        closeness = np.maximum(1.0 - openness / MAX_CYCLE_GAP, 0.0)
        weights[length] = closeness**2
        best = max(best, float(closeness.max()))
    return Cycles(len(motion), weights, 1.0 - best)


def find_cycle(motion: Motion) -> slice:
    """The frames [start, stop) whose end leads back to their start best, for all joints and their velocities."""
    best, cycle = np.inf, None
    for length, openness in _openness(motion):
        least = max(float(openness.min()), _EQUAL)
        # Of returns that are equally near the shortest is the cycle: the others are several of it.
        if least < 0.9 * best:
            # Of starts that are equally good the first: which of them is best to the last digit is chance.
            start = int(np.argmax(openness <= (1.0 + _EQUAL) * least))
            best, cycle = least, slice(start, start + length)
    if cycle is None:
        raise InputError(
            f"{motion.duration:.2f} s are too short for a cycle", file=motion.name, fix=f"{SHORTEST_CYCLE} s are the least"
        )
    if best > MAX_CYCLE_GAP:
        raise InputError(
            "the clip never comes back to a pose that it had", file=motion.name, fix="it has no cycle to loop"
        )
    return cycle


def _openness(motion: Motion) -> Iterator[tuple[int, Array]]:
    """For every length of a cycle (frames): how far (starts,) it ends from its start, as a share of how far it went."""
    shape = _poses(motion)
    shortest = max(4, round(SHORTEST_CYCLE / motion.frame_time))
    longest = min(len(motion) - 2, round(LONGEST_CYCLE / motion.frame_time))
    for length in range(shortest, longest + 1):
        apart = np.linalg.norm(shape[length:] - shape[:-length], axis=1)
        # A cycle goes away before it comes back: a pose that is merely held does neither.
        away = np.linalg.norm(shape[length // 2 : length // 2 + len(apart)] - shape[: len(apart)], axis=1)
        yield length, apart / np.maximum(away, _STILL)


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
