"""Two bones between a hip and an ankle: the law of cosines, for numbers and for CasADi expressions.

All legs follow one rule. The knee is a hinge whose axis is fixed to the thigh, and it stays flexed by MIN_FLEXION at
least. Near full stretch a knee would have to rotate ever faster to follow its ankle, so that a leg that extends eases
out: `soften_reach` is its distance from hip to ankle for the wanted one. The rest is missed by the foot, or the hips
are lowered by `hip_drop`.

Arguments are floats, arrays that broadcast, or CasADi expressions; lengths are in metres and angles in radians.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import casadi as ca
import numpy as np

MIN_FLEXION = np.radians(2.5)
"""Least flexion of a knee (rad): standing people have 0 to 5 degrees."""
SOFT_FLEXION = np.radians(12.0)
"""Flexion (rad) from which a leg that extends eases out, unless its pose is straighter."""


def leg_reach(upper: Any, lower: Any, bend: Any, aside: Any = 0.0) -> Any:
    """Return the distance from hip to ankle with a knee flexed by `bend`; `aside` as in `flexion_cosine`."""
    of = _functions(upper, lower, bend, aside)
    return of.sqrt(upper**2 + lower**2 + 2.0 * upper * of.sqrt(lower**2 - aside**2) * of.cos(bend))


def soften_reach(distance: Any, loose: Any, straight: Any) -> Any:
    """Return the distance that a leg takes for the wanted one: the same up to `loose`, then smoothly up to `straight`.

    First and second derivatives are continuous, and the speed of the knee stays near that at `loose`.
    """
    of = _functions(distance, loose, straight)
    room = of.fmax(straight - loose, 1e-9)
    return of.fmin(distance, loose) + room * of.tanh(of.fmax(distance - loose, 0.0) / room)


def flexion_cosine(upper: Any, lower: Any, reach: Any, aside: Any = 0.0) -> Any:
    """Return the cosine of the knee's flexion, 1 for a straight leg, with the ankle at distance `reach` from the hip.

    `aside` is the component of the lower bone along the knee's axis, which flexion does not change.
    """
    of = _functions(upper, lower, reach, aside)
    cosine = (reach**2 - upper**2 - lower**2) / (2.0 * (upper * of.sqrt(lower**2 - aside**2)))
    return of.fmin(of.fmax(cosine, -1.0), 1.0)


def flexion(upper: Any, lower: Any, reach: Any) -> Any:
    """Return the knee's flexion with the ankle at distance `reach` from the hip; 0 if that is out of reach."""
    cosine = flexion_cosine(upper, lower, reach)
    return _functions(cosine).acos(cosine)


def end_angle(near: Any, far: Any, bend: Any) -> Any:
    """Return the angle at the outer end of the bone `near` between it and the line to the other end of the leg."""
    of = _functions(near, far, bend)
    return of.atan2(far * of.sin(bend), near + far * of.cos(bend))


def hip_drop(to_ankle: Iterable[Any], reach: Any) -> Any:
    """Return by how much (m) a hip must be lowered (negative: may rise) to reach an ankle at x, y, z from it."""
    x, y, z = to_ankle
    of = _functions(x, y, z, reach)
    return -z - of.sqrt(of.fmax(reach**2 - x**2 - y**2, 0.0))


def _functions(*values: Any) -> Any:
    """Return the library for these values: CasADi or NumPy."""
    return ca if any(isinstance(value, ca.SX) for value in values) else np
