"""Paths of a robot's soles, which its feet follow, and how they are moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP, lengths

FrameNumbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SolePath:
    """Poses of a sole."""

    places: Array
    """(frames, 3) of its middle (m)."""
    rotations: Array
    """(frames, 4) from the level sole that faces along x."""
    ground: Array
    """(frames, 4) heights (m) of the ground below its corners."""
    slopes: Array
    """(frames, 2) rise of that ground along x and y, per metre."""
    flat: tuple[tuple[int, int], ...]
    """First and last frames of flat stances."""
    touching: NDArray[np.bool_]
    """(frames,) whether any of the foot rests on the ground."""

    @property
    def level(self) -> NDArray[np.bool_]:
        """(frames,) whether it rests flat."""
        frames = np.zeros(len(self.places), dtype=bool)
        for first, last in self.flat:
            frames[first : last + 1] = True
        return frames

    @property
    def normals(self) -> Array:
        """(frames, 3) of the ground."""
        upward = np.column_stack((-self.slopes, np.ones(len(self.slopes))))
        return np.asarray(upward / lengths(upward)[:, None])

    def cut(self, frames: slice) -> SolePath:
        """Return some of the frames, without their stances."""
        return SolePath(
            self.places[frames],
            self.rotations[frames],
            self.ground[frames],
            self.slopes[frames],
            (),
            self.touching[frames],
        )

    def find_corners(self, sole: Array) -> Array:
        """Return the corners (frames, 4, 3) of a sole whose corners are (4, 3) from its middle, level and along x."""
        return np.asarray(self.places[:, None] + quat.rotate(self.rotations[:, None], sole))

    def find_lowest(self, sole: Array) -> Array:
        """Return the heights (frames,) of the lowest of those corners (m)."""
        return np.asarray(self.find_corners(sole)[..., 2].min(axis=1))

    def find_ground(self, sole: Array, corners: Array) -> Array:
        """Return the heights (frames, 4) of the ground (m) below corners (frames, 4, 3) near those of the path."""
        away = (corners - self.find_corners(sole))[..., :2]
        return np.asarray(self.ground + np.einsum("fnc,fc->fn", away, self.slopes))

    def slide(self, shifts: Array) -> SolePath:
        """Return the path moved along its ground by shifts (frames, 2) in x and y (m)."""
        rise = np.sum(shifts * self.slopes, axis=1, keepdims=True)
        return replace(self, places=self.places + np.hstack((shifts, rise)), ground=self.ground + rise)

    def lift(self, rise: float) -> SolePath:
        """Return the path and its ground, higher by `rise` (m)."""
        return replace(self, places=self.places + rise * UP, ground=self.ground + rise)

    def find_heights(self, sole: Array) -> Array:
        """Return the heights (frames, 4) of those corners above the ground (m)."""
        return np.asarray(self.find_corners(sole)[..., 2] - self.ground)


def slide_spans(path: SolePath, spans: Sequence[tuple[int, int]], shifts: Array) -> SolePath:
    """Return a path of which spans, from first to last frames, slide by (spans, 2) metres, and swings with them."""
    if not shifts.any():
        return path
    frames = [np.arange(first, last + 1) for first, last in spans]
    moved = np.repeat(shifts, [len(span) for span in frames], axis=0)
    return path.slide(ease_between(np.arange(len(path.places)), np.concatenate(frames), moved))


def ease_between(frames: FrameNumbers, at: FrameNumbers, values: Array) -> Array:
    """Interpolate values (n, numbers) at some frames for all frames, with zero slopes at the ends of gaps."""
    after = np.clip(np.searchsorted(at, frames), 0, len(at) - 1)
    before = np.maximum(after - 1, 0)
    share = np.clip((frames - at[before]) / np.maximum(at[after] - at[before], 1), 0.0, 1.0)[:, None]
    return np.asarray(values[before] + smoothstep(share) * (values[after] - values[before]))
