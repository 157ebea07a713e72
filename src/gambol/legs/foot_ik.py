"""Feet brought back to where they are held, by the angles of their own legs alone.

Blending, resampling and editing move planted feet by millimetres to centimetres. Damped Gauss-Newton steps on hip, knee
and ankle, all frames and both feet at once, bring the points that are held to their places again. The root, the other
joints and frames whose points are in their places do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross
from gambol.motion.kinematics import place
from gambol.motion.skeleton import Skeleton
from gambol.terms.contacts import ContactConstraint

_Index = NDArray[Any]
"""Whole numbers; cut, repeated and put together in one go with arrays of other numbers."""

FOOT_TOLERANCE = 1e-4
"""Metres that held points may be off their places."""
_ROUNDS = 12
"""Steps at most: two or three bring a foot back that is within reach."""
_NEARER, _FARTHER = 0.3, 10.0
"""What damping is multiplied by after a step that came nearer, and after one that did not."""
_LEAST = 0.1
"""Share of the squared distance that damps a step at least: none turns a leg by more than 1.6 radians."""


def restore_feet(character: Character, q: Array, holds: Sequence[ContactConstraint], tolerance: float = FOOT_TOLERANCE) -> Array:
    """Coordinates (frames, dofs) whose held feet are in their places, or as near as the legs' limits allow."""
    out = q.copy()
    for feet in _held(character, q, holds):
        off = _distance(_rows(feet, feet.angles).off) > tolerance
        if off.any():
            feet = feet if off.all() else _Feet(*(part[off] for part in feet))
            out[feet.frames[:, None], feet.columns] = _solved(feet, 0.1 * tolerance)
    return out


class _Leg(NamedTuple):
    """The turns from a hip to a foot; the matrix of each is still + sin * first + (1 - cos) * second."""

    columns: _Index
    """(turns,) of the coordinates."""
    lower: Array
    """(turns,)"""
    upper: Array
    axes: Array
    """(turns, 3) seen from the joint."""
    offsets: Array
    """(turns, 3) from the joint before to the one that turns, seen from the one before."""
    still: Array
    """(turns, 3, 3)"""
    first: Array
    second: Array


class _Feet(NamedTuple):
    """A foot in a frame each (items): the rows that it should fulfil, and its leg, which begins in the world."""

    frames: _Index
    """(items,)"""
    angles: Array
    """(items, turns) at the beginning."""
    points: Array
    """(items, rows, 3) in the foot's frame."""
    directions: Array
    """(items, rows, 3) unit vectors of the world; nothing where a foot has fewer rows than the others."""
    places: Array
    """(items, rows) along the directions."""
    columns: _Index
    """(items, turns) and on: the leg."""
    lower: Array
    upper: Array
    axes: Array
    offsets: Array
    still: Array
    first: Array
    second: Array


class _Rows(NamedTuple):
    """How far every row is off (items, rows), and how that changes with the turns (items, rows, turns)."""

    off: Array
    slopes: Array


@lru_cache(maxsize=64)
def _leg(character: Character, body: str) -> tuple[int, _Leg]:
    """The leg that ends in a body, and the joint that carries it."""
    skeleton = character.skeleton
    path = skeleton.path_to_root(character.body(body))[::-1]
    thigh = f"{body.partition('_')[0]}_thigh"
    if thigh not in [skeleton.names[joint] for joint in path]:
        raise InputError(f"'{body}' is not of a leg", fix="hold a foot")
    hip = path.index(skeleton.index(thigh))
    carrier, path = skeleton.parents[path[hip]], path[hip:]
    turns = [skeleton.columns(joint, "turn") for joint in path]
    if not all(turns) or any(skeleton.columns(joint, "slide") for joint in path):
        raise InputError(f"every joint from '{thigh}' to '{body}' must turn, and none slide")
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
    """The joints from the root to one that carries legs, alone, and the columns that move them."""
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
    """Where a joint that carries legs is (frames, 3), and how it is turned (frames, 3, 3)."""
    columns, above = _above(character, carrier)
    placed = place(above, q[:, columns])
    return placed.positions[:, -1], quat.to_matrix(placed.rotations[:, -1])


