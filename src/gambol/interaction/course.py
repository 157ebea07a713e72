"""The course of a meeting: what both people do as a function of phase, style and contact point.

M17 has a latent space of two dimensions for each person, with a linear kernel for style (equation 3). Two dimensions
cannot represent a phase and a contact point in a plane. Here the phase is known, and style and contact point are given.
Rows are linear in the emotions, in the coordinates of the contact point, in their products (joints turn in curves), and
in products of emotions and coordinates; all coefficients are Gaussian processes of the phase (`CoefficientProcess`).
They are tabulated: a row takes microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.learn.gaussian import CoefficientProcess

_UNIT = 0.1
"""Metres of the contact point that count as 1, about what people vary it by."""
_GRID = 201
"""Phases of the table."""
_WIDTHS = (0.02, 0.03, 0.05)
"""Candidates for the width of the kernel, as a share of all stretched phases."""
_NOISE = 0.05
"""Standard deviation (m, rad) of rows about their mean, before it is known."""
_LEAST = 0.003
"""Least standard deviation that is assumed."""
_DEVIATIONS, _MARGIN = 2.5, 0.01
"""Contact points are extrapolated to so many standard deviations of those that were shown, and so many metres."""
LARGEST_SHARE = 2.0
"""Of an emotion, where 1 is as strong as shown: rates grow or shrink by powers of it."""
_SMOOTH = 1.0
"""Phases of the table over which accelerations are averaged."""
_EVEN = 0.5
"""Least density of stretched phases, relative to the mean."""
_PAIRS = np.triu_indices(3)


@dataclass(frozen=True, eq=False)
class GoalSpace:
    """Contact points as features of a kernel."""

    mean: Array
    """(3,) metres in the frame of the trial."""
    covariance: Array
    """(3, 3) of the points that were shown."""

    def __post_init__(self) -> None:
        check_shapes(self, mean=(3,), covariance=(3, 3))

    def describe(self, goals: Array) -> Array:
        """Return the features (..., 9) of contact points (..., 3): coordinates and their products."""
        units = (goals - self.mean) / _UNIT
        return np.concatenate((units, units[..., _PAIRS[0]] * units[..., _PAIRS[1]]), axis=-1)

    def differentiate(self, goals: Array) -> Array:
        """Return the derivatives (..., 9, 3) of the features by the contact points."""
        units = (goals - self.mean) / _UNIT
        slopes = np.zeros((*goals.shape[:-1], 9, 3))
        slopes[..., np.arange(3), np.arange(3)] = 1.0
        for row, (one, other) in enumerate(zip(*_PAIRS, strict=True), start=3):
            slopes[..., row, one] += units[..., other]
            slopes[..., row, other] += units[..., one]
        return slopes / _UNIT

    def clamp(self, goals: Array) -> Array:
        """Return the contact points (..., 3) nearest to those given among the ones that are like those shown."""
        axes, reach = self._reach
        return self.mean + np.clip((goals - self.mean) @ axes, -reach, reach) @ axes.T

    @cached_property
    def _reach(self) -> tuple[Array, Array]:
        """Principal axes (3, 3) of the contact points that were shown, and how far (m) they go along them."""
        sizes, axes = np.linalg.eigh(self.covariance)
        return axes, _DEVIATIONS * np.sqrt(np.maximum(sizes, 0.0)) + _MARGIN


class CourseSamples(NamedTuple):
    """Frames of trials as inputs and outputs of a course."""

    phases: Array
    """(frames,) from 0 to 1."""
    styles: Array
    """(frames, emotions) shares."""
    goals: Array
    """(frames, 3) contact points of the trials (m)."""
    rows: Array
    """(frames, columns)."""


@dataclass(frozen=True, eq=False)
class Course:
    """Mean rows over phases; made by `learn_course`."""

    goal_space: GoalSpace
    emotions: tuple[str, ...]
    process: CoefficientProcess
    """Of scaled rows given the phase and features of style and goal."""
    stretched: Array
    """(phases,) stretched phases, see `stretch_phases`."""
    mean: Array
    scales: Array
    """(columns,) subtracted from rows, and divided by: the noise that was expected."""
    noise: Array
    """(columns,) standard deviation of rows about their mean."""

    def __post_init__(self) -> None:
        columns, features = len(self.mean), 10 + 4 * len(self.emotions)
        check_shapes(self, stretched=(_GRID,), mean=(columns,), scales=(columns,), noise=(columns,))
        if self.process.knots_.shape[1:] != (features, columns) or not (self.scales > 0.0).all():
            raise InputError(f"the process of a course must have {features} features and {columns} outputs")

    @cached_property
    def table(self) -> Array:
        """(phases, features, columns) coefficients; phases are evenly spaced from 0 to 1."""
        table = self.process.evaluate_coefficients(self.stretched) * self.scales
        table[:, 0] += self.mean
        return table

    def share_styles(self, style: Mapping[str, float]) -> Array:
        """Return the shares (emotions,) of a style."""
        for emotion in style:
            if emotion not in self.emotions:
                known = ", ".join(("neutral", *self.emotions))
                raise InputError(f"unknown style '{emotion}'", fix=f"this model has {known}")
            if not 0.0 <= style[emotion] <= LARGEST_SHARE:
                raise InputError(f"a share of {style[emotion]:g} of '{emotion}'", fix=f"use 0 to {LARGEST_SHARE:g}")
        return np.array([style.get(emotion, 0.0) for emotion in self.emotions])

    def combine(self, shares: Array, goals: Array) -> Array:
        """Return the features (..., features) of shares (emotions,) and contact points (..., 3)."""
        goal = self.goal_space.describe(goals)
        style = np.broadcast_to(shares, (*goal.shape[:-1], len(shares)))
        return combine_features(style, goal)

    def fix_style(self, shares: Array) -> Array:
        """Return the coefficients (phases, 10, columns) of 1 and of the features of the goal, in one style."""
        n = len(shares)
        table = self.table
        out = np.concatenate((table[:, :1], table[:, 1 + n : 10 + n]), axis=1)
        out[:, 0] += np.einsum("e,kec->kc", shares, table[:, 1 : 1 + n])
        both = table[:, 10 + n :].reshape(len(table), n, 3, table.shape[2])
        out[:, 1:4] += np.einsum("e,kegc->kgc", shares, both)
        return out

    def evaluate(self, phase: float, features: Array) -> Array:
        """Return the mean row (columns,) at a phase, of features (features,)."""
        at = min(max(phase, 0.0), 1.0) * (_GRID - 1)
        before = min(int(at), _GRID - 2)
        share = at - before
        return features @ ((1.0 - share) * self.table[before] + share * self.table[before + 1])

    def evaluate_all(self, phases: Array, features: Array) -> Array:
        """Return the mean rows (frames, columns) at phases (frames,), of features (features,) or (frames, features)."""
        each = np.broadcast_to(features, (len(phases), features.shape[-1]))
        return np.stack([self.evaluate(phase, one) for phase, one in zip(phases.tolist(), each, strict=True)])


def combine_features(styles: Array, goals: Array) -> Array:
    """Return 1, emotions, features of goals, and products of emotions and coordinates of goals, (..., features)."""
    both = (styles[..., :, None] * goals[..., None, :3]).reshape(*styles.shape[:-1], -1)
    return np.concatenate((np.ones((*goals.shape[:-1], 1)), styles, goals, both), axis=-1)


def learn_course(samples: CourseSamples, emotions: Sequence[str], before: Course | None = None) -> Course:
    """Learn a course from the frames of trials; noise and width of the kernel are those of a course `before`."""
    space = find_goal_space(samples.goals)
    features = combine_features(samples.styles, space.describe(samples.goals))
    mean = samples.rows.mean(axis=0)
    scales = np.full(mean.shape, _NOISE) if before is None else before.noise
    groups = [1, len(emotions), 3, 6, 3 * len(emotions)]
    widths = _WIDTHS if before is None else (before.process.width_,)
    process = CoefficientProcess([size for size in groups if size], widths=widths)
    grid = stretch_phases(samples.phases, (samples.rows - mean) / scales)
    stretched = _stretch(grid, samples.phases)
    process.fit(stretched, features, (samples.rows - mean) / scales)
    course = Course(space, tuple(emotions), process, grid, mean, scales, scales)
    errors = samples.rows - mean - scales * process.predict(stretched, features)
    return replace(course, noise=np.maximum(np.sqrt((errors**2).mean(axis=0)), _LEAST))


def stretch_phases(phases: Array, rows: Array) -> Array:
    """Return stretched phases (phases of the table,) in which rows bend evenly.

    A hand turns quickly when it hits another one, and hangs still before: a kernel of one width would blur the hit. The
    density of the stretched phases is the root of the mean acceleration of rows, which makes the error of a
    local mean the same everywhere.
    """
    at = phases * (_GRID - 1)
    near = np.rint(at).astype(int)
    seen = np.maximum(np.bincount(near, minlength=_GRID), 1e-9)
    means = np.stack([np.bincount(near, column, _GRID) for column in rows.T], axis=1) / seen[:, None]
    known = np.flatnonzero(seen > 0.5)
    means = np.stack([np.interp(np.arange(_GRID), known, column[known]) for column in means.T], axis=1)
    smooth = gaussian_filter1d(means, _SMOOTH, axis=0)
    bends = np.sqrt(np.linalg.norm(np.gradient(np.gradient(smooth, axis=0), axis=0), axis=1))
    bends += max(_EVEN * bends.mean(), 1e-9)  # rows may not move at all
    lengths = np.append(0.0, np.cumsum(0.5 * (bends[1:] + bends[:-1])))
    return np.asarray(lengths / lengths[-1])


def _stretch(grid: Array, phases: Array) -> Array:
    return np.interp(phases, np.linspace(0.0, 1.0, len(grid)), grid)


def find_goal_space(goals: Array) -> GoalSpace:
    """Return the space of contact points (n, 3)."""
    return GoalSpace(goals.mean(axis=0), np.cov(goals.T) if len(goals) > 1 else np.zeros((3, 3)))
