"""Evaluate how physical a motion is from its coordinates alone, with an engine that did not solve it (Pinocchio).

At the frames: free fall and angular momentum in flight, positions of contacts, and whether the ground can give the
force that the body needs. Between the frames: the same for the motion re-sampled with cubic splines, as a player shows
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.soles import find_soles
from gambol.contacts.contact import Contact
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.polygons import find_hull, find_nearest
from gambol.geometry.vectors import UP
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.terms.forces import ExternalForce

_LIGHT = 0.05
"""Normal force (body weights) below which friction and pressure are not evaluated."""
_UNEVEN, _THIN = 0.02, 0.002
"""Metres that places may lie off one plane, and spread (root mean square) below which they count as a line."""


@dataclass(frozen=True)
class FrameErrors:
    """The worst values over all frames; nan where no frame applies."""

    fall: float
    """Deviation of the centre of mass from free fall in flight (m/s²)."""
    spin: float
    """Drift of angular momentum in a flight (kg m²/s)."""
    contact: float
    """Distance of a contact point from its place (m), without the direction in which it may slide."""
    least: float
    """Smallest vertical ground force (body weights); negative if it pulls."""
    peak: float
    """Largest vertical ground force (body weights)."""
    friction: float
    """Largest friction coefficient needed, relative to the mean normal of the contacts."""
    pressure: float
    """Distance of the centre of pressure outside the support (m), where the support is in one plane."""
    power: float
    """Largest power of the ground force on the centre of mass (W/kg)."""


@dataclass(frozen=True)
class BetweenErrors:
    """The worst values of a motion re-sampled between its frames; nan where no stage applies."""

    parabola: float
    """Distance of the centre of mass from the best-fitting parabola of a flight (m)."""
    spin: float
    """Drift of angular momentum in a flight, relative to its size (at least 1 kg m²/s)."""
    slip: float
    """Distance of a contact point from its place (m)."""
    penetration: float
    """Depth of a sole below the ground (m)."""


def evaluate_frames(
    character: Character,
    motion: Motion,
    contacts: Sequence[Contact],
    loads: Sequence[Contact] | None = None,
    gravity: float | Array = GRAVITY,
    pushes: Sequence[ExternalForce] = (),
) -> FrameErrors:
    """Evaluate a motion at its frames.

    Force may act at `loads` (default: at `contacts`); `gravity` (m/s²) is one value or one per frame. `pushes`
    are known forces that the ground does not give.
    """
    q, step, dynamics = motion.q, motion.frame_time, Dynamics(character)
    center = dynamics.center_of_mass(q)
    need = np.diff(center, 2, axis=0) / step**2 + np.outer(np.broadcast_to(gravity, len(q))[1:-1], (0.0, 0.0, 1.0))
    spins = np.asarray(dynamics.momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / step).angular)
    pushed, twisted = _sum_pushes(character, q, center, pushes)
    need -= pushed[1:-1] / character.mass
    moments = np.diff(spins, axis=0) / step - twisted[1:-1]
    carriers = contacts if loads is None else loads
    active = [[contact for contact in carriers if contact.is_active(frame)] for frame in range(1, len(q) - 1)]
    air = np.array([not some for some in active])
    floor = np.array([bool(some) and not any(c.grip or c.slide is not None for c in some) for some in active])
    up = need[:, 2] / GRAVITY
    normals = np.array([_normal(some) if some else UP for some in active])
    pressing = np.sum(need * normals, axis=1)
    heavy = floor & (pressing > _LIGHT * GRAVITY)
    sideways = np.linalg.norm(need - pressing[:, None] * normals, axis=1)
    speed = 0.5 * (center[2:] - center[:-2]) / step
    return FrameErrors(
        fall=_worst(np.abs(need[air]).max(axis=1)) if air.any() else np.nan,
        spin=_worst([_range(spins[a : b + 2]) for a, b in find_runs(air)]),
        contact=_worst(_distances(character, q, c, np.arange(c.first, c.last + 1)).max() for c in contacts),
        least=float(up[floor].min()) if floor.any() else np.nan,
        peak=_worst(up[floor]),
        friction=_worst(sideways[heavy] / pressing[heavy]),
        pressure=_worst(
            _outside(need[frame], moments[frame] / character.mass, center[frame + 1], active[frame])
            for frame in map(int, np.flatnonzero(heavy))
        ),
        power=_worst(np.sum(need * speed, axis=1)[~air]),
    )


def evaluate_between(
    character: Character,
    motion: Motion,
    contacts: Sequence[Contact],
    ground: Array,
    times: int = 4,
    *,
    loads: Sequence[Contact] | None = None,
    gravity: float | Array = GRAVITY,
) -> BetweenErrors:
    """Evaluate a motion re-sampled `times` as finely; `ground` (frames,) is the height of the ground (m).

    The other arguments are those of `evaluate_frames`.
    """
    from scipy.interpolate import CubicSpline

    count, dynamics = len(motion), Dynamics(character)
    curve = CubicSpline(np.arange(count), motion.q)
    at = np.arange((count - 1) * times + 1) / times
    fine = curve(at)
    carriers, pull = contacts if loads is None else loads, np.broadcast_to(gravity, count)
    air = np.array([not any(contact.is_active(frame) for contact in carriers) for frame in range(count)])
    falls, drifts = [], []
    for first, last in find_runs(air):
        if first > 0 and last < count - 1:
            flown = (at >= first - 1) & (at <= last + 1)
            center, seconds = dynamics.center_of_mass(fine[flown]), at[flown] * motion.frame_time
            falls.append(_off_parabola(center, seconds, float(pull[first])))
            inner = (at >= first) & (at <= last)
            rate = curve(at[inner], 1) / motion.frame_time
            drifts.append(_drift(np.asarray(dynamics.momentum(fine[inner], rate).angular)))
    slips = [_distances(character, fine, c, np.flatnonzero((at >= c.first) & (at <= c.last))).max() for c in contacts]
    return BetweenErrors(_worst(falls), _worst(drifts), _worst(slips), _below(character, fine, at, ground))


def _distances(character: Character, q: Array, contact: Contact, frames: NDArray[np.intp]) -> Array:
    """Return the largest distance (m) of a contact's points from their places, (frames,)."""
    joint = character.skeleton.index(contact.body)
    placed = place(character.skeleton, q[frames])
    turned = quat.rotate(placed.rotations[:, joint, None], contact.points)
    away = placed.positions[:, joint, None] + turned - contact.places
    if contact.slide is not None:
        away = away - (away @ contact.slide)[..., None] * contact.slide
    return np.asarray(np.linalg.norm(away, axis=2).max(axis=1))


