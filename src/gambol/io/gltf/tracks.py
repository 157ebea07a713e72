"""Read the animations of a glTF file: the curve of each animated node, evaluated at any time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.gltf.document import Document

CHANNEL_WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}
_SLOWEST_KEYS = 0.1
"""Largest spacing (s) of keys that count as frames; wider keys were set by hand and are resampled."""
_FASTEST_KEYS = 0.001
_FLOAT32 = float(np.finfo(np.float32).eps)


class Track(NamedTuple):
    """One curve: key times (keys,) in seconds and values (keys, width), or (keys, 3, width) with tangents.

    Rotations are (w, x, y, z), unlike in the file.
    """

    times: Array
    values: Array
    interpolation: str

    def at(self, times: Array, tolerance: float) -> Array:
        """Return values (times, width), constant beyond the ends; times within `tolerance` (s) of a key snap to it."""
        keys = self.times
        after = np.minimum(np.searchsorted(keys, times), len(keys) - 1)
        for key in (keys[np.maximum(after - 1, 0)], keys[after]):
            times = np.where(np.abs(times - key) < tolerance, key, times)
        left = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 1)
        right = np.minimum(left + 1, len(keys) - 1)
        span = keys[right] - keys[left]
        part = np.clip((times - keys[left]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)[:, None]
        rotation = self.values.shape[-1] == 4
        if self.interpolation == "CUBICSPLINE":
            value = _hermite(self.values[left], self.values[right], part, span[:, None])
        elif self.interpolation == "STEP":
            value = self.values[left]
        else:
            between = quat.slerp if rotation else _between
            value = between(self.values[left], self.values[right], part)
        return quat.normalise(value) if rotation else value


@dataclass(frozen=True)
class Animation:
    """An animation: per node and property, the accessors of times and values, and the interpolation."""

    document: Document
    index: int
    name: str
    channels: dict[tuple[int, str], tuple[int, int, str]]
    extras: dict[str, Any]

    def key_times(self, nodes: Collection[int]) -> Array:
        """Return the sorted key times of the rotations and translations of some nodes."""
        inputs = {source[0] for (node, path), source in self.channels.items() if path != "scale" and node in nodes}
        times = [self._times(accessor) for accessor in inputs]
        return np.sort(np.concatenate(times)) if times else np.zeros(0)

    def track(self, node: int, path: str) -> Track | None:
        """Return the curve of one property (translation, rotation, scale) of a node; None where it has none."""
        if (node, path) not in self.channels:
            return None
        source, output, interpolation = self.channels[node, path]
        times, width = self._times(source), CHANNEL_WIDTHS[path]
        values = self.document.accessor(output, width)
        rows = 3 * len(times) if interpolation == "CUBICSPLINE" else len(times)
        if len(values) < rows:
            raise self.document.error(f"animation '{self.name}' has fewer values than key times")
        values = values[:rows]
        if interpolation == "CUBICSPLINE":
            values = values.reshape(-1, 3, width)
        if path == "rotation":
            length = np.linalg.norm(values if values.ndim == 2 else values[:, 1], axis=-1)
            if (length < 1e-6).any():
                raise self.document.error(f"animation '{self.name}' holds a rotation of length 0")
            values = np.roll(values, 1, axis=-1)
        return Track(times, values, interpolation)

    def _times(self, accessor: int) -> Array:
        times = self.document.accessor(accessor, 1)[:, 0]
        if len(times) == 0 or (np.diff(times) < 0.0).any():
            raise self.document.error(f"the key times of animation '{self.name}' do not increase")
        return times


def list_animations(document: Document) -> list[Animation]:
    """Return the animations that rotate or translate nodes."""
    found = []
    for index, entry in enumerate(document.objects("animations")):
        label = document.text(entry, "name")[:80] or f"animation {index}"
        channels = _channels(document, entry)
        if any(path != "scale" for _, path in channels):
            extras = entry.get("extras")
            found.append(Animation(document, index, label, channels, extras if isinstance(extras, dict) else {}))
    return found


def _channels(document: Document, entry: dict[str, Any]) -> dict[tuple[int, str], tuple[int, int, str]]:
    samplers = document.objects("samplers", entry)
    channels = {}
    for channel in document.objects("channels", entry):
        target = document.mapping(channel, "target")
        path = document.text(target, "path")
        if path not in CHANNEL_WIDTHS or "node" not in target:
            continue
        which = document.integer(channel, "sampler")
        if which >= len(samplers):
            raise document.error("an animation channel refers to a sampler that does not exist")
        sampler = samplers[which]
        interpolation = document.text(sampler, "interpolation", "LINEAR")
        if interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
            raise document.error(f"unknown interpolation '{interpolation[:20]}'")
        source, output = document.integer(sampler, "input"), document.integer(sampler, "output")
        channels[document.integer(target, "node"), path] = (source, output, interpolation)
    return channels


def infer_frame_rate(keys: Array) -> tuple[float, int, str | None]:
    """Return frame time and number of frames for sorted key times, and a note where they had to be chosen.

    Keys on a regular grid, gaps allowed, give the spacing of the grid.
    """
    noise = max(1e-4, 4.0 * _FLOAT32 * float(np.abs(keys).max()))
    distinct = keys[np.concatenate(([True], np.diff(keys) > noise))]
    length, spacing = float(distinct[-1] - distinct[0]), np.diff(distinct)
    if len(spacing) == 0:
        return 1.0 / 30.0, 1, None
    smallest = float(spacing.min())
    if _FASTEST_KEYS <= smallest <= _SLOWEST_KEYS:
        frames = round(float(np.sum(np.round(spacing / smallest))))
        grid = length / frames
        off_grid = np.abs((distinct - distinct[0]) / grid % 1.0 - 0.5)
        if (0.5 - off_grid).max() * grid <= noise + 0.01 * grid:
            return _usual(grid, noise=(_FLOAT32 * np.abs(keys).max() + 1e-9) / length), frames + 1, None
    rate = 60 if np.median(spacing) < 1.0 / 45.0 else 30
    note = f"keys are not evenly spaced in time: resampled to {rate} frames per second"
    return 1.0 / rate, round(length * rate) + 1, note


def _usual(frame_time: float, noise: float) -> float:
    """Return the frame time without float32 rounding, where it is that of a whole-number or NTSC rate."""
    rate = 1.0 / frame_time
    for usual in (round(rate), round(rate * 1.001) / 1.001):
        if abs(rate - usual) <= 2.0 * noise * rate:
            return 1.0 / usual
    return frame_time


def _between(left: Array, right: Array, part: Array) -> Array:
    return left + part * (right - left)


def _hermite(left: Array, right: Array, part: Array, span: Array) -> Array:
    """Interpolate a cubic spline (glTF 2.0, appendix C): keys hold incoming tangent, value, outgoing tangent."""
    square, cube = part**2, part**3
    return (
        (2.0 * cube - 3.0 * square + 1.0) * left[:, 1]
        + span * (cube - 2.0 * square + part) * left[:, 2]
        + (3.0 * square - 2.0 * cube) * right[:, 1]
        + span * (cube - square) * right[:, 0]
    )
