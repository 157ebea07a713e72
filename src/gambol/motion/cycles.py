"""Find the cycles of a clip, intervals that end in the pose they began with, and close one so that it loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import whole_turns
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion

SHORTEST_CYCLE, LONGEST_CYCLE = 0.4, 3.0
"""Range of durations of a cycle (s)."""
_FINEST = 240.0
"""Lengths of cycles per second that are tried at most, so that the time is linear in the frames at any frame rate."""
_LEAST_FRAMES = 4
"""Fewest frames of a cycle."""
POSE_AHEAD = 0.1
"""Weight of velocities beside positions when poses are compared (s)."""
LONGEST_REPEAT = 600.0
"""Seconds for which a cycle is repeated at most."""
MAX_CYCLE_GAP = 0.5
"""Largest gap between start and end of a cycle, relative to the distance to the pose half a cycle later."""
_STILL = 1e-4
"""Distance below which two poses count as equal (m)."""
_EQUAL = 1e-4
"""Relative gaps that differ by less than this count as equal."""


@dataclass(frozen=True, eq=False)
class Cycles:
    """All cycles of a clip, weighted by how well each closes.

    The weights vary continuously with the clip. Choosing a single best cycle does not: between nearly equal cycles
    rounding would decide, so that the result could depend on where the clip stands in the world.
    """

    frames: int
    """Number of frames of the clip."""
    weights: Mapping[int, Array]
    """By cycle length in frames: weight (starts,) of the cycle that begins at each frame."""
    whole: float
    """Weight of the whole clip: 0 where a cycle closes perfectly, 1 where there is no cycle."""

    @cached_property
    def coverage(self) -> Array:
        """(frames,) weight of every frame, summing to 1; a cycle's weight is shared equally by its frames."""
        changes = np.zeros(self.frames + 1)
        changes[0] += self.whole / self.frames
        for length, weights in self.weights.items():
            changes[: len(weights)] += weights / length
            changes[length : length + len(weights)] -= weights / length
        covered = np.maximum(np.cumsum(changes)[:-1], 0.0)
        return covered / covered.sum()

    def mean_maximum(self, values: Array) -> float:
        """Return the weighted mean over all cycles of the maximum of `values` (frames,) within the cycle."""
        from scipy.ndimage import maximum_filter1d

        total, weight = self.whole * float(values.max()), self.whole
        for length, weights in self.weights.items():
            if weights.any():
                largest = maximum_filter1d(values, length, origin=-(length // 2))[: len(weights)]
                total += float(weights @ largest)
                weight += float(weights.sum())
        return total / weight


def choose_cycle(motion: Motion, start: float, end: float) -> slice:
    """Return the frames [start, stop) of a cycle that a person chose by its times (s)."""
    first, last = (round(time / motion.frame_time) if np.isfinite(time) else -1 for time in (start, end))
    if not (0 <= first < last < len(motion)):
        raise InputError(
            f"no cycle from {start:g} to {end:g} s", file=motion.name, fix=f"the clip lasts {motion.duration:.2f} s"
        )
    if last - first < _LEAST_FRAMES:
        raise InputError(
            f"a cycle from {start:g} to {end:g} s has {last - first} frames",
            file=motion.name,
            fix=f"give at least {_LEAST_FRAMES * motion.frame_time:.2g} s",
        )
    return slice(first, last)


def select_cycle(frames: int, cycle: slice) -> Cycles:
    """Return the cycles of a clip with `frames` frames in which only the given cycle has weight."""
    weights = np.append(np.zeros(cycle.start), 1.0)
    return Cycles(frames, {cycle.stop - cycle.start: weights}, 0.0)


def weigh_cycles(motion: Motion) -> Cycles:
    """Return all cycles of a clip with their weights; a clip without a good cycle is weighted as a whole."""
    weights, best = {}, 0.0
    for length, openness in _openness(motion):
        closeness = np.maximum(1.0 - openness / MAX_CYCLE_GAP, 0.0)
        weights[length] = closeness**2
        best = max(best, float(closeness.max()))
    return Cycles(len(motion), weights, 1.0 - best)


def find_cycle(motion: Motion) -> slice:
    """Return the frames [start, stop) of the cycle that closes best in joint positions and velocities."""
    best, cycle = np.inf, None
    for length, openness in _openness(motion):
        least = max(float(openness.min()), _EQUAL)
        # Among equally good lengths take the shortest: the others are multiples of it.
        if least < 0.9 * best:
            # Among equally good starts take the first: rounding must not decide.
            start = int(np.argmax(openness <= (1.0 + _EQUAL) * least))
            best, cycle = least, slice(start, start + length)
    if cycle is None:
        raise InputError(
            f"{motion.duration:.2f} s is too short for a cycle",
            file=motion.name,
            fix=f"give at least {SHORTEST_CYCLE} s",
        )
    if best > MAX_CYCLE_GAP:
        raise InputError(
            "no cycle found: the clip never returns to an earlier pose", file=motion.name, fix="give a cyclic motion"
        )
    return cycle


def _openness(motion: Motion) -> Iterator[tuple[int, Array]]:
    """Yield for cycle lengths (frames) the relative gap (starts,) between start and end of the cycle."""
    shape = _poses(motion)
    shortest = max(_LEAST_FRAMES, round(SHORTEST_CYCLE / motion.frame_time))
    longest = min(len(motion) - 1, round(LONGEST_CYCLE / motion.frame_time))
    ends = np.linalg.norm(np.split(shape[-1] - shape[0], 2)[0])
    step = max(1, int(1.0 / (_FINEST * motion.frame_time)))
    for length in [*range(shortest, longest, step), longest] if shortest <= longest else []:
        apart = np.linalg.norm(shape[length:] - shape[:-length], axis=1)
        if length == len(motion) - 1 and ends < _STILL:
            # The clip is one cycle, whose last frame goes on as its first does: velocities at its ends are one-sided.
            apart[:] = ends
        # A cycle moves away before it returns; standing still is not a cycle.
        away = np.linalg.norm(shape[length // 2 : length // 2 + len(apart)] - shape[: len(apart)], axis=1)
        yield length, apart / np.maximum(away, _STILL)


def _poses(motion: Motion) -> Array:
    """Return joint positions relative to the mover and heading, and scaled velocities (frames, features), in metres."""
    mover = motion.placement.positions[:, [motion.mover]] * [1.0, 1.0, 0.0]
    positions = motion.placement.positions[:, motion.body_joints] - mover
    heading = compute_heading(motion)
    cos, sin = np.cos(heading)[:, None], np.sin(heading)[:, None]
    x, y, z = np.moveaxis(positions, -1, 0)
    turned = np.stack((cos * x + sin * y, cos * y - sin * x, z), axis=-1).reshape(len(motion), -1)
    moving = np.gradient(turned, motion.frame_time, axis=0) * POSE_AHEAD
    return np.hstack((turned, moving)) / np.sqrt(len(motion.body_joints))


def compute_heading(motion: Motion) -> Array:
    """Return the heading of the hips (frames,) in radians; 0 where the rig is unknown."""
    if motion.rig is None:
        return np.zeros(len(motion))
    hips = [motion.placement.positions[:, motion.rig.parts[f"{side}_thigh"]] for side in ("left", "right")]
    across = hips[0] - hips[1]
    return np.arctan2(-across[:, 0], across[:, 1])


def close_cycle(motion: Motion, cycle: slice, in_place: bool = False) -> Motion:
    """Return the cycle alone, with the gap between its ends spread over its frames; `in_place` removes the travel.

    The frame that would equal the first is not included: the last frame is followed by the first.
    """
    count = cycle.stop - cycle.start
    q = motion.q[cycle.start : cycle.stop + 1]
    gap = q[-1] - q[0]
    gap = gap - whole_turns(gap) * motion.skeleton.turning
    if not in_place:
        gap = gap - _ground_travel(motion, q[-1] - q[0])(q[-1] - q[0])
    share = np.arange(count) / count
    return replace(motion, q=q[:count] - share[:, None] * gap)


def repeat_cycle(motion: Motion, times: int) -> Motion:
    """Repeat a closed cycle, each time continuing its travel."""
    if times < 1:
        raise InputError(f"the number of repetitions must be 1 or more, got {times}")
    last, before = motion.q[-1], motion.q[-2]
    travel_of = _ground_travel(motion, last - motion.q[0])
    travel = travel_of(last - motion.q[0]) + travel_of(last - before)
    return replace(motion, q=np.concatenate([motion.q + n * travel for n in range(times)]))


def repeat_for(motion: Motion, seconds: float, cycle: slice | None = None) -> Motion:
    """Return the best cycle of a clip, or a given one, closed and repeated for some seconds at least."""
    if not 0.0 < seconds <= LONGEST_REPEAT:
        raise InputError(f"a clip cannot be looped for {seconds:g} s", fix=f"give seconds, up to {LONGEST_REPEAT:g}")
    closed = close_cycle(motion, find_cycle(motion) if cycle is None else cycle)
    return repeat_cycle(closed, max(1, math.ceil(seconds / (len(closed) * motion.frame_time))))


def continue_cycle(motion: Motion, frames: int) -> Motion:
    """Append frames to a clip: those of its last cycle again and again, the gap between its ends spread over each."""
    cycle = find_cycle(motion)
    length, last = cycle.stop - cycle.start, len(motion) - 1
    ahead = motion.q[last] - motion.q[last - length]
    turned = whole_turns(ahead) * motion.skeleton.turning
    travel = _ground_travel(motion, ahead)(ahead) + turned
    rounds, at = np.divmod(np.arange(frames), length)
    more = motion.q[last - length + 1 + at] + np.outer(rounds + 1, travel)
    more += np.outer(1.0 - (at + 1) / length, ahead - travel)
    return replace(motion, q=np.concatenate((motion.q, more)))


def _ground_travel(motion: Motion, change: Array) -> Callable[[Array], Array]:
    """Return a function for the part of a change of coordinates that moves the body horizontally.

    Of the joints that carry the body, the one that a given change moves farthest does this; others, such as hips that
    sway above a moving root, return to where they began.
    """
    skeleton, turned = motion.skeleton, quat.to_matrix(motion[:1].placement.rotations[0])
    level = np.array([1.0, 1.0, 0.0])
    carriers = []
    for joint in skeleton.path_to_root(motion.mover)[::-1]:
        columns, parent = skeleton.columns(joint, "slide"), skeleton.parents[joint]
        axes = np.array([skeleton.dofs[c].axis for c in columns]).reshape(-1, 3)
        carriers.append((columns, axes @ turned[parent].T if parent >= 0 else axes))
    columns, axes = max(carriers, key=lambda carrier: float(np.linalg.norm(change[carrier[0]] @ carrier[1] * level)))

    def travel(change: Array) -> Array:
        out = np.zeros_like(change)
        out[columns] = axes @ (change[columns] @ axes * level)
        return out

    return travel
