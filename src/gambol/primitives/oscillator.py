"""Andronov-Hopf oscillators: the clocks of movement primitives, alone and coupled (M17 section 2.3).

A state x in the plane follows dx = pull (1 - |x|^2) x + frequency J x, J a quarter turn: it runs onto the unit circle
from everywhere but the origin, and around it once a period. Coupled, each state is also drawn towards the others,
dx_i += sum_j gain_ij (R(offset_ij) x_j - x_i), so that i ends up running `offset_ij` ahead of j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.primitives.integration import runge_kutta

RELAXATION = 5.0
"""A second: a disturbance of the radius fades by 1/e in 0.1 s, a tenth of a stride; slower than that it is seen."""
_OFF_ORIGIN = 1e-6
"""Radius below which a state is set down at phase 0 at this radius: at the origin itself nothing ever moves."""
_PART = 0.1
"""Part of the shortest time that anything takes, which a coupled step may last: off by 1e-5 in a turn."""


@dataclass(frozen=True, eq=False)
class Couplings:
    """Who listens to whom among some oscillators."""

    gains: Array
    """(listeners, heard) per second, none negative."""
    offsets: Array
    """(listeners, heard) radians by which the listener is to run ahead of whom it hears."""

    def __post_init__(self) -> None:
        gains, offsets = np.array(self.gains, dtype=float), np.array(self.offsets, dtype=float)
        if gains.ndim != 2 or gains.shape[0] != gains.shape[1] or gains.shape != offsets.shape:
            raise InputError(f"couplings of shapes {gains.shape} and {offsets.shape}", fix="one square table each")
        if not (np.isfinite(gains).all() and np.isfinite(offsets).all() and (gains >= 0.0).all()):
            raise InputError("the gain of a coupling is not a number of at least 0")
        object.__setattr__(self, "gains", gains)
        object.__setattr__(self, "offsets", offsets)

    def drawn(self, states: Array) -> Array:
        """(n, 2) how fast each state (n, 2) is drawn to the others."""
        turned = rotate_states(states, self.offsets)
        return np.asarray((self.gains[..., None] * (turned - states[:, None])).sum(axis=1))


def couple_bodies(bodies: ArrayLike, primitives: int, inside: float) -> Couplings:
    """Couplings of bodies with some primitives each: `bodies` (bodies, bodies) gains between equal primitives of two
    bodies, `inside` the gain between any two primitives of one. Oscillators are ordered body by body."""
    between = np.asarray(bodies, dtype=float)
    gains = np.kron(between, np.eye(primitives)) + np.kron(np.eye(len(between)), np.full((primitives,) * 2, inside))
    np.fill_diagonal(gains, 0.0)
    return Couplings(gains, np.zeros_like(gains))


def advance_oscillators(
    states: Array, frequency: ArrayLike, seconds: float, couplings: Couplings | None = None, pull: float = RELAXATION
) -> Array:
    """States (n, 2) some time later; `frequency` is in radians a second, of all or of each (n,).

    Without couplings it is the exact solution, for any time at once. With them it is integrated, in steps that depend
    on the states and never on how often it is called for.
    """
    states, frequency = np.asarray(states, dtype=float), np.asarray(frequency, dtype=float)
    radius = np.linalg.norm(states, axis=-1, keepdims=True)
    states = np.where(radius < _OFF_ORIGIN, (_OFF_ORIGIN, 0.0), states)
    if couplings is None:
        return _alone(states, frequency, seconds, pull)
    left, loudest = seconds, 2.0 * float(couplings.gains.sum(axis=1).max(initial=0.0))
    while left > 0.0:
        outermost = float((states**2).sum(axis=-1).max())
        fastest = float(np.abs(frequency).max()) + pull * max(3.0 * outermost - 1.0, 1.0) + loudest
        step = min(left, _PART / fastest)
        states = step_coupled(states, frequency, step, couplings, pull)
        left -= step
    return states


def step_coupled(
    states: Array, frequency: Array, seconds: float, couplings: Couplings, pull: float = RELAXATION
) -> Array:
    """States (n, 2) after one step of the classical method of fourth order."""

    def slope(_: float, x: Array) -> Array:
        quarter = np.stack((-x[:, 1], x[:, 0]), axis=-1)
        inward = 1.0 - (x**2).sum(axis=-1, keepdims=True)
        return pull * inward * x + np.broadcast_to(frequency, len(x))[:, None] * quarter + couplings.drawn(x)

    return runge_kutta(slope, 0.0, states, seconds)


def rotate_states(states: Array, angle: ArrayLike) -> Array:
    """States (..., 2) turned by radians (...)."""
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = states[..., 0], states[..., 1]
    return np.stack((cos * x - sin * y, sin * x + cos * y), axis=-1)


def states_on_cycle(phase: ArrayLike) -> Array:
    """States (..., 2) on the unit circle at phases (...) in radians."""
    return np.stack((np.cos(phase), np.sin(phase)), axis=-1)


def phase_of(states: Array) -> Array:
    """Radians (...) from 0 to a full turn."""
    return np.asarray(np.arctan2(states[..., 1], states[..., 0]) % (2.0 * np.pi))


def evaluate_ramp(turned: ArrayLike) -> Array:
    """The non-periodic source s_0: from 0 to 1 as an oscillator turns once, then 1 (M17 figure 1). `turned` (...) are
    the radians that it turned in all."""
    return np.clip(np.asarray(turned, dtype=float) / (2.0 * np.pi), 0.0, 1.0)


def _alone(states: Array, frequency: Array, seconds: float, pull: float) -> Array:
    """The logistic curve of the squared radius, and an even turn."""
    square = (states**2).sum(axis=-1, keepdims=True)
    fade = np.exp(-2.0 * pull * seconds)
    growth = 1.0 / np.sqrt(square + (1.0 - square) * fade)
    return np.asarray(rotate_states(states, frequency * seconds) * growth)
