"""Several motions that share the world frame and the clock: a crowd, two people, a composed scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np

from gambol.errors import InputError, make_line
from gambol.geometry.arrays import LONGEST_REPR, Array
from gambol.motion import notebook
from gambol.motion.motion import Motion


def _none(width: int) -> Array:
    return np.zeros((0, width))


@dataclass(frozen=True, eq=False)
class Ensemble(Sequence[Motion]):
    """Motions that share the world frame and start at the same time, and the obstacles around them.

    Frame n of a motion is at n times its own frame time after the common start. A motion that ends early stays in its
    last frame.
    """

    motions: tuple[Motion, ...]
    name: str = "scene"
    poles: Array = field(default_factory=lambda: _none(3))
    """(n, 3) x, y and radius in metres."""
    walls: Array = field(default_factory=lambda: _none(4))
    """(n, 4) x and y of both ends in metres."""
    ramps: Array = field(default_factory=lambda: _none(7))
    """(n, 7) x, y and z of the middles of both ends of a plane, and its width, in metres."""

    def __post_init__(self) -> None:
        if not self.motions:
            raise InputError("an ensemble needs at least one motion")
        for obstacles, width in ((self.poles, 3), (self.walls, 4), (self.ramps, 7)):
            if obstacles.ndim != 2 or obstacles.shape[1] != width or not np.isfinite(obstacles).all():
                raise InputError(f"obstacles must be finite and of shape (n, {width}), got shape {obstacles.shape}")

    def __repr__(self) -> str:
        return make_line(f"Ensemble({self.name!r}, {len(self)} motions, {self.duration:.2f} s)", LONGEST_REPR)

    def _repr_html_(self) -> str:
        """Return the offline player, for notebooks."""
        return notebook.embed_player(self)

    def __len__(self) -> int:
        return len(self.motions)

    def __iter__(self) -> Iterator[Motion]:
        return iter(self.motions)

    @overload
    def __getitem__(self, index: int) -> Motion: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Motion]: ...
    def __getitem__(self, index: int | slice) -> Motion | Sequence[Motion]:
        return self.motions[index]

    @property
    def duration(self) -> float:
        """Seconds from the common start to the end of the longest motion."""
        return max(motion.duration for motion in self.motions)

    @property
    def drawn(self) -> Ensemble:
        """The motions, followed by the props of all."""
        return replace(self, motions=(*self.motions, *(prop for motion in self.motions for prop in motion.props)))

    @property
    def has_obstacles(self) -> bool:
        """Whether there are poles, walls or ramps."""
        return len(self.poles) + len(self.walls) + len(self.ramps) > 0

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of all motions, without duplicates."""
        return tuple(dict.fromkeys(note for motion in self.motions for note in motion.notes))

    def frames_at(self, time: float) -> list[int]:
        """Return the index of the frame of each motion nearest to `time` (s)."""
        return [min(max(round(time / m.frame_time), 0), len(m) - 1) for m in self.motions]


def as_ensemble(motions: Motion | Sequence[Motion]) -> Ensemble:
    """Return one or several motions as an ensemble; an ensemble is returned unchanged."""
    if isinstance(motions, Ensemble):
        return motions
    return Ensemble((motions,), motions.name) if isinstance(motions, Motion) else Ensemble(tuple(motions))


def unite_ensembles(scenes: Sequence[Ensemble]) -> Ensemble:
    """Return the motions and obstacles of all scenes as one; a single scene is returned unchanged."""
    if len(scenes) == 1:
        return scenes[0]
    return Ensemble(
        tuple(motion for scene in scenes for motion in scene),
        poles=np.concatenate([scene.poles for scene in scenes]),
        walls=np.concatenate([scene.walls for scene in scenes]),
        ramps=np.concatenate([scene.ramps for scene in scenes]),
    )
