"""Inverse kinematics that moves feet back to the places of their contacts, by the angles of the legs alone.

Blending, resampling and editing move planted feet by millimetres to centimetres. Damped Gauss-Newton steps on hip, knee
and ankle, for all frames and both feet at once, move the contact points back to their places. The root, the other
joints, and frames whose points are in place do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.contacts.contact import Contact
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross
from gambol.motion.kinematics import place
from gambol.motion.skeleton import Skeleton

_Index = NDArray[Any]
"""Integer arrays; typed like float arrays because both are indexed and concatenated together."""

FOOT_TOLERANCE = 1e-4
"""Distance (m) of contact points from their places that is not corrected."""
_ROUNDS = 12
"""Largest number of steps; two or three are enough for a foot within reach."""
_NEARER, _FARTHER = 0.3, 10.0
"""Factors of the damping after a step that decreased the distance, and after one that did not."""
_LEAST = 0.1
"""Least damping, as a share of the squared distance: no step rotates a leg by more than 1.6 radians."""


def restore_feet(
    character: Character, q: Array, contacts: Sequence[Contact], tolerance: float = FOOT_TOLERANCE
) -> Array:
    """Return coordinates (frames, dofs) with the feet at the places of contacts, or as near as joint limits allow."""
    out = q.copy()
    for feet in _feet_in_contact(character, q, contacts):
        displaced = _distance(_evaluate(feet, feet.angles).errors) > tolerance
        if displaced.any():
            feet = feet if displaced.all() else _Feet(*(part[displaced] for part in feet))
            out[feet.frames[:, None], feet.columns] = _solve(feet, 0.1 * tolerance)
    return out


class _Leg(NamedTuple):
    """The rotations from a hip to a foot; the matrix of each is still + sin * first + (1 - cos) * second."""

    columns: _Index
    """(turns,) columns of the coordinates."""
    lower: Array
    """(turns,) joint limits."""
    upper: Array
    axes: Array
    """(turns, 3) in the joint's frame."""
    offsets: Array
    """(turns, 3) from the previous joint to this one, in the frame of the previous one."""
    still: Array
    """(turns, 3, 3)"""
    first: Array
    second: Array


class _Feet(NamedTuple):
    """Items, each a foot in one frame: its constraints, and its leg, starting in the world frame."""

    frames: _Index
    """(items,)"""
    angles: Array
    """(items, turns) initial angles."""
    points: Array
    """(items, constraints, 3) in the foot's frame."""
    directions: Array
    """(items, constraints, 3) unit vectors in the world; zeros where a foot has fewer constraints than others."""
    places: Array
    """(items, constraints) target positions along the directions."""
    columns: _Index
    """(items, turns); from here on the leg, as in `_Leg`."""
    lower: Array
    upper: Array
    axes: Array
    offsets: Array
    still: Array
    first: Array
    second: Array


class _Residuals(NamedTuple):
    """Errors (items, constraints) of the constraints and their Jacobian (items, constraints, turns)."""

    errors: Array
    jacobian: Array


@lru_cache(maxsize=64)
def _leg(character: Character, body: str) -> tuple[int, _Leg]:
    """Return the parent joint of the leg that ends in a body, and the leg."""
    skeleton = character.skeleton
    path = skeleton.path_to_root(character.body(body))[::-1]
    thigh = f"{body.partition('_')[0]}_thigh"
    if thigh not in [skeleton.names[joint] for joint in path]:
        raise InputError(f"body '{body}' is not part of a leg", fix="give contacts of feet")
    hip = path.index(skeleton.index(thigh))
    carrier, path = skeleton.parents[path[hip]], path[hip:]
    turns = [skeleton.columns(joint, "turn") for joint in path]
    if not all(turns) or any(skeleton.columns(joint, "slide") for joint in path):
        raise InputError(f"every joint from '{thigh}' to '{body}' must rotate, and none may translate")
    begins = np.cumsum([0, *map(len, turns[:-1])])
    columns = np.concatenate(turns)
    offsets, rests = np.zeros((len(columns), 3)), np.tile(quat.IDENTITY, (len(columns), 1))
    offsets[begins], rests[begins] = skeleton.offsets[path], skeleton.rests[path]
    dofs = [skeleton.dofs[column] for column in columns]
    axes = np.array([dof.axis for dof in dofs])
    still, across = quat.to_matrix(rests), np.cross(axes[:, None], np.eye(3)).transpose(0, 2, 1)
    limits = np.array([(dof.lower, dof.upper) for dof in dofs]).T
    leg = _Leg(columns, limits[0], limits[1], axes, offsets, still, still @ across, still @ across @ across)
    return carrier, leg


@lru_cache(maxsize=64)
def _above(character: Character, carrier: int) -> tuple[list[int], Skeleton]:
    """Return the columns and the skeleton of the joints from the root to the parent of a leg."""
    skeleton = character.skeleton
    path = skeleton.path_to_root(carrier)[::-1]
    columns = [column for column, dof in enumerate(skeleton.dofs) if dof.joint in path]
    return columns, Skeleton(
        tuple(skeleton.names[joint] for joint in path),
        tuple(range(-1, len(path) - 1)),
        skeleton.offsets[path],
        tuple(replace(skeleton.dofs[column], joint=path.index(skeleton.dofs[column].joint)) for column in columns),
        skeleton.rests[path],
    )


