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

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import differentiate, low_pass
from gambol.motion.motion import Motion
from gambol.motion.pushes import Platform, Push, compute_active_fraction
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import find_foot_points, track_point

OVERBALANCE = 0.05
"""Metres outside the feet up to which a push counts as within balance: steps of a walk vary by as much."""
_CUTOFF = 8.0
"""Hz: faster motion of the centre of mass is noise."""
_HALF_WIDTH = 0.04
"""Metres from the line of a foot to the edge of its sole."""
_COUNTER = 2.0
"""Shift of the pressure per deviation of the extrapolated centre of mass, where the soles allow it."""
_AFTER = 0.6
"""Seconds after a push in which feet that stand then must hold what is left of the deviation: about a step."""


@dataclass(frozen=True, eq=False)
class FootSupport:
    """What the feet of a motion can hold in every frame."""

    corners: tuple[Array, ...]
    """(points, 2) metres, of the soles that stand; none in flight"""
    pressure: Array
    """(frames, 2) metres, the centre of pressure of the undisturbed motion"""
    rates: Array
    """(frames,) sqrt(g / height) of the centre of mass, 1/s"""
    mass: float
    frame_time: float

    def step(self, frame: int, deviation: Array, force: Array) -> Array:
        """Return the deviation (2,) of the extrapolated centre of mass (m) after a frame under a force (3,), in N.

        Without a force it does not grow, and never beyond the height of the centre of mass: how far somebody falls who
        does not step is not measured.
        """
        rate, held = self.rates[frame], self._nearest(frame, _COUNTER * deviation)
        falling = np.zeros(2) if held is None else rate * (deviation - held)
        after = np.asarray(deviation + self.frame_time * (force[:2] / (self.mass * rate) + falling))
        after *= min(1.0, GRAVITY / rate**2 / max(float(np.linalg.norm(after)), 1e-9))
        return after if force[:2].any() or np.linalg.norm(after) < np.linalg.norm(deviation) else deviation

    def measure_outside(self, frame: int, deviation: Array) -> float:
        """Return how far (m) a deviation (2,) of the extrapolated centre of mass is outside the feet; 0 in flight."""
        held = self._nearest(frame, deviation)
        return 0.0 if held is None else float(np.linalg.norm(deviation - held))

    def _nearest(self, frame: int, shift: Array) -> Array | None:
        """Return the shift of the pressure nearest to a shift (2,) that the soles allow; None in flight."""
        from scipy.optimize import nnls

        shifts = self.corners[frame] - self.pressure[frame]
        if not len(shifts):
            return None
        # The nearest convex combination of the corners: weights add up to 1.
        heavy = 1e3
        weights, _ = nnls(np.vstack((shifts.T, np.full(len(shifts), heavy))), [*shift, heavy])
        return np.asarray(weights @ shifts / weights.sum())


def measure_foot_support(character: Character, motion: Motion) -> FootSupport:
    """Measure where the feet of a character's motion stand, and where they press."""
    corners = _find_corners(motion)
    centre = low_pass(Dynamics(character).center_of_mass(motion.q), motion.frame_time, _CUTOFF)
    _, acceleration = differentiate(centre, motion.frame_time)
    floor = np.array([points[:, 2].min() if len(points) else np.nan for points in corners])
    stood = np.flatnonzero(np.isfinite(floor))
    ground = np.interp(np.arange(len(floor)), stood, floor[stood]) if len(stood) else np.zeros(len(floor))
    height = np.maximum(centre[:, 2] - ground, 0.1)
    load = np.maximum(GRAVITY + acceleration[:, 2], 0.3 * GRAVITY)
    wanted = centre[:, :2] - acceleration[:, :2] * (height / load)[:, None]
    flat = tuple(points[:, :2] for points in corners)
    rates = np.sqrt(GRAVITY / height)
    found = FootSupport(flat, wanted, rates, character.mass, motion.frame_time)
    inside = (found._nearest(frame, np.zeros(2)) for frame in range(len(motion)))
    moved = np.array([np.zeros(2) if shift is None else shift for shift in inside])
    return FootSupport(flat, wanted + moved, rates, character.mass, motion.frame_time)


def _find_corners(motion: Motion) -> tuple[Array, ...]:
    """Return the corners (points, 3) of the soles on the ground in every frame."""
    contacts, points = find_foot_contacts(motion), find_foot_points(motion)
    tracks = {point.name: track_point(motion, point) for point in points}
    out: list[list[Array]] = [[] for _ in range(len(motion))]
    for point in points:
        side = point.name.partition("_")[0]
        along = tracks[f"{side}_ball"] - tracks[f"{side}_heel"]
        across = np.cross(along * (1.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        across *= _HALF_WIDTH / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        for frame in np.flatnonzero(contacts.touching(point.name)):
            out[frame] += [tracks[point.name][frame] + sign * across[frame] for sign in (1.0, -1.0)]
    return tuple(np.array(found).reshape(-1, 3) for found in out)


def measure_overbalance(
    character: Character, motion: Motion, pushes: Sequence[Push], platform: Platform | None = None
) -> float:
    """Return how far (m) pushes bring the extrapolated centre of mass outside the feet of a character's motion."""
    forces = _sum_forces(character, motion, pushes, platform)
    pushed = np.flatnonzero(forces[:, :2].any(axis=1))
    if not len(pushed):
        return 0.0
    support, deviation, outside = measure_foot_support(character, motion), np.array((0.0, 0.0)), 0.0
    last = min(int(pushed[-1]) + round(_AFTER / motion.frame_time), len(motion) - 1)
    for frame in range(int(pushed[0]), last + 1):
        deviation = support.step(frame, deviation, forces[frame])
        outside = max(outside, support.measure_outside(frame, deviation))
    return outside


def _sum_forces(character: Character, motion: Motion, pushes: Sequence[Push], platform: Platform | None) -> Array:
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


def describe_overbalance(outside: float) -> str:
    """Say what a person would do; nothing within balance."""
    if outside <= OVERBALANCE:
        return ""
    return f"the extrapolated centre of mass is {100.0 * outside:.0f} cm outside the feet: a person would step here"
