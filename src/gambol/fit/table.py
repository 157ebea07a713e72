"""Tabulate the physics of a motion, for statistics in other programs."""

from __future__ import annotations

import numpy as np

from gambol.fit.forces import compute_joint_torques
from gambol.fit.physics import Physics
from gambol.geometry.arrays import Array
from gambol.io.tables import label_coordinates, tabulate_joints
from gambol.motion.recording import Table


def tabulate_physics(physics: Physics, up: str = "z") -> Table:
    """Return a table of joint angles (degrees), joint moments (N m), centre of mass (m), ground forces (N), contacts.

    Contacts are 0 or 1. With `up` "y", positions and forces have the axes of OpenSim. A missing centre of pressure is
    zero.
    """
    motion, character = physics.fitted.motion, physics.fitted.character
    angles = tabulate_joints(motion)
    labels, signs = label_coordinates(motion.skeleton)
    moments = signs * compute_joint_torques(character, motion, physics.forces)
    root = len(motion.skeleton.columns(0))  # The root is not actuated.
    columns = dict(zip(labels[root:], angles.values.T[root:], strict=True))
    columns |= dict(zip([f"{label}_moment" for label in labels[root:]], moments.T[root:], strict=True))
    columns |= _vector("com_", physics.forces.center_of_mass, up)
    for body in physics.bodies:
        columns |= _vector(f"ground_force_{body}_v", physics.forces.force_on(body), up)
        columns |= _vector(f"ground_force_{body}_p", np.nan_to_num(physics.forces.center_of_pressure(body)), up)
    for name in sorted({contact.part for contact in physics.contacts.items}):
        columns[f"{name}_contact"] = physics.contacts.touching(name).astype(float)
    header = {**angles.header, "up": up, "mass": f"{character.mass:.6g}"}
    return Table(tuple(columns), np.stack(list(columns.values()), axis=1), angles.times, header, physics.motion.name)


def _vector(prefix: str, values: Array, up: str) -> dict[str, Array]:
    x, y, z = values.T
    return dict(zip([f"{prefix}{axis}" for axis in "xyz"], (x, y, z) if up == "z" else (x, z, -y), strict=True))
