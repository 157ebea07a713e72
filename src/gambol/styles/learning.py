"""Learn a style: the parameters with which a recorded motion is the motion of least muscle cost (L05 section 5.6).

The distance between the optimum X(p) of the parameters p and the recorded motion is minimised by the method of
Levenberg and Marquardt, with derivatives of the optimum from its optimality conditions (`solve.sensitivity`). Every
optimum is solved to convergence. L05 minimises the difference of energies (5.21) with inner solves that stop early,
which a converged solve does not confirm on recordings. Costs of joints are relative to the mean square of their
recorded torques: with equal costs, joints that carry little would be free to do anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.progress import Progress, accept_stop, pass_messages, silent
from gambol.solve.ipopt import FINAL_BARRIER
from gambol.solve.sensitivity import differentiate_optimum
from gambol.styles.scene import STYLE_ITERATIONS, SolvedScene, StyleScene, fit_scene, generate_motion
from gambol.terms.muscle import IS_REST, MUSCLE_PARAMETERS, find_joint_columns

_SCALE = 0.4
"""Cost per second of a motion whose muscle torques are those of inverse dynamics, in all joints together."""
_SMOOTH = 0.02
"""Cost of the recorded joint accelerations, relative to that of the torques."""
_POSTURE = 0.1
"""Cost of the recorded deviations from the mean pose, relative to that of the torques."""
_STIFFNESS, _DAMPING = 0.3, 0.1
"""Torques of springs and dampers at the start, relative to the recorded ones."""
_LEAST_TORQUE, _LEAST_ANGLE, _LEAST_SPEED, _LEAST_ACCELERATION = 1e-3, 0.03, 0.3, 0.5
"""Least scales: torques relative to the largest one; rad, rad/s, rad/s²."""
_PRIOR = 1.3e-4
"""Cost of parameters that leave their start, per square and frame, beside squared radians of all joints and frames."""
_DAMP, _LEAST_DAMP, _MOST_DAMP = 1e-2, 3e-4, 1e4
_LONGEST = 1.5
"""Largest change of a free number in one step."""
_SPANS = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.3, 0.3])
"""Changes of logarithms of `MUSCLE_PARAMETERS`, and of the rest angle (rad), per unit of their free numbers."""
_TRIED = 80
"""Iterations after which a solve is given up: the step was too long."""
_GAIN, _PATIENCE = 0.02, 3
"""Learning ends when the cost has fallen by less than this share in so many steps."""
STEPS = 25
_COUNT = len(MUSCLE_PARAMETERS)
LearnedPart = NDArray[np.bool_]
"""(7,) which of `MUSCLE_PARAMETERS` are learned."""
ALL_PARTS: LearnedPart = np.ones(_COUNT, dtype=bool)


class LearningMoment(NamedTuple):
    """How far learning has come after a step."""

    error_deg: float
    """Joint angles, root mean square."""
    error_cm: float
    """Position of the root, root mean square."""


class StyleStart(NamedTuple):
    """Where learning begins: scales of the parameters."""

    scales: Array
    """(joint dofs, 6) cost, stiffness twice, damping, smoothness, posture"""
    rest: Array
    """(joint dofs,) rad"""

    def make_uniform(self) -> Array:
        """Return the parameters (joint dofs, 7) at the start."""
        return self.make_parameters(np.zeros((len(self.rest), _COUNT)))

    def make_parameters(self, free: Array) -> Array:
        """Return parameters (joint dofs, 7) from free numbers: logarithms relative to the scales, and rest angles."""
        away = _SPANS * free
        return np.column_stack([self.scales * np.exp(away[:, :-1]), self.rest + away[:, -1]])


class LearnedClip(NamedTuple):
    """A recording from which a style was learned."""

    scene: StyleScene
    """With the recorded motion, fitted to physics, as reference."""
    fitted: SolvedScene
    generated: SolvedScene
    """What the style makes of it."""


@dataclass(frozen=True, eq=False)
class LearnedStyle:
    """Parameters of a style, and what they make of the recordings from which they were learned."""

    clips: tuple[LearnedClip, ...]
    start: StyleStart
    parameters: Array
    """(joint dofs, 7)"""
    uncertainty: Array
    """(joint dofs, 7) standard errors: of logarithms, and of the rest angles (rad)."""
    moments: tuple[LearningMoment, ...]
    """Before the first step, and after every one."""
    stopped: bool = False
    """Whether it was interrupted: it is the best so far."""


def find_start(fitted: SolvedScene) -> StyleStart:
    """Return uniform preferences, with springs that rest at the mean pose."""
    columns, step = find_joint_columns(fitted.space), fitted.space.step_times[0]
    angles = fitted.q[:, columns]
    torque = _measure(fitted.joint_torques)
    torque = np.maximum(torque, _LEAST_TORQUE * torque.max())
    away = np.maximum(_measure(angles - angles.mean(axis=0)), _LEAST_ANGLE)
    speed = np.maximum(_measure(np.diff(angles, axis=0) / step), _LEAST_SPEED)
    bend = np.maximum(_measure(np.diff(angles, 2, axis=0) / step**2), _LEAST_ACCELERATION)
    share = _SCALE / len(columns)
    stiffness = _STIFFNESS * torque / away
    damping = _DAMPING * torque / speed
    smoothness, posture = _SMOOTH * share / bend**2, _POSTURE * share / away**2
    return StyleStart(
        np.column_stack([share / torque**2, stiffness, stiffness, damping, smoothness, posture]), angles.mean(axis=0)
    )


def learn_parameters(
    scenes: Sequence[StyleScene],
    *,
    learned: LearnedPart = ALL_PARTS,
    steps: int = STEPS,
    progress: Progress = silent,
) -> LearnedStyle:
    """Learn the parameters of one person's recorded motions, the references of scenes."""
    fits: list[SolvedScene] = []
    for scene in scenes:
        progress("fitting clips to physics", len(fits), len(scenes))
        fits.append(fit_scene(scene, pass_messages(progress)))
    for fitted in fits:
        if not fitted.solution.converged:
            raise InputError(
                f"no physical motion is near this clip ({fitted.solution.status})",
                fix="cut it to a steady part with --start and --end, or repair it with 'gambol fix'",
            )
    fitted_scenes = [scene.with_reference(fitted.q) for scene, fitted in zip(scenes, fits, strict=True)]
    return _Search(fitted_scenes, fits, learned, progress).run(steps)


