"""Sample the responses of a clip to pushes: every body, direction, phase of the gait cycle and force.

A cell of the map is one push. Its force is exact; its moment is drawn from the phases of the cell and its direction
from a few degrees around the named one, by the seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.fit.rig import as_clip
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, summarise_fields
from gambol.io.provenance import to_json_types
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.progress import Progress, silent
from gambol.respond.balance import FootSupport, measure_foot_support
from gambol.respond.push_response import RECOVERED_DEGREES, RECOVERY_TIME
from gambol.respond.responder import Responder, S, find_body, run_many, run_undisturbed, undisturbed_poses
from gambol.stages.balance import OUTCOMES, STEP_TIME, find_outcomes
from gambol.stages.support import name_supports
from gambol.version import __version__

DIRECTIONS = {"forward": 0.0, "backward": np.pi, "left": 0.5 * np.pi, "right": -0.5 * np.pi}
"""Directions of pushes as angles (rad) to the left of the heading."""
BODIES = (
    "head", "chest", "spine", "pelvis", "left_upper_arm", "right_upper_arm", "left_forearm", "right_forearm",
)  # fmt: skip
_SPREAD = np.radians(15.0)
_BATCH = 128
"""Characters per call; more are no faster."""
_BESIDE = 1.0
"""Seconds added on both sides of a period to find its support phases."""


@dataclass(frozen=True)
class PushPlan:
    """The pushes of a map."""

    __repr__ = summarise_fields

    pushes: int = 1000
    """Approximate number; there are about two phases per force level."""
    strongest: float = 1.0
    """Strongest push in body weights."""
    duration: float = 0.2
    """Duration (s) of each push."""
    bodies: tuple[str, ...] = BODIES
    seed: int = 0

    def __post_init__(self) -> None:
        least = len(self.bodies) * len(DIRECTIONS)
        if not least <= self.pushes <= 1_000_000:
            raise InputError(f"a map needs {least} to 1,000,000 pushes, not {self.pushes}")
        if not 0.0 < self.strongest <= 10.0:
            raise InputError(f"the strongest push must be up to 10 body weights, not {self.strongest:g}")
        if not 0.0 < self.duration <= 10.0:
            raise InputError(f"a push lasts up to 10 s, not {self.duration:g}")
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
        """Exact number of pushes."""
        return math.prod(self.shape)


@dataclass(frozen=True, eq=False)
class PushMap:
    """The responses to all pushes of a map; arrays are (bodies, directions, forces, phases)."""

    __repr__ = summarise_fields

    clip: str
    plan: PushPlan
    settings: Mapping[str, float]
    """Settings of the responder, such as k."""
    mass: float
    """Kilograms."""
    seconds: float
    """Duration of the cycle, or of the clip where it has none."""
    cyclic: bool
    supports: tuple[str, ...]
    """Support phase of every frame of the cycle, such as "left foot"."""
    phases: Array
    """Phase, 0 to 1, at which a push begins."""
    angles: Array
    """Direction (rad) to the left of the heading."""
    peaks: Array
    """Largest deviation (degrees)."""
    joints: NDArray[np.str_]
    """The joint with the largest deviation."""
    recoveries: Array
    """Time (s) from the end of the push until all joints stay within 2 degrees; infinite after 3 s."""
    limited: NDArray[np.bool_]
    """Whether a joint or the root came to its limit."""
    outside: Array
    """How far (m) the extrapolated centre of mass comes outside feet that take no steps."""
    leg_length: float
    """Metres."""

    @cached_property
    def forces(self) -> Array:
        """(forces,) newtons."""
        return self.mass * GRAVITY * force_levels(self.plan)

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Whether there was no recovery in time."""
        return np.isinf(self.recoveries)

    @cached_property
    def outcomes(self) -> NDArray[np.int_]:
        """What a person would do, as indices of OUTCOMES."""
        return find_outcomes(self.outside, self.leg_length)

    @cached_property
    def weakest(self) -> tuple[int, int, int, int]:
        """The cell of the weakest push without recovery, else of the largest mean deviation."""
        forces = np.arange(self.plan.shape[2])[:, None]
        if self.lost.any():
            first = np.where(self.lost, forces, len(forces)).min()
            worst = np.where(self.lost & (forces == first), self.peaks, -1.0)
        else:
            worst = self.peaks.mean(axis=2, keepdims=True) + 1e-3 * self.peaks
        return tuple(int(n) for n in np.unravel_index(int(np.argmax(worst)), worst.shape))  # type: ignore[return-value]

    def facts(self) -> dict[str, Any]:
        """Return everything in JSON types."""
        return to_json_types(
            {
                "gambol": __version__,
                "clip": self.clip,
                **asdict(self.plan),
                **self.settings,
                "mass_kg": self.mass,
                "leg_length_m": self.leg_length,
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
            "outside_cm": 100.0 * self.outside[cell],
            "person": OUTCOMES[self.outcomes[cell]],
        }


def force_levels(plan: PushPlan) -> Array:
    """Return the force levels (forces,) in body weights."""
    count = plan.shape[2]
    return plan.strongest * np.arange(1, count + 1) / count


def sample_pushes(responder: Responder[S], plan: PushPlan = PushPlan(), progress: Progress = silent) -> PushMap:
    """Apply all pushes of a plan to a responder."""
    plan = replace(plan, bodies=tuple(dict.fromkeys(find_body(responder, name) for name in plan.bodies)))
    mass = responder.character.mass
    rng = np.random.default_rng(plan.seed)
    bodies, _, _, phases = plan.shape
    moments = (np.arange(phases) + rng.random(plan.shape)) / phases
    ways = np.array(list(DIRECTIONS.values()))[:, None, None]
    angles = ways + _SPREAD * rng.uniform(-1.0, 1.0, plan.shape)
    strengths = np.broadcast_to((mass * GRAVITY * force_levels(plan))[:, None], plan.shape)
    parts = np.broadcast_to(np.arange(bodies)[:, None, None, None], plan.shape)
    trials = np.stack([part.ravel() for part in (moments * responder.period, angles, strengths, parts)], axis=1)
    states = list(islice(run_undisturbed(responder), responder.period))
    poses = np.array([responder.target(state) for state in states])
    support = responder.support or measure_foot_support(
        responder.character, Motion(responder.character.skeleton, poses, responder.frame_time)
    )
    # From angles to the heading to angles in the world.
    trials[:, 1] += _headings(responder, poses)[trials[:, 0].astype(int)]
    found = []
    for first in range(0, len(trials), _BATCH):
        batch = trials[first : first + _BATCH]
        found.append((*_pushed(responder, states, plan, batch), _measure_outside(support, plan.duration, batch)))
        progress("pushing", first + len(batch), len(trials))
    peaks, joints, recoveries, limited, outside = (
        np.concatenate(part).reshape(plan.shape) for part in zip(*found, strict=True)
    )
    return PushMap(
        responder.name, plan, responder.settings, mass, responder.period * responder.frame_time, responder.cyclic,
        _supports(responder), moments, angles, peaks, joints, recoveries, limited, outside,
        responder.character.leg_length,
    )  # fmt: skip


def _pushed(responder: Responder[S], states: Sequence[S], plan: PushPlan, trials: Array) -> tuple[NDArray[Any], ...]:
    """Peak, its joint, recovery and whether a limit was reached of pushes: rows of frame, angle, newtons, body.

    Angles are in the world. `states` are those of a period, undisturbed.
    """
    h = responder.frame_time
    frames, within = np.divmod(trials[:, 0], 1.0)
    begins = [states[int(frame)] for frame in frames]
    pushes = [
        [Push(plan.bodies[int(body)], (newtons * np.cos(way), newtons * np.sin(way), 0.0), h * late, plan.duration)]
        for late, way, newtons, body in zip(within, trials[:, 1], trials[:, 2], trials[:, 3], strict=True)
    ]
    skeleton = responder.character.skeleton
    turning = [c for c, dof in enumerate(skeleton.dofs) if dof.kind == "turn"]
    joints = np.array([skeleton.names[skeleton.dofs[c].joint] for c in turning])
    most, away = np.zeros((len(trials), len(turning))), np.zeros(len(trials))
    limited = np.zeros(len(trials), dtype=bool)
    count = int(np.ceil((plan.duration + RECOVERY_TIME) / h)) + 1
    for n, moment in enumerate(run_many(responder, begins, pushes, count), start=1):
        off = np.degrees(np.abs(moment.poses - moment.targets)[:, turning])
        most = np.maximum(most, off)
        away = np.where((off > RECOVERED_DEGREES).any(axis=1), n * h, away)
        limited |= moment.limited
    waits = np.maximum(away + h - (h * within + plan.duration), 0.0)
    return most.max(axis=1), joints[most.argmax(axis=1)], np.where(waits > RECOVERY_TIME, np.inf, waits), limited


def _measure_outside(support: FootSupport, duration: float, trials: Array) -> Array:
    """Return how far (trials,) pushes bring the extrapolated centre of mass outside the feet (m)."""
    h, period = support.frame_time, len(support.rates)
    frames, within = np.divmod(trials[:, 0], 1.0)
    forces = trials[:, 2:3] * np.stack([np.cos(trials[:, 1]), np.sin(trials[:, 1])], axis=1)
    deviations: Array = np.zeros((len(trials), 2))
    outside: Array = np.zeros(len(trials))
    begin, end = h * within, h * within + duration
    for n in range(int(np.ceil((duration + STEP_TIME) / h)) + 1):
        at = (frames.astype(int) + n) % period
        acting = np.clip((np.minimum(end, h * (n + 1)) - np.maximum(begin, h * n)) / h, 0.0, 1.0)
        deviations = support.step(at, deviations, acting[:, None] * forces)
        outside = np.maximum(outside, support.measure_outside(at, deviations))
    return outside


def _headings(responder: Responder[Any], poses: Array) -> Array:
    """Return the heading (batch,) of the hips (rad)."""
    forward = quat.rotate(place(responder.character.skeleton, poses).rotations[:, 0], np.array([1.0, 0.0, 0.0]))
    return np.arctan2(forward[:, 1], forward[:, 0])


def _supports(responder: Responder[Any]) -> tuple[str, ...]:
    """Return the support phase of every frame of a period."""
    beside = round(_BESIDE / responder.frame_time)
    poses = undisturbed_poses(responder, responder.period + 2 * beside)
    named = name_supports(as_clip(Motion(responder.character.skeleton, poses, responder.frame_time)))
    return tuple(named[beside + (n - beside) % responder.period] for n in range(responder.period))
