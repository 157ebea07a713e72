"""Measure how far a push is beyond balance: the distance of the extrapolated centre of mass outside the feet.

Hof, Gazendam and Sinke 2005: x + v sqrt(height / g) must stay within the base of support, or no pressure under the feet
brings the body back. A walker's is ahead of the feet by itself, and the next step is there to meet it; so the deviation
from the clip counts, and what the feet can hold is the way from the clip's centre of pressure to the edge of the soles.
Pressure is shifted against the deviation as far as the soles reach, during the push and for a step after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import BODY_CUTOFF, GRAVITY, SOLE_HALF_WIDTH
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import differentiate, low_pass
from gambol.geometry.polygons import find_hull, find_nearest
from gambol.motion.motion import Motion
from gambol.motion.pushes import Platform, Push, compute_active_fraction
from gambol.stages.balance import OUTCOMES, STEP_REACH, STEP_TIME, find_outcomes
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import find_foot_points, track_point

_COUNTER = 2.0
"""Shift of the pressure per deviation of the extrapolated centre of mass, where the soles allow it."""


@dataclass(frozen=True, eq=False)
class FootSupport:
    """What the feet of a motion can hold in every frame."""

    room: Array
    """(frames, corners, 2) metres from the clip's centre of pressure to the edge of the soles; nan in flight"""
    rates: Array
    """(frames,) sqrt(g / height) of the centre of mass, 1/s"""
    mass: float
    frame_time: float

    def step(self, frames: int | NDArray[np.int_], deviations: Array, forces: Array) -> Array:
        """Return deviations (..., 2) of the extrapolated centre of mass (m) after frames under forces (..., 3), in N.

        Without a force they do not grow, and never beyond the height of the centre of mass: how far somebody falls who
        does not step is not measured.
        """
        rates = np.asarray(self.rates[frames])[..., None]
        falling = rates * (deviations - self._find_held(frames, _COUNTER * deviations, deviations))
        after = deviations + self.frame_time * (forces[..., :2] / (self.mass * rates) + falling)
        after *= np.minimum(1.0, GRAVITY / rates**2 / np.maximum(_lengths(after), 1e-9))
        pushed = forces[..., :2].any(axis=-1, keepdims=True)
        return np.asarray(np.where(pushed | (_lengths(after) < _lengths(deviations)), after, deviations))

    def measure_outside(self, frames: int | NDArray[np.int_], deviations: Array) -> Array:
        """Return how far (...,) in metres deviations (..., 2) are outside the feet; 0 in flight."""
        return np.asarray(_lengths(deviations - self._find_held(frames, deviations, deviations))[..., 0])

    def _find_held(self, frames: int | NDArray[np.int_], shifts: Array, flying: Array) -> Array:
        """Return the shifts of the pressure nearest to others (..., 2) that the soles allow; in flight those given."""
        room = self.room[frames]
        return np.asarray(np.where(np.isnan(room[..., 0, :]), flying, find_nearest(room, shifts)))


def _lengths(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1, keepdims=True))


def measure_foot_support(character: Character, motion: Motion) -> FootSupport:
    """Measure where the feet of a character's motion stand, and where they press."""
    corners = _find_corners(motion)
    centre = low_pass(Dynamics(character).center_of_mass(motion.q), motion.frame_time, BODY_CUTOFF)
    _, acceleration = differentiate(centre, motion.frame_time)
    floor = np.array([points[:, 2].min() if len(points) else np.nan for points in corners])
    stood = np.flatnonzero(np.isfinite(floor))
    ground = np.interp(np.arange(len(floor)), stood, floor[stood]) if len(stood) else np.zeros(len(floor))
    height = np.maximum(centre[:, 2] - ground, 0.1)
    load = np.maximum(GRAVITY + acceleration[:, 2], 0.3 * GRAVITY)
    wanted = centre[:, :2] - acceleration[:, :2] * (height / load)[:, None]
    hulls = [find_hull(points[:, :2]) if len(points) else np.full((1, 2), np.nan) for points in corners]
    most = max(len(hull) for hull in hulls)
    soles = np.array([hull[np.minimum(np.arange(most), len(hull) - 1)] for hull in hulls])
    pressure = find_nearest(soles, wanted)
    return FootSupport(soles - pressure[:, None], np.sqrt(GRAVITY / height), character.mass, motion.frame_time)


def _find_corners(motion: Motion) -> tuple[Array, ...]:
    """Return the corners (points, 3) of the soles on the ground in every frame."""
    contacts, points = find_foot_contacts(motion), find_foot_points(motion)
    tracks = {point.name: track_point(motion, point) for point in points}
    out: list[list[Array]] = [[] for _ in range(len(motion))]
    for point in points:
        side = point.name.partition("_")[0]
        along = tracks[f"{side}_ball"] - tracks[f"{side}_heel"]
        across = np.cross(along * (1.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        across *= SOLE_HALF_WIDTH / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        for frame in np.flatnonzero(contacts.touching(point.name)):
            out[frame] += [tracks[point.name][frame] + sign * across[frame] for sign in (1.0, -1.0)]
    return tuple(np.array(found).reshape(-1, 3) for found in out)


def measure_overbalance(
    character: Character, motion: Motion, pushes: Sequence[Push], platform: Platform | None = None
) -> float:
    """Return how far (m) pushes bring the extrapolated centre of mass outside the feet of a character's motion."""
    forces = sum_push_forces(character, motion, pushes, platform)
    pushed = np.flatnonzero(forces[:, :2].any(axis=1))
    if not len(pushed):
        return 0.0
    support, deviation, outside = measure_foot_support(character, motion), np.array((0.0, 0.0)), 0.0
    last = min(int(pushed[-1]) + round(STEP_TIME / motion.frame_time), len(motion) - 1)
    for frame in range(int(pushed[0]), last + 1):
        deviation = support.step(frame, deviation, forces[frame])
        outside = max(outside, float(support.measure_outside(frame, deviation)))
    return outside


def sum_push_forces(
    character: Character, motion: Motion, pushes: Sequence[Push], platform: Platform | None = None
) -> Array:
    """Return the forces (frames, 3) in N on the whole body; seen from a platform, it is pushed the other way."""
    step, total = motion.frame_time, np.zeros((len(motion), 3))
    for push in pushes:
        shares = np.array([compute_active_fraction(push, time, step) for time in motion.times])[:, None]
        turned = motion.placement.rotations[:, character.body(push.body)]
        total += shares * (quat.rotate(turned, push.force) if push.axes == "body" else np.array(push.force))
    if platform is not None:
        shares = np.array([compute_active_fraction(platform, time, step) for time in motion.times])[:, None]
        total -= shares * character.mass * np.array(platform.acceleration)
    return total


def find_outcome(outside: float, leg_length: float) -> str:
    """Return what a person with legs of a length (m) does, by metres outside the feet."""
    return OUTCOMES[int(find_outcomes(outside, leg_length))]


def describe_overbalance(outside: float, leg_length: float) -> str:
    """Say what a person with legs of a length (m) would do; nothing within balance."""
    outcome = find_outcome(outside, leg_length)
    if outcome == "stands":
        return ""
    beyond = f"the extrapolated centre of mass is {100.0 * outside:.0f} cm outside the feet"
    reach = f" (a step catches {100.0 * STEP_REACH * leg_length:.0f} cm)" if outcome == "falls" else ""
    return f"a person would {outcome.removesuffix('s')} here: {beyond}{reach}"
