"""Find gait events, foot strikes and toe-offs, from the speeds of heels and toes.

A foot is in contact while its heel or its toe is nearly still. It strikes when the first of them comes to rest (the
heel in most gaits, the toe in walks on tiptoe and fast runs). Toe-off is when the toe, by then the only part in
contact, reaches the speed that it has while the foot still rotates about the tip of the toes: the tracked point, joint
or marker, is about 8 cm behind that tip, and the foot rotates at about 12 rad/s. The height of the floor is not needed.

The speeds and the smoothing were chosen on the plate recordings of the tests, so the errors there (11 ms at strike and
at toe-off, medians of 20 steps) are optimistic. Choosing speeds (0.2 to 0.5 and 0.6 to 1.3 m/s) and cutoff (8 to 20 Hz)
with each recording left out in turn gives 8 and 13 ms: the optimum is flat. The share of a runner's speed was set on
recorded runs, by their free fall; it was not checked with force plates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array, find_runs
from gambol.motion.motion import Motion
from gambol.motion.recording import Markers
from gambol.stages.feet import SIDES, Feet, FootTrack, feet_of_markers, feet_of_motion
from gambol.stages.speed import compute_speed

STRIKE_SPEED = 0.25
"""Speed (m/s) below which a heel (or toe) is in contact."""
LEAVE_SPEED = 1.0
"""Speed (m/s) of a toe joint or marker at toe-off: 12 rad/s at 8 cm."""
_RUN = 2.0
"""Speed of travel (m/s) at which people change from walking to running."""
_OF_WALK, _OF_RUN = 0.2, 0.4
"""Share of the speed of travel that replaces STRIKE_SPEED if larger, walking and running: a foot never quite stops."""
_OF_SWING = 0.5
"""Share of a swing's top speed that replaces LEAVE_SPEED if smaller, for slow steps."""
_SHORTEST_SWING = 0.1
_SHORTEST_STANCE = 0.06
"""Shortest swing and stance (s)."""
_SHORTEST_STEP = 0.1
"""Least distance (m) of a foot in a swing: shorter moves are shuffling on the spot."""
_LEAST_TOP = 1.5
"""Least top speed of a swing, as a multiple of the contact speed."""


@dataclass(frozen=True, eq=False)
class GaitEvents:
    """Times (s) of foot strikes and toe-offs by side."""

    strikes: Mapping[str, Array]
    toe_offs: Mapping[str, Array]
    forward: Array
    """(3,) horizontal unit direction of travel."""
    speed: float
    """Speed of travel (m/s)."""

    def __post_init__(self) -> None:
        for events in (self.strikes, self.toe_offs):
            for side, times in events.items():
                if side not in SIDES or np.ndim(times) != 1 or np.any(np.diff(times) <= 0.0):
                    raise InputError(f"events of 'left' and 'right' must be rising seconds, not {side}: {times}")

    def stances(self, side: str) -> list[tuple[float, float]]:
        """Return strike and following toe-off (s) of every complete stance."""
        strikes, offs = self.strikes[side], self.toe_offs[side]
        pairs = ((float(s), float(offs[offs > s][0])) for s in strikes if np.any(offs > s))
        return [(s, o) for s, o in pairs if not np.any((strikes > s) & (strikes < o))]


def find_gait_events(source: Motion | Markers | Feet) -> GaitEvents:
    """Find foot strikes and toe-offs; feet are found by the parts of a rig or by the names of markers."""
    feet = _feet(source)
    middle = np.mean([0.5 * (track.heel + track.toe) for track in feet.tracks.values()], axis=0)
    forward, travel = _travel(middle, feet.frame_time)
    found = {side: _events(feet.tracks[side], feet.frame_time, travel) for side in SIDES}
    return GaitEvents(
        strikes={side: np.array(strikes) for side, (strikes, _) in found.items()},
        toe_offs={side: np.array(toe_offs) for side, (_, toe_offs) in found.items()},
        forward=forward,
        speed=travel,
    )


def _feet(source: Motion | Markers | Feet) -> Feet:
    if isinstance(source, Motion):
        return feet_of_motion(source)
    return feet_of_markers(source) if isinstance(source, Markers) else source


def _travel(middle: Array, frame_time: float) -> tuple[Array, float]:
    """Return direction and speed of the middle of the feet, between the first and the last visible frame."""
    seen = np.flatnonzero(np.isfinite(middle).all(axis=1))
    if len(seen) < 2:
        raise InputError("both feet are visible together in fewer than two frames")
    travel = (middle[seen[-1]] - middle[seen[0]]) * (1.0, 1.0, 0.0)
    length = float(np.linalg.norm(travel))
    forward = travel / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
    return forward, length / (float(seen[-1] - seen[0]) * frame_time)


def _events(track: FootTrack, frame_time: float, travel: float) -> tuple[list[float], list[float]]:
    """Return the times (s) of strikes and toe-offs of one foot."""
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
    """Yield first and last frame of every swing: both ends of the foot move, and far enough for a step."""
    aloft = np.nan_to_num(moving, nan=0.0) >= still
    # A heel rebounds as it strikes: remove brief swings before brief stances.
    aloft = _without_brief(aloft, _SHORTEST_SWING / frame_time)
    aloft = ~_without_brief(~aloft, _SHORTEST_STANCE / frame_time)
    for first, last in find_runs(aloft):
        whole = first > 0 and last < len(aloft) - 1
        far = float(np.linalg.norm(track.toe[last] - track.toe[first]))
        if not (whole and far < _SHORTEST_STEP) and np.nanmax(moving[first : last + 1]) >= _LEAST_TOP * still:
            yield first, last


def _without_brief(mask: NDArray[np.bool_], min_frames: float) -> NDArray[np.bool_]:
    """Return the mask without runs of fewer frames; runs at the begin and end of the recording are kept."""
    out = mask.copy()
    for first, last in find_runs(mask):
        if first > 0 and last < len(mask) - 1 and last - first + 1 < min_frames:
            out[first : last + 1] = False
    return out


def _leaving(toe: Array, first: int, still: float) -> float:
    """Return the fractional frame at which the toe's speed in a swing first passes the speed of toe-off."""
    enough = max(min(LEAVE_SPEED, _OF_SWING * float(np.nanmax(toe))), still)
    above = int(np.argmax(toe >= enough))
    return first + (_crossing(toe, above - 1, enough) if above > 0 else 0.0)


def _crossing(values: Array, before: int, level: float) -> float:
    low, high = values[before : before + 2]
    return before + float(np.clip((level - low) / (high - low), 0.0, 1.0))
