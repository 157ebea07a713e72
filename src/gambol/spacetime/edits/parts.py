"""Divide a clip into named parts that can be changed: ground stages, flights, and the steps of each foot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact, is_foot
from gambol.contacts.timeline import Contacts, group_stances
from gambol.errors import InputError
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.stages.feet import SIDES
from gambol.stages.flight import MIN_FRAMES, compute_centre, fit_acceleration
from gambol.stages.gravity import GravityEstimate, estimate_gravity

PartKind = Literal["ground", "flight", "step"]
_BEGINNING = 0.5
"""Contacts within this many seconds of the first one define the position of a stage."""


@dataclass(frozen=True, eq=False)
class Part:
    """A range of frames of a clip and the contacts in it."""

    name: str
    """Such as "ground 2", "flight 1" or "left step 3"."""
    kind: PartKind
    first: int
    last: int
    contacts: tuple[Contact, ...] = ()
    about: str = ""
    """A description for the user."""

    def __len__(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, eq=False)
class EditableClip:
    """A fitted clip with its contacts, divided into parts."""

    fitted: Fit
    contacts: Contacts
    parts: tuple[Part, ...]
    """In order of time; steps follow the ground stage they belong to."""
    gravity: float = GRAVITY
    """Gravity (m/s²) of the recording: 9.81, unless its flights were found to fall otherwise."""

    @property
    def frame_time(self) -> float:
        """Seconds per frame."""
        return self.fitted.motion.frame_time

    @property
    def stages(self) -> tuple[Part, ...]:
        """The ground stages and flights."""
        return tuple(part for part in self.parts if part.kind != "step")

    @cached_property
    def gravity_estimate(self) -> GravityEstimate | None:
        """Gravity that the flights show; None without a flight."""
        return estimate_gravity(compute_centre(self.fitted.source), find_runs(self.contacts.flight), self.frame_time)

    def part(self, name: str) -> Part:
        """Return the part of this name."""
        found = next((part for part in self.parts if part.name == name), None)
        if found is None:
            names = ", ".join(part.name for part in self.parts)
            raise InputError(f"there is no stage '{name}'", file=self.fitted.source.name, fix=f"choose one of {names}")
        return found

    def position(self, part: Part) -> Array:
        """Return the position (3,) in metres of a part on the ground: the mean of its first contacts."""
        if not part.contacts:
            raise InputError(f"'{part.name}' has no contacts and so no position", fix="name a ground stage or a step")
        soon = min(contact.first for contact in part.contacts) + _BEGINNING / self.frame_time
        early = [contact for contact in part.contacts if contact.first <= soon]
        return np.mean([contact.place for contact in early], axis=0)

    def heading(self, part: Part) -> float:
        """Return the heading (rad) of the body when a part begins."""
        ahead = quat.rotate(self.fitted.motion.placement.rotations[part.first, 0], (1.0, 0.0, 0.0))
        return float(np.arctan2(ahead[1], ahead[0]))


def divide_clip(fitted: Fit, gravity: float = GRAVITY, contacts: Contacts | None = None) -> EditableClip:
    """Divide a fitted clip, recorded under a gravity (m/s²), into its parts; by default, contacts are found."""
    plan = detect_contacts(fitted) if contacts is None else contacts
    parts: list[Part] = []
    numbers: dict[str, int] = {}

    def numbered(word: str) -> str:
        numbers[word] = numbers.get(word, 0) + 1
        return f"{word} {numbers[word]}"

    for first, last in sorted([*find_runs(plan.flight), *find_runs(~plan.flight)]):
        if plan.flight[first]:
            parts.append(
                Part(numbered("flight"), "flight", first, last, about=_describe_flight(fitted, first, last, gravity))
            )
            continue
        inside = tuple(contact for contact in plan.items if first <= contact.first <= last)
        parts.append(Part(numbered("ground"), "ground", first, last, inside, _describe_support(inside)))
        steps = [
            (side, tuple(stay)) for side in SIDES for stay in group_stances([r for r in inside if _is_foot(r, side)])
        ]
        for side, stay in sorted(steps, key=lambda step: step[1][0].first):
            end = max(contact.last for contact in stay)
            parts.append(Part(numbered(f"{side} step"), "step", stay[0].first, end, stay, _describe_step(stay)))
    if not any(part.contacts for part in parts):
        raise InputError(
            "no contact of a foot or hand was found", file=fitted.source.name, fix="an edit needs a ground stage"
        )
    return EditableClip(fitted, plan, tuple(parts), gravity)


def _is_foot(contact: Contact, side: str) -> bool:
    return contact.part.startswith(side) and is_foot(contact.part)


def _describe_support(contacts: Sequence[Contact]) -> str:
    """Name the bodies in contact in a stage."""
    names = dict.fromkeys(contact.body.replace("_", " ") for contact in contacts)
    return {"left foot, right foot": "both feet"}.get(", ".join(sorted(names)), ", ".join(sorted(names)))


def _describe_step(contacts: Sequence[Contact]) -> str:
    x, y, z = np.mean([contact.place for contact in contacts], axis=0)
    return f"at x {x:.2f}, y {y:.2f}" + (f", {z:.2f} m up" if abs(z) > 0.1 else "")


def _describe_flight(fitted: Fit, first: int, last: int, gravity: float) -> str:
    path = Dynamics(fitted.character).center_of_mass(fitted.motion.q[max(first - 1, 0) : last + 2])
    far = float(np.linalg.norm(path[-1, :2] - path[0, :2]))
    rise = gravity * ((last - first + 1) * fitted.motion.frame_time) ** 2 / 8.0
    fall = (
        f", falls at {-fit_acceleration(path[1:-1, 2], fitted.motion.frame_time):.1f} m/s²"
        if last - first >= MIN_FRAMES
        else ""
    )
    return f"{far:.2f} m far, rises {rise:.2f} m above its ends{fall}"
