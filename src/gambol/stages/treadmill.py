"""Find motions in place, as on a treadmill, and the travel that was removed from them.

Games move characters themselves, so that clips for them are exported without travel; treadmills do the same in a
laboratory. The feet that stand then move back at the speed of the body. The lowest points of the feet give a first
estimate of that velocity; with it the contacts are found, and the velocity is the one at which these stay in place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.motion.cycles import compute_heading
from gambol.motion.motion import Motion
from gambol.motion.rig import find_common_joint, find_one_bone_limbs
from gambol.motion.translate import translate
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES, find_foot_points, track_point
from gambol.stages.speed import compute_velocity

_SLOWEST = 0.3
"""Least speed (m/s) of feet that move back under a body."""
_LOWEST, _NEAR = 5.0, 0.05
"""Percentile of a foot's heights at which it stands, and height (m) above it up to which it may stand."""
_MOVING = 0.5
"""Least share of the frames with a foot near the floor in which it moves: the rest may be standing."""
_COHERENT = 0.6
"""Least length of the mean of their velocities, as a share of the mean of their speeds."""
_ONE_SIDE = 0.2
"""Least share of either foot in these frames."""
_UNLIKE = 0.5
"""Largest deviation of either foot's velocity, and typical one of a frame, as a share of the speed."""
_TRAVELS = 0.3
"""Share of the speed at which the body itself may travel."""
_STEPS = 1.0
"""Duration (s) over which the first estimate is a median: about two steps."""
_CUTOFF = 6.0
"""Cutoff (Hz) of the velocity: the speed of the body changes once per step."""
_BRAKING = 0.03
"""Duration (s) beside a flight, or an end of the clip, that is left out: feet brake as they strike, and lift early."""
_ROUNDS = 3
"""Times that contacts are searched for, each with the velocity of the last ones."""


@dataclass(frozen=True, eq=False)
class Treadmill:
    """The velocity at which the ground moves back under a motion in place, reversed."""

    velocity: Array
    """(frames, 2) m/s, horizontal, world: that of the body over the ground."""
    frame_time: float

    @property
    def path(self) -> Array:
        """(frames, 3) metres: how far the body travels until each frame."""
        steps = 0.5 * (self.velocity[1:] + self.velocity[:-1]) * self.frame_time
        level = np.cumsum(np.concatenate((np.zeros((1, 2)), steps)), axis=0)
        return np.column_stack((level, np.zeros(len(level))))

    @property
    def speed(self) -> float:
        """Mean speed (m/s)."""
        return float(np.linalg.norm(self.velocity, axis=1).mean())


def settle_travel(motion: Motion, restore: bool) -> Motion:
    """Return the motion with a note if it is in place; with its travel, if that is to be restored."""
    found = find_treadmill(motion)
    if found is None:
        return motion.add_notes("--travel has no effect: feet do not move back under the body") if restore else motion
    if not restore:
        return motion.add_notes(f"{describe_treadmill(found)}; --travel moves it")
    moved = restore_travel(motion, found).add_notes(f"was in place: now travels at {found.speed:.1f} m/s")
    return replace(moved, made={**motion.made, "travel": True})


def describe_treadmill(found: Treadmill) -> str:
    """Return what was found, for the user."""
    return f"in place: feet move back at {found.speed:.1f} m/s under a body that does not travel"


def find_treadmill(motion: Motion) -> Treadmill | None:
    """Return the velocity that was removed from a motion in place; None for a motion that is as it was performed.

    It is None too for a rig without position channels, which cannot travel.
    """
    if len(motion) < 3 or not any(motion.skeleton.columns(joint, "slide") for joint in _find_carriers(motion)):
        return None
    points = find_foot_points(motion)
    tracks = np.stack([track_point(motion, point) for point in points], axis=1)
    level = np.ascontiguousarray(tracks[..., :2]).reshape(len(motion), -1)
    velocities = -compute_velocity(level, motion.frame_time).reshape(len(motion), -1, 2)
    first = _estimate_velocity(
        motion, tracks[..., 2], velocities, np.array([p.name.startswith(SIDES[0]) for p in points])
    )
    if first is None:
        return None
    found = Treadmill(first, motion.frame_time)
    columns = {point.name: n for n, point in enumerate(points)}
    for _ in range(_ROUNDS):
        touching = np.zeros(tracks.shape[:2], dtype=bool)
        for contact in find_foot_contacts(restore_travel(motion, found)).items:
            touching[contact.first : contact.last + 1, columns[contact.part]] = True
        found = replace(found, velocity=_choose_fastest(velocities, touching, found))
    return found


