"""Read and write recorded runs of robots: the motion with its skin, masses, and forces of the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.io.models import ModelKind
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.shapes import Mesh
from gambol.motion.skeleton import Dof, Skeleton

_WRITERS = (
    "use a file that 'gambol humanoid walk --log' or 'gambol retarget --to ROBOT' wrote; "
    "check, view and render read those of others with --robot"
)


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """What a robot did, and the forces that acted on it."""

    motion: Motion
    masses: Array
    """(joints,) kilograms."""
    centers: Array
    """(joints, 3) centres of mass in the joints' frames (m)."""
    inertias: Array
    """(joints, 3, 3) about the centres of mass (kg m²)."""
    bodies: tuple[str, ...]
    """The joint of every point on which the ground acts."""
    points: Array
    """(points, 3) in the joints' frames (m)."""
    forces: Array
    """(frames, points, 3) of the ground (N, world axes)."""

    def __post_init__(self) -> None:
        joints, frames = len(self.motion.skeleton.names), len(self.motion)
        count = len(self.bodies)
        for name, shape in (
            ("masses", (joints,)),
            ("centers", (joints, 3)),
            ("inertias", (joints, 3, 3)),
            ("points", (count, 3)),
            ("forces", (frames, count, 3)),
        ):
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must be of shape {shape}, got {getattr(self, name).shape}")


_RUN = ModelKind(RecordedRun, "recorded run", 1, _WRITERS, (Motion, Origin, Skeleton, Dof, Rig, Mesh))


def write_run(run: RecordedRun, path: Path, beside: Mapping[str, NDArray[Any]]) -> None:
    """Write a run, and further arrays that keep their names; an interrupted write leaves no partial file."""
    _RUN.save(run, path, beside)


def read_run(path: Path) -> RecordedRun:
    """Read a run; it has the same numbers."""
    run = _RUN.load(path)
    return replace(run, motion=replace(run.motion, origin=Origin(str(path), "run", 1.0, np.eye(3))))
