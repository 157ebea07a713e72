"""The contacts of a motion: one immutable table, and how it is cut, thinned, sampled and changed.

Contacts are found once per clip (`fit.contacts.detect_contacts`) or read from a file (`fit.contact_file`). What
solvers, legs and drawings need of them are functions of the table (`contacts.views`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gambol.contacts.contact import BodyPoint, Contact
from gambol.errors import InputError
from gambol.geometry.arrays import Array, summarise_fields

FrameMask = NDArray[np.bool_]
"""Which frames of a motion (frames,)."""
_SAME = 1e-6
"""Frames by which moments may differ from a frame that they show."""


@dataclass(frozen=True)
class Floor:
    """A nearly level plane: height (m) at the origin, and slopes along x and y."""

    height: float = 0.0
    slope: tuple[float, float] = (0.0, 0.0)

    def at(self, places: Array) -> Array:
        """Return heights (...,) of the floor under places (..., 2 or 3)."""
        return self.height + places[..., :2] @ np.array(self.slope)


@dataclass(frozen=True, eq=False)
class Contacts:
    """All contacts of a motion with a number of frames."""

    __repr__ = summarise_fields

    items: tuple[Contact, ...]
    frames: int
    frame_time: float
    floor: Floor = Floor()
    """The floor that most contacts share."""
    flight: FrameMask = field(default_factory=lambda: np.zeros(0, dtype=bool))
    """(frames,) in which nothing touches and the body falls; by default, all frames without a contact."""
    points: tuple[BodyPoint, ...] = ()
    """The points at which contacts were searched for."""
    ground: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """(points, frames) heights (m) of the ground below the points; -inf where a point needs none."""

    def __post_init__(self) -> None:
        beyond = next((item for item in self.items if item.last >= self.frames), None)
        if beyond is not None:
            raise InputError(
                f"contact '{beyond.part}' ends at frame {beyond.last} of a motion with {self.frames} frames"
            )
        if not (np.isfinite(self.frame_time) and self.frame_time > 0.0):
            raise InputError(f"the frame time must be a positive number of seconds, not {self.frame_time}")
        if len(self.flight) != self.frames:
            object.__setattr__(self, "flight", ~self.touching())

    def __len__(self) -> int:
        return len(self.items)

    @property
    def unseen(self) -> FrameMask:
        """(frames,) in which no contact is known, but the body does not fall."""
        return ~self.touching() & ~self.flight

    def named(self, *names: str) -> tuple[Contact, ...]:
        """Return the contacts of these parts or bodies."""
        return tuple(item for item in self.items if item.part in names or item.body in names)

    def touching(self, *names: str) -> FrameMask:
        """Return (frames,) whether any contact is active; only those of these parts or bodies, if given."""
        return mark_frames(self.named(*names) if names else self.items, self.frames)

    def change(self, change: Callable[[Contact], Contact]) -> Contacts:
        """Return the table with every contact changed by a function."""
        return replace(self, items=tuple(change(one) for one in self.items))

    def cut(self, first: int, last: int) -> Contacts:
        """Return the contacts in a range of frames, counted from its first."""
        items = limit_contacts(self.items, first, last)
        frames = slice(first, last + 1)
        return replace(
            self,
            items=tuple(replace(one, first=one.first - first, last=one.last - first) for one in items),
            frames=last + 1 - first,
            flight=self.flight[frames],
            ground=self.ground[:, frames],
        )

    def thin(self, every: int) -> Contacts:
        """Return the contacts in every so many frames, counted in those."""
        return self.show(np.arange(0, self.frames, every), every * self.frame_time)

    def show(self, shown: Array | NDArray[np.intp], frame_time: float) -> Contacts:
        """Return the contacts in new frames, which show these frames (frames,), or moments between them."""
        items = []
        for one in self.items:
            inside = np.flatnonzero((shown >= one.first - _SAME) & (shown <= one.last + _SAME))
            if len(inside):
                items.append(replace(one, first=int(inside[0]), last=int(inside[-1])))
        nearest = np.round(shown).astype(int)
        return replace(
            self,
            items=tuple(items),
            frames=len(shown),
            frame_time=frame_time,
            flight=self.flight[nearest],
            ground=self.ground[:, nearest] if self.ground.size else self.ground,
        )

    def sample(self, times: Array, frame_time: float) -> Contacts:
        """Return the contacts at increasing times (s), one frame each; the ground below points is not known then."""
        step = self.frame_time
        items = []
        for one in self.items:
            inside = np.flatnonzero((times > (one.first - 0.5) * step) & (times <= (one.last + 0.5) * step))
            if len(inside):
                items.append(replace(one, first=int(inside[0]), last=int(inside[-1])))
        frames = np.clip(np.round(times / step).astype(int), 0, self.frames - 1)
        return Contacts(tuple(items), len(times), frame_time, self.floor, self.flight[frames], self.points)


def mark_frames(contacts: Sequence[Contact], frames: int) -> FrameMask:
    """Return (frames,) whether any of the contacts is active."""
    mask = np.zeros(frames, dtype=bool)
    for contact in contacts:
        mask[contact.frames] = True
    return mask


def limit_contacts(contacts: Sequence[Contact], first: int, last: int) -> tuple[Contact, ...]:
    """Return the contacts in a range of frames, which are counted as before."""
    inside = (one for one in contacts if one.first <= last and one.last >= first)
    return tuple(replace(one, first=max(one.first, first), last=min(one.last, last)) for one in inside)


def remove_frames(contact: Contact, gone: FrameMask) -> list[Contact]:
    """Return a contact without some frames (frames,) of the motion: it may become several, or none."""
    kept = np.flatnonzero(~gone[contact.frames])
    runs = np.split(kept, np.flatnonzero(np.diff(kept) > 1) + 1)
    return [
        replace(contact, first=contact.first + int(run[0]), last=contact.first + int(run[-1]))
        for run in runs
        if len(run)
    ]


def group_stances(contacts: Sequence[Contact]) -> list[list[Contact]]:
    """Group contacts of one foot that follow each other without a gap."""
    out: list[list[Contact]] = []
    reach = -2
    for contact in sorted(contacts, key=lambda r: r.first):
        if contact.first > reach + 1:
            out.append([])
        out[-1].append(contact)
        reach = max(reach, contact.last)
    return out