def _held(character: Character, q: Array, holds: Sequence[ContactConstraint]) -> list[_Feet]:
    """All feet that are held, those whose legs have as many turns and rows together."""
    legs = {hold.body: _leg(character, hold.body) for hold in holds}
    bases = {carrier: _carried(character, carrier, q) for carrier in {carrier for carrier, _ in legs.values()}}
    groups: dict[tuple[int, ...], list[_Feet]] = {}
    for body, (carrier, leg) in legs.items():
        frames, points, directions, places = _wanted([hold for hold in holds if hold.body == body], len(q))
        hips, turned = (part[frames] for part in bases[carrier])
        many = _Leg(*(np.repeat(part[None], len(frames), axis=0) for part in leg))
        many.offsets[:, 0] = hips + turned @ leg.offsets[0]
        for part in (many.still, many.first, many.second):
            part[:, 0] = turned @ part[:, 0]
        foot = _Feet(frames, q[frames][:, leg.columns], points, directions, places, *many)
        groups.setdefault((points.shape[1], len(leg.columns)), []).append(foot)
    return [_Feet(*map(np.concatenate, zip(*feet, strict=True))) for feet in groups.values()]


def _wanted(holds: Sequence[ContactConstraint], frames: int) -> tuple[_Index, Array, Array, Array]:
    """The frames in which a body is held, and what its rows ask there: points, directions, places along them."""
    counts = np.zeros(frames, dtype=int)
    for hold in holds:
        counts[hold.first : hold.last + 1] += len(hold.constrained_axes)
    shape = (frames, int(counts.max(initial=0)))
    points, directions, places = np.zeros((*shape, 3)), np.zeros((*shape, 3)), np.zeros(shape)
    filled = np.zeros(frames, dtype=int)
    for hold in holds:
        if hold.last >= frames:
            raise InputError(f"a hold of '{hold.body}' ends at frame {hold.last} of {frames}")
        held, axes = np.arange(hold.first, hold.last + 1), hold.axes
        for point, axis in hold.constrained_axes:
            points[held, filled[held]], directions[held, filled[held]] = hold.points[point], axes[axis]
            places[held, filled[held]] = hold.places[point] @ axes[axis]
            filled[held] += 1
    some = np.flatnonzero(counts)
    return some, points[some], directions[some], places[some]


def _solved(feet: _Feet, enough: float) -> Array:
    """Angles (items, turns) that bring every foot, by itself, as near to its places as they can."""
    angles = np.clip(feet.angles, feet.lower, feet.upper)
    rows = _rows(feet, angles)
    away, damping = _distance(rows.off), np.ones(len(angles))
    diagonal = np.arange(rows.off.shape[1])
    for _ in range(_ROUNDS):
        busy = away > enough
        if not busy.any():
            break
        uphill = _pulled(rows.slopes, rows.off)
        stuck = ((angles <= feet.lower) & (uphill > 0.0)) | ((angles >= feet.upper) & (uphill < 0.0))
        slopes = rows.slopes * ~stuck[:, None]
        damped = slopes @ slopes.transpose(0, 2, 1)
        damped[:, diagonal, diagonal] += (damping * away**2)[:, None]
        step = _pulled(slopes, np.linalg.solve(damped, rows.off[..., None])[..., 0])
        tried = np.clip(angles - step, feet.lower, feet.upper)
        there = _rows(feet, tried)
        distance = _distance(there.off)
        nearer = busy & (distance < away)
        angles[nearer], away[nearer] = tried[nearer], distance[nearer]
        rows.off[nearer], rows.slopes[nearer] = there.off[nearer], there.slopes[nearer]
        damping = np.maximum(_LEAST, damping * np.where(nearer, _NEARER, _FARTHER))
    return angles


def _distance(off: Array) -> Array:
    """(items,) metres."""
    return np.sqrt(np.sum(off**2, axis=1))


def _pulled(slopes: Array, rows: Array) -> Array:
    """(items, turns) what rows (items, rows) ask of the turns."""
    return (rows[:, None] @ slopes)[:, 0]


def _rows(feet: _Feet, angles: Array) -> _Rows:
    """The rows of feet at some angles (items, turns)."""
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
    slopes = moments @ axes.transpose(0, 2, 1) - feet.directions @ arms.transpose(0, 2, 1)
    return _Rows(np.sum(feet.directions * points, axis=2) - feet.places, slopes)
