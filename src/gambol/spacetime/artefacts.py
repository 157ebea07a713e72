"""What no smooth change can mend: lost frames, joints that flip, a body that jumps, noise, a wrong frame rate.

All of it is done on the rig as it came, before a character is fitted to it, and only the frames concerned change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.body.character import GRAVITY
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import find_foot_points, track_point
from gambol.stages.flight import measure_fall, find_stages, drop_supported_flights
from gambol.stages.speed import find_runs

_SAME = 1e-7
"""Radians or metres within which a frame is the one before it once more."""
_LOST = 0.25
"""Seconds of lost frames that can be guessed."""
_AROUND, _LONGER = 8, 1.4
"""Frames to both sides of lost ones, and how much longer than the steps there the one is that catches up."""
_SPRINT = 13.0
"""Metres a second: nobody has run faster."""
_FASTEST_TURN, _FARTHEST_TURN = np.radians(7000.0), np.radians(120.0)
"""Radians a second that joints do not turn at (9000 deg/s has been seen in shoulders of pitchers, and in no clip), and
radians from one frame to the next."""
_FLIPPED = 0.7
"""Seconds after which a joint that flipped has flipped back, if it ever does."""
_UNDONE = np.radians(60.0)
"""Radians within which two flips cancel."""
_BRIDGE = 0.06
"""Seconds on both sides of a flip that never comes back, over which it is spread."""
_FLIGHT, _OFF = 10, 0.1
"""Frames of the shortest flight that a frame rate is read off, and the share it must be off by."""
_FAST, _NOISY, _CUTOFF = 15.0, 0.002, 8.0
"""Hz above which feet hardly move, metres that they do in no recording, and Hz that noisy clips are smoothed to."""


@dataclass(frozen=True, eq=False)
class CleanedClip:
    """A motion and what was done to it, in words."""

    motion: Motion
    notes: tuple[str, ...]


def remove_artefacts(motion: Motion) -> CleanedClip:
    """Lost frames, flips, teleports and noise mended, as far as they can be."""
    notes: list[str] = []
    for mend, words in (
        (fill_lost_frames, "{} lost frames filled in"),
        (undo_flips, "{} flips of joints undone"),
        (undo_teleports, "{} jumps of the whole body taken back"),
    ):
        motion, count = mend(motion)
        if count:
            notes.append(words.format(count))
    if is_noisy(motion):
        motion = remove_noise(motion)
        notes.append(f"what is faster than {_CUTOFF:g} Hz is noise: taken out")
    return CleanedClip(motion, tuple(notes))


def likely_frame_time(motion: Motion) -> float | None:
    """Seconds a frame at which its flights would fall as bodies do; None where that is as stated or cannot be told."""
    stages = drop_supported_flights(motion, find_stages(find_foot_contacts(motion)))
    inside = [s for s in stages if s.kind == "flight" and s.first > 0 and s.last < len(motion) - 1]
    falls = [measure_fall(motion, s) for s in inside if len(s) >= _FLIGHT]
    if not falls:
        return None
    factor = float(np.sqrt(-np.median(falls) / GRAVITY))
    return None if abs(factor - 1.0) < _OFF else motion.frame_time * factor


def is_noisy(motion: Motion) -> bool:
    """Whether the feet of a motion jitter more than those of recordings do."""
    places = np.stack([track_point(motion, point) for point in find_foot_points(motion)], axis=1)
    fast = places - low_pass(places, motion.frame_time, _FAST)
    # The middle of the joints and frames: a flip or a jump is no noise.
    return bool(np.median(np.linalg.norm(fast, axis=2)) > _NOISY)


def remove_noise(motion: Motion) -> Motion:
    """The motion without what is faster than the body moves."""
    local = quat.make_continuous(local_frames(motion.skeleton, motion.q).rotations)
    smooth = low_pass(local, motion.frame_time, _CUTOFF)
    smooth /= np.linalg.norm(smooth, axis=-1, keepdims=True)
    return replace_rotations(motion, smooth, low_pass(_root(motion), motion.frame_time, _CUTOFF))


def fill_lost_frames(motion: Motion) -> tuple[Motion, int]:
    """Frames that repeat the one before them, between their neighbours; and how many there were.

    A body at rest repeats frames too: between two frames that are alike nothing changes.
    """
    again = np.concatenate(([False], np.abs(np.diff(motion.q, axis=0)).max(axis=1) < _SAME))
    local, root = local_frames(motion.skeleton, motion.q).rotations, _root(motion)
    count = 0
    for first, last in find_runs(again):
        if _caught_up(motion.q, first, last) and (last - first + 1) * motion.frame_time <= _LOST:
            _bridge(local, first - 1, last + 1)
            _bridge_line(root, first - 1, last + 1)
            count += last - first + 1
    return (replace_rotations(motion, local, root), count) if count else (motion, 0)


def _caught_up(q: Array, first: int, last: int) -> bool:
    """Whether a body makes up for some repeated frames in the frame after, by a step longer than those around."""
    if first < 2 or last + 1 >= len(q):
        return False
    begin = max(first - _AROUND, 0)
    steps = np.linalg.norm(np.diff(q[begin : last + _AROUND], axis=0), axis=1)
    after = steps[last - begin]
    around = np.delete(steps, last - begin)
    around = around[around > _SAME]
    return bool(len(around) and after > _LONGER * np.median(around) > 1e-4)


def undo_flips(motion: Motion) -> tuple[Motion, int]:
    """Joints that turn faster than any joint can: turned back for as long as they are flipped, or led over slowly."""
    local = local_frames(motion.skeleton, motion.q).rotations
    count = sum(_unflip(local[:, joint], motion.frame_time) for joint in range(local.shape[1]))
    return (replace_rotations(motion, local), count) if count else (motion, 0)


def _unflip(turned: Array, frame_time: float) -> int:
    """Mend one joint's rotations (frames, 4) in place; how often it flipped."""
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
            _bridge(turned[:, None], max(jumps[n] - 1 - reach, 0), min(jumps[n] + reach, len(turned) - 1))
            n += 1
    return len(jumps)


