"""Estimate gravity from the flights of a clip (L05 section 4.4.1), to find a wrong frame rate or scale.

In flight the centre of mass follows S(t) = c0 + v0 t + g t² / 2. The thesis solves this for g at the first, the middle
and the last frame of one flight; here a parabola is fitted to all frames of every flight. Gravity and frame time are
interchangeable: a frame time multiplied by sqrt(g / 9.81) makes the flights fall at 9.81 m/s².
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array
from gambol.stages.flight import MIN_FRAMES

_NOISE, _SHARE = 0.003, 0.04
"""Standard deviations of the height (m) of the centre of mass at mid-flight, and of its rise as a share. 101
flights of recordings with correct frame rates differ by 2.3 mm if shorter than 0.2 s, by 2.7 % if longer than 0.3 s
(root mean square). The first is independent from flight to flight, the second (scale, masses) common to a clip."""
_MISFIT, _MISFIT_SHARE = 0.001, 0.01
"""Largest root mean square distance (m, and as a share of the rise) of a free fall from its parabola."""
_SIDEWAYS = 0.2
"""Largest horizontal acceleration of a free fall, as a share of the vertical one. Both change alike with the frame
rate, so that a body that is carried is told from one that falls in a clip at any rate. Of 28 flights of 0.1 s or more
in half of the CMU clips 26 are below 0.17; of five bodies that are carried four are above 0.25, one rises."""
_SIGNIFICANT = 3.0
"""Standard deviations beyond which a difference is not noise."""
_RATIOS = (0.25, 1.0 / 3.0, 0.5, 2.0, 3.0, 4.0)
"""Ratios of a true to a stated frame time that are preferred to others near them: skipped frames."""
_NEAR = 0.1
"""Largest share by which the ratio that flights show may differ from a preferred one: the flight of CMU 87_03, a flip
that is badly tracked, differs by as much."""


@dataclass(frozen=True)
class GravityEstimate:
    """Gravity that the flights of a clip show at its stated frame rate and scale."""

    value: float
    """m/s², positive downwards."""
    deviation: float
    """Standard deviation (m/s²)."""
    flights: int
    """Number of flights."""

    @property
    def is_off(self) -> bool:
        """Whether it differs from 9.81 m/s² by more than noise: frame rate or scale are wrong."""
        return abs(self.value - GRAVITY) > _SIGNIFICANT * self.deviation

    @property
    def is_sure(self) -> bool:
        """Whether noise cannot hide a frame rate that is wrong by a factor of two."""
        return _SIGNIFICANT * self.deviation < GRAVITY

    @property
    def time_ratio(self) -> float:
        """Ratio of the true to the stated frame time, if the scale is right; 1 within noise."""
        if not self.is_off:
            return 1.0
        shown = float(np.sqrt(self.value / GRAVITY))
        return next((ratio for ratio in _RATIOS if abs(shown / ratio - 1.0) <= _NEAR), shown)


def estimate_gravity(centre: Array, flights: Iterable[tuple[int, int]], frame_time: float) -> GravityEstimate | None:
    """Estimate gravity from positions (frames, 3) in metres of the centre of mass and flights (first and last frame).

    The first and last tenth of a flight, in which feet may still be in contact, flights at the ends of the clip and
    those that are no vertical parabolas are left out. Without any flight left the result is None.
    """
    values, weights = [], []
    for first, last in flights:
        margin = (last - first + 1) // 10
        inner = centre[first + margin : last + 1 - margin]
        if first == 0 or last == len(centre) - 1 or len(inner) < MIN_FRAMES:
            continue
        times = frame_time * np.arange(len(inner))
        curve = np.polyfit(times, inner, 2)
        x, y, z = 2.0 * curve[0]
        value, rise = -float(z), -0.125 * float(z) * times[-1] ** 2
        misfit = float(np.sqrt(np.mean((np.polyval(curve[:, 2], times) - inner[:, 2]) ** 2)))
        if value > 0.0 and np.hypot(x, y) <= _SIDEWAYS * value and misfit <= _MISFIT + _MISFIT_SHARE * rise:
            values.append(value)
            weights.append((times[-1] ** 2 / (8.0 * _NOISE)) ** 2)
    if not values:
        return None
    mean = float(np.average(values, weights=weights))
    return GravityEstimate(mean, float(np.hypot(_SHARE * mean, np.sum(weights) ** -0.5)), len(values))
