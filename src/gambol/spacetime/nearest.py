"""The motion nearest to another that stands where it should and pushes as feet can: what repairs and edits share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.geometry.arrays import Array
from gambol.spacetime.contact_plan import ContactPlan
from gambol.terms.contacts import Clearance, FixedContacts, ContactConstraint
from gambol.terms.deviation import PoseDeviation, MassDisplacement, PoseTarget
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import ForceFadeCost, VelocityCost, AccelerationCost, ForceRateCost
from gambol.terms.space import Term

RESIDUAL_WEIGHT = 300.0
"""Price of momentum from nowhere on the ground where it is allowed, squared body weights times seconds."""
_MASS, _ANGLES, _ROOT = 400.0, 10.0, 200.0
"""Price of moving mass and of moving the root (a square metre), and of turning joints (a square radian)."""
_CHANGE = 0.05
"""Price of changing fast, so that a hold does not snap. One on acceleration would cost a third of the speed for
nothing: noise is taken out before."""
_PUSH_RATE, _PUSH = 1e-5, 1e-4
"""Price of force and moment that change fast, and of force."""
_FADE, _BEND, _AROUND = 1e-4, 5e-5, 0.067
"""Price of force and moment that break off, of acceleration in flight and where contacts begin and end, and seconds on
both sides: without, a motion of 60 frames a second that is re-sampled rings (spin drifts by 5 to 28 %)."""


def nearest_terms(
    character: Character,
    like: Array,
    stands: ContactPlan,
    *,
    soft: float | Array | None = None,
    gravity: float | Array = GRAVITY,
    peak: float = 5.0,
    pinned: Array | None = None,
    seconds: float | None = None,
) -> list[Term]:
    """What frames like `like` (frames, dofs) keep to, and what they like.

    `soft` is the price of momentum from nowhere (see `terms.momentum.Laws`); frames `pinned` at the beginning keep to
    everything already. A motion of frames that last so many `seconds` and are to be re-sampled goes smoothly in
    flight and where contacts begin and end.
    """
    held = like[:0] if pinned is None else pinned
    count = len(held)
    weights = np.array([_ANGLES if dof.kind == "turn" else _ROOT for dof in character.skeleton.dofs])
    holds = (replace(hold, first=max(hold.first, count)) for hold in stands.constraints if hold.last >= count)
    pushes = (*stands.force_contacts, *_carriers(character, like, stands))
    return [
        MassDisplacement(like, _MASS, travel=1.0),
        PoseDeviation(like, weights),
        VelocityCost(_CHANGE, like),
        NewtonEuler(pushes, gravity, peak, cost=_PUSH, soft=soft),
        ForceRateCost(~stands.flight, _PUSH_RATE, _PUSH_RATE),
        FixedContacts(tuple(holds)),
        *(clip_clearance(clear, count, len(like)) for clear in stands.clearances),
        *(PoseTarget(frame, pose, np.ones(len(pose)), exact=True) for frame, pose in enumerate(held)),
        *(_eased(character, stands, seconds) if seconds is not None else ()),
    ]


def _eased(character: Character, stands: ContactPlan, seconds: float) -> tuple[Term, Term]:
    """Forces that fade as the ground is left, and joints that do not snap in flight and as a contact begins or ends."""
    reach = max(1, round(_AROUND / seconds))
    edge = stands.flight.copy()
    for frame in (end for hold in stands.constraints for end in (hold.first, hold.last)):
        edge[max(frame - reach, 0) : frame + reach + 1] = True
    joints = np.array([dof.joint > 0 for dof in character.skeleton.dofs])
    return ForceFadeCost(~stands.flight, _FADE, _FADE), AccelerationCost(_BEND * np.outer(edge[1:-1], joints))


def clip_clearance(clear: Clearance, first: int, end: int) -> Clearance:
    """Some frames of a clearance."""
    inside = (clear.frames >= first) & (clear.frames < end)
    return replace(clear, frames=clear.frames[inside], height=np.asarray(clear.height)[inside])


def _carriers(character: Character, like: Array, stands: ContactPlan) -> list[ContactConstraint]:
    """Something that holds the body from all sides where it does not fall and nothing that is known carries it."""
    frames = np.flatnonzero(stands.unseen_support)
    if not len(frames):
        return []
    centres = Dynamics(character).center_of_mass(like[frames])
    around = 0.2 * np.vstack((np.eye(3), -np.eye(3)))
    root, none = character.skeleton.names[0], np.zeros((6, 3))
    carried = zip(map(int, frames), centres, strict=True)
    return [ContactConstraint(root, none, centre + around, frame, frame, grip=True) for frame, centre in carried]
