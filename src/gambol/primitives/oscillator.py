"""Andronov-Hopf oscillators that drive movement primitives, alone and coupled (M17 section 2.3).

A state x in the plane follows dx = relaxation (1 - |x|^2) x + frequency J x, J a quarter turn: from everywhere but the
origin it converges to the unit circle, its limit cycle, and runs around it once per period. Coupling adds
dx_i += sum_j gain_ij (R(offset_ij) x_j - x_i), so that i converges to a phase `offset_ij` ahead of j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.primitives.integration import runge_kutta

RELAXATION = 5.0
"""1/s: a disturbance of the radius decays to 1/e in 0.1 s, a tenth of a stride; slower is visible."""
_MIN_RADIUS = 1e-6
"""A state with a smaller radius is set to phase 0 at this radius: the origin is an equilibrium."""
_STEP_SHARE = 0.1
"""Step of coupled oscillators relative to their shortest time constant: an error of 1e-5 per cycle."""


@dataclass(frozen=True, eq=False)
class Couplings:
    """Couplings between oscillators."""

    gains: Array
    """(n, n) 1/s, not negative: entry i, j is the action of j on i."""
    offsets: Array
    """(n, n) radians: the phase of i minus that of j to converge to."""

    def __post_init__(self) -> None:
        gains, offsets = np.array(self.gains, dtype=float), np.array(self.offsets, dtype=float)
        if gains.ndim != 2 or gains.shape[0] != gains.shape[1] or gains.shape != offsets.shape:
            raise InputError(
                f"couplings have the shapes {gains.shape} and {offsets.shape}", fix="give two square arrays of one size"
            )
        if not (np.isfinite(gains).all() and np.isfinite(offsets).all() and (gains >= 0.0).all()):
            raise InputError("a gain is negative, or a gain or offset is not finite")
        object.__setattr__(self, "gains", gains)
        object.__setattr__(self, "offsets", offsets)

    def rates(self, states: Array) -> Array:
        """Return the rates (n, 2) of states (n, 2) due to the couplings."""
        turned = rotate_states(states, self.offsets)
        return np.asarray((self.gains[..., None] * (turned - states[:, None])).sum(axis=1))


def couple_bodies(bodies: ArrayLike, primitives: int, inside: float) -> Couplings:
    """Return couplings of bodies with several primitives each, ordered body by body.

    `bodies` (bodies, bodies) are gains between equal primitives of two bodies, `inside` is the gain between any two
    primitives of one body."""
    between = np.asarray(bodies, dtype=float)
    gains = np.kron(between, np.eye(primitives)) + np.kron(np.eye(len(between)), np.full((primitives,) * 2, inside))
    np.fill_diagonal(gains, 0.0)
    return Couplings(gains, np.zeros_like(gains))


def advance_oscillators(
    states: Array,
    frequency: ArrayLike,
    seconds: float,
    couplings: Couplings | None = None,
    relaxation: float = RELAXATION,
) -> Array:
    """Advance states (n, 2) by some seconds; `frequency` in radians per second, common or per oscillator (n,).

    Without couplings this is the exact solution. With them it is integrated with steps that depend on the states, not
    on the frame rate.
    """
    states, frequency = np.asarray(states, dtype=float), np.asarray(frequency, dtype=float)
    radius = np.linalg.norm(states, axis=-1, keepdims=True)
    states = np.where(radius < _MIN_RADIUS, (_MIN_RADIUS, 0.0), states)
    if couplings is None:
        return _alone(states, frequency, seconds, relaxation)
    left, loudest = seconds, 2.0 * float(couplings.gains.sum(axis=1).max(initial=0.0))
    while left > 0.0:
        outermost = float((states**2).sum(axis=-1).max())
        fastest = float(np.abs(frequency).max()) + relaxation * max(3.0 * outermost - 1.0, 1.0) + loudest
        step = min(left, _STEP_SHARE / fastest)
        states = step_coupled(states, frequency, step, couplings, relaxation)
        left -= step
    return states


def step_coupled(
    states: Array, frequency: Array, seconds: float, couplings: Couplings, relaxation: float = RELAXATION
) -> Array:
    """Advance coupled states (n, 2) by one Runge-Kutta step."""

    def slope(_: float, x: Array) -> Array:
        quarter = np.stack((-x[:, 1], x[:, 0]), axis=-1)
        inward = 1.0 - (x**2).sum(axis=-1, keepdims=True)
        return relaxation * inward * x + np.broadcast_to(frequency, len(x))[:, None] * quarter + couplings.rates(x)

    return runge_kutta(slope, 0.0, states, seconds)


def rotate_states(states: Array, angle: ArrayLike) -> Array:
    """Rotate states (..., 2) by angles (...) in radians."""
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = states[..., 0], states[..., 1]
    return np.stack((cos * x - sin * y, sin * x + cos * y), axis=-1)


def states_on_cycle(phase: ArrayLike) -> Array:
    """Return states (..., 2) on the limit cycle at phases (...) in radians."""
    return np.stack((np.cos(phase), np.sin(phase)), axis=-1)


def phase_of(states: Array) -> Array:
    """Return phases (...) from 0 to 2 pi."""
    return np.asarray(np.arctan2(states[..., 1], states[..., 0]) % (2.0 * np.pi))


def evaluate_ramp(turned: ArrayLike) -> Array:
    """Evaluate the non-periodic source s_0: from 0 to 1 over the first cycle, then 1 (M17 figure 1). `turned` (...) is
    the total phase in radians."""
    return np.clip(np.asarray(turned, dtype=float) / (2.0 * np.pi), 0.0, 1.0)


def _alone(states: Array, frequency: Array, seconds: float, relaxation: float) -> Array:
    """Advance uncoupled states exactly: logistic curve of the squared radius, uniform rotation."""
    square = (states**2).sum(axis=-1, keepdims=True)
    fade = np.exp(-2.0 * relaxation * seconds)
    growth = 1.0 / np.sqrt(square + (1.0 - square) * fade)
    return np.asarray(rotate_states(states, frequency * seconds) * growth)
