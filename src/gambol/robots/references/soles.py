"""Where the soles of a robot go: as those of the person, scaled; flat and fixed while the person's foot rests flat.

Between two stances the path of the person's sole is kept, plus an offset that leads from the one to the other. Feet of
people roll over heel and ball: while any of the foot rests, the lowest edge of the robot's sole is on the ground. It is
never below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, find_median_place, lengths
from gambol.motion.contacts import Contacts
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from gambol.stages.flight import drop_supported_flights, find_stages
from gambol.stages.speed import find_runs

_SHORTEST = 0.06
"""Seconds that a flat stance of a person lasts at least."""
_STEP = 0.04
"""Metres (of a person) between the heights of stances from which they are on different levels."""
_Frames = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SolePath:
    """Poses of a sole."""

    places: Array
    """(frames, 3) of its middle (m)."""
    rotations: Array
    """(frames, 4) from the level sole that faces along x."""
    ground: Array
    """(frames, 4) heights (m) of the ground below its corners."""
    slopes: Array
    """(frames, 2) rise of that ground along x and y, per metre."""
    flat: tuple[tuple[int, int], ...]
    """First and last frames of flat stances."""
    touching: NDArray[np.bool_]
    """(frames,) whether any of the foot rests on the ground."""

    @property
    def level(self) -> NDArray[np.bool_]:
        """(frames,) whether it rests flat."""
        frames = np.zeros(len(self.places), dtype=bool)
        for first, last in self.flat:
            frames[first : last + 1] = True
        return frames

    @property
    def normals(self) -> Array:
        """(frames, 3) of the ground."""
        upward = np.column_stack((-self.slopes, np.ones(len(self.slopes))))
        return np.asarray(upward / lengths(upward)[:, None])

    def find_corners(self, sole: Array) -> Array:
        """Return the corners (frames, 4, 3) of a sole whose corners are (4, 3) from its middle, level and along x."""
        return np.asarray(self.places[:, None] + quat.rotate(self.rotations[:, None], sole))

    def find_ground(self, sole: Array, corners: Array) -> Array:
        """Return the heights (frames, 4) of the ground (m) below corners (frames, 4, 3) near those of the path."""
        away = (corners - self.find_corners(sole))[..., :2]
        return np.asarray(self.ground + np.einsum("fnc,fc->fn", away, self.slopes))

    def slide(self, shifts: Array) -> SolePath:
        """Return the path moved along its ground by shifts (frames, 2) in x and y (m)."""
        rise = np.sum(shifts * self.slopes, axis=1, keepdims=True)
        return replace(self, places=self.places + np.hstack((shifts, rise)), ground=self.ground + rise)

    def find_heights(self, sole: Array) -> Array:
        """Return the heights (frames, 4) of those corners above the ground (m)."""
        return np.asarray(self.find_corners(sole)[..., 2] - self.ground)


def plan_soles(source: Fit, scale: float, soles: Mapping[str, Array], wider: float) -> dict[str, SolePath]:
    """Return the paths of both soles of a robot that is `scale` times as large as the person.

    `soles` are their corners (4, 3) from their middle, level and along x. Feet are `wider` apart (m) than the person's.
    """
    contacts, names = find_foot_contacts(source.source), source.character.skeleton.names
    placed, seconds = source.motion.placement, source.motion.frame_time
    thighs = [placed.positions[:, names.index(f"{side}_thigh")] for side in SIDES]
    across = (thighs[0] - thighs[1]) * (1.0, 1.0, 0.0)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    paths = {}
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        tips = [placed.positions[:, names.index(f"{side}_{tip}_tip")] for tip in ("heel", "ball")]
        middle = scale * np.mean(tips, axis=0) + 0.5 * sign * wider * across
        turned = placed.rotations[:, names.index(f"{side}_foot")]
        rests = _find_rests(contacts, side)
        flat = tuple((a, b) for a, b in find_runs(rests[0] & rests[1]) if (b - a + 1) * seconds >= _SHORTEST)
        paths[side] = SolePath(
            middle, turned, _repeat(middle[:, 2]), np.zeros((len(middle), 2)), flat, rests[0] | rests[1]
        )
    paths = _support(paths, find_unsupported(source.source, contacts))
    levels = _find_levels(list(paths.values()), _STEP * scale)
    return {side: _set_down(_fix(path, levels), soles[side]) for side, path in paths.items()}


def find_unsupported(motion: Motion, contacts: Contacts) -> NDArray[np.bool_]:
    """Return in which frames (frames,) neither foot of a person rests and the body does not fall."""
    aloft = np.ones(contacts.frames, dtype=bool)
    for contact in contacts.items:
        aloft[contact.first : contact.last + 1] = False
    for stage in drop_supported_flights(motion, find_stages(contacts)):
        if stage.kind == "flight":
            aloft[stage.first : stage.last + 1] = False
    return aloft


def _support(paths: dict[str, SolePath], aloft: NDArray[np.bool_]) -> dict[str, SolePath]:
    """Return paths on which the lower sole rests in frames (frames,) in which neither does."""
    lower: dict[str, NDArray[np.bool_]] = {}
    for first, last in find_runs(aloft):
        span = slice(first, last + 1)
        side = min(paths, key=lambda name: float(paths[name].places[span, 2].mean()))
        lower.setdefault(side, np.zeros_like(aloft))[span] = True
    return {
        side: replace(path, touching=path.touching | lower[side]) if side in lower else path
        for side, path in paths.items()
    }


def _find_rests(contacts: Contacts, side: str) -> NDArray[np.bool_]:
    """Return when heel and front of a foot rest (2, frames)."""
    found = {contact.name for contact in contacts.items}
    none = np.zeros(contacts.frames, dtype=bool)
    heel, ball, toe = (
        contacts.touching(name) if (name := f"{side}_{tip}") in found else none for tip in ("heel", "ball", "toe")
    )
    return np.stack((heel, ball | toe))


def _find_levels(paths: list[SolePath], step: float) -> Array:
    """Return the heights (m) of the levels on which flat feet rest."""
    own = [float(np.median(path.places[a : b + 1, 2])) for path in paths for a, b in path.flat]
    if not own:
        return np.array([min(float(path.places[:, 2].min()) for path in paths)])
    heights = np.sort(own)
    return np.array([np.median(group) for group in np.split(heights, np.flatnonzero(np.diff(heights) > step) + 1)])


def _fix(path: SolePath, levels: Array) -> SolePath:
    """Return a path whose flat stances are level and in one place."""
    frames = np.arange(len(path.places))
    if not path.flat:
        return replace(path, ground=_repeat(np.full(len(frames), levels[0])))
    shifts, turns, heights = [], [], []
    for first, last in path.flat:
        span = slice(first, last + 1)
        place = find_median_place(path.places[span])
        place[2] = levels[np.abs(levels - place[2]).argmin()]
        shifts.append(place - path.places[span])
        turns.append(quat.multiply(_find_heading(path.rotations[span]), quat.conjugate(path.rotations[span])))
        heights.append(place[2])
    knots = np.concatenate([np.arange(first, last + 1) for first, last in path.flat])
    turned = ease_between(frames, knots, quat.make_continuous(np.concatenate(turns)))
    return replace(
        path,
        places=np.asarray(path.places + ease_between(frames, knots, np.concatenate(shifts))),
        rotations=quat.multiply(turned / np.linalg.norm(turned, axis=1, keepdims=True), path.rotations),
        ground=_repeat(_find_ground(path, np.array(heights))),
    )


def _repeat(heights: Array) -> Array:
    """Return heights (frames,) for every corner (frames, 4)."""
    return np.repeat(heights[:, None], 4, axis=1)


def _find_ground(path: SolePath, heights: Array) -> Array:
    """Return the height (frames,) of the ground: that of the stance in which the foot rests, else of the lower one.

    `heights` (stances,) are those of flat stances.
    """
    first, last = np.array(path.flat).T
    frames, count = np.arange(len(path.places)), len(first) - 1
    before, after = np.searchsorted(first, frames, "right") - 1, np.searchsorted(last, frames)
    ground = np.minimum(*(heights[np.clip(each, 0, count)] for each in (before, after)))
    middles = 0.5 * (first + last)
    for begin, end in find_runs(path.touching):
        own = np.flatnonzero((first >= begin) & (last <= end))
        if len(own):
            span = frames[begin : end + 1]
            ground[span] = heights[own][np.abs(span[:, None] - middles[own]).argmin(axis=1)]
    return ground


def _set_down(path: SolePath, sole: Array) -> SolePath:
    """Return a path on which the sole is on the ground while the foot rests, and never below it."""
    above = path.find_heights(sole).min(axis=1)
    rests = np.flatnonzero(path.touching)
    down = ease_between(np.arange(len(above)), rests, above[rests, None])[:, 0] if len(rests) else np.zeros(len(above))
    return replace(path, places=np.asarray(path.places - np.minimum(down, above)[:, None] * UP))


def ease_between(frames: _Frames, at: _Frames, values: Array) -> Array:
    """Interpolate values (n, numbers) at some frames for all frames, with zero slopes at the ends of gaps."""
    after = np.clip(np.searchsorted(at, frames), 0, len(at) - 1)
    before = np.maximum(after - 1, 0)
    share = np.clip((frames - at[before]) / np.maximum(at[after] - at[before], 1), 0.0, 1.0)[:, None]
    return np.asarray(values[before] + share**2 * (3.0 - 2.0 * share) * (values[after] - values[before]))


def _find_heading(rotations: Array) -> Array:
    """Return the rotation (4,) about the vertical nearest to rotations (frames, 4)."""
    x, y, _ = quat.rotate(rotations, np.array([1.0, 0.0, 0.0])).mean(axis=0)
    return quat.from_axis_angle(UP, np.arctan2(y, x))
