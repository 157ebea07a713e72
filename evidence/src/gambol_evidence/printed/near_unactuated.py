"""The response as printed (YL08, equations 2 to 7), kept for comparison: it diverges on recorded walks.

There is no torque along the near-unactuated coordinates, tracking within one frame, backward and central differences.
The constraint makes these coordinates a double integrator without restoring force, and the printed weight of damping,
10 per frame of 1/60 s, exceeds that of tracking, 200.

The root deviates from the clip by equation 7, and nothing returns it; the legs follow by inverse kinematics. The paper
does not print how objectives enter: here each is one more norm of equation 6, at a weight that relates to tracking as
in the default form, and a wall is an external force. Loads and platforms are part of the dynamics in equation 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.body.lumped import add_loads
from gambol.fit.load import Source
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.cycles import select_cycle
from gambol.motion.kinematics import place, point_jacobian
from gambol.motion.motion import Motion
from gambol.motion.pushes import Load, Platform, Push
from gambol.respond.actuation import Actuation, compute_actuation, upper_body_columns
from gambol.respond.clips import check_pushes
from gambol.respond.equations import feet_function
from gambol.respond.method import PushTask
from gambol.respond.methods import FREE_HELP, LIKE_HELP, lend_actuation, note_missing_cycle
from gambol.respond.model import DEFAULT_FREE, Gains
from gambol.respond.objective import Objective, PoseView
from gambol.respond.push_response import PushResponse
from gambol.solve.compiled import Runner

_TRACK, _DAMP, _DAMP_SPINE, _CHANGE = 200.0, 10.0, 30.0, 1.0 / 30.0
_DELAY = 0.2
_LOST = 50.0
"""Deviation (rad) at which the simulation is stopped."""
_REWEIGHTINGS = 12


@dataclass(frozen=True)
class AsPrinted:
    """The printed form (YL08, equations 2 to 7), which diverges on recorded walks."""

    free: int = field(default=DEFAULT_FREE, metadata={"help": FREE_HELP})
    norms: bool = field(
        default=False, metadata={"help": "Minimise norms as in equation 6, by reweighting, instead of squares."}
    )
    like: Source | None = field(default=None, metadata={"help": LIKE_HELP, "type": Motion})

    def respond(self, task: PushTask) -> PushResponse:
        """Answer pushes, loads and a moving platform."""
        character = task.make_character()
        task = task.act_on(character)
        actuation = lend_actuation(self.like, task, centred=True)
        task.progress("answering the pushes", 0, None)
        found = respond_to_pushes_as_printed(
            character,
            task.clip,
            task.pushes,
            self.free,
            squared=not self.norms,
            actuation=actuation,
            loads=task.loads,
            platform=task.platform,
            cycle=task.cycle,
        )
        return found if actuation is not None else replace(found, notes=note_missing_cycle(found.fitted, task))


def respond_to_pushes_as_printed(
    character: Character,
    clip: Motion,
    pushes: Sequence[Push],
    free: int,
    *,
    squared: bool = True,
    actuation: Actuation | None = None,
    objectives: Sequence[Objective] = (),
    loads: Sequence[Load] = (),
    platform: Platform | None = None,
    cycle: slice | None = None,
) -> PushResponse:
    """Respond to pushes over a whole clip by the printed form, with principal components about the mean.

    They are those of the frames of `cycle`, as in the paper, or of all cycles.
    """
    check_pushes(clip, pushes)
    fitted = fit(character, clip)
    cycles = None if cycle is None else select_cycle(len(clip), cycle)
    own = compute_actuation(fitted, cycles, centred=True) if actuation is None else actuation
    poses = respond_to_targets_as_printed(
        fitted, own, pushes, free, squared=squared, objectives=objectives, loads=loads, platform=platform
    )
    return PushResponse(fitted, poses, tuple(pushes), f"as printed in YL08, k = {free}", platform)


def respond_to_targets_as_printed(
    fitted: Fit,
    actuation: Actuation,
    pushes: Sequence[Push],
    free: int,
    *,
    squared: bool = True,
    objectives: Sequence[Objective] = (),
    loads: Sequence[Load] = (),
    platform: Platform | None = None,
) -> Array:
    """Return poses (frames, dofs); the upper body stops after divergence. Norms are minimised by reweighting."""
    character, targets, h = fitted.character, fitted.motion.q, fitted.motion.frame_time
    columns = upper_body_columns(character)
    root, upper = columns[:6], columns[6:]
    burdened = add_loads(character, loads)
    dynamics, place_feet = Dynamics(burdened), Runner(feet_function(character, Gains().root_limits[2]), 1)
    look = _looker(character, columns)
    moved = np.zeros(len(root))
    swinging, driven = actuation.free(free), actuation.directions[:, : len(upper) - free]
    weights = np.full(len(upper), _DAMP)
    weights[: _spine(fitted, upper)] = _DAMP_SPINE
    q, torque, began, lost = targets.copy(), None, -np.inf, False
    for n in range(1, len(q) - 1):
        time = n * h
        acting = [p for p in pushes if p.start <= time < p.end]
        began = max([began, *(p.start for p in acting)])
        ahead = q[n] + targets[n + 1] - targets[n]
        wishes = [objective(look(ahead)) for objective in objectives]
        force = _pushed(fitted, q[n], acting)
        for wall in (wish for wish in wishes if wish.outside):
            force[columns] -= wall.stiffness * wall.error @ wall.jacobian
        moved += h / burdened.mass * force[root]  # equation 7
        q[n + 1] = place_feet.run(targets[n + 1], moved)[0]
        if platform is not None:
            q[n + 1, :3] += platform.displacement_factor(time + h) * np.array(platform.acceleration)
        acceleration = (q[n + 1] - 2.0 * q[n] + q[n - 1]) / h**2
        acceleration[upper] = (q[n - 1] - 2.0 * q[n])[upper] / h**2
        pulled = dynamics.torques(q[n], (q[n] - q[n - 1]) / h, acceleration)[upper] - force[upper]
        inertia = dynamics.mass_matrix(q[n])[np.ix_(upper, upper)] / h**2
        aims = [
            (_TRACK * np.eye(len(upper)), _TRACK * targets[n + 1][upper]),
            (np.diag(weights) / h, weights / h * q[n][upper]),
        ]
        for wish in (wish for wish in wishes if not wish.outside):
            weight, rows = _TRACK * np.sqrt(wish.stiffness / Gains().actuated_stiffness), wish.jacobian[:, 6:]
            aims.append((weight * rows, weight * (rows @ ahead[upper] - wish.error)))
        change = _CHANGE * max(0.0, 1.0 - (time - began) / _DELAY)
        if torque is not None and change > 0.0:
            aims.append((change / h * driven.T @ inertia, change / h * driven.T @ (torque - pulled)))
        new = _least(aims, swinging.T @ inertia, -swinging.T @ pulled, squared)
        lost = lost or not np.abs(new - targets[n + 1][upper]).max() < _LOST
        q[n + 1, upper] = q[n][upper] if lost else new
        torque = pulled + inertia @ new
    return q


def _looker(character: Character, columns: list[int]) -> Callable[[Array], PoseView]:
    """Return a function that shows objectives a pose (dofs,)."""
    expressions = Expressions(character)
    frames, axes = Runner(expressions.frames, 1), Runner(expressions.axes, 1)
    return lambda pose: PoseView(character, columns, pose, frames, axes)


def _spine(fitted: Fit, upper: list[int]) -> int:
    """Return the number of coordinates of lumbar spine and chest, which are one ball joint in the paper."""
    names = fitted.character.skeleton.names
    return sum(names[fitted.character.skeleton.dofs[c].joint] in ("spine", "chest") for c in upper)


def _pushed(fitted: Fit, pose: Array, pushes: Sequence[Push]) -> Array:
    """Return the generalised forces (dofs,) of pushes."""
    total = np.zeros(len(pose))
    for push in pushes:
        body = fitted.character.body(push.body)
        point = fitted.character.centers[body] if push.point is None else np.array(push.point)
        force = np.array(push.force)
        if push.axes == "body":
            force = quat.rotate(place(fitted.character.skeleton, pose[None]).rotations[0, body], force)
        total += point_jacobian(fitted.character.skeleton, pose[None], body, point)[0].T @ force
    return total


def _least(aims: Sequence[tuple[Array, Array]], constraint: Array, value: Array, squared: bool) -> Array:
    """Minimise the sum of norms, or of squares, subject to equation 2 (equation 6).

    The constraint is eliminated: in the equations of a Lagrange multiplier it would be lost to rounding.
    """
    held = len(value)
    base, triangle = np.linalg.qr(constraint.T, mode="complete")
    fixed, allowed = base[:, :held] @ np.linalg.solve(triangle[:held].T, value), base[:, held:]
    scales, found = np.ones(len(aims)), fixed
    for _ in range(1 if squared else _REWEIGHTINGS):
        map_ = np.concatenate([scale * rows for scale, (rows, _) in zip(scales, aims, strict=True)])
        goal = np.concatenate([scale * wanted for scale, (_, wanted) in zip(scales, aims, strict=True)])
        found = fixed + allowed @ np.linalg.lstsq(map_ @ allowed, goal - map_ @ fixed)[0]
        scales = np.array([max(float(np.linalg.norm(rows @ found - wanted)), 1e-6) ** -0.5 for rows, wanted in aims])
    return found
