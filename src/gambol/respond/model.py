"""Learn a response model from a clip: springs and dampers around it, and the function that steps them.

Stiffness and damping along the actuated directions are those of YL08, equations 3 and 4, softer in the arms: with the
same for all joints, as printed, somebody hit at an arm moves as a block. Damping acts on the deviation, since damping
the motion itself, as printed, slows the clip down. The free directions have weak springs that also
compensate destabilising gravity: the paper has none there (equation 2), and nothing would restore the pose. The root is
on springs that represent the legs; along the ground they react as late as the actuated directions (equation 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.body.lumped import add_loads
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.motion.cycles import select_cycle, weigh_cycles
from gambol.motion.pushes import Load
from gambol.progress import Progress, silent
from gambol.respond.actuation import Actuation, compute_actuation, destabilising_stiffness, upper_body_columns
from gambol.respond.equations import CoordinateBounds, step_function, upper_body
from gambol.respond.objective import PoseView
from gambol.solve.compiled import Runner, compile_function

DEFAULT_FREE = 10
"""Number of near-unactuated coordinates, the paper's k."""
ARM_PARTS = ("upper_arm", "forearm", "hand")
_SWING = np.radians(60.0)
"""Radians that joints without limits may go beyond the clip's own range."""


@dataclass(frozen=True)
class Gains:
    """Stiffness and damping of the response; the same for all clips and bodies."""

    actuated_stiffness: float = 300.0
    """N m/rad along the actuated directions."""
    actuated_damping: float = 40.0
    """N m s/rad."""
    arms: float = 0.13
    """Share of both that joints of the arms have, and of what balances gravity along the free directions: people who
    hold a hand still have 30 to 40 N m/rad (Flash 1987)."""
    free_stiffness: float = 3.0
    """N m/rad along the free directions, in addition to the destabilising stiffness with ten free directions."""
    free_damping: float = 1.0
    root_rates: tuple[float, ...] = (5.0, 5.0, 12.0, 9.0, 9.0, 9.0)
    """Natural frequencies (rad/s) of the critically damped root: along x and y (equal), up, and turning."""
    root_limits: tuple[float, ...] = (0.2, 0.2, 0.12, 0.35, 0.35, 0.35)
    """Largest deviation of the root (m, rad): along x and y (equal: a circle), up, and turning."""
    delay: float = 0.2
    """Reaction time (s) of the actuated directions after a push begins."""
    persistence: float = 0.95
    """Share of the actuated torque that persists during the reaction time."""

    def __post_init__(self) -> None:
        for name in ("root_rates", "root_limits"):
            x, y, *_ = getattr(self, name)
            if x != y:
                raise InputError(
                    f"{name} has {x:g} along x and {y:g} along y",
                    fix="give the same value twice: the response must not depend on the heading of the clip",
                )


class Springs(NamedTuple):
    """Stiffness and damping (batch or 1, n, n) of a frame, and a generalised force (batch or 1, n)."""

    stiffness: Array
    damping: Array
    force: Array


@dataclass(frozen=True, eq=False)
class GainMatrices:
    """The gains as matrices (n, n) over the coordinates of root and upper body."""

    free_stiffness: Array
    """Along the free directions, and of the root's height and rotation."""
    free_damping: Array
    actuated_stiffness: Array
    """Along the actuated directions, and of the root along the ground: those that react late."""
    actuated_damping: Array
    actuated: Array
    """Projector onto root and actuated directions, where objectives may act."""


@dataclass(frozen=True, eq=False)
class ClipStatistics:
    """What is measured on the clip, independent of the gains."""

    actuation: Actuation
    destabilising_stiffness: float
    """N m/rad, see `actuation.destabilising_stiffness`, with the paper's ten free directions."""
    root_inertia: Array
    """(6,) kg and kg m² of the root's coordinates in the median pose."""


@dataclass(frozen=True, eq=False)
class ResponseModel:
    """Everything `stepping` needs to respond to pushes; made by `learn_response`."""

    character: Character
    statistics: ClipStatistics
    columns: list[int]
    bounds: CoordinateBounds
    gains: Gains
    frame_time: float
    function: ca.Function
    """The step function, see `equations.step_function`."""
    gain_matrices: GainMatrices

    @cached_property
    def nominal_springs(self) -> Springs:
        """The springs without objectives or a recent push."""
        matrices = self.gain_matrices
        stiffness, damping = (
            matrices.free_stiffness + matrices.actuated_stiffness,
            matrices.free_damping + matrices.actuated_damping,
        )
        return Springs(stiffness[None], damping[None], np.zeros((1, len(stiffness))))

    @cached_property
    def _runners(self) -> dict[int, Runner]:
        return {}

    def runner(self, batch: int) -> Runner:
        """Return the step function for a batch of characters."""
        if batch not in self._runners:
            self._runners[batch] = Runner(self.function, batch)
        return self._runners[batch]

    @cached_property
    def upper(self) -> tuple[str, ...]:
        """Names of the bodies with dynamics; pushes on other bodies act on the first, the pelvis."""
        return upper_body(self.character).skeleton.names

    @cached_property
    def _expressions(self) -> Expressions:
        return Expressions(self.character)

    @cached_property
    def _frames(self) -> Runner:
        return Runner(self._expressions.frames, 1)

    @cached_property
    def _axes(self) -> Runner:
        return Runner(self._expressions.axes, 1)

    def look(self, pose: Array) -> PoseView:
        """Return positions, rotations and Jacobians of the bodies in a pose (dofs,)."""
        return PoseView(self.character, self.columns, pose, self._frames, self._axes)


