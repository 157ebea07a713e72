"""What a body needs to know of itself to answer pushes, learnt from a clip.

Stiffness and damping along the actuated directions are those of YL08, equations 3 and 4 (damping acts on the deviation:
damping the motion itself, as printed, holds the clip back). Along the free directions there is a little of both, beyond
what gravity takes away: the paper has none there (equation 2), and then nothing leads back. The root is held by springs
that stand for the legs.
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
from gambol.body.lumped import loaded
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.motion.cycles import weigh_cycles
from gambol.motion.pushes import Load
from gambol.respond.actuation import Actuation, compute_actuation, destabilising_stiffness, upper_body_columns
from gambol.respond.equations import CoordinateBounds, step_function, upper_body
from gambol.respond.look import PoseView
from gambol.solve.compiled import Runner, compiled

DEFAULT_FREE = 10
"""Near-unactuated coordinates, the paper's k."""
_SWING = np.radians(60.0)
"""How far joints without limits of their own may leave what the clip does."""


@dataclass(frozen=True)
class Gains:
    """How a body holds on to its motion; the same for all clips and bodies."""

    held_stiffness: float = 300.0
    """N m/rad along the actuated directions."""
    held_damping: float = 40.0
    """N m s/rad."""
    free_stiffness: float = 3.0
    """N m/rad along the free directions, beyond what gravity takes away there with the paper's ten of them."""
    free_damping: float = 1.0
    root_rates: tuple[float, ...] = (5.0, 5.0, 12.0, 9.0, 9.0, 9.0)
    """Radians per second at which the root comes back, critically damped: along x and y (equal), up, and turning."""
    leash: tuple[float, ...] = (0.2, 0.2, 0.12, 0.35, 0.35, 0.35)
    """Metres and radians that the root may leave the clip's: along x and y (equal: a circle), up, and turning."""
    delay: float = 0.2
    """Seconds in which muscles do not know of a push yet."""
    deaf: float = 0.95
    """Share of what the muscles do in that time that goes on as before."""

    def __post_init__(self) -> None:
        for name in ("root_rates", "leash"):
            x, y, *_ = getattr(self, name)
            if x != y:
                raise InputError(
                    f"{name} has {x:g} along x and {y:g} along y",
                    fix="give one value twice: an answer must not depend on where a clip faces",
                )


class Springs(NamedTuple):
    """Stiffness and damping (batch or 1, n, n) of a frame, and a force (batch or 1, n) besides the pushes."""

    stiffness: Array
    damping: Array
    force: Array


@dataclass(frozen=True, eq=False)
class GainMatrices:
    """How a body holds on to its motion, as matrices (n, n) over root and upper body."""

    free_stiffness: Array
    """Along the free directions, and of the root; `free_damping` likewise."""
    free_damping: Array
    held_stiffness: Array
    """Along the actuated directions."""
    held_damping: Array
    held: Array
    """Projects onto root and actuated directions: where objectives may act."""


@dataclass(frozen=True, eq=False)
class ClipStatistics:
    """What a clip says of its body, whatever the springs."""

    actuation: Actuation
    destabilising_stiffness: float
    """N m/rad, see `actuation.toppling`, with the paper's ten free directions."""
    root_inertia: Array
    """(6,) kg and kg m² of the root's coordinates in the median pose."""


@dataclass(frozen=True, eq=False)
class ResponseModel:
    """What a body needs to know of itself to answer: made by `learn`."""

    character: Character
    clues: ClipStatistics
    columns: list[int]
    bounds: CoordinateBounds
    gains: Gains
    frame_time: float
    function: ca.Function
    """The step, see `equations.step_function`."""
    grip: GainMatrices

    @cached_property
    def awake(self) -> Springs:
        """The springs while nothing disturbs."""
        grip = self.grip
        stiffness, damping = grip.free_stiffness + grip.held_stiffness, grip.free_damping + grip.held_damping
        return Springs(stiffness[None], damping[None], np.zeros((1, len(stiffness))))

    @cached_property
    def _runners(self) -> dict[int, Runner]:
        return {}

    def runner(self, batch: int) -> Runner:
        """The step for so many characters at once."""
        if batch not in self._runners:
            self._runners[batch] = Runner(self.function, batch)
        return self._runners[batch]

    @cached_property
    def upper(self) -> tuple[str, ...]:
        """Bodies that dynamics move; the others act through the first, the pelvis."""
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
        """Where everything is in a pose (dofs,)."""
        return PoseView(self.character, self.columns, pose, self._frames, self._axes)


