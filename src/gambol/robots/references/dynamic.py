"""Make a robot's motion physical: the nearest one with fixed soles, feasible contact forces and ballistic flight.

A sole that rests flat is a plane; while a person rolls over heel or toes, the robot pivots about an edge of its sole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.legs.foot_contacts import Floor
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.references.kinematic import USED_SPEED
from gambol.robots.references.soles import SolePath
from gambol.robots.sole_shapes import find_sole, level_sole
from gambol.spacetime.contact_plan import ContactPlan
from gambol.spacetime.solved_windows import SolvedWindow
from gambol.spacetime.windows import solve_windows
from gambol.stages.feet import SIDES
from gambol.stages.speed import find_runs
from gambol.terms.contacts import Clearance, ContactConstraint
from gambol.terms.smoothness import AccelerationCost, ForceFadeCost
from gambol.terms.space import Term
from gambol.terms.speed import JointSpeedLimit
from gambol.terms.torque import TorqueLimit

_HEEL, _TOES = (0, 1), (2, 3)
"""Corners of a sole."""
_ACCELERATION, _FADE = 5e-5, 1e-4
"""Costs of joint acceleration and of forces that end abruptly, as of motions that are re-sampled: without them, torques
have peaks where contacts begin and end."""
_USED_TORQUE = 0.85
"""Share of the largest torques that is used: forces that are estimated afterwards are not quite those of the motion."""
_TORQUE = (100.0, 3.0, 0.0)
"""Costs of torque beyond its limit (see `terms.torque.TorqueLimit`). A jump that needs much more than motors can give
may not converge with the first."""
_RESIDUAL = 3000.0
"""Cost of residual force: ten times that of clips of people, which have noise and unseen contacts."""
_LOW = 0.1
"""Height (m) of a planned corner below which it is kept above the ground."""


def make_robot_physical(
    biped: Biped,
    motion: Motion,
    soles: Mapping[str, SolePath],
    tell: Callable[[str], None] | None = None,
    done: Callable[[SolvedWindow], None] | None = None,
) -> tuple[Array, list[SolvedWindow]]:
    """Return the coordinates (frames, dofs) of the physical motion nearest to a robot's, and the windows solved.

    Windows that could not be solved keep the poses of the given motion.
    """
    contacts = tuple(contact for side in SIDES for contact in _list_contacts(biped, side, soles[side]))
    none = np.zeros(len(motion), dtype=bool)
    flight = ~np.any([path.touching for path in soles.values()], axis=0)
    above = tuple(one for side in SIDES for one in _list_clearances(biped, side, soles[side], contacts))
    plan = ContactPlan((), contacts, contacts, above, Floor(0.0), flight, none)
    feet = tuple(biped.skeleton.names[biped.places[f"{side}_foot"].joint] for side in SIDES)
    description = biped.description
    costs = _TORQUE if np.isfinite(description.strongest).any() else _TORQUE[-1:]
    q, windows = solve_windows(
        description.character,
        motion,
        plan,
        bodies=feet,
        further=[partial(_list_terms, biped, feet, tell, cost) for cost in costs],
        residual_weight=_RESIDUAL,
        tell=tell,
        done=done,
    )
    for window in windows:
        if not window.converged:
            q[window.first : window.last + 1] = motion.q[window.first : window.last + 1]
    return q, windows


def _list_terms(
    biped: Biped,
    feet: tuple[str, ...],
    tell: Callable[[str], None] | None,
    torque: float,
    start: Array,
    contacts: ContactPlan,
) -> list[Term]:
    """Return the terms of a window: limits of speeds and, unless their cost is 0, of torques; smoothness."""
    description, strongest = biped.description, _USED_TORQUE * biped.description.strongest
    joints = np.array([dof.joint > 0 for dof in biped.skeleton.dofs], dtype=float)
    terms: list[Term] = [
        JointSpeedLimit(USED_SPEED * description.speeds),
        AccelerationCost(_ACCELERATION * np.tile(joints, (len(start) - 2, 1))),
        ForceFadeCost(~contacts.flight, _FADE, _FADE),
    ]
    if torque:
        terms.append(TorqueLimit(contacts.force_contacts, feet, strongest, torque, tell))
    return terms


def _list_contacts(biped: Biped, side: str, path: SolePath) -> Iterator[ContactConstraint]:
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
            places = planned[at, chosen]
            places[:, 2] = path.ground[at, chosen]
            normal = path.normals[at]
            yield ContactConstraint(name, corners[chosen], places, begin, end - 1, normal=normal)


def _list_clearances(
    biped: Biped, side: str, path: SolePath, contacts: Sequence[ContactConstraint]
) -> Iterator[Clearance]:
    """Yield clearances of the corners of a sole that are low and do not rest."""
    name, corners = biped.skeleton.names[biped.places[f"{side}_foot"].joint], find_sole(biped, side)
    planned, heights = (find(level_sole(biped, side)) for find in (path.find_corners, path.find_heights))
    for number, corner in enumerate(corners):
        free = heights[:, number] < _LOW
        for contact in contacts:
            if contact.body == name and (contact.points == corner).all(axis=1).any():
                free[contact.first : contact.last + 1] = False
        frames = np.flatnonzero(free)
        if len(frames):
            below = planned[frames, number] - heights[frames, number, None] * UP
            normals = path.normals[frames]
            yield Clearance(name, corner, frames, np.sum(below * normals, axis=1), normals)


def _find_lower_edge(heights: Array) -> tuple[int, int]:
    return min((_HEEL, _TOES), key=lambda edge: float(heights[list(edge)].mean()))
