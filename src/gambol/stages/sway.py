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
from gambol.stages.drift import SHORTEST, is_slower, measure_creep, track_over_floor

_CUTOFF, _RETURN = 3.0, 0.2
"""Frequency (Hz) up to which a sway is followed, and the weight of its square against that of a point in contact."""
_ROLLED = 0.1
"""Largest share of the body's travel by which points in contact follow it."""
_OUTLYING, _ROUNDS = 0.02, 4
"""Metres from its place from which a point counts less, and how often the weights are found."""
_FAST = 0.1
"""Median speed (m/s) of points in contact from which a body may sway."""


def find_sway(motion: Motion, points: Sequence[BodyPoint], likely: Contacts) -> Array | None:
    """Find the sway (frames, 2) in metres of a character's path; None if there is none.

    `points` are heels and balls of its feet, and `likely` when they are in contact by the shape of the movement.
    """
    tracks = track_over_floor(motion, points)
    if measure_creep(likely, tracks) < _FAST:
        return None
    contacts = [one for one in likely.items if (one.last - one.first + 1) * motion.frame_time >= SHORTEST]
    body = motion.placement.positions[:, 0, :2]
    sway = _fit_sway(contacts, tracks, body - body[0], motion.frame_time)
    return sway if is_slower(likely, tracks, sway) else None


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
