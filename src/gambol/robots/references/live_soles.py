"""Plan the soles of a robot while a person moves, a few frames ahead: what has been decided stays.

The frames of the last second and those ahead are planned as a clip would be (`soles`), with the footholds that were
already taken. A foothold is estimated from the first frames of a stance, which are known before the sole is led there,
and stays until the foot leaves. Where a new plan differs from what was played, the difference is led to zero by a cubic
until the foot rests next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gambol.contacts.contact import Contact
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP
from gambol.robots.references.levels import find_levels, measure_height
from gambol.robots.references.sole_path import SolePath
from gambol.robots.references.soles import find_foothold, rest_sole

_REMEMBERED = 50
"""Number of past stances from whose heights the levels of the ground are found."""
_LEADING, _LEAVING = 0.1, 0.3
"""Seconds in which a sole is led to its foothold, and in which it returns to the person's path afterwards. Where a
foothold is found late, the sole rests later."""


@dataclass
class _Played:
    """What a sole did: the last two poses, and where it rested last."""

    places: Array
    """(2, 3) m."""
    rotations: Array
    """(2, 4)."""
    foothold: Contact | None = None
    """In frames of the stream."""
    due: float = np.inf
    """Frame from which it is to rest next."""


@dataclass
class LiveSoles:
    """Plans both soles, block by block."""

    soles: Mapping[str, Array]
    """Corners (4, 3) by side, from the middle, level and along x."""
    feet: Mapping[str, Array]
    """Heels and balls (2, 3) of the person by side, scaled, from the middles of the soles."""
    scale: float
    frame_time: float
    ahead: int
    """Frames that are known ahead of those played."""
    heights: list[float]
    """Of the last stances (m), from which the levels of the ground are found."""
    _played: dict[str, _Played] = field(default_factory=dict)

    def plan(self, paths: Mapping[str, SolePath], first: int, now: int, last: int) -> dict[str, SolePath]:
        """Return the plan of the frames from `first` on, given those of the person's soles, scaled.

        Frames before `now` were played; those up to `last` are played next.
        """
        stances = {side: self._list_stances(side, path, now - first, first) for side, path in paths.items()}
        ahead = [
            measure_height(paths[side], a, self._settle(a, b))
            for side, found in stances.items()
            for (a, b), held in found
            if held is None
        ]
        levels = find_levels(paths, self.heights + ahead, self.scale)
        planned = {}
        for side, path in paths.items():
            flat = tuple(frames for frames, _ in stances[side])
            footholds = [
                held or replace(find_foothold(path, a, self._settle(a, b), levels), last=b)
                for (a, b), held in stances[side]
            ]
            level = replace(path, flat=flat)
            plan = rest_sole(level, footholds, levels, self.soles[side], self.feet[side], self._ease)
            planned[side] = self._lead(side, plan, now - first)
            self._remember(side, path, planned[side], footholds, first, now, last)
        return planned

    @property
    def _leading(self) -> int:
        return max(1, round(_LEADING / self.frame_time))

    def _ease(self, frames: NDArray[np.intp], at: NDArray[np.intp], values: Array) -> Array:
        """Interpolate values at some frames: they decay after each, and lead to each from shortly before.

        Frames between two are the same whether or not the later one is known, until it is near.
        """
        leaving = _LEAVING / self.frame_time
        known = np.vstack((np.zeros(values.shape[1]), values, np.zeros(values.shape[1])))
        bounds = np.concatenate(([-np.inf], at, [np.inf]))
        before, after = np.searchsorted(at, frames, "right"), np.searchsorted(at, frames) + 1
        last, following = bounds[before], bounds[after]
        kept = known[before] * (1.0 - _smooth((frames - last) / leaving))
        there = known[before] * (1.0 - _smooth((following - last) / leaving))
        span = np.clip(following - last, 1, self._leading)
        return np.asarray(kept + (known[after] - there) * _smooth((frames - following + span) / span))

    def _settle(self, first: int, last: int) -> int:
        """Return the last frame of a stance that is known before a sole is led to its foothold."""
        return min(last, first + max(self.ahead - self._leading, 0))

    def _list_stances(
        self, side: str, path: SolePath, now: int, first: int
    ) -> list[tuple[tuple[int, int], Contact | None]]:
        """Return the last stance, then those ahead, with frames of the path; footholds only of what was played."""
        ahead, played = [frames for frames in path.flat if frames[1] >= now], self._played.get(side)
        if played is None:
            return [(frames, None) for frames in ahead]
        stances: list[tuple[tuple[int, int], Contact | None]] = []
        held = played.foothold
        if held is not None and held.last >= first:
            begin, end = max(held.first - first, 0), held.last - first
            if ahead and ahead[0][0] <= now == end + 1:
                end = ahead.pop(0)[1]
            stances.append(((begin, end), replace(held, first=begin, last=end)))
        soonest = max(now, min(now + self._leading - 1, played.due - first))
        return stances + [((int(max(a, soonest)), b), None) for a, b in ahead if b >= soonest]

    def _lead(self, side: str, plan: SolePath, now: int) -> SolePath:
        """Return the plan with its difference from what was played led to zero."""
        played = self._played.get(side)
        if played is None:
            return plan
        before = [max(now - 2, 0), now - 1]
        away = np.hstack(
            (
                played.places - plan.places[before],
                quat.log(quat.multiply(played.rotations, quat.conjugate(plan.rotations[before]))),
            )
        )
        rests = np.flatnonzero(plan.level[now:])
        count = int(rests[0]) + 1 if len(rests) else len(plan.places) - now
        step = np.arange(1, len(plan.places) - now + 1)[:, None]
        share = np.minimum(step / count, 1.0)
        # The cubic with the value and the slope of the difference at the last frame, and none of either at the end; the
        # slope is limited so that the difference only decreases.
        steepest = -3.0 * away[1]
        slope = np.clip(count * (away[1] - away[0]), np.minimum(steepest, 0.0), np.maximum(steepest, 0.0))
        left = (1.0 - share) ** 2 * ((1.0 + 2.0 * share) * away[1] + share * slope)
        places, rotations = plan.places.copy(), plan.rotations.copy()
        places[now:] += left[:, :3]
        rotations[now:] = quat.multiply(quat.exp(left[:, 3:]), rotations[now:])
        led = replace(plan, places=places, rotations=rotations)
        below = np.minimum(led.find_heights(self.soles[side]).min(axis=1), 0.0)
        below[:now] = 0.0
        return replace(led, places=np.asarray(places - below[:, None] * UP))

    def _remember(
        self,
        side: str,
        path: SolePath,
        plan: SolePath,
        footholds: list[Contact],
        first: int,
        now: int,
        last: int,
    ) -> None:
        """Keep what is played up to frame `last`."""
        end = last - first
        recent = [max(end - 1, 0), end]
        played = _Played(plan.places[recent], plan.rotations[recent])
        for one in footholds:
            if one.first > end:
                played.due = min(played.due, one.first + first)
                continue
            played.foothold = replace(one, first=one.first + first, last=min(one.last, end) + first)
            if one.first + first >= now:
                height = measure_height(path, one.first, self._settle(one.first, one.last))
                self.heights = [*self.heights, height][-_REMEMBERED:]
        self._played[side] = played


def _smooth(share: Array) -> Array:
    """Return the cubic (n, 1) from 0 to 1 with zero slopes at both ends, for shares (n,)."""
    return smoothstep(np.clip(share, 0.0, 1.0)[:, None])
