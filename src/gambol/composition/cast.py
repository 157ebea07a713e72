"""Make the cast of a scene: what everybody does before physics, on one clock, and what is minimised for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gambol.assumptions import CADENCE_POWER
from gambol.composition.blocks import Cast
from gambol.composition.composition import COMPOSITION_FPS, Composition, Person
from gambol.composition.conditions import Hold
from gambol.composition.energies import make_energy
from gambol.composition.roles import Role, draft_role
from gambol.errors import InputError
from gambol.progress import Progress, silent

_WALKS = 0.3
"""Speed (m/s) below which somebody does not walk, and keeps up with nobody."""


def make_cast(asked: Composition, progress: Progress = silent) -> tuple[Cast, tuple[str, ...]]:
    """Draft what everybody does, on one clock; also return notes."""
    roles = {person.name: draft_role(person, COMPOSITION_FPS, asked.duration) for person in asked.people}
    for name, person in _keep_up(asked, roles).items():
        roles[name] = draft_role(person, COMPOSITION_FPS, asked.duration)
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


def _keep_up(asked: Composition, roles: Mapping[str, Role]) -> dict[str, Person]:
    """Return, by name, children who go faster: as fast as whom they hold, by more steps and longer ones."""
    speeds = {name: _measure_speed(role) for name, role in roles.items()}
    found = {}
    children = [person for person in asked.people if person.height is not None and speeds[person.name] > _WALKS]
    for child in children:
        holds = [one.people for one in asked.conditions if isinstance(one, Hold) and child.name in one.people]
        faster = max((speeds[name] for pair in holds for name in pair), default=0.0) / speeds[child.name]
        if faster > 1.0:
            more, longer = faster**CADENCE_POWER, faster ** (1.0 - CADENCE_POWER)
            actions = (replace(one, pace=one.pace * more, stride=one.stride * longer) for one in child.actions)
            found[child.name] = replace(child, actions=tuple(actions))
    return found


def _measure_speed(role: Role) -> float:
    """Return how fast somebody goes on average (m/s)."""
    motion = role.draft.motion
    way = np.diff(motion.placement.positions[:, 0, :2], axis=0)
    return float(np.linalg.norm(way, axis=1).sum() / motion.duration)
