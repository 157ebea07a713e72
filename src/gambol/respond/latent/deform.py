"""Deformation of a predicted pose by external forces during one frame (YL10 equations 6 to 8).

Of d/dt dL/dq' only M(q_n) q'' depends on the next pose, and the paper's differences are q'' = (q_{n+1} - 2 q_n +
q_{n-1}) / h². The poses before the next cancel in equation 8:

    G(q) = M(q_n) (q - q~) / h² - J'f

It minimises (|G|² + |C|²) / 2 with C the displacement of the support foot. G is in newtons and newton metres, C in
metres, so the contact has no effect: the foot slides as far as without it (a test measures it).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gambol.body.expressions import Expressions
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.pushes import AppliedForce, Pull
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.points import BodyPoints
from gambol.respond.objective import PoseView
from gambol.solve.compiled import Runner

_STEPS = 3
"""Gauss-Newton steps: the displacement of a foot is not linear in the pose."""


class Deformer:
    """Deforms the poses of one character."""

    def __init__(self, points: BodyPoints) -> None:
        self.points, self.character = points, points.character

    def look(self, pose: Array) -> PoseView:
        """Return positions, rotations and Jacobians of the bodies in a pose (dofs,)."""
        return PoseView(self.character, list(range(len(pose))), pose, self._frames, self._axes)

    def deform(
        self,
        predicted: Array,
        now: Array,
        force: Array,
        standing: NDArray[np.bool_],
        contact_weight: float = 1.0,
    ) -> Array:
        """Return the deformed next pose (dofs,).

        `predicted` is the next pose without a push, `now` the pose before it, `force` (dofs,) the generalised force of
        the push, `standing` (4,) which of `points.FOOT_ENDS` stand. The printed contact has no weight, which is 1.
        """
        if not np.isfinite(force).all():
            raise InputError("the forces are not finite numbers", fix="give forces in newtons, points in metres")
        size = len(predicted)
        inertia = self._mass.run(now)[0].reshape(size, size) / FRAME_TIME**2
        rows = [3 * self.points.feet[n] + axis for n in np.flatnonzero(standing) for axis in range(3)]
        places = self.points.solver.linearise(predicted)[0][rows].copy()
        pose = predicted
        for _ in range(_STEPS if rows else 1):
            seen, jacobian = self.points.solver.linearise(pose)
            contact, away = jacobian[rows], seen[rows] - places
            missing = force - inertia @ (pose - predicted)
            system = np.vstack((inertia, contact_weight * contact))
            pose = pose + np.linalg.lstsq(system, np.append(missing, -contact_weight * away))[0]
        return pose

    @cached_property
    def _mass(self) -> Runner:
        return Runner(Expressions(self.character).mass_matrix, 1)

    @cached_property
    def _frames(self) -> Runner:
        return Runner(Expressions(self.character).frames, 1)

    @cached_property
    def _axes(self) -> Runner:
        return Runner(Expressions(self.character).axes, 1)


def sum_forces(
    view: PoseView, forces: Sequence[AppliedForce | Pull], origin: Array = np.zeros(3)
) -> tuple[Array, Array]:
    """Return the sum (3,) of forces (N, world) and their generalised force (dofs,) in a pose.

    `origin` (3,) is where the positions of hands that pull count from (m).
    """
    total, generalised = np.zeros(3), np.zeros(len(view.character.skeleton.dofs))
    for one in forces:
        body = view.character.body(one.body)
        point = view.character.centers[body] if one.point is None else np.array(one.point)
        force = _find_force(view, one, body, point, origin)
        total += force
        generalised += force @ view.velocity(body, point)
    return total, generalised


def _find_force(view: PoseView, one: AppliedForce | Pull, body: int, point: Array, origin: Array) -> Array:
    """Return a force (3,) in newtons and world axes."""
    if isinstance(one, Pull):
        away = np.array(one.hand) + origin - view.place(body, point)
        return one.stiffness(float(np.linalg.norm(away))) * away
    return view.turn(body) @ one.force if one.axes == "body" else np.array(one.force)