def undo_teleports(motion: Motion) -> tuple[Motion, int]:
    """Jumps of the root taken back: led over where it comes back soon, else all that follows is moved."""
    root = _root(motion)
    steps = np.diff(root, axis=0)
    jumps = 1 + np.flatnonzero(np.linalg.norm(steps, axis=1) > _SPRINT * motion.frame_time)
    if not len(jumps):
        return motion, 0
    usual = np.array([np.median(steps[max(j - 6, 0) : j + 5], axis=0) for j in jumps])
    for jump, step in zip(jumps, usual, strict=True):
        root[jump:] += step - steps[jump - 1]
    return replace_rotations(motion, None, root), len(jumps)


def _root(motion: Motion) -> Array:
    return motion.placement.positions[:, 0].copy()


def _bridge(turned: Array, first: int, last: int) -> None:
    """Rotations (frames, joints, 4) between two frames led over evenly, in place."""
    shares = np.linspace(0.0, 1.0, last - first + 1)[1:-1, None]
    turned[first + 1 : last] = quat.slerp(turned[first], turned[last], shares[..., None])


def _bridge_line(places: Array, first: int, last: int) -> None:
    shares = np.linspace(0.0, 1.0, last - first + 1)[1:-1, None]
    places[first + 1 : last] = (1.0 - shares) * places[first] + shares * places[last]


def resample_at(motion: Motion, times: Array) -> Motion:
    """What a rig shows at other times, in as many frames of the same length."""
    local = local_frames(motion.skeleton, motion.q).rotations
    frames = np.clip(times / motion.frame_time, 0.0, len(motion) - 1)
    before = frames.astype(int)
    after, part = np.minimum(before + 1, len(motion) - 1), frames - before
    q = (1.0 - part[:, None]) * motion.q[before] + part[:, None] * motion.q[after]
    turned = quat.slerp(local[before], local[after], part[:, None, None])
    return replace_rotations(replace(motion, q=q), turned)
