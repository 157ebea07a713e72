"""Find the motion of a family that brings a point of the body to a target (L05 section 4.4.3, inverse control).

E(x) = (r - h(Q(x, t)))² is minimised over the axis values x with finite differences, starting from the nearest member.
The thesis uses gradient descent, and blends with sin² and cos² so that E is smooth across members. That only
reparametrises the axes: the same motions come in the same order, but the gradient vanishes at every member. So blends
are linear here, as in playback, and damped Gauss-Newton steps cross members in a step or two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.spacetime.families.family import Family

STOP_DISTANCE = 5e-4
"""Metres: the search stops within this distance of the target, or after a step that gains less."""
HIT_DISTANCE = 0.01
"""Metres: distance within which the target counts as hit."""
_STEPS = 12
"""Most steps from one member."""
_STARTS = 2
"""Members that are tried as a start, the nearest first, until one hits the target."""
_APART = 0.01
"""Step of finite differences, as a share of a cell."""
_TIPS = {"head": "head_tip", "left_foot": "left_toe_tip", "right_foot": "right_toe_tip"}


@dataclass(frozen=True, eq=False)
class ReachSolution:
    """The axis values that bring a point nearest to a target."""

    values: tuple[float, ...]
    position: Array
    """(3,) metres: position of the point"""
    miss: float
    """Metres from the target."""

    @property
    def hit(self) -> bool:
        """Whether the point is within a centimetre of the target."""
        return self.miss <= HIT_DISTANCE


def find_point(character: Character, words: str) -> tuple[str, Array]:
    """Return the body of a name ("right hand", "head") and its point: finger tips, crown, toes, else its centre."""
    body = character.find_body(words)
    skeleton, tip = character.skeleton, _TIPS.get(body, f"{body}_tip")
    if tip in skeleton.names and skeleton.parents[skeleton.index(tip)] == skeleton.index(body):
        return body, skeleton.offsets[skeleton.index(tip)]
    return body, character.centers[skeleton.index(body)]


def reach(family: Family, body: str, point: Array, place: Sequence[float], seconds: float) -> ReachSolution:
    """Find the axis values that bring a point (m, in the frame of a body) to a place (m, world) at a time (s).

    If the place is out of reach, return the values that come nearest, as far as descent from the nearest members finds.
    """
    early, late = float(family.times[..., 0].max()), float(family.times[..., -1].min())
    if not early <= seconds <= late:
        raise InputError(f"the time must be {early:.2f} to {late:.2f} s, as in all members, not {seconds:g}")
    goal = np.asarray(place, dtype=float)
    if goal.shape != (3,) or not np.isfinite(goal).all():
        raise InputError(f"a place must be three finite numbers, not {place}")
    search = _Search(family, _chain(family.character, body), point, goal, seconds)
    grids = [axis.values for axis in family.plan.axes]
    members = np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, len(grids))
    away = np.linalg.norm(search.at_members() - goal, axis=1)
    best: tuple[Array, Array] | None = None
    for n in np.argsort(away)[:_STARTS]:
        found = search.descend(members[n])
        if best is None or np.linalg.norm(found[1] - goal) < np.linalg.norm(best[1] - goal):
            best = found
        if np.linalg.norm(best[1] - goal) <= HIT_DISTANCE:
            break
    assert best is not None
    values, there = best
    return ReachSolution(tuple(map(float, values)), there, float(np.linalg.norm(there - goal)))


class _Chain(NamedTuple):
    """The rotations from the root to a body; the matrix of each is still + sin * first + (1 - cos) * second."""

    slides: list[tuple[int, Array]]
    """Translation columns of the root and their axes."""
    turns: NDArray[np.intp]
    """Rotation columns, in order."""
    offsets: list[Array | None]
    """Offset of each rotated joint from the joint before; None where it is the same joint."""
    still: Array
    first: Array
    second: Array

    def points(self, poses: Array, point: Array) -> Array:
        """Return the positions (poses, 3) of a point of the body in poses (poses, dofs)."""
        angles = poses[:, self.turns, None, None]
        matrices = self.still + np.sin(angles) * self.first + (1.0 - np.cos(angles)) * self.second
        where = np.broadcast_to(point, (len(poses), 3))
        for n in reversed(range(len(self.turns))):  # from the body up: a vector is turned, no matrix
            where = (matrices[:, n] @ where[..., None])[..., 0]
            offset = self.offsets[n]
            where = where if offset is None else where + offset
        for column, axis in self.slides:
            where = where + poses[:, column, None] * axis
        return where


@lru_cache(maxsize=64)
def _chain(character: Character, body: str) -> _Chain:
    skeleton = character.skeleton
    path = skeleton.path_to_root(character.body(body))[::-1]
    if any(skeleton.columns(joint, "slide") for joint in path[1:]):
        raise InputError(f"a joint between the root and '{body}' slides; only rotations are supported")
    slides = [(column, np.array(skeleton.dofs[column].axis)) for column in skeleton.columns(0, "slide")]
    turns, offsets, rests = [], [], []
    away, rest = np.zeros(3), np.eye(3)
    for joint in path:
        away, rest = away + rest @ skeleton.offsets[joint], rest @ quat.to_matrix(skeleton.rests[joint])
        for column in skeleton.columns(joint, "turn"):
            turns.append(column)
            offsets.append(away if away.any() else None)
            rests.append(rest)
            away, rest = np.zeros(3), np.eye(3)
    axes, still = np.array([skeleton.dofs[column].axis for column in turns]), np.array(rests)
    across = np.cross(axes[:, None], np.eye(3)).transpose(0, 2, 1)
    return _Chain(slides, np.array(turns), offsets, still, still @ across, still @ across @ across)


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for a target."""

    family: Family
    chain: _Chain
    point: Array
    goal: Array
    seconds: float

    def points(self, poses: Array) -> Array:
        """Return the positions (poses, 3) of the point in poses (poses, dofs)."""
        return self.chain.points(poses, self.point)

    def at_members(self) -> Array:
        """Return the positions (members, 3) of the point in all members."""
        times = self.family.times.reshape(-1, self.family.times.shape[-1])
        q = self.family.q.reshape(len(times), -1, self.family.q.shape[-1])
        after = np.clip(np.sum(times < self.seconds, axis=1), 1, times.shape[1] - 1)
        rows = np.arange(len(times))
        before, next_ = times[rows, after - 1], times[rows, after]
        part = ((self.seconds - before) / (next_ - before))[:, None]
        return self.points((1.0 - part) * q[rows, after - 1] + part * q[rows, after])

    def descend(self, start: Array) -> tuple[Array, Array]:
        """Return the values where descent ends, and the position of the point there."""
        ends = np.array([sorted(axis.ranges[axis.measure]) for axis in self.family.plan.axes])
        cells = (ends[:, 1] - ends[:, 0]) / (np.array(self.family.plan.shape) - 1)
        values, damping = start.copy(), 1e-4
        there, slopes = self._slopes(values, ends, cells)
        for _ in range(_STEPS):
            error = there - self.goal
            if np.linalg.norm(error) <= STOP_DISTANCE:
                break
            uphill = slopes.T @ error
            free = ~(((values <= ends[:, 0]) & (uphill > 0.0)) | ((values >= ends[:, 1]) & (uphill < 0.0)))
            pulled = slopes[:, free]
            square = pulled.T @ pulled
            if not free.any() or not np.trace(square):
                break
            square += damping * np.trace(square) * np.eye(len(square))
            tried = values.copy()
            tried[free] -= cells[free] * np.linalg.solve(square, uphill[free])
            tried = np.clip(tried, ends[:, 0], ends[:, 1])
            if np.abs((tried - values) / cells).max() < 1e-5:
                break
            where, steeps = self._slopes(tried, ends, cells)
            nearer = float(np.linalg.norm(error) - np.linalg.norm(where - self.goal))
            if nearer > 0.0:
                values, there, slopes, damping = tried, where, steeps, 0.1 * damping
                if nearer < STOP_DISTANCE:
                    break
            else:
                damping = max(10.0 * damping, 0.1)
        return values, there

    def _slopes(self, values: Array, ends: Array, cells: Array) -> tuple[Array, Array]:
        """Return the position (3,) of the point and its derivatives (3, axes) per cell, taken inside the cell."""
        steps = np.where((values - ends[:, 0]) / cells % 1.0 > 0.5, -_APART, _APART)
        steps = np.where(values > ends[:, 1] - _APART * cells, -_APART, steps)
        tried = np.vstack((values, values + np.diag(steps * cells)))
        points = self.points(np.array([self.family.pose(row, self.seconds) for row in tried]))
        return points[0], ((points[1:] - points[0]) / steps[:, None]).T