def learn_response(
    fitted: Fit,
    free: int = DEFAULT_FREE,
    *,
    actuation: Actuation | None = None,
    gains: Gains = Gains(),
    loads: Sequence[Load] = (),
    cycle: slice | None = None,
    machine_code: bool = False,
    progress: Progress = silent,
) -> ResponseModel:
    """Learn the model of a fitted clip; `actuation` may be another clip's, `machine_code` compiles the step.

    All cycles of the clip count, or only the frames of `cycle`. `progress` gets a message before compilation.
    """
    character = fitted.character
    columns = upper_body_columns(character)
    bounds = _bounds(fitted, columns, gains)
    function = step_function(character, add_loads(character, loads), bounds)
    if machine_code:
        function = compile_function(function, progress)
    statistics = _measure_clip(fitted, cycle)
    matrices = _build_gain_matrices(character, statistics, free, actuation, gains)
    return ResponseModel(character, statistics, columns, bounds, gains, fitted.motion.frame_time, function, matrices)


def relearn_response(
    model: ResponseModel, free: int, *, actuation: Actuation | None = None, gains: Gains = Gains()
) -> ResponseModel:
    """Return the model with other gains; the step function is reused and the bounds of the root stay."""
    return replace(
        model,
        gains=gains,
        gain_matrices=_build_gain_matrices(model.character, model.statistics, free, actuation, gains),
    )


def _measure_clip(fitted: Fit, cycle: slice | None) -> ClipStatistics:
    cycles = weigh_cycles(fitted.source) if cycle is None else select_cycle(len(fitted.motion), cycle)
    actuation = compute_actuation(fitted, cycles)
    free = actuation.free(min(DEFAULT_FREE, len(actuation.powers)))
    inertia = np.diag(Dynamics(fitted.character).mass_matrix(np.median(fitted.motion.q, axis=0)))[:6]
    return ClipStatistics(actuation, destabilising_stiffness(fitted, free, cycles), inertia)


def _build_gain_matrices(
    character: Character, statistics: ClipStatistics, free: int, actuation: Actuation | None, gains: Gains
) -> GainMatrices:
    own = statistics.actuation
    size = 6 + len(own.powers)
    directions = own.free(free) if actuation is None else _lent(own, actuation, character).free(free)
    swinging = np.zeros((size, size))
    swinging[6:, 6:] = directions @ directions.T
    held = np.eye(size) - swinging
    driven = held.copy()
    driven[:6, :6] = 0.0
    rates = np.array(gains.root_rates)
    parts = [character.skeleton.names[character.skeleton.dofs[c].joint] for c in upper_body_columns(character)]
    soft = np.diag([gains.arms if part.endswith(ARM_PARTS) else 1.0 for part in parts])
    driven = driven @ soft @ driven
    # Arms hang: gravity topples the trunk and the head.
    free_stiffness = gains.free_stiffness * swinging + statistics.destabilising_stiffness * swinging @ soft @ swinging
    free_damping = gains.free_damping * swinging
    stiffness, damping = gains.actuated_stiffness * driven, gains.actuated_damping * driven
    # The legs steer the root along the ground as late as other muscles react; they carry it at once.
    springs, dampers = statistics.root_inertia * rates**2, 2.0 * statistics.root_inertia * rates
    for late, early, strength in ((stiffness, free_stiffness, springs), (damping, free_damping, dampers)):
        late[range(2), range(2)] = strength[:2]
        early[range(2, 6), range(2, 6)] = strength[2:]
    return GainMatrices(free_stiffness, free_damping, stiffness, damping, held)


def _lent(own: Actuation, other: Actuation, character: Character) -> Actuation:
    """Return another clip's actuation if its coordinates have the same axes."""
    apart = np.flatnonzero(np.abs(own.axes - other.axes).max(axis=1) > 1e-6)
    if len(apart):
        skeleton = character.skeleton
        joint = skeleton.names[skeleton.dofs[upper_body_columns(character)[6 + int(apart[0])]].joint]
        raise InputError(
            f"the other clip turns the {joint.replace('_', ' ')} about other axes: its actuation means something else",
            fix="take it from a clip that keeps its joints farther from gimbal lock",
        )
    return other


def _bounds(fitted: Fit, columns: list[int], gains: Gains) -> CoordinateBounds:
    q, skeleton = fitted.motion.q[:, columns], fitted.character.skeleton
    lower, upper = skeleton.lower[columns], skeleton.upper[columns]
    lower = np.where(np.isfinite(lower), lower, q.min(axis=0) - _SWING)
    upper = np.where(np.isfinite(upper), upper, q.max(axis=0) + _SWING)
    lower[:6], upper[:6] = -np.inf, np.inf
    root_limits = np.full(len(columns), np.inf)
    root_limits[:6] = gains.root_limits
    margin = np.full(len(columns), 0.25)
    margin[:6] = 0.6 * root_limits[:6]
    return CoordinateBounds(lower, upper, root_limits, margin)
