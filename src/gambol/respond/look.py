"""What an objective sees of a pose, and what it may ask for: a row of the same equations that answer the pushes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.body.character import Character
from gambol.geometry.arrays import Array
from gambol.solve.compiled import Runner


class PoseView:
    """Where the bodies are in a pose, how they are turned, and how root and upper body would move them."""

    def __init__(self, character: Character, columns: list[int], pose: Array, frames: Runner, axes: Runner) -> None:
        self.character = character
        self._columns = columns
        self._pose = pose
        self._axes_of = axes
        flat = frames.run(pose)[0].reshape(-1, 12)
        self._turns = flat[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1).copy()
        self._places = flat[:, 9:].copy()

    def turn(self, body: int) -> Array:
        """Rotation matrix (3, 3) of a body."""
        return self._turns[body]

    def place(self, body: int, point: Array) -> Array:
        """World position (3,) of a point of a body."""
        return self._places[body] + self._turns[body] @ point

    @cached_property
    def _axes(self) -> Array:
        return self._axes_of.run(self._pose)[0].reshape(-1, 3)[self._columns].copy()

    def _moves(self, body: int) -> tuple[Array, Array]:
        """Which coordinates (n,) slide and which turn a body, as 0 and 1."""
        skeleton = self.character.skeleton
        path = set(skeleton.path_to_root(body))
        dofs = [skeleton.dofs[c] for c in self._columns]
        slides = np.array([float(d.kind == "slide" and d.joint in path) for d in dofs])
        return slides, np.array([float(d.kind == "turn" and d.joint in path) for d in dofs])

    def spin(self, body: int) -> Array:
        """(3, n): how a body turns with every coordinate."""
        _, turns = self._moves(body)
        return (self._axes * turns[:, None]).T

    def velocity(self, body: int, point: Array) -> Array:
        """(3, n): how a point of a body moves with every coordinate."""
        slides, turns = self._moves(body)
        joints = [self.character.skeleton.dofs[c].joint for c in self._columns]
        arms = self.place(body, point) - self._places[joints]
        return (self._axes * slides[:, None] + np.cross(self._axes, arms) * turns[:, None]).T


@dataclass(frozen=True, eq=False)
class ObjectiveResidual:
    """Errors (r,) that springs and dampers draw to zero, and how they change with root and upper body (r, n)."""

    jacobian: Array
    error: Array
    stiffness: float
    damping: float
    outside: bool = False
    """A force from outside, such as a wall's, acts on all coordinates; a wish only where there are muscles."""

    def into(self, held: Array, off: Array, stiffness: Array, damping: Array, force: Array) -> None:
        """Add to the stiffness, damping (n, n) and force (n,) of a frame."""
        rows = self.jacobian if self.outside else self.jacobian @ held
        square = rows.T @ rows
        stiffness += self.stiffness * square
        damping += self.damping * square
        force -= self.stiffness * rows.T @ (self.error - rows @ off)


Objective = Callable[[PoseView], ObjectiveResidual]
