"""Find complete steps on force plates, the reference for gait events that are found without plates.

A plate's event is the moment at which its vertical force crosses 20 N. A step counts if one foot stands entirely on the
plate and the other foot does not touch it, judged by the plate's corners, or by the centre of pressure if the corners
are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.marker_axes import rotation_to_z_up
from gambol.motion.recording import ForcePlate, Table
from gambol.stages.feet import SIDES, Feet
from gambol.stages.gait import GaitEvents

LOAD_THRESHOLD = 20.0
"""Vertical force (N) above which a plate is loaded."""
_MISSED = 0.15
"""Largest time (s) between a plate's event and a found event that are considered the same."""
_SHORTEST = 0.1
"""Shortest load (s) of a step."""
_STEPPED = 150.0
"""Least peak force (N) of a step: less is a foot that touches the edge."""
_BESIDE = 0.08
"""Largest distance (m) of a centre of pressure from the line between heel and toe marker: a foot is about that wide,
and toes extend as far beyond the markers."""
_MOSTLY = 0.9
"""Share of a load's samples that must be near the foot: near 20 N the centre of pressure is noise."""
_FLAT = (0.2, 0.5)
"""Shares of a stance between which the foot is flat."""
_MARKER = 0.02
"""Distance (m) from the middle of a heel marker, on the back of the shoe, forward to the first possible contact."""
_TOES = 0.3
"""Length of the toes beyond their marker on the metatarsals, as a share of the distance between heel and toe marker."""
_STANDS = 0.3
"""Speed (m/s) below which a foot over a plate stands on it."""


@dataclass(frozen=True)
class PlateStep:
    """One stance of a foot on one plate; times in seconds of the recording."""

    side: str
    plate: int
    strike: float
    toe_off: float


def plates_from_table(table: Table, up: str = "+Y") -> tuple[ForcePlate, ...]:
    """Return force plates from OpenSim columns ground_force_NAME_vx ... _px ..., one per name, z up, without corners.

    `up` is the signed axis of the file that points up, that of the markers recorded with it.
    """
    names = [label.removesuffix("_vx") for label in table.labels if label.endswith("_vx")]
    if not names or len(table) < 2:
        raise InputError(
            "no columns ground_force_..._vx", file=table.name, fix=f"it has the columns {', '.join(table.labels)}"
        )
    turn = rotation_to_z_up(up)
    step = float((table.times[-1] - table.times[0]) / (len(table) - 1))
    plates = []
    for name in names:
        force, point = (np.stack([table[f"{name}_{kind}{axis}"] for axis in "xyz"], axis=1) @ turn.T for kind in "vp")
        point = np.where(force[:, 2:] >= LOAD_THRESHOLD, point, np.nan)
        plates.append(ForcePlate(np.full((4, 3), np.nan), force, point, np.zeros(len(force)), step))
    return tuple(plates)


def find_plate_steps(feet: Feet, plates: Sequence[ForcePlate]) -> tuple[PlateStep, ...]:
    """Return the complete stances of one foot entirely on one plate, in order of time."""
    steps = []
    for number, plate in enumerate(plates):
        for strike, off in _loads(plate):
            standing = {side: _standing(feet, side, strike, off) for side in SIDES}
            on = [side for side in SIDES if _wholly_on(standing[side], plate, strike, off)]
            if len(on) != 1 or _straddles(standing[on[0]], plates, number, strike, off):
                continue
            other = SIDES[1 - SIDES.index(on[0])]
            if not _steps_in(feet, other, plate, strike, off):
                steps.append(PlateStep(on[0], number, strike, off))
    return tuple(sorted(steps, key=lambda step: step.strike))


def compute_event_errors(events: GaitEvents, steps: Sequence[PlateStep]) -> Array:
    """Return the delays (steps, 2) in seconds of strike and toe-off after the plate's; NaN for missed events."""
    return np.array(
        [
            (_nearest(events.strikes[step.side], step.strike), _nearest(events.toe_offs[step.side], step.toe_off))
            for step in steps
        ]
    ).reshape(-1, 2)


def _nearest(times: Array, time: float) -> float:
    delays = times - time
    near = delays[np.abs(delays) <= _MISSED]
    return float(near[np.argmin(np.abs(near))]) if len(near) else np.nan


