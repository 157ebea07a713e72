"""The push map of a clip: every body part pushed from every side, in every phase, harder and harder.

A cell of the map is one push. Its force is exact; its moment is drawn from the cell's share of the cycle and its
direction from a few degrees around the named one, so that a map is a sample and not a coincidence: the seed says which.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import GRAVITY
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.provenance import plain
from gambol.motion.kinematics import place
from gambol.motion.pushes import Push
from gambol.respond.answer import RECOVERED
from gambol.respond.endless import Endless, endless
from gambol.respond.model import FREE, Model, learn
from gambol.respond.stepping import State, start, step
from gambol.stages.contacts import foot_contacts
from gambol.stages.flight import stages_of, without_carried
from gambol.stages.support import support_stages
from gambol.version import __version__

DIRECTIONS = {"forward": 0.0, "backward": np.pi, "left": 0.5 * np.pi, "right": -0.5 * np.pi}
"""Where a push goes, as an angle to the left of where the hips face."""
BODIES = (
    "head", "chest", "spine", "pelvis", "left_upper_arm", "right_upper_arm", "left_forearm", "right_forearm",
)  # fmt: skip
PATIENCE = 3.0
"""Seconds after a push in which a body should be back."""
_SPREAD = np.radians(15.0)
_BATCH = 128
"""Characters of one call: more are no faster."""
_MOVED = np.radians(1.0)
"""A coordinate at its limit counts where the push brought it there, and not the clip."""
_AT = 1e-6


@dataclass(frozen=True)
class Plan:
    """Which pushes a map is made of."""

    pushes: int = 1000
    """About how many; phases and forces are divided to suit, two phases for each force."""
    strongest: float = 1.0
    """Body weights."""
    duration: float = 0.2
    """Seconds of every push."""
    bodies: tuple[str, ...] = BODIES
    seed: int = 0

    def __post_init__(self) -> None:
        least = len(self.bodies) * len(DIRECTIONS)
        if not least <= self.pushes <= 1_000_000:
            raise InputError(f"{self.pushes} pushes do not make a map", fix=f"{least} to 1,000,000 do")
        if not 0.0 < self.strongest <= 10.0:
            raise InputError(f"the strongest push cannot be {self.strongest:g} body weights", fix="give up to 10")
        if not 0.0 < self.duration <= 10.0:
            raise InputError(f"a push cannot last {self.duration:g} s", fix="give up to 10 s")
        if self.seed < 0:
            raise InputError(f"a seed is 0 or more, not {self.seed}")

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Bodies, directions, forces, phases."""
        cells = self.pushes / (len(self.bodies) * len(DIRECTIONS))
        forces = max(1, round((0.5 * cells) ** 0.5))
        return len(self.bodies), len(DIRECTIONS), forces, max(1, round(cells / forces))

    @property
    def total(self) -> int:
        """How many pushes it comes to."""
        return math.prod(self.shape)


@dataclass(frozen=True, eq=False)
class PushMap:
    """What every push of a map did; arrays are (bodies, directions, forces, phases)."""

    clip: str
    plan: Plan
    free: int
    mass: float
    """Kilograms."""
    seconds: float
    """Of the cycle, or of the clip where it has none."""
    cyclic: bool
    supports: tuple[str, ...]
    """What carries in every frame of the cycle, such as "left foot"."""
    phases: Array
    """Share of the cycle, 0 to 1, at which a push begins."""
    angles: Array
    """Radians to the left of where the hips face."""
    peaks: Array
    """Degrees by which the coordinate farthest off is off at most."""
    joints: NDArray[np.str_]
    """The joint that this coordinate belongs to."""
    recoveries: Array
    """Seconds from the end of the push until all are within 2 degrees for good; infinite after 3 s."""
    limited: NDArray[np.bool_]
    """Whether a joint came to its limit, or the hips to the end of what the feet let them."""

    @cached_property
    def forces(self) -> Array:
        """(forces,) newtons."""
        return self.mass * GRAVITY * levels(self.plan)

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Whether a push was not recovered from in time."""
        return np.isinf(self.recoveries)

    @cached_property
    def weakest(self) -> tuple[int, int, int, int]:
        """The cell of the weakest push that is not recovered from; else where forces throw it farthest on average."""
        forces = np.arange(self.plan.shape[2])[:, None]
        if self.lost.any():
            first = np.where(self.lost, forces, len(forces)).min()
            worst = np.where(self.lost & (forces == first), self.peaks, -1.0)
        else:
            worst = self.peaks.mean(axis=2, keepdims=True) + 1e-3 * self.peaks
        return tuple(int(n) for n in np.unravel_index(int(np.argmax(worst)), worst.shape))  # type: ignore[return-value]

    def facts(self) -> dict[str, Any]:
        """All of it for programs, in JSON's own types."""
        return plain(
            {
                "gambol": __version__,
                "clip": self.clip,
                **asdict(self.plan),
                "k": self.free,
                "mass_kg": self.mass,
                "cycle_s": self.seconds if self.cyclic else None,
                "pushes": [self._row(*cell) for cell in np.ndindex(*self.plan.shape)],
            }
        )

    def _row(self, body: int, direction: int, force: int, phase: int) -> dict[str, Any]:
        cell = body, direction, force, phase
        return {
            "body": self.plan.bodies[body],
            "direction": list(DIRECTIONS)[direction],
            "angle_deg": np.degrees(self.angles[cell]),
            "force_N": self.forces[force],
            "phase": self.phases[cell],
            "peak_deg": self.peaks[cell],
            "joint": self.joints[cell],
            "recovery_s": self.recoveries[cell],
            "limit_reached": self.limited[cell],
        }


