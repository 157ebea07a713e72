"""What a laboratory records beside poses: markers, force plates and columns of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array


@dataclass(frozen=True, eq=False)
class Markers:
    """Named points over time, metres in the world's axes (z up); NaN where a marker was not seen."""

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
        if not (np.isfinite(self.frame_time) and self.frame_time > 0.0):
            raise InputError(f"the frame time must be a positive number of seconds, not {self.frame_time}")

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def missing(self) -> Array:
        """Share of frames in which each marker was not seen."""
        return np.isnan(self.positions[:, :, 0]).mean(axis=0)


@dataclass(frozen=True, eq=False)
class ForcePlate:
    """A plate in the floor and the force it gave to the body, sampled at its own rate, world axes."""

    corners: Array
    """(4, 3) metres."""
    force: Array
    """(samples, 3) newtons, on the body: a standing person gives a positive z."""
    center_of_pressure: Array
    """(samples, 3) metres; NaN while the plate is not loaded."""
    free_moment: Array
    """(samples,) newton metres on the body about the plate's normal."""
    frame_time: float


@dataclass(frozen=True, eq=False)
class Table:
    """Labelled columns over time, as OpenSim's MOT and STO files and analogue channels hold them."""

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
                f"a table of {len(self.labels)} labels and {len(self.times)} times cannot hold {self.values.shape}"
            )

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, label: str) -> Array:
        if label not in self.labels:
            raise InputError(f"no column '{label}'", fix=f"columns: {', '.join(self.labels)}")
        return self.values[:, self.labels.index(label)]


@dataclass(frozen=True, eq=False)
class Recording:
    """One trial of a laboratory: markers, the plates they walked over, and all analogue channels."""

    markers: Markers
    plates: tuple[ForcePlate, ...]
    analog: Table
    name: str = "recording"
    notes: tuple[str, ...] = ()