def restore_travel(motion: Motion, treadmill: Treadmill) -> Motion:
    """Return the motion with its travel: feet that stand stay in place."""
    q = translate(motion.skeleton, motion.q, _find_carriers(motion), treadmill.path, motion.name)
    return replace(motion, q=q)


def _find_carriers(motion: Motion) -> list[int]:
    """Return the joints that are above all parts of the body, lowest first; none where these are not known."""
    parts = motion.rig.parts if motion.rig is not None else find_one_bone_limbs(motion.skeleton, "leg")
    return motion.skeleton.path_to_root(find_common_joint(motion.skeleton, [*parts.values()])) if parts else []


def _estimate_velocity(motion: Motion, heights: Array, velocities: Array, left: NDArray[np.bool_]) -> Array | None:
    """Return the velocity (frames, 2) of the body over its lowest points; None where these do not all move back."""
    from scipy.ndimage import uniform_filter1d

    # The feet of a recording may differ by centimetres: heights count from where each foot is lowest.
    own = [np.percentile(heights[:, left == side].min(axis=1), _LOWEST) for side in (False, True)]
    heights = heights - np.where(left, own[1], own[0])
    lowest, low = np.argmin(heights, axis=1), heights.min(axis=1)
    near = low <= _NEAR
    frames, window = np.arange(len(motion)), max(1, round(_STEPS / motion.frame_time))
    # Complex numbers, as seen by a body that faces its mean heading over two steps: a turning walk has one velocity.
    faced = np.exp(1j * compute_heading(motion))
    mean = uniform_filter1d(faced.real, window) + 1j * uniform_filter1d(faced.imag, window)
    ahead = mean / np.maximum(np.abs(mean), 1e-9)
    seen = velocities[np.arange(len(motion)), lowest] @ (1.0, 1j) / ahead
    moving = near & (np.abs(seen) > 0.5 * _SLOWEST)
    usual = _median(seen[moving])
    sides = [seen[moving & (left[lowest] == side)] for side in (True, False)]
    body = motion.placement.positions[[0, -1], motion.mover, :2] @ (1.0, 1j)
    if (
        moving.sum() < _MOVING * near.sum()
        or abs(seen[moving].sum()) < _COHERENT * np.abs(seen[moving]).sum()
        or abs(usual) < _SLOWEST
        or min(len(side) for side in sides) < _ONE_SIDE * moving.sum()
        or max(abs(_median(side) - usual) for side in sides) > _UNLIKE * abs(usual)
        or np.median(np.abs(seen[moving] - usual)) > _UNLIKE * abs(usual)
        or abs(body[1] - body[0]) > _TRAVELS * abs(usual) * motion.duration
    ):
        return None
    at = frames[near]
    first, end = (np.searchsorted(at, frames + side * window / 2.0) for side in (-1.0, 1.0))
    local = np.array([_median(seen[at[i:j]]) if i < j else usual for i, j in zip(first, end, strict=True)]) * ahead
    return np.column_stack((local.real, local.imag))


def _median(values: NDArray[np.complex128]) -> complex:
    return complex(np.median(values.real), np.median(values.imag)) if len(values) else 0j


def _choose_fastest(velocities: Array, touching: NDArray[np.bool_], found: Treadmill) -> Array:
    """Return the velocity (frames, 2) of the body over the point in contact that moves back fastest.

    The other points of a foot that rolls from heel to toe move forward. Without contacts it is as found before.
    """
    from scipy.ndimage import binary_dilation

    ahead = found.velocity / np.maximum(np.linalg.norm(found.velocity, axis=1), 1e-9)[:, None]
    along = np.where(touching, np.einsum("fpi,fi->fp", velocities, ahead), -np.inf)
    frames, aloft = np.arange(len(along)), ~touching.any(axis=1)
    seen = ~binary_dilation(aloft, iterations=max(1, round(_BRAKING / found.frame_time)), border_value=1)
    if not seen.any():
        return found.velocity
    chosen = velocities[frames, np.argmax(along, axis=1)][seen]
    filled = np.column_stack([np.interp(frames, frames[seen], part) for part in chosen.T])
    return low_pass(filled, found.frame_time, _CUTOFF)
