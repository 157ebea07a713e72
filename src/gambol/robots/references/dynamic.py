"""Make a robot's motion physical: the nearest one with fixed soles, feasible contact forces and ballistic flight.

A sole that rests flat is a plane; while a person rolls over heel or toes, the robot pivots about an edge of its sole,
and about a corner if the person turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import UP, measure_extent
from gambol.motion.kinematics import find_moved_points
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.robots.biped import Biped
from gambol.robots.references.limits import list_limits
from gambol.robots.references.sole_path import SolePath
from gambol.robots.sole_shapes import find_sole, level_sole
from gambol.spacetime.solved_windows import SolvedWindow
from gambol.spacetime.windows import solve_windows
from gambol.stages.feet import SIDES
from gambol.terms.contacts import Clearance

_HEEL, _TOES = (0, 1), (2, 3)
"""Corners of a sole."""
_PIVOT = 0.3
"""Angle (rad) by which a foot turns on heel or toes that rest on one corner, and not on an edge."""
_RESIDUAL = 3000.0
"""Cost of residual force: ten times that of clips of people, which have noise and unseen contacts."""
_BARRIER = 1e-5
"""Least barrier of the solver: joints within a degree of the exact optimum, in three quarters of the iterations."""


def make_robot_physical(
    biped: Biped,
    motion: Motion,
    soles: Mapping[str, SolePath],
    progress: Progress = silent,
) -> tuple[Array, list[SolvedWindow]]:
    """Return the coordinates (frames, dofs) of the physical motion nearest to a robot's, and the windows solved.

    Windows that could not be solved keep the poses of the given motion.
    """
    contacts = tuple(contact for side in SIDES for contact in _list_contacts(biped, side, soles[side]))
    flight = ~np.any([path.touching for path in soles.values()], axis=0)
    above = tuple(one for side in SIDES for one in _list_clearances(biped, side, soles[side], contacts))
    feet = tuple(biped.skeleton.names[biped.places[f"{side}_foot"].joint] for side in SIDES)
    q, windows = solve_windows(
        biped.description.character,
        motion,
        Contacts(contacts, len(motion), motion.frame_time, flight=flight),
        clearances=above,
        bodies=feet,
        kept=_find_idle(biped),
        further=partial(list_limits, biped, feet, progress, motion.frame_time),
        residual_weight=_RESIDUAL,
        least_barrier=_BARRIER,
        progress=progress,
    )
    for window in windows:
        if not window.converged:
            q[window.first : window.last + 1] = motion.q[window.first : window.last + 1]
    return q, windows


def _find_idle(biped: Biped) -> list[int]:
    """Return the coordinates of wrists and fingers, which move no place of the body: clips say nothing about them."""
    moved = find_moved_points(biped.skeleton, [place.joint for place in biped.places.values()])
    return np.flatnonzero(~moved.any(axis=0)).tolist()


def _list_contacts(biped: Biped, side: str, path: SolePath) -> Iterator[Contact]:
    """Yield the contacts of a foot, one after the other: an edge, the whole sole, an edge."""
    name, corners = biped.skeleton.names[biped.places[f"{side}_foot"].joint], find_sole(biped, side)
    planned, heights = (find(level_sole(biped, side)) for find in (path.find_corners, path.find_heights))
    for first, last in find_runs(path.touching):
        flat = [(a, b) for a, b in path.flat if a >= first and b <= last]
        edges = [first, *(frame for a, b in flat for frame in (a, b + 1)), last + 1]
        for number, (begin, end) in enumerate(pairwise(edges)):
            if end <= begin:
                continue
            middle = (begin + end - 1) // 2
            chosen = [*_HEEL, *_TOES] if number % 2 else list(_find_lower_edge(heights[middle]))
            # An edge stays where the sole rests flat before or after it.
            beside = [frame for span in flat for frame in span]
            at = min(beside, key=lambda frame: abs(frame - middle), default=middle)
            if number % 2 == 0 and _measure_turn(path, at, begin, end) > _PIVOT:
                chosen = [min(chosen, key=lambda corner: measure_extent(planned[begin:end, corner]))]
            places = planned[at, chosen]
            places[:, 2] = path.ground[at, chosen]
            normal = path.normals[at]
            yield Contact(name, corners[chosen], places, begin, end - 1, normal=normal)


def _list_clearances(biped: Biped, side: str, path: SolePath, contacts: Sequence[Contact]) -> Iterator[Clearance]:
    """Yield clearances of the corners of a sole while they do not rest."""
    name, corners = biped.skeleton.names[biped.places[f"{side}_foot"].joint], find_sole(biped, side)
    planned, heights = (find(level_sole(biped, side)) for find in (path.find_corners, path.find_heights))
    for number, corner in enumerate(corners):
        free = np.ones(len(planned), dtype=bool)
        for contact in contacts:
            if contact.body == name and (contact.points == corner).all(axis=1).any():
                free[contact.first : contact.last + 1] = False
        frames = np.flatnonzero(free)
        if len(frames):
            below = planned[frames, number] - heights[frames, number, None] * UP
            normals = path.normals[frames]
            yield Clearance(name, corner, frames, np.sum(below * normals, axis=1), normals)


def _measure_turn(path: SolePath, at: int, begin: int, end: int) -> float:
    """Return the largest angle (rad) between the directions of a sole along the ground at a frame and in others."""
    x, y, _ = quat.rotate(path.rotations, np.array([1.0, 0.0, 0.0])).T
    ahead = x + 1.0j * y
    return float(np.abs(np.angle(ahead[begin:end] * ahead[at].conj())).max())


def _find_lower_edge(heights: Array) -> tuple[int, int]:
    return min((_HEEL, _TOES), key=lambda edge: float(heights[list(edge)].mean()))
