"""Find bodies that lean so far beside their feet that they would fall.

Over a stride the ground presses, on average, where it must to give the centre of mass its acceleration: at the mean of
the zero moment point, weighted with the load. Soles can only press where they are. So this mean must lie in the mean of
the areas under the feet, however the body walks, runs or starts; a body that leans further would tip over. For a body
at rest it is the rule of Hof (2005), that the extrapolated centre of mass stays above the feet; his rule itself does
not hold in a walk, which falls from step to step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from gambol.assumptions import GRAVITY, SOLE_HALF_WIDTH
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.judge.curves import average, find_beyond
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.stances import find_support
from gambol.stages.feet import SIDES
from gambol.stages.flight import MASS_SHARES

LEANS_TOO_FAR = FindingKind(
    "leans_too_far",
    "leans beside what its feet can hold by",
    "cm",
    6.0,
    "65 recordings: at most 1.1 in 60, 5.9 in one of somebody who stalks; four who push or are pulled: 8 to 23",
)

_STRIDE = 1.0
"""Seconds over which pressure and support are averaged: about a stride."""
_ENDS = 0.1
"""Seconds at both ends of a clip in which accelerations are not known."""
_SMOOTH = 0.05
"""Seconds over which places and accelerations are averaged."""
_LOW, _SLOW, _AROUND = 0.08, 1.2, 0.3
"""Height (m) of a point of a foot above the foot's lowest place within _AROUND (s), and speed (m/s), up to which it may
press: generous, as a foot that lands or leaves still does."""
_DIRECTIONS = 16
"""Directions along the floor in which it is compared."""
_STATURE = 1.75
"""Stature (m) to which the limit belongs."""


def find_leans(seen: SeenPerson) -> list[Finding]:
    """Return where the body leans further beside its feet than they can hold."""
    step, ends = seen.frame_time, round(_ENDS / seen.frame_time)
    half = round(0.5 * _STRIDE / step)
    if len(seen) < 2 * (half + ends) + 1 or ends < 1:
        return []
    outside = _measure_outside(seen)[ends:-ends]
    total = np.concatenate((np.zeros((1, outside.shape[1])), np.cumsum(outside, axis=0)))
    size = 2 * half + 1
    lean = 100.0 * ((total[size:] - total[:-size]) / (size * GRAVITY)).max(axis=1)
    held = maximum_filter1d(find_support(seen).resting, 2 * (half + ends) + 1)[half + ends : -half - ends]
    kind = replace(LEANS_TOO_FAR, limit=LEANS_TOO_FAR.limit * seen.stature / _STATURE)
    found = find_beyond(kind, "body", np.where(held, 0.0, lean), kind.limit, step)
    middle = (half + ends) * step
    return [replace(one, start=one.start + middle, end=one.end + middle) for one in found]


def find_centre(seen: SeenPerson) -> Array:
    """Return the approximate centre of mass (frames, 3) of the parts that a rig has."""
    known = [part for part in MASS_SHARES if part in seen.places]
    return np.average([seen.places[part] for part in known], axis=0, weights=[MASS_SHARES[part] for part in known])


def _measure_outside(seen: SeenPerson) -> Array:
    """Return how far (m) the pressure is beyond the soles, times the load (m/s²): (frames, directions)."""
    step = seen.frame_time
    centre = average(find_centre(seen), step, _SMOOTH)
    acceleration = average(np.gradient(np.gradient(centre, step, axis=0), step, axis=0), step, _SMOOTH)
    points = np.concatenate([seen.soles[side] for side in SIDES], axis=1)
    pressing = _find_pressing(seen)
    floor = np.where(pressing, points[..., 2], np.inf).min(axis=1)
    load = np.maximum(GRAVITY + acceleration[:, 2], 0.0)[:, None]
    pressure = load * centre[:, :2] - (centre[:, 2] - floor)[:, None] * acceleration[:, :2]
    angles = np.arange(_DIRECTIONS) * 2.0 * np.pi / _DIRECTIONS
    directions = np.stack((np.cos(angles), np.sin(angles)))
    edge = np.where(pressing[..., None], points[..., :2] @ directions, -np.inf).max(axis=1) + SOLE_HALF_WIDTH
    return np.asarray(pressure @ directions - load * edge)


def _find_pressing(seen: SeenPerson) -> NDArray[np.bool_]:
    """Return (frames, points) which points of both soles may press; all of them where none may."""
    step, out = seen.frame_time, []
    for side in SIDES:
        points = seen.soles[side]
        speeds = lengths(average(np.gradient(points, step, axis=0), step, _SMOOTH))
        lowest = minimum_filter1d(points[..., 2].min(axis=1), 2 * round(_AROUND / step) + 1, mode="nearest")
        out.append((speeds < _SLOW) & (points[..., 2] < lowest[:, None] + _LOW))
    pressing = np.concatenate(out, axis=1)
    return np.asarray(pressing | ~pressing.any(axis=1, keepdims=True))
