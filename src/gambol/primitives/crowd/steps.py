"""When walkers who cross a floor step, and when they stand: phases and blends for paths on the floor.

Slow walkers step less often, not only less far: the rate of steps grows with the speed to the power of 0.58
(Grieve 1968). Who stops completes a step and stands on both feet, and shifts weight from one to the other now and then.
M17 has no walkers who stand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import CADENCE_POWER
from gambol.geometry.arrays import Array
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.primitives.crowd.gaits import BASE_WALK, STAND, GaitPlane
from gambol.primitives.crowd.paths import CrowdPaths

_SLOWEST, _FASTEST = 0.5, 1.2
"""Least and largest rate of steps relative to that of the walk."""
_AHEAD = 0.5
"""Seconds ahead for which a step is made: a foot is put down for the speed that the body will have."""
_TURNING = 0.8
"""Turn rate (rad/s) on the spot from which steps are as frequent as in the walk."""
_CLOSING, _TURNED = 0.3, 0.3
"""Speed (m/s) and turn rate (rad/s) from which feet are apart: who stops then puts one beside the other."""
_STILL = 0.05
"""Turn rate (rad/s) below which who stands does not step."""
_NEARLY = 0.9
"""Share of the largest contact of both feet from which they are taken to stand."""
_SHIFT, _FORWARD, _SLOW = 0.025, 0.01, (0.11, 0.23)
"""Largest shift of weight to the sides and forward (m), and its frequencies (Hz): people who stand and wait shift it
every 5 to 10 s."""
_SETTLE = 0.7
"""Time constant (s) with which a shift of weight begins and ends."""


def step_along(places: Array, headings: Array, speeds: Array, gaits: GaitPlane, fps: float, seed: int) -> CrowdPaths:
    """Return how walkers step along paths: places (frames, n, 2), headings and speeds (frames, n), at random phases."""
    frames, count = speeds.shape
    random = np.random.default_rng(seed)
    usual = 2.0 * np.pi / float(gaits.prototypes.periods[gaits.prototypes.index(BASE_WALK)])
    top = float(gaits.corners[gaits.prototypes.index(BASE_WALK), 0]) * usual
    headings = np.unwrap(headings, axis=0)
    turns = np.gradient(headings, axis=0) * fps if frames > 1 else np.zeros_like(headings)
    ahead, bends = (_look_ahead(values, round(_AHEAD * fps)) for values in (speeds, turns))
    stands = (speeds == 0.0) & (np.abs(turns) < _STILL)
    rates = usual * np.where(stands, 1.0, _find_rates(np.maximum(speeds, ahead) / top, turns))
    support = _find_double_support(gaits.prototypes.contacts[gaits.prototypes.index(BASE_WALK)])
    first = random.choice(support.before_swing, count)
    phases, held = _advance(rates / fps, _Paces(speeds, turns, stands), support, first)
    blends = gaits.blend((ahead / rates).ravel(), (bends / rates).ravel()).reshape(frames, count, -1)
    held[0] |= speeds[0] == 0.0
    blends[held] = np.eye(blends.shape[2])[gaits.prototypes.index(STAND)]
    lean = _shift_weight(stands, fps, random)
    return CrowdPaths(phases, places, headings, blends, sway_forward=True, lean=lean)


def _look_ahead(values: Array, frames: int) -> Array:
    """Return the means of values (frames, n) over so many frames from each."""
    held = np.concatenate((values, np.repeat(values[-1:], frames, axis=0)))
    sums = np.cumsum(np.concatenate((np.zeros_like(held[:1]), held)), axis=0)
    return np.asarray((sums[frames + 1 :] - sums[: -frames - 1]) / (frames + 1))


def _find_rates(speeds: Array, turns: Array) -> Array:
    """Return rates of steps relative to the walk's, of speeds relative to it and turn rates (rad/s)."""
    turning = np.minimum(np.abs(turns) / _TURNING, 1.0)
    return np.clip(np.maximum(speeds, 1e-9) ** CADENCE_POWER, np.maximum(_SLOWEST, turning), _FASTEST)


class _Paces(NamedTuple):
    """How n walkers go, (frames, n)."""

    speeds: Array
    turns: Array
    """Radians per second."""
    stands: NDArray[np.bool_]


class _DoubleSupport(NamedTuple):
    """The phases of a walk in which both feet stand."""

    both: NDArray[np.bool_]
    """(phases,) of a cycle."""
    before_swing: Array
    """(2,) last such phase (rad) before the left foot leaves, and before the right one does."""

    def holds(self, phases: Array) -> NDArray[np.bool_]:
        """Return whether both feet stand at phases (n,)."""
        return self.both[(phases * (len(self.both) / (2.0 * np.pi))).astype(int) % len(self.both)]


def _find_double_support(contacts: Array) -> _DoubleSupport:
    """Return when both feet stand in a walk with contacts (phases, 4)."""
    feet = contacts.reshape(-1, 2, 2).max(axis=2)
    least = feet.min(axis=1)
    both = least > min(CONTACT_THRESHOLD, _NEARLY * float(least.max()))  # brisk walks are hardly on both feet
    lasts = np.flatnonzero(both & ~np.roll(both, -1))
    leaving = feet[(lasts + len(feet) // 8) % len(feet)].argmin(axis=1)
    before = np.array([[*lasts[leaving == foot], lasts[-1]][0] for foot in (0, 1)])
    return _DoubleSupport(both, (before + 0.5) * (2.0 * np.pi / len(both)))


def _advance(steps: Array, paces: _Paces, support: _DoubleSupport, first: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return phases (frames, n) that advance by steps (frames, n), and where they do not: on both feet.

    Walkers stand where one foot was put beside the other since they were last going. Who sets out steps at once, who
    turns with the foot on that side.
    """
    phase, went, stood = first, first - np.pi, np.ones(len(first), dtype=bool)
    phases, standing = np.empty(steps.shape), np.zeros(steps.shape, dtype=bool)
    for frame, (step, speed, turn, still) in enumerate(zip(steps, *paces, strict=True)):
        beside = phase - went >= np.pi
        holds = still & beside & support.holds(phase)
        setting_out = stood & ~holds
        if setting_out.any():
            foot = np.where(np.abs(turn) > _TURNED, turn < 0.0, np.sin(phase) > 0.0).astype(int)
            ahead = support.before_swing[foot] - phase
            phase = np.where(setting_out, phase + ahead - 2.0 * np.pi * np.floor(ahead / (2.0 * np.pi)), phase)
        going = setting_out | (speed > _CLOSING) | (np.abs(turn) > _TURNED)
        went = np.where(going, phase, went)
        phases[frame], standing[frame], stood = phase, holds, holds
        phase = phase + np.where(holds, 0.0, step)
    return phases, standing


def _shift_weight(stands: NDArray[np.bool_], fps: float, random: np.random.Generator) -> Array:
    """Return metres (frames, n, 2), forward and to the left, by which those who stand shift their weight."""
    frames, count = stands.shape
    slow = 2.0 * np.pi * random.uniform(*_SLOW, (2, count))
    waves = np.sin(np.arange(frames)[:, None, None] / fps * slow + random.uniform(0.0, 2.0 * np.pi, (2, count)))
    share, level = np.zeros(count), np.empty((frames, count))
    for frame, still in enumerate(stands):
        share = share + (still - share) * (1.0 - np.exp(-1.0 / (fps * _SETTLE)))
        level[frame] = share**2 * (3.0 - 2.0 * share)
    return np.stack((_FORWARD * waves[:, 0], _SHIFT * waves[:, 1]), axis=2) * level[:, :, None]
