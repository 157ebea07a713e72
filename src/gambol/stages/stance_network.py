"""Tell from the shape of a movement when heels and balls carry the body, wherever the path of the body leads.

A foot that slides is not still, and a body that floats has no floor. But legs swing and stand in the same way as in
sound recordings, from which a small convolutional network has learned them (`scripts/learn_stances.py`). It sees the
feet relative to the pelvis, the turning of the hips, and the vertical acceleration of the pelvis: nothing of the path
over the floor, so that no error of the path misleads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import GRAVITY
from gambol.body.character import measure_skeleton_legs
from gambol.contacts.contact import BodyPoint, touch
from gambol.contacts.timeline import Contacts
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.filters import low_pass
from gambol.geometry.vectors import UP, cross, find_median_place, unit_vectors
from gambol.io.archive import read_arrays
from gambol.motion.motion import Motion
from gambol.stages.feet import find_tip, track_point

ENDS = ("left_heel", "left_ball", "right_heel", "right_ball")
RATE = 60.0
"""Frames per second that the network sees."""
_HIPS = ("pelvis", "left_thigh", "right_thigh")
_CUTOFF = 6.0
"""Hz above which the acceleration of the pelvis is noise."""
_SLOWER = 0.2
"""Seconds by which rates are multiplied, so that they are about as large as places in leg lengths."""
_SWAPPED = [2, 3, 0, 1, 4, 6, 5]
"""The points of `look`, with those of the other side in their places."""


def find_likely_contacts(motion: Motion, points: Sequence[BodyPoint]) -> Contacts:
    """Find when heels and balls of a character's feet are in contact, by the shape of its movement alone."""
    likely = estimate_contacts(motion)
    items = []
    for point in points:
        track = track_point(motion, point)
        items += [
            touch(point, find_median_place(track[first : last + 1]), first, last)
            for first, last in find_runs(likely[point.name] > 0.5)
        ]
    return Contacts(tuple(items), len(motion), motion.frame_time)


def estimate_contacts(motion: Motion) -> dict[str, Array]:
    """Return the probability (frames,) that each end of a character's feet is in contact, by name."""
    places, leg = look(motion), measure_skeleton_legs(motion.skeleton)
    seen, mirrored = (_apply_network(describe(side, leg)) for side in (places, mirror(places)))
    likely = 0.5 * (seen + mirrored[:, _SWAPPED[:4]])
    times = np.arange(len(likely)) / RATE
    return {name: np.interp(motion.times, times, column) for name, column in zip(ENDS, likely.T, strict=True)}


def look(motion: Motion) -> Array:
    """Return the places (frames, 7, 3) in metres of the ends of a character's feet, its pelvis and hips, at `RATE`."""
    ends = [track_point(motion, find_tip(motion.skeleton, end)) for end in ENDS]
    hips = [motion.placement.positions[:, motion.skeleton.index(name)] for name in _HIPS]
    tracks = np.stack((*ends, *hips), axis=1)
    times = np.arange(max(3, round(motion.duration * RATE) + 1)) / RATE
    columns = [np.interp(times, motion.times, column) for column in tracks.reshape(len(motion), -1).T]
    return np.stack(columns, axis=1).reshape(len(times), *tracks.shape[1:])


def mirror(places: Array) -> Array:
    """Return what a mirrored movement looks like."""
    return places[:, _SWAPPED] * (1.0, -1.0, 1.0)


def describe(places: Array, leg: float) -> Array:
    """Return what the network sees (frames, 26) of places (frames, 7, 3) of a body with legs of a length (m)."""
    ends, pelvis, across = places[:, :4], places[:, 4], places[:, 5] - places[:, 6]
    left = unit_vectors(across * (1.0, 1.0, 0.0))
    axes = np.stack((cross(left, UP), left, np.broadcast_to(UP, left.shape)), axis=1)
    relative = np.einsum("fij,fej->fei", axes, ends - pelvis[:, None]).reshape(len(places), -1) / leg
    rates = np.gradient(relative, 1.0 / RATE, axis=0)
    turning = np.gradient(np.unwrap(np.arctan2(left[:, 1], left[:, 0])), 1.0 / RATE)
    heights = low_pass(pelvis[:, 2], 1.0 / RATE, _CUTOFF)
    rising = np.gradient(np.gradient(heights, 1.0 / RATE), 1.0 / RATE) / GRAVITY
    return np.column_stack((relative, _SLOWER * rates, rising, _SLOWER * turning))


def _apply_network(inputs: Array) -> Array:
    """Return the probability of contact (frames, 4)."""
    weights = _load_weights()
    hidden = _convolve((inputs - weights["mean"]) / weights["deviation"], "first", 1)
    hidden = np.maximum(hidden, 0.0)
    for layer in range(4):
        hidden = hidden + np.maximum(_convolve(hidden, f"middle.{layer}", 2**layer), 0.0)
    return 1.0 / (1.0 + np.exp(-_convolve(hidden, "last", 1)))


def _convolve(inputs: Array, layer: str, dilation: int) -> Array:
    """Return a layer's outputs (frames, n); before and after the clip its first and last frame stand still."""
    kernel, bias = _load_weights()[f"{layer}.weight"], _load_weights()[f"{layer}.bias"]
    reach = dilation * (kernel.shape[2] // 2)
    padded = np.pad(inputs, ((reach, reach), (0, 0)), mode="edge")
    rows = (padded[k * dilation : k * dilation + len(inputs)] @ kernel[:, :, k].T for k in range(kernel.shape[2]))
    return np.asarray(sum(rows, start=bias))


@lru_cache(maxsize=1)
def _load_weights() -> dict[str, NDArray[np.float64]]:
    arrays = read_arrays(Path(__file__).with_name("stance_network.npz"), expansion=2.0)
    return {name: array.astype(float) for name, array in arrays.items()}