def _loads(plate: ForcePlate) -> Iterator[tuple[float, float]]:
    """Yield the times (s), interpolated, at which the vertical force rises above the threshold and falls below it."""
    vertical = np.nan_to_num(plate.force[:, 2])
    loaded = vertical >= LOAD_THRESHOLD
    rises = np.flatnonzero(~loaded[:-1] & loaded[1:])
    falls = np.flatnonzero(loaded[:-1] & ~loaded[1:])
    for rise in rises:
        later = falls[falls > rise]
        if len(later) == 0:
            return
        fall = int(later[0])
        strike, off = (_crossing(vertical, frame) * plate.frame_time for frame in (int(rise), fall))
        if off - strike >= _SHORTEST and vertical[rise:fall].max() >= _STEPPED:
            yield strike, off


def _crossing(vertical: Array, before: int) -> float:
    low, high = vertical[before : before + 2]
    return before + float((LOAD_THRESHOLD - low) / (high - low))


def _standing(feet: Feet, side: str, strike: float, off: float) -> Array:
    """Return the ends of heel and toes (2, 2) in metres while a foot is flat; NaN if it does not stand."""
    first, last = (strike + share * (off - strike) for share in _FLAT)
    frames = slice(int(first / feet.frame_time), int(last / feet.frame_time) + 2)
    track = feet.tracks[side]
    seen = np.stack((track.heel[frames, :2], track.toe[frames, :2]), axis=1)
    seen = seen[np.isfinite(seen).all(axis=(1, 2))]
    if len(seen) < 2 or np.linalg.norm(seen[-1] - seen[0], axis=1).max() > _STANDS * (last - first):
        return np.full((2, 2), np.nan)
    heel, toe = np.median(seen, axis=0)
    line = toe - heel
    return np.stack((heel + _MARKER * line / max(float(np.linalg.norm(line)), 1e-9), toe + _TOES * line))


def _wholly_on(foot: Array, plate: ForcePlate, strike: float, off: float) -> bool:
    if np.isfinite(plate.corners).all():
        return bool(_inside(plate.corners[:, :2], foot).all())
    pressure = _pressure(plate, strike, off)
    return bool(np.mean(_beside(foot, pressure) <= _BESIDE) > _MOSTLY) if len(pressure) else False


def _straddles(foot: Array, plates: Sequence[ForcePlate], number: int, strike: float, off: float) -> bool:
    """Return whether another plate is loaded by the same foot at the same time."""
    others = (_pressure(plate, strike, off) for other, plate in enumerate(plates) if other != number)
    return any(len(pressure) > 0 and bool(np.mean(_beside(foot, pressure) <= _BESIDE) > 0.5) for pressure in others)


def _steps_in(feet: Feet, side: str, plate: ForcePlate, strike: float, off: float) -> bool:
    """Return whether a foot stands within the corners of a plate at any moment of its load."""
    if not np.isfinite(plate.corners).all():
        return False
    frames = slice(int(strike / feet.frame_time), int(off / feet.frame_time) + 2)
    track = feet.tracks[side]
    for points in (track.heel[frames], track.toe[frames]):
        if len(points) < 2:
            continue
        speed = np.linalg.norm(np.gradient(points, feet.frame_time, axis=0), axis=1)
        if np.any((speed < _STANDS) & _inside(plate.corners[:, :2], points[:, :2])):
            return True
    return False


def _pressure(plate: ForcePlate, strike: float, off: float) -> Array:
    """Return the centres of pressure (samples, 2) in an interval, where the plate is loaded."""
    frames = slice(int(strike / plate.frame_time) + 1, int(off / plate.frame_time) + 1)
    points = plate.center_of_pressure[frames, :2]
    return points[np.isfinite(points).all(axis=1)]


def _inside(corners: Array, points: Array) -> NDArray[np.bool_]:
    """Return which points (n, 2) lie in a convex quadrangle (4, 2)."""
    edges = np.roll(corners, -1, axis=0) - corners
    arms = points[:, None] - corners
    turns = edges[:, 0] * arms[:, :, 1] - edges[:, 1] * arms[:, :, 0]
    return np.asarray((turns >= 0.0).all(axis=1) | (turns <= 0.0).all(axis=1))


def _beside(foot: Array, points: Array) -> Array:
    """Return the distances (n,) of points from the segment between heel and toe; infinite if the foot is not seen."""
    heel, toe = foot
    line = toe - heel
    share = np.clip((points - heel) @ line / max(float(line @ line), 1e-12), 0.0, 1.0)
    return np.nan_to_num(np.linalg.norm(points - heel - share[:, None] * line, axis=1), nan=np.inf)