class _Search:
    """The search for parameters; logarithms relative to a start, and shifts of rest angles, are free."""

    def __init__(
        self,
        scenes: Sequence[StyleScene],
        fits: Sequence[SolvedScene],
        learned: LearnedPart,
        progress: Progress,
    ) -> None:
        self.scenes, self.fits, self._progress = scenes, fits, progress
        self.start = _average([find_start(fitted) for fitted in fits])
        self._prior = _PRIOR * sum(len(scene.reference) for scene in scenes)
        self._mask = np.broadcast_to(learned, (len(self.start.rest), _COUNT))

    def run(self, steps: int) -> LearnedStyle:
        """Search until nothing is gained any more."""
        free: Array = np.zeros(self._mask.shape)
        damp = _DAMP
        self._progress("solving the motion of uniform preferences", 0, None)
        now = self._generate(free, STYLE_ITERATIONS)
        if now is None:
            raise InputError(
                "the motion of least muscle cost was not found",
                fix="cut the clip to a steady part with --start and --end",
            )
        costs, moments, stopped = [self._price(free, now)], [self._measure(now)], False
        try:
            for step in range(steps):
                self._progress(f"learning ({moments[-1].error_deg:.1f} degrees away): step", step, steps)
                tried, found, damp = self._improve(free, now, costs[-1], damp)
                if found is None:
                    break
                cost, moment = self._price(tried, found), self._measure(found)
                free, now, costs, moments = tried, found, [*costs, cost], [*moments, moment]
                if len(costs) > _PATIENCE and costs[-1] > (1.0 - _GAIN) * costs[-1 - _PATIENCE]:
                    break
        except KeyboardInterrupt as stop:
            if len(moments) == 1:
                raise
            accept_stop(stop)
            stopped = True
        uncertainty = self._find_uncertainty(self._differentiate(free, now), now)
        clips = tuple(map(LearnedClip, self.scenes, self.fits, now))
        return LearnedStyle(clips, self.start, self.start.make_parameters(free), uncertainty, tuple(moments), stopped)

    def _improve(
        self, free: Array, now: Sequence[SolvedScene], cost: float, damp: float
    ) -> tuple[Array, list[SolvedScene] | None, float]:
        """Return free numbers of less cost with their motions (None if there are none), and the next damping."""
        slopes = self._differentiate(free, now)
        while damp < _MOST_DAMP:
            tried = free + self._step(slopes, free, now, damp)
            found = self._generate(tried)
            if found is not None and self._price(tried, found) < cost:
                return tried, found, max(damp / 4.0, _LEAST_DAMP)
            damp *= 8.0
        return free, None, damp

    def _generate(self, free: Array, iterations: int = _TRIED) -> list[SolvedScene] | None:
        """Solve from the recorded motions: from the optimum of other parameters another one may be found."""
        parameters, found, report = self.start.make_parameters(free), [], pass_messages(self._progress)
        for scene in self.scenes:
            found.append(generate_motion(scene, parameters, iterations=iterations, progress=report))
            if not found[-1].solution.converged:
                return None
        return found

    def _find_errors(self, found: Sequence[SolvedScene]) -> Array:
        """Return the differences of all coordinates from the recordings, in one row."""
        return np.concatenate(
            [(one.q - scene.reference).ravel() for one, scene in zip(found, self.scenes, strict=True)]
        )

    def _measure(self, found: Sequence[SolvedScene]) -> LearningMoment:
        """Return the distance from all recordings, root mean square."""
        each = [measure_moment(one.q, scene) for one, scene in zip(found, self.scenes, strict=True)]
        return LearningMoment(*np.sqrt(np.mean(np.square(each), axis=0)).tolist())

    def _price(self, free: Array, found: Sequence[SolvedScene]) -> float:
        return float((self._find_errors(found) ** 2).sum() + self._prior * (free**2).sum())

    def _differentiate(self, free: Array, found: Sequence[SolvedScene]) -> Array:
        """Return derivatives (coordinates, joint dofs * 7) of all motions by the free parameters."""
        inner = _SPANS * np.where(IS_REST, 1.0, self.start.make_parameters(free)) * self._mask
        return np.vstack([_differentiate_motion(one, inner) for one in found])

    def _step(self, slopes: Array, free: Array, found: Sequence[SolvedScene], damp: float) -> Array:
        """Return the change (joint dofs, 7) of the free parameters."""
        matrix = slopes.T @ slopes + (self._prior + damp) * np.eye(slopes.shape[1])
        gradient = slopes.T @ self._find_errors(found) + self._prior * free.ravel()
        step = -np.linalg.solve(matrix, gradient).reshape(free.shape) * self._mask
        return np.asarray(step * min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-12)))

    def _find_uncertainty(self, slopes: Array, found: Sequence[SolvedScene]) -> Array:
        """Return standard errors of the parameters, from the curvature of the fit."""
        curvature = slopes.T @ slopes / np.mean(self._find_errors(found) ** 2) + np.eye(slopes.shape[1])
        errors = np.sqrt(np.diag(np.linalg.inv(curvature))).reshape(self._mask.shape)
        return np.asarray(errors * _SPANS)


