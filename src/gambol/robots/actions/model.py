"""A model of three actions: means, ramps and mixtures of shared sources, as functions of the task (M17 section 3.3).

Every angle over the phase of an action is

    x(p) = m + r (p − 1/2) + sum_j w_j s_j(p − tau_j)

with the delays tau of an action tied over its trials (M17 equation 1). Three sources are learned on WALKING, two more
on what these leave of APPROACHING, and OPENING uses the same five. Means m, ramps r and weights w follow from task
parameters by locally weighted linear regression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.io.models import ModelKind, register
from gambol.learn.anechoic import AnechoicMixture
from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.learning import fit_mixing
from gambol.learn.anechoic.window import Complex, SignalWindow
from gambol.primitives.prototypes import close_stride
from gambol.robots.actions.regression import LocalRegression, fit_local_regression
from gambol.robots.actions.trials import APPROACHING, OPENING, WALKING, ActionTrial, DrawerTask

ACTIONS = (WALKING, APPROACHING, OPENING)
_INPUTS = {WALKING: 2, APPROACHING: 5, OPENING: 6}
"""Number of task parameters of an action."""
_HARMONICS = 12
_RESTARTS = 5
_PERIODIC = DelayBounds(periodic=True, max_delay=0.5, tied=True)


@dataclass(frozen=True)
class ActionTask:
    """Task parameters of an action."""

    length: float = 0.0
    """Of a step (m)."""
    duration: float = 0.0
    """Of a step, or of OPENING (s)."""
    drawer: DrawerTask | None = None

    def list_inputs(self, action: str) -> Array:
        """Return the parameters (inputs,) that an action depends on."""
        if action == WALKING:
            return np.array([self.length, self.duration])
        if self.drawer is None:
            raise InputError(f"the action '{action}' needs a drawer")
        if action == APPROACHING:
            return np.array([self.length, self.duration, *self.drawer.handle])
        return np.array([*self.drawer.handle, *self.drawer.item])


@dataclass(frozen=True, eq=False)
class ActionCurve:
    """Angles of the upper body over the phase of an action, 0 to 1."""

    means: Array
    """(columns,)."""
    ramps: Array
    """(columns,)."""
    waves: Complex
    """(columns, harmonics) coefficients of Fourier series."""

    def evaluate(self, phase: float) -> tuple[Array, Array, Array]:
        """Return angles (columns,) and their first and second derivatives with respect to phase."""
        turns = 2j * np.pi * np.arange(1, self.waves.shape[1] + 1)
        powers = np.exp(turns * phase)
        value, rate, acceleration = ((self.waves @ (powers * turns**n)).real for n in range(3))
        return self.means + self.ramps * (phase - 0.5) + value, self.ramps + rate, acceleration


@dataclass(frozen=True, eq=False)
class LearnedAction:
    """What a model knows of one action."""

    delays: Array
    """(columns, sources) in cycles."""
    regression: LocalRegression
    """From task parameters to means, ramps and weights."""
    lengths: tuple[float, float]
    """Shortest and longest step of the trials (m)."""
    timing: Array
    """(2,) duration (s) as a linear function of step length."""
    explained: float
    """Share of the variance of the trials about means and ramps."""

    @property
    def inputs(self) -> Array:
        """(trials, inputs) task parameters."""
        return self.regression.inputs


@dataclass(frozen=True, eq=False)
class ActionModel:
    """Sources and what actions make of them; made by `learn_actions`."""

    real: Array
    imaginary: Array
    """(sources, harmonics) Fourier series of the sources."""
    actions: Mapping[str, LearnedAction]

    def __post_init__(self) -> None:
        count = len(self.real)
        check_shapes(self, real=(count, _HARMONICS), imaginary=(count, _HARMONICS))
        if set(self.actions) != set(ACTIONS):
            raise InputError(f"the actions are {', '.join(self.actions)}", fix=f"learn {', '.join(ACTIONS)}")
        for name, action in self.actions.items():
            columns, sources = action.delays.shape
            check_shapes(action, delays=(columns, min(sources, count)), timing=(2,))
            trials, inputs = len(action.inputs), _INPUTS[name]
            check_shapes(action.regression, inputs=(trials, inputs), outputs=(trials, columns * (2 + sources)))

    @property
    def sources(self) -> Complex:
        """(sources, harmonics)."""
        return self.real + 1j * self.imaginary

    @cached_property
    def comfort(self) -> float:
        """Mean distance of the handle at the end of APPROACHING (m): that of comfortable reaching."""
        return float(self.actions[APPROACHING].inputs[:, 2].mean())

    @cached_property
    def fastest(self) -> float:
        """Largest speed of WALKING (m/s)."""
        lengths, durations = self.actions[WALKING].inputs.T
        return float((lengths / durations).max())

    def synthesise(self, action: str, task: ActionTask) -> ActionCurve:
        """Return the curve of an action for a task."""
        if action not in self.actions:
            raise InputError(f"unknown action '{action}'", fix=f"actions: {', '.join(self.actions)}")
        learned = self.actions[action]
        columns, sources = learned.delays.shape
        found = learned.regression.predict(task.list_inputs(action)).reshape(columns, 2 + sources)
        window = _make_window(2 * _HARMONICS)
        waves = (found[:, 2:, None] * window.delay_sources(self.sources[:sources], learned.delays)).sum(axis=1)
        return ActionCurve(found[:, 0], found[:, 1], waves)

    def evaluate(self, action: str, phase: float, task: ActionTask) -> Array:
        """Return the angles (columns,) of the upper body at a phase (0 to 1) of an action."""
        return self.synthesise(action, task).evaluate(phase)[0]


def learn_actions(trials: Sequence[ActionTrial], n_sources: tuple[int, int] = (3, 2), seed: int = 0) -> ActionModel:
    """Learn a model from trials of all actions; `n_sources` of WALKING, and more of APPROACHING."""
    groups = {action: [trial for trial in trials if trial.action == action] for action in ACTIONS}
    for action, group in groups.items():
        if not group:
            raise InputError(f"no trials of the action '{action}'", fix="give trials of every action")
    curves = {action: make_periodic(group) for action, group in groups.items()}
    sources = _learn_sources(curves[WALKING], n_sources[0], seed)
    left = curves[APPROACHING] - approximate(sources, curves[APPROACHING], seed)[0]
    all_sources = np.concatenate((sources, _learn_sources(left, n_sources[1], seed)))
    used = {WALKING: sources, APPROACHING: all_sources, OPENING: all_sources}
    learned = {action: _learn_action(groups[action], used[action], curves[action], seed) for action in ACTIONS}
    return ActionModel(all_sources.real, all_sources.imag, learned)


def make_periodic(trials: Sequence[ActionTrial]) -> Array:
    """Return the angles (trials, columns, phases) without ramps."""
    return np.stack([close_stride(trial.angles).T for trial in trials])


def approximate(sources: Complex, curves: Array, seed: int) -> tuple[Array, Array, Array]:
    """Return curves (trials, columns, phases) by given sources, with their weights and tied delays."""
    window = _make_window(curves.shape[-1])
    means = curves.mean(axis=-1, keepdims=True)
    found = fit_mixing(window, sources, window.coordinates(curves - means), _PERIODIC, np.random.default_rng(seed))
    waves = (found.weights[..., None] * window.delay_sources(sources, found.delays)).sum(axis=2)
    return means + window.evaluate(waves, window.times), found.weights, found.delays[0]


def measure_explained(curves: Array, found: Array) -> float:
    """Return the share of the variance of curves (trials, columns, phases) about their means that others explain."""
    about = curves - curves.mean(axis=-1, keepdims=True)
    return 1.0 - float(((curves - found) ** 2).sum() / (about**2).sum())


def _learn_sources(curves: Array, count: int, seed: int) -> Complex:
    if count == 0:
        return np.zeros((0, _HARMONICS), complex)
    mixture = AnechoicMixture(count, delays="tied", harmonics=_HARMONICS, restarts=_RESTARTS, seed=seed)
    return mixture.fit(curves).coefficients_


def _learn_action(trials: Sequence[ActionTrial], sources: Complex, curves: Array, seed: int) -> LearnedAction:
    found, weights, delays = approximate(sources, curves, seed)
    ramps = np.stack([trial.angles[-1] - trial.angles[0] for trial in trials])
    means = curves.mean(axis=-1)
    outputs = np.concatenate((means[..., None], ramps[..., None], weights), axis=2).reshape(len(trials), -1)
    tasks = [ActionTask(trial.length, trial.duration, trial.drawer) for trial in trials]
    inputs = np.stack([task.list_inputs(trial.action) for task, trial in zip(tasks, trials, strict=True)])
    lengths, durations = (np.array([getattr(trial, name) for trial in trials]) for name in ("length", "duration"))
    steps = np.stack([np.ones(len(trials)), lengths], axis=1)
    timing = np.linalg.lstsq(steps, durations, rcond=None)[0]
    return LearnedAction(
        delays,
        fit_local_regression(inputs, outputs, [trial.source for trial in trials]),
        (float(lengths.min()), float(lengths.max())),
        timing,
        measure_explained(curves, found),
    )


def _make_window(samples: int) -> SignalWindow:
    return SignalWindow(np.arange(samples) / samples, 1.0, _HARMONICS)


register(
    ModelKind(ActionModel, "model of actions", 1, "use a file written by save_model", (LearnedAction, LocalRegression))
)
