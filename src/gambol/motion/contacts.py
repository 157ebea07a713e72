"""What is held where and when: contacts of bodies with the world, and the stages of a motion that they make.

L05 section 3.4 (equations 3.1 to 3.6): a point, a line or a plane of a body stays fixed, or a point slides on a line or
a plane. Frames count from 0; `last` is the last frame in which something holds. What detection gets wrong is
corrected by hand: `with_contact`, `without_contact` and `with_boundary` return corrected data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array

ContactKind = Literal["point", "line", "plane", "slide_line", "slide_plane"]
StageKind = Literal["ground", "flight"]
_LEAST_POINTS = {"point": 1, "line": 2, "plane": 3, "slide_line": 1, "slide_plane": 1}


@dataclass(frozen=True, eq=False)
class Contact:
    """Points of a body that are held in the world, or slide in it, from frame `first` to frame `last`."""

    body: str
    """Name of the joint whose frame the points are in."""
    kind: ContactKind
    points: Array
    """(n, 3) metres in the body's frame: one for a point or a slide, two ends of a line, three or more of a plane."""
    location: Array
    """(3,) metres, world: the middle of the points while they are held; a point of the line or plane slid on."""
    first: int
    last: int
    direction: Array | None = None
    """(3,) unit vector, world: along the line that is held or slid on, or normal to the plane slid on."""
    name: str = ""
    """What a person calls it, such as left_heel; the body's name when not given."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(ContactKind):
            raise InputError(f"no contact of kind '{self.kind}'", fix=f"kinds: {', '.join(get_args(ContactKind))}")
        points = np.array(self.points, dtype=float).reshape(-1, 3)
        if len(points) < _LEAST_POINTS[self.kind]:
            raise InputError(f"a {self.kind} needs {_LEAST_POINTS[self.kind]} points, got {len(points)}")
        _freeze(self, "points", points, points.shape)
        _freeze(self, "location", self.location, (3,))
        if self.direction is not None:
            _freeze(self, "direction", self.direction, (3,))
            if abs(float(np.linalg.norm(self.direction)) - 1.0) > 1e-6:
                raise InputError(f"a direction is a unit vector, not {self.direction}")
        elif self.kind.startswith("slide"):
            raise InputError(f"a {self.kind} needs the direction of its line or the normal of its plane")
        _check_frames(self.first, self.last)
        object.__setattr__(self, "name", self.name or self.body)

    @property
    def slides(self) -> bool:
        """Whether it moves along a line or a plane instead of being fixed."""
        return self.kind.startswith("slide")


@dataclass(frozen=True, eq=False)
class Contacts:
    """All contacts of a motion with so many frames, in order of their first frame."""

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
        """The contacts of these names or bodies."""
        return tuple(item for item in self.items if item.name in names or item.body in names)

    def touching(self, *names: str) -> NDArray[np.bool_]:
        """(frames,) whether anything holds; of these names or bodies if any are given."""
        mask = np.zeros(self.frames, dtype=bool)
        for item in self.named(*names) if names else self.items:
            mask[item.first : item.last + 1] = True
        return mask


@dataclass(frozen=True)
class Stage:
    """A stretch of a motion in which the body touches something (ground) or nothing (flight)."""

    kind: StageKind
    first: int
    last: int
    name: str = ""
    """What a person calls it, such as "flight 1"; the kind when not given."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(StageKind):
            raise InputError(f"no stage of kind '{self.kind}'", fix="kinds: ground, flight")
        _check_frames(self.first, self.last)
        object.__setattr__(self, "name", self.name or self.kind)

    def __len__(self) -> int:
        return self.last - self.first + 1


def add_contact(contacts: Contacts, contact: Contact) -> Contacts:
    """The contacts and one more."""
    return replace(contacts, items=(*contacts.items, contact))


def remove_contact(contacts: Contacts, contact: Contact) -> Contacts:
    """The contacts less one of them."""
    if not any(item is contact for item in contacts.items):
        held = ", ".join(f"{item.name} {item.first}-{item.last}" for item in contacts.items)
        raise InputError(f"there is no such contact '{contact.name}'", fix=f"contacts: {held or 'none'}")
    return replace(contacts, items=tuple(item for item in contacts.items if item is not contact))


def move_boundary(stages: Sequence[Stage], index: int, frame: int) -> tuple[Stage, ...]:
    """The stages with number `index` (from 1: the first has no stage before it) beginning at another frame."""
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
