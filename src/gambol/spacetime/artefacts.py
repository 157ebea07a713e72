"""Remove artefacts of a clip before it is repaired: lost and uneven frames, swaps, flips, pops, noise, arms inside.

This works on the clip's own rig, before a character is fitted. Noise and uneven frames change a whole clip; all else
changes only the frames concerned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from gambol.assumptions import FASTEST_RUN
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, bridge_line, find_runs
from gambol.geometry.filters import low_pass
from gambol.geometry.vectors import find_median_place, lengths
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.arms import free_arms
from gambol.spacetime.pops import undo_pops
from gambol.spacetime.swapped_limbs import undo_swaps
from gambol.stages.feet import find_foot_points, track_point
from gambol.stages.frame_times import find_frame_times, sample_evenly

_SAME = 1e-7
"""Radians or metres within which a frame repeats the one before."""
_LOST = 0.25
"""Duration (s) of the longest run of lost frames that is filled in."""
_AROUND, _LONGER = 8, 1.4
"""Frames on both sides of lost ones, and the factor by which the step after them must exceed the median step there."""
_CATCH_UP = 1e-5
"""Metres of the shortest step that can make up for lost ones."""
_FASTEST_TURN, _FARTHEST_TURN = np.radians(7000.0), np.radians(120.0)
"""Limits of joint rotation per second and per frame (rad). Shoulders of pitchers reach 9000 deg/s, but no clip we have
seen does."""
_FLIPPED = 0.7
"""Longest duration (s) of a flip that is undone."""
_UNDONE = np.radians(60.0)
"""Radians within which two flips cancel."""
_BRIDGE = 0.06
"""Seconds on both sides of a permanent flip, over which it is spread."""
_FAST, _NOISY = 15.0, 0.002
"""A clip is noisy if its feet move by more than _NOISY (m) above _FAST (Hz)."""
_FLOOR, _ABOVE = 0.7, 4.0
"""Share of the highest frequency above which there is only noise; how many times the power of noise a movement has."""
_SLOWEST, _FASTEST = 1.0, 10.0
"""Frequencies (Hz) between which a cut-off is chosen. Noise of video is weaker above 10 Hz than below."""
_SPECTRUM = 1.0
"""Seconds of the pieces of a clip whose spectra are averaged."""


@dataclass(frozen=True, eq=False)
class CleanedClip:
    """A motion without artefacts, and notes on what was changed."""

    motion: Motion
    notes: tuple[str, ...]


def remove_artefacts(motion: Motion) -> CleanedClip:
    """Mend lost frames, swaps, flips, teleports, uneven frames, noise, pops, and arms in the body."""
    motion, notes = _mend(
        motion,
        {
            "lost frames, filled in": fill_lost_frames,
            "swaps of legs or arms, undone": undo_swaps,
            "flips of joints, undone": undo_flips,
            "teleports of the body, undone": undo_teleports,
        },
    )
    motion, shift = even_out_frames(motion)
    if shift:
        notes.append(f"frames showed the body up to {1000.0 * shift:.0f} ms early or late: put at even times")
    if is_noisy(motion):
        motion, cutoff = remove_noise(motion)
        notes.append(f"noise removed: low-passed at {cutoff:.0f} Hz (median of the joints)")
    motion, more = _mend(motion, {"pops of limbs, undone": undo_pops, "arms in the body, taken out": free_arms})
    return CleanedClip(motion, (*notes, *more))


def _mend(motion: Motion, faults: Mapping[str, Callable[[Motion], tuple[Motion, int]]]) -> tuple[Motion, list[str]]:
    """Mend faults; return the motion and a note on each kind that it had."""
    notes = []
    for words, undo in faults.items():
        motion, count = undo(motion)
        if count:
            notes.append(f"{words}: {count}")
    return motion, notes


def even_out_frames(motion: Motion) -> tuple[Motion, float]:
    """Put frames at even times that show the body early or late; return the motion and the largest shift (s), or 0."""
    times = find_frame_times(motion)
    if times is None:
        return motion, 0.0
    local = quat.make_continuous(local_frames(motion.skeleton, motion.q).rotations)
    turned = sample_evenly(local.reshape(len(motion), -1), times).reshape(local.shape)
    late = float(np.abs(times - np.arange(len(times))).max())
    root = sample_evenly(_root(motion), times)
    return replace_rotations(motion, quat.normalise(turned), root), late * motion.frame_time


def is_noisy(motion: Motion) -> bool:
    """Whether the feet of a motion jitter more than in clean recordings."""
    places = np.stack([track_point(motion, point) for point in find_foot_points(motion)], axis=1)
    fast = places - low_pass(places, motion.frame_time, _FAST)
    # The median over joints and frames: flips and jumps are not noise.
    return bool(np.median(np.linalg.norm(fast, axis=2)) > _NOISY)


def remove_noise(motion: Motion) -> tuple[Motion, float]:
    """Low-pass joints and root, each where its movement meets its noise; return the median cut-off (Hz)."""
    local = quat.make_continuous(local_frames(motion.skeleton, motion.q).rotations)
    smooth, cutoffs = _low_pass_each(local, motion.frame_time)
    root, _ = _low_pass_each(_root(motion)[:, None], motion.frame_time)
    return replace_rotations(motion, quat.normalise(smooth), root[:, 0]), float(np.median(cutoffs))


def _low_pass_each(curves: Array, frame_time: float) -> tuple[Array, Array]:
    """Return curves (frames, joints, n) without noise, and the cut-offs (joints,) in Hz."""
    from scipy.signal import welch

    piece = min(len(curves), round(_SPECTRUM / frame_time))
    frequencies, powers = welch(curves, 1.0 / frame_time, nperseg=piece, detrend="linear", axis=0)
    powers = powers.sum(axis=2)
    noise = powers[frequencies >= _FLOOR * frequencies[-1]].mean(axis=0)
    moving = (powers > _ABOVE * noise) & (frequencies < _FASTEST)[:, None]
    cutoffs = np.clip((moving * frequencies[:, None]).max(axis=0) + 1.0 / _SPECTRUM, _SLOWEST, _FASTEST)
    smooth = curves.copy()
    for cutoff in np.unique(cutoffs):
        smooth[:, cutoffs == cutoff] = low_pass(curves[:, cutoffs == cutoff], frame_time, cutoff)
    return smooth, cutoffs


def fill_lost_frames(motion: Motion) -> tuple[Motion, int]:
    """Interpolate frames that repeat the one before; return the motion and their number.

    A body at rest also repeats frames: repeats count as lost only if the body catches up in the next frame.
    """
    again = np.concatenate(([False], np.abs(np.diff(motion.q, axis=0)).max(axis=1) < _SAME))
    local, root = local_frames(motion.skeleton, motion.q).rotations, _root(motion)
    steps = lengths(np.diff(motion.placement.positions, axis=0)).mean(axis=1)
    count = 0
    for first, last in find_runs(again):
        if _caught_up(steps, first, last) and (last - first + 1) * motion.frame_time <= _LOST:
            quat.bridge(local, first - 1, last + 1)
            bridge_line(root, first - 1, last + 1)
            count += last - first + 1
    return (replace_rotations(motion, local, root), count) if count else (motion, 0)


def _caught_up(steps: Array, first: int, last: int) -> bool:
    """Whether the step after repeated frames is longer than the steps (frames - 1,) of the joints around them."""
    if first < 2 or last >= len(steps):
        return False
    after = steps[last]
    around = np.concatenate((steps[max(first - _AROUND, 0) : last], steps[last + 1 : last + _AROUND]))
    around = around[around > _SAME]
    return bool(len(around) and after > max(_LONGER * np.median(around), _CATCH_UP))


def undo_flips(motion: Motion) -> tuple[Motion, int]:
    """Undo turns of joints that are too fast: turn back what flips back soon, else spread the flip over time."""
    local = local_frames(motion.skeleton, motion.q).rotations
    count = sum(_unflip(local[:, joint], motion.frame_time) for joint in range(local.shape[1]))
    return (replace_rotations(motion, local), count) if count else (motion, 0)


def _unflip(turned: Array, frame_time: float) -> int:
    """Correct one joint's rotations (frames, 4) in place; return the number of flips."""
    steps = quat.multiply(quat.conjugate(turned[:-1]), turned[1:])
    fastest = min(_FASTEST_TURN * frame_time, _FARTHEST_TURN)
    jumps = 1 + np.flatnonzero(quat.angle(steps) > fastest)
    longest, reach = round(_FLIPPED / frame_time), max(1, round(_BRIDGE / frame_time))
    n = 0
    while n < len(jumps):
        there, back = steps[jumps[n] - 1], steps[jumps[n + 1] - 1] if n + 1 < len(jumps) else None
        near = back is not None and jumps[n + 1] - jumps[n] <= longest
        if near and back is not None and quat.angle(quat.multiply(there, back)) < _UNDONE:
            flipped = slice(jumps[n], jumps[n + 1])
            shares = np.linspace(0.0, 1.0, jumps[n + 1] - jumps[n])
            turned[flipped] = quat.multiply(turned[flipped], quat.slerp(quat.conjugate(there), back, shares[:, None]))
            n += 2
        else:
            quat.bridge(turned[:, None], max(jumps[n] - 1 - reach, 0), min(jumps[n] + reach, len(turned) - 1))
            n += 1
    return len(jumps)


def undo_teleports(motion: Motion) -> tuple[Motion, int]:
    """Undo jumps of the root: shift all frames after a jump so that its step becomes the median step around it."""
    root = _root(motion)
    steps = np.diff(root, axis=0)
    jumps = 1 + np.flatnonzero(np.linalg.norm(steps, axis=1) > FASTEST_RUN * motion.frame_time)
    if not len(jumps):
        return motion, 0
    usual = np.array([find_median_place(steps[max(j - 6, 0) : j + 5]) for j in jumps])
    for jump, step in zip(jumps, usual, strict=True):
        root[jump:] += step - steps[jump - 1]
    return replace_rotations(motion, None, root), len(jumps)


def _root(motion: Motion) -> Array:
    return motion.placement.positions[:, 0].copy()
