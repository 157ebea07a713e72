"""Find bodies that would fall: they lean too far beside their feet, or no foot lands where it would hold them.

Over a stride the ground presses, on average, where it must to give the centre of mass its acceleration: at the mean of
the zero moment point, weighted with the load. Soles can only press where they are. So this mean must lie in the mean of
the areas under the feet, however the body walks, runs or starts; a body that leans further would tip over. For a body
at rest it is the rule of Hof (2005), that the extrapolated centre of mass stays above the feet; his rule itself does
not hold in a walk, which falls from step to step.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from gambol.assumptions import GRAVITY, LEG_SHARE, SOLE_HALF_WIDTH
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.judge.curves import average, find_beyond
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.stances import find_support
from gambol.stages.balance import OUTCOMES, STEP_TIME, find_outcomes
from gambol.stages.feet import SIDES
from gambol.stages.flight import MASS_SHARES

LEANS_TOO_FAR = FindingKind(
    "leans_too_far",
    "leans beside what its feet can hold by",
    "cm",
    6.0,
    "65 recordings: at most 1.1 in 60, 5.9 in one of somebody who stalks; four who push or are pulled: 8 to 23",
)
WOULD_FALL = FindingKind(
    "would_fall",
    "goes on, with its extrapolated centre of mass beyond all feet that carry it or land soon, by",
    "cm",
    9.0,
    "72 recordings: at most 8.7, but for two who push or are pulled and one who spins as he lands: 12 to 22",
)

_STRIDE = 1.0
"""Seconds over which pressure and support are averaged: about a stride."""
_AFTER_FLIGHT = 1.0
"""Seconds within which a foot lands of a body that flies meanwhile."""
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


class _Ground(NamedTuple):
    """The centre of mass over time, and what is under it."""

    centre: Array
    """(frames, 3) metres."""
    velocity: Array
    """(frames, 3) m/s."""
    floor: Array
    """(frames,) height (m) of the lowest point that presses, or of the lowest of all where none does."""
    edges: Array
    """(frames, directions) how far (m) soles that press reach along the floor; all soles where none does."""


def find_falls(seen: SeenPerson) -> list[Finding]:
    """Return where the body leans further beside its feet than they can hold, and where it would fall."""
    return [*_find_leans(seen), *_find_unheld(seen)]


def measure_outcomes(seen: SeenPerson) -> dict[str, float]:
    """Return the shares of the time in which a person stands, must step, or falls, by its feet at that time.

    Who has a foot that lands soon enough steps. Empty where nothing can be said, as of who lies.
    """
    now, soon, known = _measure_margins(seen)
    if not known.any():
        return {}
    outcomes = find_outcomes(now, LEG_SHARE * seen.stature)
    held = 100.0 * soon <= WOULD_FALL.limit * seen.stature / _STATURE
    outcomes = np.where(held, np.minimum(outcomes, OUTCOMES.index("steps")), outcomes)[known]
    return {name: float((outcomes == number).mean()) for number, name in enumerate(OUTCOMES)}


def _find_unheld(seen: SeenPerson) -> list[Finding]:
    """Return where the extrapolated centre of mass is outside the feet that carry and those that land soon."""
    _, soon, known = _measure_margins(seen)
    limit = WOULD_FALL.limit * seen.stature / _STATURE
    outside = np.where(known, 100.0 * soon, 0.0)
    return list(find_beyond(replace(WOULD_FALL, limit=limit), "body", outside, limit, seen.frame_time))


@lru_cache(maxsize=2)
def _measure_margins(seen: SeenPerson) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return how far (m) the extrapolated centre of mass is outside the feet, and outside those that land soon too.

    The third is whether (frames,) this is known: not at the end, where it is not seen what lands, nor near times in
    which another part of the body carries.
    """
    step, ground, support = seen.frame_time, _measure_ground(seen), find_support(seen)
    rate = np.sqrt(GRAVITY / np.maximum(ground.centre[:, 2] - ground.floor, 0.1))
    place = (ground.centre[:, :2] + ground.velocity[:, :2] / rate[:, None]) @ _list_directions()
    flies = _look_ahead(support.falling[:, None], round(STEP_TIME / step))[:, 0]
    ahead = [round(seconds / step) for seconds in (STEP_TIME, _AFTER_FLIGHT)]
    near, far = (_look_ahead(ground.edges, count) for count in ahead)
    soon = (place - np.where(flies[:, None], far, near)).max(axis=1)
    left = len(seen) - 1 - np.arange(len(seen))
    resting = maximum_filter1d(support.resting, 2 * round(_AFTER_FLIGHT / step) + 1, mode="nearest")
    known = (left >= np.where(flies, ahead[1], ahead[0])) & (left[::-1] >= round(_ENDS / step))
    known &= ~resting
    return (place - ground.edges).max(axis=1), soon, known


def _look_ahead(values: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the largest of values (frames, n) of each frame and so many that follow."""
    return np.asarray(maximum_filter1d(values, count + 1, axis=0, origin=-((count + 1) // 2), mode="nearest"))


def _find_leans(seen: SeenPerson) -> list[Finding]:
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
    ground, step = _measure_ground(seen), seen.frame_time
    acceleration = average(np.gradient(np.gradient(ground.centre, step, axis=0), step, axis=0), step, _SMOOTH)
    load = np.maximum(GRAVITY + acceleration[:, 2], 0.0)[:, None]
    pressure = load * ground.centre[:, :2] - (ground.centre[:, 2] - ground.floor)[:, None] * acceleration[:, :2]
    return np.asarray(pressure @ _list_directions() - load * ground.edges)


@lru_cache(maxsize=2)
def _measure_ground(seen: SeenPerson) -> _Ground:
    step = seen.frame_time
    centre = average(find_centre(seen), step, _SMOOTH)
    points = np.concatenate([seen.soles[side] for side in SIDES], axis=1)
    pressing = _find_pressing(seen)
    floor = np.where(pressing, points[..., 2], np.inf).min(axis=1)
    along = points[..., :2] @ _list_directions() + SOLE_HALF_WIDTH
    edges = np.where(pressing[..., None], along, -np.inf).max(axis=1)
    return _Ground(centre, average(np.gradient(centre, step, axis=0), step, _SMOOTH), floor, edges)


def _list_directions() -> Array:
    """Return unit vectors (2, directions) along the floor."""
    angles = np.arange(_DIRECTIONS) * 2.0 * np.pi / _DIRECTIONS
    return np.stack((np.cos(angles), np.sin(angles)))


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
