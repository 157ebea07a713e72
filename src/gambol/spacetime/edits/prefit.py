"""Motion pre-fitting (L05 section 4.4.1): fit the momentum splines of a ground stage.

Knots and control points of `terms.splines` are fitted to the momentum of a stage in least squares; the first and last
values are kept, and so are the slopes of neighbouring flights. Given the knots, the best control points are linear, so
the search is over the interior knots only (variable projection). Starting from evenly spaced knots, the knot whose
removal costs least is removed until enough are left; then all knots are moved together. The unknowns are logarithms of
the gaps, which keeps the knots apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.solve.problem import Index
from gambol.terms.splines import MomentumSpline, end_gaps, end_slopes, spline_basis, stage_steps

_SECONDS, _MOST = 0.15, 24
"""Mean seconds between knots, and the largest number of gaps in a stage; k is the number of gaps plus 3."""
_APART, _STEPS = 0.04, 2
"""Smallest gap between knots, in seconds and in steps: with two steps the data determine every control point."""
_ROOM = 0.75
"""Share of a stage that the smallest gaps may fill."""
_ALIKE = ([0, 1], [2], [3, 4], [5])
"""Components that share a scale: a turn about the vertical mixes them."""
_LEAST = (0.05, 0.05, 0.01, 0.01)
"""Their smallest scales (m/s and m²/s): smaller variation is noise."""
_EVALUATIONS, _GAIN, _SMALL = 40, 1e-5, 1e-6
"""Knot search: most evaluations, relative tolerance of the cost, and step of finite differences."""


@dataclass(frozen=True, eq=False)
class Prefit:
    """Momentum splines of a ground stage, from its first to its last frame."""

    first: int
    last: int
    knots: Array
    """(k + 4,) phases: 0 on the step into the first frame, 1 on the step out of the last"""
    control: Array
    """(k, 6) velocity of the centre of mass (m/s) and angular momentum about it per kilogram (m²/s)"""
    residual: Array
    """(6,) root mean square of the residuals"""
    landed: bool
    leaves: bool
    gravity: float = GRAVITY

    def evaluate(self, phase: Array) -> Array:
        """Return the momentum (phases, 6) per kilogram."""
        return spline_basis(self.knots, np.asarray(phase, dtype=float)) @ self.control

    @property
    def term(self) -> MomentumSpline:
        """A spline term with these knots, starting from these control points."""
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
    """Fit the splines of a ground stage; `landed` and `leaves` say whether a flight comes before and after."""
    steps = stage_steps(first, last, len(motion))
    momentum = compute_momentum(character, motion.q[steps[0] : steps[-1] + 2], motion.frame_time)
    slopes = end_slopes(landed, leaves, gravity)
    knots, control = fit_splines(momentum, motion.frame_time, slopes)
    left = momentum - spline_basis(knots, np.linspace(0.0, 1.0, len(steps))) @ control
    return Prefit(first, last, knots, control, np.sqrt(np.mean(left**2, axis=0)), landed, leaves, gravity)


def compute_momentum(character: Character, q: Array, frame_time: float) -> Array:
    """Return the momentum (frames - 1, 6) per kilogram, on the steps between frames as in `terms.space`."""
    dynamics, rates = Dynamics(character), np.diff(q, axis=0) / frame_time
    velocity = np.diff(dynamics.center_of_mass(q), axis=0) / frame_time
    spin = dynamics.momentum(0.5 * (q[1:] + q[:-1]), rates).angular / character.mass
    return np.hstack((velocity, spin))


def fit_splines(momentum: Array, frame_time: float, slopes: Array) -> tuple[Array, Array]:
    """Fit knots (k + 4,) and control points (k, 6) to momentum (steps, 6) with end slopes (2, 6), NaN where free."""
    length = (len(momentum) - 1) * frame_time
    samples = _Samples(momentum, slopes * length, _scales(momentum))
    apart = max(_APART / length, _STEPS / (len(momentum) - 1))
    gaps = max(1, min(round(length / _SECONDS), int(_ROOM / apart), _MOST))
    knots = _pad_knots(np.linspace(0.0, 1.0, max(gaps, min(2 * gaps + 4, int(1.0 / apart))) + 1))
    while len(knots) > gaps + 7:
        knots = np.delete(knots, 4 + np.argmin(samples.removal_costs(knots)))
    if gaps > 1:
        knots = _move_knots(samples, knots, apart)
    return knots, samples.control(knots)


@dataclass(frozen=True, eq=False)
class _Samples:
    """Momentum on steps, and the constraints of splines through it."""

    momentum: Array
    """(steps, 6)"""
    slopes: Array
    """(2, 6) per unit of phase"""
    scales: Array
    """(6,)"""

    def residuals(self, knots: Array) -> Array:
        """Return the residuals (steps, 6) of the best splines, divided by the scales."""
        return self._project_out(knots, (self.momentum - self._basis(knots) @ self._fixed_control(knots)) / self.scales)

    def control(self, knots: Array) -> Array:
        """Return the control points (k, 6) of the best splines."""
        shape, control = self._basis(knots), self._fixed_control(knots)
        left = self.momentum - shape @ control
        for free, components in self._free(len(control)):
            control[free, components] += np.linalg.lstsq(shape[:, free], left[:, components])[0]
        return control

    def difference(self, knots: Array, ahead: Array, behind: Array) -> Array:
        """Return the difference (n, steps, 6) of `residuals` between knots (n, k + 4) ahead and behind.

        Control points follow in what they can explain (Kaufman's form of variable projection).
        """
        free = self.control(knots) - self._fixed_control(knots)
        made = [self._basis(moved) @ (free + self._fixed_control(moved)) for moved in (ahead, behind)]
        return self._project_out(knots, (made[1] - made[0]) / self.scales)

    def removal_costs(self, knots: Array) -> Array:
        """Return how much the sum of squared residuals grows without each interior knot (k - 4,).

        Without a knot the third derivative does not jump there: one linear condition on the control points.
        """
        thirds = np.linspace(knots[3:-4], knots[4:-3], 4, axis=1)
        each = np.diff(spline_basis(knots, thirds.ravel()).reshape(len(thirds), 4, -1), 3, axis=1)[:, 0]
        jumps = np.diff(each / np.diff(knots[3:-3])[:, None] ** 3, axis=0)
        shape, control, grown = self._basis(knots), self.control(knots) / self.scales, np.zeros(len(jumps))
        for free, components in self._free(len(control)):
            along = np.linalg.solve(np.linalg.qr(shape[:, free])[1].T, jumps[:, free].T)
            grown += np.sum((jumps @ control[:, components]) ** 2, axis=1) / np.sum(along**2, axis=0)
        return grown

    def _project_out(self, knots: Array, values: Array) -> Array:
        """Return values (..., steps, 6) minus what the free control points explain of them."""
        shape, rest = self._basis(knots), values.copy()
        for free, components in self._free(shape.shape[-1]):
            known = np.linalg.qr(shape[:, free])[0]
            rest[..., components] -= known @ (known.T @ values[..., components])
        return rest

    def _basis(self, knots: Array) -> Array:
        return spline_basis(knots, np.linspace(0.0, 1.0, len(self.momentum)))

    def _fixed_control(self, knots: Array) -> Array:
        """Return control points (..., k, 6): those fixed by end values and slopes, and a start for the free ones."""
        control = np.zeros((*knots.shape[:-1], knots.shape[-1] - 4, 6))
        rise = np.nan_to_num(self.slopes) * end_gaps(knots)[..., None]
        begin, end = self.momentum[0], self.momentum[-1]
        control[..., 0, :], control[..., -1, :] = begin, end
        control[..., 1, :] = begin + rise[..., 0, :]
        control[..., -2, :] = end - rise[..., 1, :]
        return control

    def _free(self, count: int) -> Iterator[tuple[slice, Index]]:
        """Yield the range of free control points and the components in which they are free."""
        kept = np.isfinite(self.slopes)
        for begin, end in sorted(set(zip(*kept.tolist(), strict=True))):
            free = slice(1 + begin, count - 1 - end)
            if free.stop > free.start:
                yield free, np.flatnonzero((kept[0] == begin) & (kept[1] == end))


def _scales(momentum: Array) -> Array:
    """Return the scales (6,): how much the components vary."""
    scales, away = np.ones(6), momentum - momentum.mean(axis=0)
    for alike, least in zip(_ALIKE, _LEAST, strict=True):
        scales[alike] = max(float(np.sqrt(np.mean(away[:, alike] ** 2))), least)
    return scales


def _move_knots(samples: _Samples, knots: Array, apart: float) -> Array:
    """Return the knots of the best splines; neighbouring knots stay at least `apart` apart."""
    from scipy.optimize import least_squares

    room = 1.0 - (len(knots) - 7) * apart
    begin = np.log(np.maximum(np.diff(knots[3:-3]) - apart, 1e-3 * room))

    def moved(by: Array) -> Array:
        sizes = np.exp(begin + np.concatenate((by, np.zeros((*by.shape[:-1], 1))), axis=-1).clip(-20.0, 20.0))
        gaps = apart + room * sizes / sizes.sum(axis=-1, keepdims=True)
        return _pad_knots(np.concatenate((np.zeros((*by.shape[:-1], 1)), np.cumsum(gaps, axis=-1)), axis=-1))

    def residuals(by: Array) -> Array:
        return samples.residuals(moved(by)).ravel()

    def jacobian(by: Array) -> Array:
        small = _SMALL * np.eye(len(by))
        found = samples.difference(moved(by), moved(by + small), moved(by - small)) / (2.0 * _SMALL)
        return found.reshape(len(by), -1).T

    start = np.zeros(len(begin) - 1)
    return moved(least_squares(residuals, start, jacobian, method="lm", max_nfev=_EVALUATIONS, ftol=_GAIN).x)


def _pad_knots(phases: Array) -> Array:
    """Return phases (..., gaps + 1) with the outer ones repeated four times, exactly 0 and 1."""
    ends = np.zeros((*phases.shape[:-1], 4))
    return np.concatenate((ends, phases[..., 1:-1], ends + 1.0), axis=-1)
