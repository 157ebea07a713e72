"""Make the cast of a scene: what everybody does before physics, on one clock, and what is minimised for each."""

from __future__ import annotations

from collections.abc import Callable

from gambol.composition.blocks import Cast
from gambol.composition.composition import COMPOSITION_RATE, Composition
from gambol.composition.energies import make_energy
from gambol.composition.roles import draft_role
from gambol.errors import InputError


def make_cast(asked: Composition, tell: Callable[[str], None] | None = None) -> tuple[Cast, tuple[str, ...]]:
    """Draft what everybody does, on one clock; also return notes."""
    roles = {person.name: draft_role(person, COMPOSITION_RATE, asked.duration) for person in asked.people}
    frames = min(len(role.draft.motion) for role in roles.values())
    wanted = None if asked.duration is None else round(asked.duration * COMPOSITION_RATE) + 1
    if wanted is not None and frames < wanted:
        short = min(roles, key=lambda name: len(roles[name].draft.motion))
        raise InputError(
            f"what '{short}' does lasts {(frames - 1) / COMPOSITION_RATE:.2f} s, and the scene {asked.duration:g} s",
            fix="give more steps, or a shorter duration",
        )
    roles = {name: role.cut(frames) for name, role in roles.items()}
    energies = {name: make_energy(role, tell) for name, role in roles.items()}
    notes = tuple(f"{name}: {note}" for name, role in roles.items() for note in role.notes)
    return Cast(roles, energies, asked.conditions, 1.0 / COMPOSITION_RATE, asked.sides), notes
