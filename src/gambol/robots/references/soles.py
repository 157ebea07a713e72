"""Where the soles of a robot go: as those of the person, scaled; flat and fixed while the person's foot rests flat.

Between two stances the path of the person's sole is kept, plus an offset that leads from the one to the other. Feet of
people roll over heel and ball: while any of the foot rests, the lowest edge of the robot's sole is on the ground, and it
is never below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, find_median_place
from gambol.motion.contacts import Contacts
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from gambol.stages.speed import find_runs

_SHORTEST = 0.06
"""Seconds that a flat stance of a person lasts at least."""
_STEP = 0.04
"""Metres (of a person) between the heights of stances from which they are on different levels."""


@dataclass(frozen=True, eq=False)
class SolePath:
    """Poses of a sole."""

    places: Array
    """(frames, 3) of its middle (m)."""
    rotations: Array
    """(frames, 4) from the level sole that faces along x."""
    flat: tuple[tuple[int, int], ...]
    """First and last frames of flat stances."""
    touching: NDArray[np.bool_]
    """(frames,) whether any of the foot rests on the ground."""
    ground: Array
    """(frames,) height (m) of the ground below it."""

    def corners(self, sole: Array) -> Array:
        """Return the corners (frames, 4, 3) of a sole given level (4, 3)."""
        return np.asarray(self.places[:, None] + quat.rotate(self.rotations[:, None], sole))


def plan_soles(source: Fit, scale: float, soles: dict[str, Array]) -> dict[str, SolePath]:
    """Return the paths of both soles of a robot that is `scale` times as large as the person.

    `soles` are their corners (4, 3) from their middle, level and facing along x.
    """
    contacts = find_foot_contacts(source.source)
    names, placed = source.character.skeleton.names, source.motion.placement
    raw = {}
    for side in SIDES:
        tips = [placed.positions[:, names.index(f"{side}_{tip}_tip")] for tip in ("heel", "ball")]
        rests = _find_rests(contacts, side)
        flat = tuple(
            (a, b)
            for a, b in find_runs(rests.all(axis=0))
            if (b - a + 1) * source.motion.frame_time >= _SHORTEST
        )
        raw[side] = SolePath(
            scale * np.mean(tips, axis=0), placed.rotations[:, names.index(f"{side}_foot")], flat, rests.any(axis=0), rests[0]
        )
    levels = _find_levels([path for path in raw.values()], _STEP * scale)
    return {side: _lift(_fix(raw[side], levels), soles[side]) for side in SIDES}


def _find_rests(contacts: Contacts, side: str) -> NDArray[np.bool_]:
    """Return when the back and the front of a foot rest (2, frames)."""
    found = {c.name.partition("_")[2] for c in contacts.items if c.name.startswith(side)}
    none = np.zeros(contacts.frames, dtype=bool)
    heel, ball, toe = (contacts.touching(f"{side}_{tip}") if tip in found else none for tip in ("heel", "ball", "toe"))
    front = ball | toe
    return np.stack((heel, front))


def _find_levels(paths: list[SolePath], step: float) -> Array:
    """Return the heights (m) of the levels on which flat feet rest."""
    own = [float(np.median(path.places[a : b + 1, 2])) for path in paths for a, b in path.flat]
    if not own:
        return np.array([min(float(path.places[:, 2].min()) for path in paths)])
    heights = np.sort(own)
    return np.array([np.median(group) for group in np.split(heights, np.flatnonzero(np.diff(heights) > step) + 1)])


def _fix(path: SolePath, levels: Array) -> SolePath:
    """Return a path with its flat stances fixed."""
    frames, places, rotations = np.arange(len(path.places)), path.places, path.rotations
    ground = np.full(len(frames), levels[0])
    if not path.flat:
        return SolePath(places, rotations, path.flat, path.touching, ground)
    at, shifts, turns, heights = [], [], [], []
    for a, b in path.flat:
        place = find_median_place(places[a : b + 1])
        place[2] = levels[np.abs(levels - place[2]).argmin()]
        at.append(np.arange(a, b + 1))
        shifts.append(place - places[a : b + 1])
        turns.append(quat.multiply(_level(rotations[a : b + 1]), quat.conjugate(rotations[a : b + 1])))
        heights.append(np.full(b - a + 1, place[2]))
    knots = np.concatenate(at)
    turned = _ease(frames, knots, quat.make_continuous(np.concatenate(turns)))
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    middle = [0.5 * (a + b) for a, b in path.flat]
    nearest = np.abs(frames[:, None] - middle).argmin(axis=1)
    return SolePath(
        places + _ease(frames, knots, np.concatenate(shifts)),
        quat.multiply(turned, rotations),
        path.flat,
        path.touching,
        np.array([height[0] for height in heights])[nearest],
    )


def _lift(path: SolePath, sole: Array) -> SolePath:
    """Return a path on which the sole is on the ground while the foot rests, and never below it."""
    frames, rests = np.arange(len(path.places)), np.flatnonzero(path.touching)
    shift = np.zeros(len(frames))
    lowest = path.corners(sole)[..., 2].min(axis=1)
    if len(rests):
        shift = _ease(frames, rests, (path.ground - lowest)[rests, None])[:, 0]
    shift = np.maximum(shift, path.ground - lowest)
    return SolePath(path.places + shift[:, None] * UP, path.rotations, path.flat, path.touching, path.ground)


def _ease(frames: Array, at: Array, values: Array) -> Array:
    """Interpolate values (n, ...) at some frames for all frames, with zero slopes at the ends of gaps."""
    after = np.clip(np.searchsorted(at, frames), 0, len(at) - 1)
    before = np.maximum(after - 1, 0)
    share = np.clip((frames - at[before]) / np.maximum(at[after] - at[before], 1), 0.0, 1.0)[:, None]
    return np.asarray(values[before] + share**2 * (3.0 - 2.0 * share) * (values[after] - values[before]))


def _level(rotations: Array) -> Array:
    """Return the rotation (4,) about the vertical nearest to rotations (frames, 4)."""
    x, y, _ = quat.rotate(rotations, np.array([1.0, 0.0, 0.0])).mean(axis=0)
    return quat.from_axis_angle(UP, np.arctan2(y, x))
