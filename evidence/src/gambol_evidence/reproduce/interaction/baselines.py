"""Methods that models of two people are compared with: regression, nearest neighbours, replay, and linear dynamics.

The first three tell the rows of person 1 from the path of the hand of person 2; the last generates both people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsRegressor

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.interaction.rows import find_person_rows
from gambol.interaction.trials import Trial
from gambol.learn.gaussian import FactorKernel, GaussianProcess, LinearFactor, RbfKernel
from gambol_evidence.printed.hierarchy import describe_style, find_lags, stack_history

Reaction = Callable[[Array, Mapping[str, float]], Array]
"""Rows (frames, columns) of person 1, given the path (frames, 3) of the hand of person 2 (m) and a style."""
_SAMPLES = 2
"""Hand samples that regression sees: M17's direct mapping without latents. Neighbours see one more."""
_NEIGHBOURS = 10
_OTHER_STYLE = 0.3
"""Metres that a difference of styles counts as, among neighbours."""
_PHASES = 101


def learn_regression(trials: Sequence[Trial], n_inducing: int | None = 300) -> Reaction:
    """Return Gaussian process regression from two hand samples and the style."""
    frames = _collect(trials, _SAMPLES)
    mean, scale = frames.rows.mean(axis=0), frames.rows.std()
    factor = LinearFactor(len(frames.styles))
    process = GaussianProcess(
        FactorKernel(RbfKernel(1.0, (10.0,) * _SAMPLES, 100.0), (factor,)), n_inducing=n_inducing, iterations=80
    )
    process.fit(np.hstack([frames.hands, frames.shares]), (frames.rows - mean) / scale)
    return lambda path, style: mean + scale * process.predict(np.hstack(frames.see(path, style)))


def learn_neighbours(trials: Sequence[Trial]) -> Reaction:
    """Return the mean of the training frames with the nearest three hand samples, weighted by inverse distances."""
    frames = _collect(trials)
    found = KNeighborsRegressor(min(_NEIGHBOURS, len(frames.rows)), weights="distance")
    found.fit(np.hstack([frames.hands, _OTHER_STYLE * frames.shares]), frames.rows)

    def react(path: Array, style: Mapping[str, float]) -> Array:
        hands, shares = frames.see(path, style)
        return np.asarray(found.predict(np.hstack([hands, _OTHER_STYLE * shares])))

    return react


def learn_replay(trials: Sequence[Trial]) -> Reaction:
    """Return the mean trial of a style, played from the first frame on at its mean rates; the hand is not seen."""
    frames, rows = _collect(trials), find_person_rows(trials, 0)
    evenly = np.linspace(0.0, 1.0, _PHASES)
    courses = np.stack([_resample(evenly, trial.phases, rows.encode(trial.local[0])) for trial in trials])
    times = np.array([[trial.contact, len(trial) - 1 - trial.contact] for trial in trials])
    shares = np.stack([describe_style(trial.style, frames.styles) for trial in trials])

    def react(path: Array, style: Mapping[str, float]) -> Array:
        weights = np.maximum(shares @ describe_style(style, frames.styles), 0.0)
        before, after = weights @ times / weights.sum()
        course = np.tensordot(weights / weights.sum(), courses, axes=1)
        phases = np.interp(np.arange(len(path)), [0.0, before, before + after], [0.0, 0.5, 1.0])
        return _resample(phases, evenly, course)

    return react


@dataclass(frozen=True, eq=False)
class LinearDynamics:
    """Principal components of rows of both people, and the next ones as a linear function of the last two."""

    components: PCA
    transition: Array
    """(1 + 2 components, components) of 1, the last and the one before."""
    noise: Array
    """(components, components) factor of the covariance of the errors."""
    beginnings: Array
    """(trials, 2, components) first two of every trial."""
    first: int
    """Number of columns of person 1."""

    def generate(self, frames: int, seed: int) -> tuple[Array, Array]:
        """Return rows (frames, columns) of both people from the beginning of a trial chosen at random."""
        random = np.random.default_rng(seed)
        before, last = self.beginnings[random.integers(len(self.beginnings))]
        states = [before, last]
        for _ in range(frames - 2):
            mean = np.concatenate([[1.0], states[-1], states[-2]]) @ self.transition
            states.append(mean + self.noise @ random.normal(size=len(last)))
        rows = self.components.inverse_transform(np.stack(states[:frames]))
        return rows[:, : self.first], rows[:, self.first :]


def learn_linear_dynamics(trials: Sequence[Trial], components: int = 8) -> LinearDynamics:
    """Learn from trials with equal frame times."""
    people = [find_person_rows(trials, person) for person in range(2)]
    both = [np.hstack([p.encode(local) for p, local in zip(people, trial.local, strict=True)]) for trial in trials]
    found = PCA(components, svd_solver="full").fit(np.concatenate(both))
    latents = [found.transform(rows) for rows in both]
    inputs = np.concatenate([np.hstack([np.ones((len(x) - 2, 1)), x[1:-1], x[:-2]]) for x in latents])
    targets = np.concatenate([x[2:] for x in latents])
    transition = np.linalg.lstsq(inputs, targets, rcond=None)[0]
    errors = targets - inputs @ transition
    sizes, axes = np.linalg.eigh(errors.T @ errors / len(errors))
    noise = axes * np.sqrt(np.maximum(sizes, 0.0))
    return LinearDynamics(found, transition, noise, np.stack([x[:2] for x in latents]), people[0].size)


@dataclass(frozen=True, eq=False)
class _Frames:
    """Frames of all trials."""

    hands: Array
    """(frames, 3 lags) of person 2."""
    shares: Array
    """(frames, styles)."""
    rows: Array
    """(frames, columns) of person 1."""
    styles: tuple[str, ...]
    lags: tuple[int, ...]

    def see(self, path: Array, style: Mapping[str, float]) -> tuple[Array, Array]:
        """Return hand samples and shares of styles for the frames of a path (frames, 3)."""
        shares = describe_style(style, self.styles)
        return stack_history(path, self.lags), np.tile(shares, (len(path), 1))


def _collect(trials: Sequence[Trial], samples: int | None = None) -> _Frames:
    """Return all frames with so many hand samples each (default: all that the direct mapping of a hierarchy sees)."""
    if not trials:
        raise InputError("no trials to learn from", fix="give two clips of one scene, or several such pairs")
    person = find_person_rows(trials, 0)
    styles = ("neutral", *sorted({emotion for trial in trials for emotion in trial.style}))
    lags = find_lags(trials[0].frame_time)[:samples]
    shares = np.repeat([describe_style(trial.style, styles) for trial in trials], [len(one) for one in trials], axis=0)
    hands = np.concatenate([stack_history(trial.paths[1], lags) for trial in trials])
    return _Frames(hands, shares, np.concatenate([person.encode(trial.local[0]) for trial in trials]), styles, lags)


def _resample(at: Array, phases: Array, rows: Array) -> Array:
    return np.stack([np.interp(at, phases, column) for column in rows.T], axis=1)
