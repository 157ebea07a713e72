"""Laboratory recordings: markers, force plates and labelled columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array

_FARTHEST = 1e6
"""Largest coordinate (m) of a marker."""


@dataclass(frozen=True, eq=False)
class Markers:
    """Marker positions over time, in metres and world axes (z up); NaN where a marker was not visible."""

    names: tuple[str, ...]
    positions: Array
    """(frames, markers, 3)."""
    frame_time: float
    residuals: Array | None = None
    """(frames, markers) metres; NaN where unknown."""
    name: str = "markers"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.positions.shape[1:] != (len(self.names), 3):
            raise InputError(f"positions must be (frames, {len(self.names)}, 3), got {self.positions.shape}")
        if not 1e-5 <= self.frame_time <= 100.0:
            raise InputError(f"the frame time must be 0.00001 to 100 s, not {self.frame_time:g}")

        away = np.nanmax(np.abs(self.positions), axis=(0, 2), initial=0.0)
        if away.size and away.max() > _FARTHEST:
            name = self.names[int(away.argmax())]
            raise InputError(
                f"marker '{name}' is up to {away.max():.3g} m from the origin", file=self.name, fix="check its unit"
            )

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def missing(self) -> Array:
        """(markers,) fraction of frames in which each marker was not visible."""
        return np.isnan(self.positions[:, :, 0]).mean(axis=0)


@dataclass(frozen=True, eq=False)
class ForcePlate:
    """A force plate in the floor: its force on the body, at its own sample rate, in world axes."""

    corners: Array
    """(4, 3) metres."""
    force: Array
    """(samples, 3) newtons on the body: positive z for a standing person."""
    center_of_pressure: Array
    """(samples, 3) metres; NaN while the plate is not loaded."""
    free_moment: Array
    """(samples,) newton metres on the body about the plate's normal."""
    frame_time: float


@dataclass(frozen=True, eq=False)
class Table:
    """Labelled columns over time, as in OpenSim's MOT and STO files and in analogue channels."""

    labels: tuple[str, ...]
    values: Array
    """(rows, columns), in the file's own units."""
    times: Array
    """(rows,) seconds."""
    header: Mapping[str, str] = field(default_factory=dict)
    name: str = "table"

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.times), len(self.labels)):
            raise InputError(
                f"values must be (times, labels), {(len(self.times), len(self.labels))}, got {self.values.shape}"
            )

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, label: str) -> Array:
        if label not in self.labels:
            raise InputError(f"no column '{label}'", fix=f"columns: {', '.join(self.labels)}")
        return self.values[:, self.labels.index(label)]


@dataclass(frozen=True, eq=False)
class Recording:
    """One laboratory trial: markers, force plates and all analogue channels."""

    markers: Markers
    plates: tuple[ForcePlate, ...]
    analog: Table
    name: str = "recording"
    notes: tuple[str, ...] = ()
