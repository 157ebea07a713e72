"""Contacts of a body with the world, and the ground and flight stages of a motion that they define.

L05 section 3.4 (equations 3.1 to 3.6): a point, a line or a plane of a body stays fixed, or a point slides on a line or
a plane. Frames count from 0; `last` is the last frame of a contact. Detection errors are corrected by hand:
`add_contact`, `remove_contact` and `move_boundary` return corrected copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array, summarise_fields

ContactKind = Literal["point", "line", "plane", "slide_line", "slide_plane"]
StageKind = Literal["ground", "flight"]
_LEAST_POINTS = {"point": 1, "line": 2, "plane": 3, "slide_line": 1, "slide_plane": 1}


@dataclass(frozen=True, eq=False)
class Contact:
    """Points of a body that are fixed in the world, or slide on a line or plane, from frame `first` to `last`."""

    __repr__ = summarise_fields

    body: str
    """Name of the joint whose frame the points are in."""
    kind: ContactKind
    points: Array
    """(n, 3) metres in the body's frame: one for a point or a slide, two ends of a line, three or more of a plane."""
    location: Array
    """(3,) metres, world: mean of the fixed points; for a slide, a point of the line or plane."""
    first: int
    last: int
    direction: Array | None = None
    """(3,) unit vector, world: along the fixed line or the line slid on, or normal to the plane slid on."""
    name: str = ""
    """Display name, such as left_heel; the body's name when not given."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(ContactKind):
            raise InputError(f"no contact of kind '{self.kind}'", fix=f"kinds: {', '.join(get_args(ContactKind))}")
        points = np.array(self.points, dtype=float).reshape(-1, 3)
        if len(points) < _LEAST_POINTS[self.kind]:
            raise InputError(f"a {self.kind} contact needs {_LEAST_POINTS[self.kind]} points, got {len(points)}")
        _freeze(self, "points", points, points.shape)
        _freeze(self, "location", self.location, (3,))
        if self.direction is not None:
            _freeze(self, "direction", self.direction, (3,))
            if abs(float(np.linalg.norm(self.direction)) - 1.0) > 1e-6:
                raise InputError(f"direction must be a unit vector, got {self.direction}")
        elif self.kind.startswith("slide"):
            raise InputError(f"a {self.kind} contact needs the direction of its line or the normal of its plane")
        _check_frames(self.first, self.last)
        object.__setattr__(self, "name", self.name or self.body)

    @property
    def slides(self) -> bool:
        """Whether the contact slides on a line or plane instead of being fixed."""
        return self.kind.startswith("slide")


@dataclass(frozen=True, eq=False)
class Contacts:
    """All contacts of a motion with `frames` frames, sorted by first frame."""

    __repr__ = summarise_fields

    items: tuple[Contact, ...]
    frames: int
    frame_time: float

    def __post_init__(self) -> None:
        beyond = next((item for item in self.items if item.last >= self.frames), None)
        if beyond is not None:
            raise InputError(
                f"contact '{beyond.name}' ends at frame {beyond.last} of a motion with {self.frames} frames"
            )
        if not (np.isfinite(self.frame_time) and self.frame_time > 0.0):
            raise InputError(f"the frame time must be a positive number of seconds, not {self.frame_time}")
        ordered = tuple(sorted(self.items, key=lambda item: (item.first, item.last, item.name)))
        object.__setattr__(self, "items", ordered)

    def __len__(self) -> int:
        return len(self.items)

    def named(self, *names: str) -> tuple[Contact, ...]:
        """Return the contacts with one of these names or bodies."""
        return tuple(item for item in self.items if item.name in names or item.body in names)

    def touching(self, *names: str) -> NDArray[np.bool_]:
        """Return (frames,) whether any contact is active; only those of these names or bodies, if given."""
        mask = np.zeros(self.frames, dtype=bool)
        for item in self.named(*names) if names else self.items:
            mask[item.first : item.last + 1] = True
        return mask


@dataclass(frozen=True)
class Stage:
    """An interval of frames in which the body touches something (ground) or nothing (flight)."""

    kind: StageKind
    first: int
    last: int
    name: str = ""
    """Display name, such as "flight 1"; the kind when not given."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(StageKind):
            raise InputError(f"no stage of kind '{self.kind}'", fix="kinds: ground, flight")
        _check_frames(self.first, self.last)
        object.__setattr__(self, "name", self.name or self.kind)

    def __len__(self) -> int:
        return self.last - self.first + 1


def add_contact(contacts: Contacts, contact: Contact) -> Contacts:
    """Return the contacts with one more."""
    return replace(contacts, items=(*contacts.items, contact))


def remove_contact(contacts: Contacts, contact: Contact) -> Contacts:
    """Return the contacts without one of them."""
    if not any(item is contact for item in contacts.items):
        known = ", ".join(f"{item.name} {item.first}-{item.last}" for item in contacts.items)
        raise InputError(f"contact '{contact.name}' is not among the contacts", fix=f"contacts: {known or 'none'}")
    return replace(contacts, items=tuple(item for item in contacts.items if item is not contact))


def move_boundary(stages: Sequence[Stage], index: int, frame: int) -> tuple[Stage, ...]:
    """Return the stages with stage `index` (1 or more) starting at another frame; the stage before it adapts."""
    if not 1 <= index < len(stages):
        raise InputError(f"stage {index} has no stage before it", fix=f"choose 1 to {len(stages) - 1}")
    before, after = stages[index - 1], stages[index]
    if not before.first < frame <= after.last:
        raise InputError(
            f"frame {frame} would leave a stage empty", fix=f"choose a frame from {before.first + 1} to {after.last}"
        )
    moved = (replace(before, last=frame - 1), replace(after, first=frame))
    return (*stages[: index - 1], *moved, *stages[index + 1 :])


def _check_frames(first: int, last: int) -> None:
    if not 0 <= first <= last:
        raise InputError(f"frames must be 0 <= first <= last, not {first} to {last}")


def _freeze(owner: Contact, field: str, value: ArrayLike, shape: tuple[int, ...]) -> None:
    array = np.array(value, dtype=float)
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(f"{field} must be finite and of shape {shape}, got shape {array.shape}")
    array.flags.writeable = False
    object.__setattr__(owner, field, array)