def learn_response(
    fitted: Fit,
    free: int = DEFAULT_FREE,
    *,
    actuation: Actuation | None = None,
    gains: Gains = Gains(),
    loads: Sequence[Load] = (),
    machine_code: bool = False,
) -> ResponseModel:
    """What a fitted clip says of its body; `actuation` may be another clip's, `machine_code` compiles the step."""
    character = fitted.character
    columns = upper_body_columns(character)
    bounds = _bounds(fitted, columns, gains)
    function = step_function(character, loaded(character, loads), bounds)
    if machine_code:
        function = compiled(function)
    clues = _clues(fitted)
    grip = _grip(character, clues, free, actuation, gains)
    return ResponseModel(character, clues, columns, bounds, gains, fitted.motion.frame_time, function, grip)


def relearn_response(
    model: ResponseModel, free: int, *, actuation: Actuation | None = None, gains: Gains = Gains()
) -> ResponseModel:
    """The same body with other springs, at once: the step, which knows none, is not built again; the leash stays."""
    return replace(model, gains=gains, grip=_grip(model.character, model.clues, free, actuation, gains))


def _clues(fitted: Fit) -> ClipStatistics:
    cycles = weigh_cycles(fitted.source)
    actuation = compute_actuation(fitted, cycles)
    free = actuation.free(min(DEFAULT_FREE, len(actuation.powers)))
    inertia = np.diag(Dynamics(fitted.character).mass_matrix(np.median(fitted.motion.q, axis=0)))[:6]
    return ClipStatistics(actuation, destabilising_stiffness(fitted, free, cycles), inertia)


def _grip(
    character: Character, clues: ClipStatistics, free: int, actuation: Actuation | None, gains: Gains
) -> GainMatrices:
    own = clues.actuation
    size = 6 + len(own.powers)
    directions = own.free(free) if actuation is None else _lent(own, actuation, character).free(free)
    swinging = np.zeros((size, size))
    swinging[6:, 6:] = directions @ directions.T
    held = np.eye(size) - swinging
    driven = held.copy()
    driven[:6, :6] = 0.0
    rates = np.array(gains.root_rates)
    free_stiffness = (gains.free_stiffness + clues.toppling) * swinging
    free_damping = gains.free_damping * swinging
    free_stiffness[range(6), range(6)] = clues.root_inertia * rates**2
    free_damping[range(6), range(6)] = 2.0 * clues.root_inertia * rates
    return GainMatrices(free_stiffness, free_damping, gains.held_stiffness * driven, gains.held_damping * driven, held)


def _lent(own: Actuation, other: Actuation, character: Character) -> Actuation:
    """Another clip's actuation, if its coordinates turn about the same axes."""
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
    dofs = [fitted.character.skeleton.dofs[c] for c in columns]
    q = fitted.motion.q[:, columns]
    lower, upper = np.array([d.lower for d in dofs]), np.array([d.upper for d in dofs])
    lower = np.where(np.isfinite(lower), lower, q.min(axis=0) - _SWING)
    upper = np.where(np.isfinite(upper), upper, q.max(axis=0) + _SWING)
    lower[:6], upper[:6] = -np.inf, np.inf
    leash = np.full(len(columns), np.inf)
    leash[:6] = gains.leash
    margin = np.full(len(columns), 0.25)
    margin[:6] = 0.6 * leash[:6]
    return CoordinateBounds(lower, upper, leash, margin)
