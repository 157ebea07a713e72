"""Terms for the motion nearest to a reference that keeps its contacts and obeys physics, for repairs and edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts
from gambol.contacts.views import list_constraints, list_loads
from gambol.geometry.arrays import Array
from gambol.terms.contacts import Clearance, FixedContacts, list_clearances
from gambol.terms.deviation import MassDisplacement, PoseDeviation, PoseTarget
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import (
    FORCE_COST,
    FORCE_FADE_COST,
    FORCE_RATE_COST,
    AccelerationCost,
    ForceFadeCost,
    ForceRateCost,
    VelocityCost,
)
from gambol.terms.space import Term

RESIDUAL_WEIGHT = 300.0
"""Cost of residual force on the ground, where it is allowed, per squared body weight and second."""
_MASS, _ANGLES, _ROOT = 400.0, 10.0, 200.0
"""Costs of displaced mass (per m²), of joint angles (per rad²) and of the position of the root (per m²)."""
_CHANGE = 0.05
"""Cost of the velocity of deviations, so that joints do not jump where contacts begin. A cost of acceleration would
make solving a third slower without benefit: noise is removed before."""
_ACCELERATION, _AROUND = 5e-5, 0.067
"""Cost of acceleration in flight and within _AROUND seconds of the ends of contacts. Without it, and the cost of forces
that end abruptly, a motion of 60 frames per second oscillates when it is re-sampled (spin drifts by 5 to 28 %)."""


def nearest_terms(
    character: Character,
    reference: Array,
    contacts: Contacts,
    *,
    residual_weight: float | Array | None = None,
    gravity: float | Array = GRAVITY,
    peak: float = 5.0,
    pinned: Array | None = None,
    seconds: float | None = None,
    clearances: Sequence[Clearance] = (),
) -> list[Term]:
    """Return the terms of the motion nearest to a reference (frames, dofs).

    `residual_weight` is that of `terms.momentum.NewtonEuler`. `pinned` (frames, dofs) are poses of the first frames,
    which are kept exactly. `seconds` is the frame time of a motion that is to be re-sampled: it adds costs that keep it
    smooth in flight and where contacts begin and end. `clearances` are added to those of the contacts.
    """
    kept = reference[:0] if pinned is None else pinned
    count = len(kept)
    weights = np.array([_ANGLES if dof.kind == "turn" else _ROOT for dof in character.skeleton.dofs])
    fixed = (replace(one, first=max(one.first, count)) for one in list_constraints(contacts) if one.last >= count)
    loads = (*list_loads(contacts, character), *find_unseen_supports(character, reference, contacts))
    return [
        MassDisplacement(reference, _MASS, travel=1.0),
        PoseDeviation(reference, weights),
        VelocityCost(_CHANGE, reference),
        NewtonEuler(loads, gravity, peak, cost=FORCE_COST, residual_weight=residual_weight),
        ForceRateCost(~contacts.flight, FORCE_RATE_COST, FORCE_RATE_COST),
        FixedContacts(tuple(fixed)),
        *(one.cut(count, len(reference)) for one in (*list_clearances(contacts), *clearances)),
        *(PoseTarget(frame, pose, np.ones(len(pose)), exact=True) for frame, pose in enumerate(kept)),
        *(_smooth_terms(character, contacts, seconds) if seconds is not None else ()),
    ]


def _smooth_terms(character: Character, contacts: Contacts, seconds: float) -> tuple[Term, Term]:
    """Return costs of abrupt forces, and of joint acceleration in flight and near the ends of contacts."""
    reach = max(1, round(_AROUND / seconds))
    edge = contacts.flight.copy()
    for frame in (end for one in list_constraints(contacts) for end in (one.first, one.last)):
        edge[max(frame - reach, 0) : frame + reach + 1] = True
    joints = np.array([dof.joint > 0 for dof in character.skeleton.dofs])
    acceleration = AccelerationCost(_ACCELERATION * np.outer(edge[1:-1], joints))
    return ForceFadeCost(~contacts.flight, FORCE_FADE_COST, FORCE_FADE_COST), acceleration


def find_unseen_supports(character: Character, reference: Array, contacts: Contacts) -> list[Contact]:
    """Make grips around the centre of mass for frames of unseen support: they can give any force and moment."""
    frames = np.flatnonzero(contacts.unseen)
    if not len(frames):
        return []
    centres = Dynamics(character).center_of_mass(reference[frames])
    around = 0.2 * np.vstack((np.eye(3), -np.eye(3)))
    root, none = character.skeleton.names[0], np.zeros((6, 3))
    supported = zip(map(int, frames), centres, strict=True)
    return [Contact(root, none, centre + around, frame, frame, grip=True) for frame, centre in supported]