def _differentiate_motion(found: SolvedScene, inner: Array) -> Array:
    """Return derivatives (coordinates, joint dofs * 7) of a motion; `inner` are those of parameters by free numbers."""
    space, muscle = found.space, found.muscle
    assert muscle is not None
    cross = muscle.differentiate_gradient(space, found.solution.x).multiply(inner.ravel())
    return differentiate_optimum(space.problem, found.solution.state, cross, FINAL_BARRIER)[space.q.ravel()]


def _average(starts: Sequence[StyleStart]) -> StyleStart:
    scales = np.exp(np.mean([np.log(start.scales) for start in starts], axis=0))
    return StyleStart(scales, np.mean([start.rest for start in starts], axis=0))


def measure_moment(q: Array, scene: StyleScene) -> LearningMoment:
    """Return how far a motion (frames, dofs) is from the reference of a scene."""
    away, joints = q - scene.reference, [dof.joint > 0 for dof in scene.character.skeleton.dofs]
    return LearningMoment(
        float(np.degrees(np.sqrt(np.mean(away[:, joints] ** 2)))),
        100.0 * float(np.sqrt(np.mean(np.sum(away[:, :3] ** 2, axis=1)))),
    )


def _measure(values: Array) -> Array:
    """Return root mean squares (columns,) of values (frames, columns)."""
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))