def levels(plan: Plan) -> Array:
    """(forces,) body weights."""
    count = plan.shape[2]
    return plan.strongest * np.arange(1, count + 1) / count


def push_map(
    fitted: Fit, plan: Plan = Plan(), free: int = FREE, watch: Callable[[int], None] = lambda done: None
) -> PushMap:
    """Push a fitted clip in every way of a plan; `watch` hears now and then how many more pushes are done."""
    for name in plan.bodies:
        fitted.character.body(name)
    model, path = learn(fitted, free, machine_code=True), endless(fitted)
    rng = np.random.default_rng(plan.seed)
    bodies, _, _, phases = plan.shape
    moments = (np.arange(phases) + rng.random(plan.shape)) / phases
    ways = np.array(list(DIRECTIONS.values()))[:, None, None]
    angles = ways + _SPREAD * rng.uniform(-1.0, 1.0, plan.shape)
    strengths = np.broadcast_to((fitted.character.mass * GRAVITY * levels(plan))[:, None], plan.shape)
    parts = np.broadcast_to(np.arange(bodies)[:, None, None, None], plan.shape)
    trials = np.stack([part.ravel() for part in (moments * len(path), angles, strengths, parts)], axis=1)
    found = []
    for first in range(0, len(trials), _BATCH):
        batch = trials[first : first + _BATCH]
        found.append(_pushed(model, path, plan, batch))
        watch(len(batch))
    peaks, joints, recoveries, limited = (np.concatenate(part).reshape(plan.shape) for part in zip(*found, strict=True))
    return PushMap(
        fitted.source.name, plan, free, fitted.character.mass, len(path) * fitted.motion.frame_time,
        path.cycle is not None, _supports(fitted, path.cycle), moments, angles, peaks, joints, recoveries,
        limited,
    )  # fmt: skip


def _pushed(model: Model, path: Endless, plan: Plan, trials: Array) -> tuple[NDArray[Any], ...]:
    """Peak, its joint, recovery and whether a limit was reached of pushes: rows of frame, angle, newtons, body."""
    h = model.frame_time
    frames, within = np.divmod(trials[:, 0], 1.0)
    pushes = [
        [Push(plan.bodies[int(body)], (newtons * np.cos(way), newtons * np.sin(way), 0.0), h * late, plan.duration)]
        for late, way, newtons, body in zip(
            within, trials[:, 1] + _headings(model, path.at(frames)), trials[:, 2], trials[:, 3], strict=True
        )
    ]
    ends = h * within + plan.duration
    dofs = model.character.skeleton.dofs
    turning = [c for c, dof in enumerate(dofs) if dof.kind == "turn"]
    joints = np.array([model.character.skeleton.names[dofs[c].joint] for c in turning])
    state = start(model, path.at(frames), path.at(frames - 1))
    most, away = np.zeros((len(trials), len(turning))), np.zeros(len(trials))
    limited = np.zeros(len(trials), dtype=bool)
    for n in range(1, int(np.ceil((plan.duration + PATIENCE) / h)) + 2):
        target = path.at(frames + n)
        state, pose = step(model, state, target, pushes)
        off = np.degrees(np.abs(pose - target)[:, turning])
        most = np.maximum(most, off)
        away = np.where((off > RECOVERED).any(axis=1), state.time, away)
        limited |= _at_limits(model, state, pose, target)
    waits = np.maximum(away + h - ends, 0.0)
    return most.max(axis=1), joints[most.argmax(axis=1)], np.where(waits > PATIENCE, np.inf, waits), limited


def _at_limits(model: Model, state: State, pose: Array, target: Array) -> NDArray[np.bool_]:
    """Whether (batch,) a joint is at a limit that the push brought it to, or the root at the end of its leash."""
    dofs = model.character.skeleton.dofs
    lower, upper = np.array([d.lower for d in dofs]), np.array([d.upper for d in dofs])
    lower[model.columns], upper[model.columns] = model.bounds.lower, model.bounds.upper
    moved = np.abs(pose - target) > _MOVED
    stopped = moved & ((pose >= upper - _AT) | (pose <= lower + _AT))
    off = np.column_stack((np.linalg.norm(state.off[:, :2], axis=1), np.abs(state.off[:, 2:])))
    leashed = off >= model.bounds.leash[1:] - _AT
    return stopped.any(axis=1) | leashed.any(axis=1)


def _headings(model: Model, poses: Array) -> Array:
    """Angle (batch,) about the vertical in which the hips face: x is forward in every body's frame."""
    forward = quat.rotate(place(model.character.skeleton, poses).rotations[:, 0], np.array([1.0, 0.0, 0.0]))
    return np.arctan2(forward[:, 1], forward[:, 0])


def _supports(fitted: Fit, cycle: slice | None) -> tuple[str, ...]:
    """What carries in every frame of a round; without a cycle that leads forth and back."""
    contacts = foot_contacts(fitted.source)
    stages = support_stages(contacts, without_carried(fitted.source, stages_of(contacts)))
    named = [stage.name for stage in stages for _ in range(len(stage))]
    return tuple(named + named[-2:0:-1] if cycle is None else named[cycle])