def _carried(character: Character, carrier: int, q: Array) -> tuple[Array, Array]:
    """Return positions (frames, 3) and rotations (frames, 3, 3) of the parent joint of a leg."""
    columns, above = _above(character, carrier)
    placed = place(above, q[:, columns])
    return placed.positions[:, -1], quat.to_matrix(placed.rotations[:, -1])


def _feet_in_contact(character: Character, q: Array, contacts: Sequence[Contact]) -> list[_Feet]:
    """Return all feet in contact, grouped by the numbers of rotations and constraints."""
    legs = {contact.body: _leg(character, contact.body) for contact in contacts}
    bases = {carrier: _carried(character, carrier, q) for carrier in {carrier for carrier, _ in legs.values()}}
    groups: dict[tuple[int, ...], list[_Feet]] = {}
    for body, (carrier, leg) in legs.items():
        frames, points, directions, places = _constraints(
            [contact for contact in contacts if contact.body == body], len(q)
        )
        hips, turned = (part[frames] for part in bases[carrier])
        many = _Leg(*(np.repeat(part[None], len(frames), axis=0) for part in leg))
        many.offsets[:, 0] = hips + turned @ leg.offsets[0]
        for part in (many.still, many.first, many.second):
            part[:, 0] = turned @ part[:, 0]
        foot = _Feet(frames, q[frames][:, leg.columns], points, directions, places, *many)
        groups.setdefault((points.shape[1], len(leg.columns)), []).append(foot)
    return [_Feet(*map(np.concatenate, zip(*feet, strict=True))) for feet in groups.values()]


def _constraints(contacts: Sequence[Contact], frames: int) -> tuple[_Index, Array, Array, Array]:
    """Return the frames with contacts of a body, and their constraints: points, directions, target positions."""
    counts = np.zeros(frames, dtype=int)
    for contact in contacts:
        counts[contact.first : contact.last + 1] += len(contact.constrained_axes)
    shape = (frames, int(counts.max(initial=0)))
    points, directions, places = np.zeros((*shape, 3)), np.zeros((*shape, 3)), np.zeros(shape)
    filled = np.zeros(frames, dtype=int)
    for contact in contacts:
        if contact.last >= frames:
            raise InputError(
                f"a contact of '{contact.body}' ends at frame {contact.last}, but the motion has {frames} frames"
            )
        active, axes = np.arange(contact.first, contact.last + 1), contact.axes
        for point, axis in contact.constrained_axes:
            points[active, filled[active]], directions[active, filled[active]] = contact.points[point], axes[axis]
            places[active, filled[active]] = contact.places[point] @ axes[axis]
            filled[active] += 1
    some = np.flatnonzero(counts)
    return some, points[some], directions[some], places[some]


def _solve(feet: _Feet, tolerance: float) -> Array:
    """Return the angles (items, turns) that bring every foot, on its own, as near to its places as possible."""
    angles = np.clip(feet.angles, feet.lower, feet.upper)
    now = _evaluate(feet, angles)
    away, damping = _distance(now.errors), np.ones(len(angles))
    diagonal = np.arange(now.errors.shape[1])
    for _ in range(_ROUNDS):
        busy = away > tolerance
        if not busy.any():
            break
        gradient = _project(now.jacobian, now.errors)
        stuck = ((angles <= feet.lower) & (gradient > 0.0)) | ((angles >= feet.upper) & (gradient < 0.0))
        jacobian = now.jacobian * ~stuck[:, None]
        damped = jacobian @ jacobian.transpose(0, 2, 1)
        damped[:, diagonal, diagonal] += (damping * away**2)[:, None]
        step = _project(jacobian, np.linalg.solve(damped, now.errors[..., None])[..., 0])
        tried = np.clip(angles - step, feet.lower, feet.upper)
        then = _evaluate(feet, tried)
        distance = _distance(then.errors)
        nearer = busy & (distance < away)
        angles[nearer], away[nearer] = tried[nearer], distance[nearer]
        now.errors[nearer], now.jacobian[nearer] = then.errors[nearer], then.jacobian[nearer]
        damping = np.maximum(_LEAST, damping * np.where(nearer, _NEARER, _FARTHER))
    return angles


def _distance(errors: Array) -> Array:
    """Return the norms (items,) in metres."""
    return np.sqrt(np.sum(errors**2, axis=1))


def _project(jacobian: Array, values: Array) -> Array:
    """Return the transposed Jacobian times values (items, constraints): (items, turns)."""
    return (values[:, None] @ jacobian)[:, 0]


def _evaluate(feet: _Feet, angles: Array) -> _Residuals:
    """Return errors and Jacobian of feet at some angles (items, turns)."""
    wide = angles[..., None, None]
    turns = feet.still + np.sin(wide) * feet.first + (1.0 - np.cos(wide)) * feet.second
    for n in range(1, turns.shape[1]):
        turns[:, n] = turns[:, n - 1] @ turns[:, n]
    origins = feet.offsets.copy()
    origins[:, 1:] = (turns[:, :-1] @ feet.offsets[:, 1:, :, None])[..., 0]
    origins = np.cumsum(origins, axis=1)
    axes = (turns @ feet.axes[..., None])[..., 0]
    points = origins[:, -1:] + feet.points @ turns[:, -1].transpose(0, 2, 1)
    # direction . (axis x (point - origin)) = axis . (point x direction) - direction . (axis x origin)
    moments, arms = cross(points, feet.directions), cross(axes, origins)
    jacobian = moments @ axes.transpose(0, 2, 1) - feet.directions @ arms.transpose(0, 2, 1)
    return _Residuals(np.sum(feet.directions * points, axis=2) - feet.places, jacobian)
