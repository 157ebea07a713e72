"""A robot as its description file has it, whichever format that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gambol.body.character import Character
from gambol.body.link_shapes import LinkShape
from gambol.errors import InputError
from gambol.geometry.arrays import Array, summarise_fields
from gambol.geometry.vectors import UP
from gambol.motion.skeleton import Dof

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ROOT_DOFS = (*(Dof(0, "slide", axis) for axis in (_X, _Y, _Z)), *(Dof(0, "turn", axis) for axis in (_Z, _Y, _X)))
"""Degrees of freedom of a free base."""
JOINTS = slice(len(ROOT_DOFS), None)
"""Columns of coordinates after those of the base."""
_LEAST_INERTIA = 1e-7
"""Least principal value (kg m²) of an inertia that is corrected."""
_LARGEST = 1e4
"""Largest length (m) and mass (kg)."""


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot: its body, the limits of its joints, and its looks."""

    __repr__ = summarise_fields

    character: Character
    """Its joints have the names of the description's joints, the root that of the root link."""
    links: dict[str, int]
    """Joint of every link."""
    joint_names: tuple[str, ...]
    """Of the degrees of freedom after those of the base."""
    speeds: Array
    """(dofs,) largest speeds (rad/s); inf for the root."""
    torques: Array
    """(dofs,) largest torques (N m); 0 for the root."""
    visuals: tuple[LinkShape, ...]
    """Shapes that are drawn; where there are none, those that touch things are."""
    collisions: tuple[LinkShape, ...] = ()
    """Shapes that touch things."""
    notes: tuple[str, ...] = ()
    """What was corrected or is missing."""
    up: Array = field(default_factory=lambda: UP)
    """(3,) direction of the vertical in the axes of the base as the robot stands."""

    @property
    def strongest(self) -> Array:
        """(dofs,) largest torques (N m); inf for the root and joints without a limit."""
        return np.where(self.torques > 0.0, self.torques, np.inf)

    def __post_init__(self) -> None:
        character = self.character
        for what, values in (("masses", character.masses), ("lengths", character.skeleton.offsets)):
            if not np.abs(values).max() <= _LARGEST:
                raise InputError(
                    f"{what} of up to {np.abs(values).max():.3g}", fix="give metres and kilograms, at most 10,000"
                )


def find_heavy_joints(parents: Sequence[int], masses: Array) -> set[int]:
    """Return the joints that carry mass, or have a joint below them that does."""
    found: set[int] = set()
    for joint in reversed(range(len(parents))):
        if joint in found or masses[joint] > 0.0:
            found |= {joint, parents[joint]}
    return found


def make_inertia_physical(inertia: Array) -> Array:
    """Return an inertia (3, 3) itself, or the nearest with principal values that a body can have."""
    values, axes = np.linalg.eigh(inertia)
    if values[0] > 0.0 and values[2] <= values[0] + values[1]:
        return inertia
    values = np.maximum(values, _LEAST_INERTIA)
    values[:2] += max(0.0, 0.5 * (values[2] - values[0] - values[1]))
    return np.asarray(axes @ np.diag(values * [1.0 + 1e-6, 1.0 + 1e-6, 1.0]) @ axes.T)


def note_corrected_inertias(names: Sequence[str]) -> tuple[str, ...]:
    """Return a note on links whose inertias were corrected, if there are any."""
    return (f"inertias that no body can have were corrected: {', '.join(names)}",) if names else ()
