"""Gait events: when each foot strikes and leaves the floor, from the speeds of its heel and toe.

A foot is down while its heel or its toe is nearly still. It strikes when the first of them has come to rest (the heel
in most gaits, the toe in walks on tiptoe and fast runs). It leaves when its toe, by then the only part down, has
gathered the speed that it has while the foot still turns about the tip of the toes: the point that is tracked, joint or
marker, lies some 8 cm behind that tip, and the foot turns at about 12 rad/s. Neither needs to know the floor.

The speeds and the smoothing were settled with the plate recordings of the tests in sight, so the errors there (11 ms
at strike and at off, medians of 20 steps) flatter them. Choosing speed (0.2 to 0.5 and 0.6 to 1.3 m/s) and cutoff (8 to
20 Hz) anew with each recording left out in turn gives 8 and 13 ms: the optimum is flat. The share of a runner's speed
was set on recorded runs, by when their bodies fall freely; no plate has confirmed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.recording import Markers
from gambol.stages.feet import SIDES, Feet, FootTrack, feet_of_markers, feet_of_motion
from gambol.stages.speed import find_runs, compute_speed

STRIKE_SPEED = 0.25
"""Metres a second under which a heel (or toe) that comes down is down."""
LEAVE_SPEED = 1.0
"""Metres a second over which a toe joint or marker has left: 12 rad/s on 8 cm."""
_RUN = 2.0
"""Metres a second of travel at which people change from walking to running."""
_OF_WALK, _OF_RUN = 0.2, 0.4
"""Shares of the speed of travel below which a foot counts as still, where that is more: it never quite rests."""
_OF_SWING = 0.5
"""Share of a swing's top speed that is enough to have left, for steps slower than LEAVE_SPEED allows."""
_SHORTEST_SWING = 0.1
_SHORTEST_STANCE = 0.06
"""Seconds."""
_SHORTEST_STEP = 0.1
"""Metres that a foot travels in a swing: less is shuffling on the spot."""
_LEAST_TOP = 1.5
"""How much faster than still a swing becomes at least."""


@dataclass(frozen=True, eq=False)
class GaitEvents:
    """Seconds at which each foot, by side, strikes the floor and leaves it."""

    strikes: Mapping[str, Array]
    offs: Mapping[str, Array]
    forward: Array
    """(3,) unit horizontal direction of travel."""
    speed: float
    """Metres a second along it."""

    def __post_init__(self) -> None:
        for events in (self.strikes, self.toe_offs):
            for side, times in events.items():
                if side not in SIDES or np.ndim(times) != 1 or np.any(np.diff(times) <= 0.0):
                    raise InputError(f"events are rising seconds of the left and the right foot, not {side}: {times}")

    def stances(self, side: str) -> list[tuple[float, float]]:
        """Strike and the off that follows it, of every stance that is seen whole."""
        strikes, offs = self.strikes[side], self.toe_offs[side]
        pairs = ((float(s), float(offs[offs > s][0])) for s in strikes if np.any(offs > s))
        return [(s, o) for s, o in pairs if not np.any((strikes > s) & (strikes < o))]


def find_gait_events(source: Motion | Markers | Feet) -> GaitEvents:
    """When each foot strikes and leaves the floor; of a motion by the parts of its rig, of markers by their names."""
    feet = _feet(source)
    middle = np.mean([0.5 * (track.heel + track.toe) for track in feet.tracks.values()], axis=0)
    forward, travel = _travel(middle, feet.frame_time)
    found = {side: _events(feet.tracks[side], feet.frame_time, travel) for side in SIDES}
    return GaitEvents(
        strikes={side: np.array(strikes) for side, (strikes, _) in found.items()},
        toe_offs={side: np.array(offs) for side, (_, offs) in found.items()},
        forward=forward,
        speed=travel,
    )


def _feet(source: Motion | Markers | Feet) -> Feet:
    if isinstance(source, Motion):
        return feet_of_motion(source)
    return feet_of_markers(source) if isinstance(source, Markers) else source


def _travel(middle: Array, frame_time: float) -> tuple[Array, float]:
    """Direction and speed in which the middle of the feet moves, between the first and the last frame seen."""
    seen = np.flatnonzero(np.isfinite(middle).all(axis=1))
    if len(seen) < 2:
        raise InputError("the feet are never seen together in two frames")
    way = (middle[seen[-1]] - middle[seen[0]]) * (1.0, 1.0, 0.0)
    length = float(np.linalg.norm(way))
    forward = way / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
    return forward, length / (float(seen[-1] - seen[0]) * frame_time)


def _events(track: FootTrack, frame_time: float, travel: float) -> tuple[list[float], list[float]]:
    """Seconds of strikes and offs of one foot."""
    heel, toe = (compute_speed(points, frame_time) for points in (track.heel, track.toe))
    moving = np.fmin(heel, toe)
    still = max(STRIKE_SPEED, (_OF_RUN if travel > _RUN else _OF_WALK) * travel)
    strikes, offs = [], []
    for first, last in _swings(track, moving, still, frame_time):
        if last + 1 < len(moving) and np.isfinite(moving[last + 1]):
            strikes.append(_crossing(moving, last, still) * frame_time)
        if first > 0 and np.isfinite(moving[first - 1]):
            offs.append(_leaving(toe[first : last + 1], first, still) * frame_time)
    return strikes, offs


def _swings(track: FootTrack, moving: Array, still: float, frame_time: float) -> Iterator[tuple[int, int]]:
    """First and last frame in which both ends of a foot move, for moves that are steps."""
    aloft = np.nan_to_num(moving, nan=0.0) >= still
    # A heel rebounds as it strikes: brief moves belong to the stance before brief stances belong to a swing.
    aloft = _without_brief(aloft, _SHORTEST_SWING / frame_time)
    aloft = ~_without_brief(~aloft, _SHORTEST_STANCE / frame_time)
    for first, last in find_runs(aloft):
        whole = first > 0 and last < len(aloft) - 1
        far = float(np.linalg.norm(track.toe[last] - track.toe[first]))
        if not (whole and far < _SHORTEST_STEP) and np.nanmax(moving[first : last + 1]) >= _LEAST_TOP * still:
            yield first, last


def _without_brief(mask: NDArray[np.bool_], shortest: float) -> NDArray[np.bool_]:
    """The mask less its runs of fewer frames; those that the recording cuts stay."""
    out = mask.copy()
    for first, last in find_runs(mask):
        if first > 0 and last < len(mask) - 1 and last - first + 1 < shortest:
            out[first : last + 1] = False
    return out


def _leaving(toe: Array, first: int, still: float) -> float:
    """Frame, between frames, at which the toe's speed in a swing first passes what leaving takes."""
    enough = max(min(LEAVE_SPEED, _OF_SWING * float(np.nanmax(toe))), still)
    above = int(np.argmax(toe >= enough))
    return first + (_crossing(toe, above - 1, enough) if above > 0 else 0.0)


def _crossing(values: Array, before: int, level: float) -> float:
    low, high = values[before : before + 2]
    return before + float(np.clip((level - low) / (high - low), 0.0, 1.0))