def _sum_pushes(character: Character, q: Array, center: Array, pushes: Sequence[ExternalForce]) -> tuple[Array, Array]:
    """Return the sum of external forces (frames, 3) in N, and of their moments about the centre of mass in N m."""
    force, moment = np.zeros((len(q), 3)), np.zeros((len(q), 3))
    placed = place(character.skeleton, q)
    for push in pushes:
        frames, joint = slice(push.first, push.last + 1), character.skeleton.index(push.body)
        point = placed.positions[frames, joint] + quat.rotate(placed.rotations[frames, joint], push.point)
        force[frames] += push.forces
        moment[frames] += np.cross(point - center[frames], push.forces)
    return force, moment


def _outside(force: Array, turning: Array, center: Array, active: list[Contact]) -> float | None:
    """Return the distance (m) of the centre of pressure outside the support; None if the support is not in one plane.

    Force of the ground and its moment about the centre of mass are per kilogram. About the centre of pressure the
    ground has only a moment along the normal of the plane: with the moment M about a point of the plane, it lies
    n x M / (F . n) from that point.
    """
    places = np.vstack([contact.places for contact in active])
    middle, axes = _plane(places, _normal(active))
    pressing = float(force @ axes[2])
    above = (places - middle) @ axes[2]
    if np.abs(above).max() > _UNEVEN or pressing < _LIGHT * GRAVITY:
        return None
    # Project places a little off the plane along the force.
    support = places - middle - np.outer(above / pressing, force)
    moment = turning + np.cross(center - middle, force)
    pressure = axes[:2] @ np.cross(axes[2], moment) / pressing
    return float(np.linalg.norm(pressure - find_nearest(find_hull(support @ axes[:2].T), pressure)))


def _normal(contacts: Sequence[Contact]) -> Array:
    """Return the mean normal (3,) of contacts."""
    total = np.sum([contact.normal for contact in contacts], axis=0)
    return np.asarray(total / np.linalg.norm(total))


def _plane(places: Array, normal: Array) -> tuple[Array, Array]:
    """Fit a plane to places: return a point of it, and as rows two axes in it and its normal.

    For places on a line and single places it is the plane whose normal is nearest to the given one.
    """
    middle = places.mean(axis=0)
    _, spread, axes = np.linalg.svd(np.vstack([places - middle, np.zeros((3, 3))]))
    known = axes[: int((spread > _THIN * np.sqrt(len(places))).sum())][:2]
    if len(known) == 2:
        up = np.cross(*known)
        up = up * np.sign(up @ normal)
    else:
        up = normal - known.T @ (known @ normal)
        up = up / np.linalg.norm(up)
    along = known[0] if len(known) else axes[0] - (axes[0] @ up) * up
    along = along / np.linalg.norm(along)
    return middle, np.array([along, np.cross(up, along), up])


def _off_parabola(center: Array, times: Array, gravity: float) -> float:
    fallen = center + np.outer((times - times[0]) ** 2, (0.0, 0.0, 0.5 * gravity))
    line = np.stack([np.ones(len(times)), times - times[0]], axis=1)
    return float(np.linalg.norm(fallen - line @ np.linalg.lstsq(line, fallen, rcond=None)[0], axis=1).max())


def _drift(spins: Array) -> float:
    mean = spins.mean(axis=0)
    return float(np.linalg.norm(spins - mean, axis=1).max() / max(np.linalg.norm(mean), 1.0))


def _below(character: Character, q: Array, at: Array, ground: Array) -> float:
    """Return the largest depth (m) of a sole below the ground; between two frames the lower of their grounds counts."""
    placed = place(character.skeleton, q)
    floor = np.minimum(ground[np.floor(at).astype(int)], ground[np.ceil(at).astype(int)])
    depths = [0.0]
    for sole in find_soles(character).values():
        joint = character.skeleton.index(sole.body)
        points = np.stack([sole.back.mean(axis=0), sole.front.mean(axis=0)])
        low = (placed.positions[:, joint, None] + quat.rotate(placed.rotations[:, joint, None], points))[..., 2].min(
            axis=1
        )
        depths.append(float((floor - low).max()))
    return _worst(depths)


def _range(values: Array) -> float:
    return float(np.ptp(values, axis=0).max())


def _worst(values: Iterable[float | None]) -> float:
    """Return the largest value, nan if one is nan or there is none; None is left out."""
    found = [value for value in values if value is not None]
    return float(np.max(found)) if found else float("nan")
