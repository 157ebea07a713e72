"""Motion pre-fitting (L05 section 4.4.1): the momentum splines of a ground stage of a motion.

Knots and control points of `terms.splines` come as near to the momentum of a stage as they can, in least squares, with
its first and last value kept and the slopes of flights beside it. Given knots, the best control points are linear; the
search is over interior knots alone (variable projection). They are thinned out from an even row, each time that which
is missed least, and then moved together; what moves are logarithms of the gaps, which keep knots apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.solve.problem import Index
from gambol.terms.splines import MomentumSpline, basis, end_gaps, end_slopes, steps_of

_SECONDS, _MOST = 0.15, 24
"""Seconds between knots on the average, and the most gaps that a stage has: k is the number of gaps and 3."""
_APART, _STEPS = 0.04, 2
"""Least gap between knots, in seconds and in steps: two, so that every control point shows."""
_ROOM = 0.75
"""Share of a stage that least gaps may fill."""
_ALIKE = ([0, 1], [2], [3, 4], [5])
"""Components of one scale: a turn about the vertical mixes them."""
_LEAST = (0.05, 0.05, 0.01, 0.01)
"""Their least scales (m/s and m²/s): below, it is noise."""
_EVALUATIONS, _GAIN, _SMALL = 40, 1e-5, 1e-6
"""Of the search for knots: the most, the share of squares that is worth another, the step of differences."""


@dataclass(frozen=True, eq=False)
class Prefit:
    """Momentum splines of a ground stage, from its first to its last frame."""

    first: int
    last: int
    knots: Array
    """(k + 4,) phases: 0 on the step into the first frame, 1 on the step out of the last"""
    control: Array
    """(k, 6) velocity of the centre of mass (m/s), angular momentum about it a kilogram (m²/s)"""
    residual: Array
    """(6,) root mean square of what they leave unexplained"""
    landed: bool
    leaves: bool
    gravity: float = GRAVITY

    def at(self, phase: Array) -> Array:
        """Momentum (phases, 6) a kilogram."""
        return basis(self.knots, np.asarray(phase, dtype=float)) @ self.control

    @property
    def term(self) -> MomentumSpline:
        """The splines with these knots, searched from these control points."""
        return MomentumSpline(self.first, self.last, self.knots, self.control, self.landed, self.leaves, self.gravity)


def prefit_stage(
    character: Character,
    motion: Motion,
    first: int,
    last: int,
    *,
    landed: bool,
    leaves: bool,
    gravity: float = GRAVITY,
) -> Prefit:
    """The splines of a ground stage; `landed` and `leaves` say whether a flight comes before and after."""
    steps = steps_of(first, last, len(motion))
    momentum = compute_momentum(character, motion.q[steps[0] : steps[-1] + 2], motion.frame_time)
    slopes = end_slopes(landed, leaves, gravity)
    knots, control = fit_splines(momentum, motion.frame_time, slopes)
    left = momentum - basis(knots, np.linspace(0.0, 1.0, len(steps))) @ control
    return Prefit(first, last, knots, control, np.sqrt(np.mean(left**2, axis=0)), landed, leaves, gravity)


def compute_momentum(character: Character, q: Array, frame_time: float) -> Array:
    """(frames - 1, 6) a kilogram, on the steps between frames, as `terms.space` has it."""
    dynamics, rates = Dynamics(character), np.diff(q, axis=0) / frame_time
    velocity = np.diff(dynamics.center_of_mass(q), axis=0) / frame_time
    spin = dynamics.momentum(0.5 * (q[1:] + q[:-1]), rates).angular / character.mass
    return np.hstack((velocity, spin))


def fit_splines(momentum: Array, frame_time: float, slopes: Array) -> tuple[Array, Array]:
    """Knots (k + 4,) and control points (k, 6) for momentum (steps, 6) with end slopes (2, 6), NaN where free."""
    length = (len(momentum) - 1) * frame_time
    samples = _Samples(momentum, slopes * length, _scales(momentum))
    apart = max(_APART / length, _STEPS / (len(momentum) - 1))
    gaps = max(1, min(round(length / _SECONDS), int(_ROOM / apart), _MOST))
    knots = _knots(np.linspace(0.0, 1.0, max(gaps, min(2 * gaps + 4, int(1.0 / apart))) + 1))
    while len(knots) > gaps + 7:
        knots = np.delete(knots, 4 + np.argmin(samples.missed(knots)))
    if gaps > 1:
        knots = _moved(samples, knots, apart)
    return knots, samples.control(knots)


@dataclass(frozen=True, eq=False)
class _Samples:
    """Momentum on steps, and what splines through it keep."""

    momentum: Array
    """(steps, 6)"""
    slopes: Array
    """(2, 6) a phase"""
    scales: Array
    """(6,)"""

    def left(self, knots: Array) -> Array:
        """(steps, 6) what the best splines leave unexplained, in scales."""
        return self._beside(knots, (self.momentum - self._shape(knots) @ self._kept(knots)) / self.scales)

    def control(self, knots: Array) -> Array:
        """(k, 6) of the best splines."""
        shape, control = self._shape(knots), self._kept(knots)
        left = self.momentum - shape @ control
        for free, components in self._free(len(control)):
            control[free, components] += np.linalg.lstsq(shape[:, free], left[:, components])[0]
        return control

    def change(self, knots: Array, ahead: Array, behind: Array) -> Array:
        """(n, steps, 6) how `left` differs from knots (n, k + 4) behind to those ahead.

        Control points follow in what they can explain (Kaufman's form of variable projection).
        """
        free = self.control(knots) - self._kept(knots)
        made = [self._shape(moved) @ (free + self._kept(moved)) for moved in (ahead, behind)]
        return self._beside(knots, (made[1] - made[0]) / self.scales)

    def missed(self, knots: Array) -> Array:
        """(k - 4,) by how much the sum of the squares of `left` grows without each interior knot.

        Without a knot the third derivative does not jump there: one linear condition on the control points.
        """
        thirds = np.linspace(knots[3:-4], knots[4:-3], 4, axis=1)
        each = np.diff(basis(knots, thirds.ravel()).reshape(len(thirds), 4, -1), 3, axis=1)[:, 0]
        jumps = np.diff(each / np.diff(knots[3:-3])[:, None] ** 3, axis=0)
        shape, control, grown = self._shape(knots), self.control(knots) / self.scales, np.zeros(len(jumps))
        for free, components in self._free(len(control)):
            along = np.linalg.solve(np.linalg.qr(shape[:, free])[1].T, jumps[:, free].T)
            grown += np.sum((jumps @ control[:, components]) ** 2, axis=1) / np.sum(along**2, axis=0)
        return grown

    def _beside(self, knots: Array, values: Array) -> Array:
        """Values (..., steps, 6) less what free control points explain of them."""
        shape, left = self._shape(knots), values.copy()
        for free, components in self._free(shape.shape[-1]):
            known = np.linalg.qr(shape[:, free])[0]
            left[..., components] -= known @ (known.T @ values[..., components])
        return left

    def _shape(self, knots: Array) -> Array:
        return basis(knots, np.linspace(0.0, 1.0, len(self.momentum)))

    def _kept(self, knots: Array) -> Array:
        """Control points (..., k, 6) that end values and slopes decide, and where free ones begin."""
        control = np.zeros((*knots.shape[:-1], knots.shape[-1] - 4, 6))
        rise = np.nan_to_num(self.slopes) * end_gaps(knots)[..., None]
        begin, end = self.momentum[0], self.momentum[-1]
        control[..., 0, :], control[..., -1, :] = begin, end
        control[..., 1, :] = begin + rise[..., 0, :]
        control[..., -2, :] = end - rise[..., 1, :]
        return control

    def _free(self, count: int) -> Iterator[tuple[slice, Index]]:
        """Control points that are free, and the components in which they are."""
        kept = np.isfinite(self.slopes)
        for begin, end in sorted(set(zip(*kept.tolist(), strict=True))):
            free = slice(1 + begin, count - 1 - end)
            if free.stop > free.start:
                yield free, np.flatnonzero((kept[0] == begin) & (kept[1] == end))


def _scales(momentum: Array) -> Array:
    """(6,) how much components vary."""
    scales, away = np.ones(6), momentum - momentum.mean(axis=0)
    for alike, least in zip(_ALIKE, _LEAST, strict=True):
        scales[alike] = max(float(np.sqrt(np.mean(away[:, alike] ** 2))), least)
    return scales


def _moved(samples: _Samples, knots: Array, apart: float) -> Array:
    """The knots where the splines are best, none nearer to the next than `apart`."""
    from scipy.optimize import least_squares

    room = 1.0 - (len(knots) - 7) * apart
    begin = np.log(np.maximum(np.diff(knots[3:-3]) - apart, 1e-3 * room))

    def moved(by: Array) -> Array:
        sizes = np.exp(begin + np.concatenate((by, np.zeros((*by.shape[:-1], 1))), axis=-1).clip(-20.0, 20.0))
        gaps = apart + room * sizes / sizes.sum(axis=-1, keepdims=True)
        return _knots(np.concatenate((np.zeros((*by.shape[:-1], 1)), np.cumsum(gaps, axis=-1)), axis=-1))

    def left(by: Array) -> Array:
        return samples.left(moved(by)).ravel()

    def change(by: Array) -> Array:
        small = _SMALL * np.eye(len(by))
        found = samples.change(moved(by), moved(by + small), moved(by - small)) / (2.0 * _SMALL)
        return found.reshape(len(by), -1).T

    nothing = np.zeros(len(begin) - 1)
    return moved(least_squares(left, nothing, change, method="lm", max_nfev=_EVALUATIONS, ftol=_GAIN).x)


def _knots(phases: Array) -> Array:
    """Phases (..., gaps + 1) with the outer ones four times, exactly 0 and 1."""
    ends = np.zeros((*phases.shape[:-1], 4))
    return np.concatenate((ends, phases[..., 1:-1], ends + 1.0), axis=-1)
