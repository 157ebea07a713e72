"""Objectives of the response: what one sees of a pose, and the residual it adds to the equations of motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.body.character import Character
from gambol.geometry.arrays import Array
from gambol.solve.compiled import Runner


class PoseView:
    """Positions and rotations of the bodies in a pose, and their Jacobians by root and upper body."""

    def __init__(self, character: Character, columns: list[int], pose: Array, frames: Runner, axes: Runner) -> None:
        self.character = character
        self._columns = columns
        self._pose = pose
        self._axes_of = axes
        flat = frames.run(pose)[0].reshape(-1, 12)
        self._turns = flat[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1).copy()
        self._places = flat[:, 9:].copy()

    def turn(self, body: int) -> Array:
        """Return the rotation matrix (3, 3) of a body."""
        return self._turns[body]

    def place(self, body: int, point: Array) -> Array:
        """Return the world position (3,) of a point of a body (m, in its frame)."""
        return self._places[body] + self._turns[body] @ point

    @cached_property
    def _axes(self) -> Array:
        return self._axes_of.run(self._pose)[0].reshape(-1, 3)[self._columns].copy()

    def _moves(self, body: int) -> tuple[Array, Array]:
        """Return masks (n,) of the coordinates that translate and that rotate a body."""
        skeleton = self.character.skeleton
        path = set(skeleton.path_to_root(body))
        dofs = [skeleton.dofs[c] for c in self._columns]
        slides = np.array([float(d.kind == "slide" and d.joint in path) for d in dofs])
        return slides, np.array([float(d.kind == "turn" and d.joint in path) for d in dofs])

    def spin(self, body: int) -> Array:
        """Return the Jacobian (3, n) of the angular velocity of a body."""
        _, turns = self._moves(body)
        return (self._axes * turns[:, None]).T

    def velocity(self, body: int, point: Array) -> Array:
        """Return the Jacobian (3, n) of the velocity of a point of a body."""
        slides, turns = self._moves(body)
        joints = [self.character.skeleton.dofs[c].joint for c in self._columns]
        arms = self.place(body, point) - self._places[joints]
        return (self._axes * slides[:, None] + np.cross(self._axes, arms) * turns[:, None]).T


@dataclass(frozen=True, eq=False)
class ObjectiveResidual:
    """Errors (r,) that springs and dampers reduce to zero, and their Jacobian (r, n) by root and upper body."""

    jacobian: Array
    error: Array
    stiffness: float
    damping: float
    outside: bool = False
    """External forces, such as a wall's, act on all coordinates; objectives only on actuated ones."""

    def into(self, held: Array, off: Array, stiffness: Array, damping: Array, force: Array) -> None:
        """Add the residual to the stiffness and damping (n, n) and force (n,) of a frame."""
        rows = self.jacobian if self.outside else self.jacobian @ held
        square = rows.T @ rows
        stiffness += self.stiffness * square
        damping += self.damping * square
        force -= self.stiffness * rows.T @ (self.error - rows @ off)


Objective = Callable[[PoseView], ObjectiveResidual]
