"""Variations of a recorded trial: hands that meet elsewhere, with the contact kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.filters import follow_minimum_jerk
from gambol.interaction.trials import Trial
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames

_FULL = 0.85
"""Share of the way to the contact from which on a hand has made all of a shift of the contact."""


def move_contact(trial: Trial, shift: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Trial:
    """Return a trial whose hands meet at a place moved by a shift (m, frame of the trial), without a gap.

    Trunk, shoulder and elbow of both people reach there; their steps stay.
    """
    wanted = trial.place + np.asarray(shift, float)
    people = []
    for person, arm, path, local in zip(trial.people, trial.arms, trial.paths, trial.local, strict=True):
        share = _share_shift(path - local.positions[:, 0], trial.contact)
        goals = trial.frame.to_world(path + share[:, None] * (wanted - path[trial.contact]))
        rotations, _ = arm.reach(local_frames(person.skeleton, person.q), goals)
        people.append(replace_rotations(person, rotations))
    return replace(trial, people=(people[0], people[1]))


def _share_shift(path: Array, contact: int) -> Array:
    """Return how much (0 to 1) of a shift a hand makes on a path (frames, 3) relative to the root.

    It is 0 where the hand is farthest from the contact, such as beside the hip, where it has no room.
    """
    away = np.linalg.norm(path - path[contact], axis=1)
    return follow_minimum_jerk((1.0 - away / away.max()) / _FULL)


def grid_shifts(width: float, height: float) -> list[Array]:
    """Return nine shifts (3,) of a contact: a grid of 3 x 3 across (y) and up (z), in metres."""
    return [np.array([0.0, y, z]) for z in (-height, 0.0, height) for y in (-width, 0.0, width)]
