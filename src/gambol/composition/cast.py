"""Make the cast of a scene: what everybody does before physics, on one clock, and what is minimised for each."""

from __future__ import annotations

from gambol.composition.blocks import Cast
from gambol.composition.composition import COMPOSITION_FPS, Composition
from gambol.composition.energies import make_energy
from gambol.composition.roles import draft_role
from gambol.errors import InputError
from gambol.progress import Progress, silent


def make_cast(asked: Composition, progress: Progress = silent) -> tuple[Cast, tuple[str, ...]]:
    """Draft what everybody does, on one clock; also return notes."""
    roles = {person.name: draft_role(person, COMPOSITION_FPS, asked.duration) for person in asked.people}
    frames = min(len(role.draft.motion) for role in roles.values())
    wanted = None if asked.duration is None else round(asked.duration * COMPOSITION_FPS) + 1
    if wanted is not None and frames < wanted:
        short = min(roles, key=lambda name: len(roles[name].draft.motion))
        raise InputError(
            f"what '{short}' does lasts {(frames - 1) / COMPOSITION_FPS:.2f} s, and the scene {asked.duration:g} s",
            fix="give more steps, or a shorter duration",
        )
    roles = {name: role.cut(frames) for name, role in roles.items()}
    energies = {name: make_energy(role, progress) for name, role in roles.items()}
    notes = tuple(f"{name}: {note}" for name, role in roles.items() for note in role.notes)
    return Cast(roles, energies, asked.conditions, 1.0 / COMPOSITION_FPS, asked.sides), notes
