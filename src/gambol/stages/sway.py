"""Find the sway of a body: an error of its path, up to a few hertz, that moves feet in contact to and fro.

Video and inertial suits know the pose better than the place. The feet in contact tell the error, if it is told apart
from how feet roll: heels and balls follow the body by a few hundredths of its travel. Places of contacts, the share
that feet roll, and a smooth sway that explains what is left are found together, by least squares.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.contacts.contact import BodyPoint, Contact
from gambol.contacts.timeline import Contacts
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.motion.motion import Motion
from gambol.stages.feet import track_point
from gambol.stages.speed import compute_speed

_CUTOFF, _RETURN = 3.0, 0.2
"""Frequency (Hz) up to which a sway is followed, and the weight of its square against that of a point in contact."""
_ROLLED = 0.1
"""Largest share of the body's travel by which points in contact follow it."""
_OUTLYING, _ROUNDS = 0.02, 4
"""Metres from its place from which a point counts less, and how often the weights are found."""
_SHORTEST, _ENDS = 0.1, 0.2
"""Seconds of the shortest contact that counts, and the share of it at either end in which it lands and lifts off."""
_FAST, _LEFT = 0.1, 0.6
"""Median speed (m/s) of contacts from which a body may sway, and the largest share of it that a sway may leave: in
sound recordings contacts are slower, or a sway explains little of their speed."""


def find_sway(motion: Motion, points: Sequence[BodyPoint], likely: Contacts) -> Array | None:
    """Find the sway (frames, 2) in metres of a character's path; None if there is none.

    `points` are heels and balls of its feet, and `likely` when they are in contact by the shape of the movement.
    """
    contacts = [one for one in likely.items if (one.last - one.first + 1) * motion.frame_time >= _SHORTEST]
    if not contacts:
        return None
    body = motion.placement.positions[:, 0, :2]
    tracks = {point.name: track_point(motion, point)[:, :2] - body[0] for point in points}
    before = _measure_speed(contacts, tracks, motion.frame_time)
    if before < _FAST:
        return None
    sway = _fit_sway(contacts, tracks, body - body[0], motion.frame_time)
    steadied = {name: track - sway for name, track in tracks.items()}
    return sway if _measure_speed(contacts, steadied, motion.frame_time) < _LEFT * before else None


def _measure_speed(contacts: Sequence[Contact], tracks: dict[str, Array], frame_time: float) -> float:
    """Return the median speed (m/s) of points in the middle of their contacts."""
    speeds = {name: compute_speed(track, frame_time) for name, track in tracks.items()}
    found = []
    for one in contacts:
        end = round(_ENDS * (one.last - one.first + 1))
        found.append(np.mean(speeds[one.part][one.first + end : one.last + 1 - end]))
    return float(np.median(found))


def _fit_sway(contacts: Sequence[Contact], tracks: dict[str, Array], body: Array, frame_time: float) -> Array:
    """Return the smooth sway (frames, 2) that explains best how points in contact leave their places."""
    from scipy.sparse import csc_array, diags_array
    from scipy.sparse.linalg import splu

    frames = np.concatenate([np.arange(one.first, one.last + 1) for one in contacts])
    owners = len(body) + np.repeat(np.arange(len(contacts)), [one.last - one.first + 1 for one in contacts])
    seen = np.concatenate([tracks[one.part][one.first : one.last + 1] for one in contacts])
    count, rows = len(body) + len(contacts), np.arange(len(frames))
    # A point in contact is at the place of the contact, plus the sway, plus a share of the body's travel.
    model = csc_array(
        (np.ones(2 * len(rows)), (np.tile(rows, 2), np.concatenate((frames, owners)))), (len(rows), count)
    )
    stiffness = diags_array([1.0, -2.0, 1.0], offsets=[0, 1, 2], shape=(max(len(body) - 2, 0), count))
    stiffness = stiffness * (2.0 * np.pi * _CUTOFF * frame_time) ** -2
    still = diags_array(np.r_[np.full(len(body), _RETURN), np.zeros(len(contacts))])
    smooth = stiffness.T @ stiffness + still
    weights = np.ones(len(rows))
    for _ in range(_ROUNDS):
        weighted = model.T * weights
        sides = np.column_stack((seen, body[frames]))
        found = splu((weighted @ model + smooth).tocsc()).solve(weighted @ sides)
        left = sides - model @ found
        # The share of the travel for which the rest, and the sway with it, is least.
        products = left.T @ (weights[:, None] * left) + found.T @ (smooth @ found)
        share = np.clip(np.trace(products[:2, 2:]) / max(np.trace(products[2:, 2:]), 1e-12), 0.0, _ROLLED)
        away = lengths(left[:, :2] - share * left[:, 2:])
        weights = _OUTLYING / np.maximum(away, _OUTLYING)
    return np.asarray(found[: len(body), :2] - share * found[: len(body), 2:])
