"""Answers by steps to pushes of recorded walks, measured in the process that solves them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.contacts.views import find_side, list_constraints, list_loads
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.motion.motion import Motion
from gambol.respond.latent.examples import ExamplePush, NormalWalk, make_normal_walk, recover_walk
from gambol.respond.whole_body import WholeBodyResponse
from gambol.solve.workers import open_cluster, solve_all
from gambol.spacetime.evaluate import evaluate_frames
from gambol.spacetime.grounded import GroundedMotion
from gambol.spacetime.recovery.recover import PushAnswer
from gambol.spacetime.recovery.solve_answer import SolvedAnswer
from gambol.spacetime.resampling import sample_fit
from gambol.stages.feet import SIDES, track_point
from gambol_evidence.reproduce.recordings import load_cmu_clip

SIX_WALKS = ("02_01", "05_01", "07_01", "12_01", "16_15", "35_01")
"""Normal walks of six subjects."""
RUN = "16_35"


class PushedTrial(NamedTuple):
    """A push of a walk, and whether steps may change their timing."""

    name: str
    push: ExamplePush
    timing: bool = True


class LandedStep(NamedTuple):
    """A foothold after a push."""

    side: str
    after: float
    """Seconds from the onset to the touchdown."""
    shift: Array
    """(2,) metres ahead and to the left of its place without the push."""
    balance_shift: Array
    """(2,) metres by which the extrapolated centre of mass is displaced at the touchdown."""


@dataclass(frozen=True)
class MeasuredAnswer:
    """What was measured of one answer; nan without a solution."""

    trial: PushedTrial
    converged: bool
    support: str
    """Feet on the ground at the onset: "left", "right", "both" or "none"."""
    steps: tuple[LandedStep, ...] = ()
    earlier: float = np.nan
    """Seconds by which the first movable touchdown is earlier than in the clip."""
    peak: float = np.nan
    """Largest deviation of a joint angle from the clip (degrees)."""
    recovery: float = np.nan
    """Seconds from the end of the push until all joint angles stay within 2 degrees of the clip."""
    slide: float = np.nan
    """Metres that a foot in contact slides and does not in the clip."""
    sink: float = np.nan
    """Metres that a foot is lower below the floor than in the clip."""
    friction: float = np.nan
    """Largest coefficient of friction needed at the solved frames."""
    outside: float = np.nan
    """Distance (m) of the centre of pressure outside the soles."""
    jump: float = np.nan
    """Largest change, from one frame to the next, of an ankle's velocity relative to the clip's (m/s)."""


@dataclass(frozen=True, eq=False)
class PushedWalks:
    """Recorded walks, and the answers to pushes that were solved so far."""

    data: Path
    _answers: dict[PushedTrial, MeasuredAnswer] = field(default_factory=dict)

    def answer(self, trials: Sequence[PushedTrial]) -> list[MeasuredAnswer]:
        """Return the answers to pushes, in parallel; each is solved once."""
        missing = [trial for trial in dict.fromkeys(trials) if trial not in self._answers]
        if missing:
            with open_cluster(os.cpu_count() or 1) as client:
                for trial, found in solve_all(client, answer_trial, self.data, missing):
                    self._answers[trial] = found
        return [self._answers[trial] for trial in trials]


@lru_cache(maxsize=8)
def load_normal_walk(data: Path, name: str) -> NormalWalk:
    """Load a recorded walk as a loop."""
    return make_normal_walk(load_cmu_clip(data, name))


def solve_trial(data: Path, trial: PushedTrial) -> PushAnswer:
    """Answer a push by steps."""
    return recover_walk(load_normal_walk(data, trial.name), trial.push, timing=trial.timing)


def respond(data: Path, trial: PushedTrial, found: PushAnswer) -> WholeBodyResponse:
    """Return an answer as the response of a clip."""
    walk = load_normal_walk(data, trial.name)
    shown = sample_fit(walk.fitted, found.times, walk.fitted.motion.frame_time)
    pushes = (walk.convert_push(trial.push),)
    return WholeBodyResponse(fitted=shown, poses=found.motion.motion.q, pushes=pushes, method="replan", found=found)


def answer_trial(data: Path, trial: PushedTrial) -> MeasuredAnswer:
    """Solve and measure one answer."""
    walk, found = load_normal_walk(data, trial.name), solve_trial(data, trial)
    solved, onset = found.solved[0], walk.convert_push(trial.push).start
    support = _find_support(walk.grounded, onset)
    if not solved.outcome.solution.converged:
        return MeasuredAnswer(trial, False, support)
    response = respond(data, trial, found)
    errors = _evaluate(solved)
    return MeasuredAnswer(
        trial,
        True,
        support,
        _measure_steps(walk, solved),
        found.steps[0].earlier if found.steps else 0.0,
        response.peak[0],
        np.nan if response.recovery is None else response.recovery,
        response.slide,
        _measure_sinking(found.motion, response.fitted.motion),
        errors[0],
        errors[1],
        _measure_jump(found.motion.motion, response.fitted.motion.q),
    )


def _find_support(clip: GroundedMotion, onset: float) -> str:
    frame = round(onset / clip.motion.frame_time)
    feet = {find_side(stance) for stance in clip.stances if stance.first <= frame <= stance.last}
    return "both" if len(feet) == 2 else next(iter(feet), "none")


def _measure_steps(walk: NormalWalk, solved: SolvedAnswer) -> tuple[LandedStep, ...]:
    """Measure footholds and the extrapolated centre of mass x + v sqrt(height / g) at their touchdowns."""
    ahead = walk.forward[:2]
    axes = np.array([ahead, [-ahead[1], ahead[0]]])
    step, dynamics = solved.outcome.motion.frame_time, Dynamics(walk.character)
    centres = [dynamics.center_of_mass(q) for q in (solved.outcome.motion.q, solved.window.reference.motion.q)]
    balance = [c[:, :2] + np.gradient(c[:, :2], step, axis=0) * np.sqrt(c[:, 2:] / GRAVITY) for c in centres]
    moved = (balance[0] - balance[1]) @ axes.T
    return tuple(
        LandedStep(find_side(one), one.first * step - step, solved.shifts[one][:2] @ axes.T, moved[one.first])
        for one, foothold in solved.window.footholds
        if foothold is not None
    )


def _evaluate(solved: SolvedAnswer) -> tuple[float, float]:
    """Return the largest friction and distance of the centre of pressure outside the soles, from coordinates alone."""
    moved = solved.window.reference.move(solved.deviation, solved.shifts)
    plan = moved.contacts
    errors = evaluate_frames(
        moved.character,
        solved.outcome.motion,
        list_constraints(plan),
        list_loads(plan, moved.character),
        pushes=solved.forces,
    )
    return errors.friction, errors.pressure


def _measure_jump(answer: Motion, clip: Array) -> float:
    ankles = [answer.skeleton.index(f"{side}_foot") for side in SIDES]
    paths = [motion.placement.positions[:, ankles] for motion in (answer, replace(answer, q=clip))]
    return float(lengths(np.diff(paths[0] - paths[1], 2, axis=0)).max()) / answer.frame_time


def _measure_sinking(answer: GroundedMotion, clip: Motion) -> float:
    depths = []
    for motion in (answer.motion, clip):
        feet = [track_point(motion, point) for point in answer.contacts.points if not point.name.endswith("hand")]
        depths.append(max(float((answer.contacts.floor.at(path) - path[:, 2]).max()) for path in feet))
    return max(depths[0] - max(depths[1], 0.0), 0.0)
