"""Bodies for tests of terms: a creature on three legs, and a small one on a single leg."""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.body.soles import find_soles
from gambol.body.tripod import make_tripod
from gambol.contacts.contact import Contact
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.skeleton import Dof, Skeleton

BODY = make_tripod(1.2, 60.0)
STEP = 1.0 / 30.0
BODIES = tuple(sole.body for sole in find_soles(BODY).values())
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SOLE = np.array([[-0.1, 0.05, -0.05], [0.1, 0.05, -0.05], [-0.1, -0.05, -0.05], [0.1, -0.05, -0.05]])


def monopod() -> Character:
    """A trunk, a thigh, and a shank with a foot that has a flat `SOLE`: 6 + 4 degrees of freedom."""
    root = [Dof(0, "slide", axis) for axis in (_X, _Y, _Z)] + [Dof(0, "turn", axis) for axis in (_Z, _Y, _X)]
    leg = [Dof(1, "turn", _X), Dof(1, "turn", _Y), Dof(2, "turn", _Y), Dof(3, "turn", _Y)]
    offsets = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -0.1], [0.0, 0.0, -0.4], [0.0, 0.0, -0.4]])
    skeleton = Skeleton(("trunk", "thigh", "shank", "foot"), (-1, 0, 1, 2), offsets, (*root, *leg))
    inertias = np.array([np.diag([0.5, 0.6, 0.3]), *(np.diag([0.05, 0.06, 0.01]) for _ in range(3))])
    centers = np.array([[0.0, 0.02, 0.3], [0.0, 0.0, -0.2], [0.0, 0.0, -0.2], [0.02, 0.0, -0.02]])
    return Character(skeleton, np.array([20.0, 5.0, 3.0, 1.0]), centers, inertias, "monopod")


def standing(frames: int) -> np.ndarray:
    """The tripod at rest on the floor."""
    q = np.zeros((frames, len(BODY.skeleton.dofs)))
    q[:, 2] = -place(BODY.skeleton, q[:1]).positions[0, :, 2].min()
    return q


def feet(frames: int, **more) -> tuple[Contact, ...]:
    """Contacts of its three feet."""
    placed = place(BODY.skeleton, standing(1))
    holds = []
    for sole in find_soles(BODY).values():
        joint = BODY.skeleton.index(sole.body)
        where = placed.positions[0, joint] + quat.rotate(placed.rotations[0, joint], sole.corners)
        holds.append(Contact(sole.body, sole.corners, where, 0, frames - 1, **more))
    return tuple(holds)


def hopping(frames: int) -> np.ndarray:
    """The monopod with a bent leg and a flat sole on the floor."""
    q = np.zeros((frames, 10))
    q[:, 7], q[:, 8], q[:, 9] = -0.4, 0.8, -0.4
    q[:, 2] = 0.1 + 0.8 * np.cos(0.4) + 0.05
    return q


def sole_of(q: np.ndarray, **more) -> Contact:
    """A contact of the monopod's sole at its place in the first frame."""
    placed = place(monopod().skeleton, q[:1])
    where = placed.positions[0, 3] + quat.rotate(placed.rotations[0, 3], SOLE)
    return Contact("foot", SOLE, where, **({"first": 0, "last": len(q) - 1} | more))
