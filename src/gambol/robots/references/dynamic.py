"""Make a robot's motion physical: the nearest one with fixed soles, feasible contact forces and ballistic flight.

A sole that rests flat is a plane; while a person rolls over heel or toes, the robot pivots about an edge of its sole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gambol.geometry.arrays import Array
from gambol.legs.foot_contacts import Floor
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.references.soles import SolePath
from gambol.robots.sole_shapes import find_sole
from gambol.spacetime.contact_plan import ContactPlan
from gambol.spacetime.nearest import RESIDUAL_WEIGHT, nearest_terms
from gambol.spacetime.program import Outcome, optimise
from gambol.stages.feet import SIDES
from gambol.stages.speed import find_runs
from gambol.terms.contacts import ContactConstraint

_HEEL, _TOES = (0, 1), (2, 3)


def make_robot_physical(biped: Biped, motion: Motion, soles: Mapping[str, SolePath], level: Mapping[str, Array], tell=None) -> Outcome:
    """Return the physical motion nearest to a robot's."""
    contacts = [
        contact
        for side in SIDES
        for contact in _list_contacts(biped, side, soles[side], level[side])
    ]
    flight = ~(soles["left"].touching | soles["right"].touching)
    plan = ContactPlan((), tuple(contacts), tuple(contacts), (), Floor.level(0.0) if hasattr(Floor, "level") else None, flight, np.zeros(len(motion), dtype=bool))
    on_ground = np.where(flight, np.inf, RESIDUAL_WEIGHT)
    character = biped.description.character
    terms = nearest_terms(character, motion.q, plan, residual_weight=on_ground)
    bodies = list({contact.body for contact in contacts})
    return optimise(character, motion.q, motion.frame_time, terms, name=motion.name, iterations=100, bodies=bodies, tell=tell)


def _list_contacts(biped: Biped, side: str, path: SolePath, level: Array) -> Iterator[ContactConstraint]:
    joint = biped.places[f"{side}_foot"].joint
    name, corners, planned = biped.skeleton.names[joint], find_sole(biped, side), path.corners(level)

    def fix(chosen: tuple[int, ...], first: int, last: int, at: int) -> ContactConstraint:
        return ContactConstraint(name, corners[list(chosen)], planned[at, list(chosen)], first, last)

    for first, last in find_runs(path.touching):
        flat = [(a, b) for a, b in path.flat if a >= first and b <= last]
        if not flat:
            middle = (first + last) // 2
            yield fix(_lower_edge(planned[middle]), first, last, middle)
            continue
        edges = [first, *(frame for span in flat for frame in (span[0], span[1] + 1)), last + 1]
        for n, (a, b) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
            if b <= a:
                continue
            if n % 2:
                yield fix((*_HEEL, *_TOES), a, b - 1, a)
            else:
                at = flat[min(n // 2, len(flat) - 1)][0] if n == 0 else flat[n // 2 - 1][1]
                yield fix(_lower_edge(planned[(a + b - 1) // 2]), a, b - 1, at)


def _lower_edge(corners: Array) -> tuple[int, int]:
    return min((_HEEL, _TOES), key=lambda edge: float(corners[list(edge), 2].mean()))
