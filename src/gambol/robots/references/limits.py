"""Limits that a physical motion of a robot keeps: speeds and torques of joints, and distances of links.

Every limit makes solving slower, and most are never reached. So those that the motion is near to are solved with; if
the solution exceeds others, these are added.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.body.dynamics import Dynamics
from gambol.contacts.timeline import Contacts
from gambol.geometry.arrays import Array
from gambol.geometry.filters import differentiate
from gambol.motion.kinematics import place
from gambol.progress import Progress
from gambol.robots.biped import Biped
from gambol.robots.capsules import find_self_contacts
from gambol.robots.references.kinematic import USED_SPEED
from gambol.robots.references.separation import separate_links
from gambol.spacetime.program import Outcome
from gambol.stages.feet import SIDES
from gambol.terms.smoothness import FORCE_FADE_COST, AccelerationCost, ForceFadeCost
from gambol.terms.space import Term
from gambol.terms.speed import JointSpeedLimit
from gambol.terms.torque import TorqueLimit

_ACCELERATION = 5e-5
"""Cost of joint acceleration, as of motions that are re-sampled: without it, torques have peaks where contacts begin
and end."""
_USED_TORQUE = 0.85
"""Share of the largest torques that is used: forces that are estimated afterwards are not quite those of the motion."""
_TORQUE = (100.0, 3.0, 0.0)
"""Costs of torque beyond its limit (see `terms.torque.TorqueLimit`). A jump that needs much more than motors can give
may not converge with the first."""
_NEAR, _EXCEEDED, _DEEP = 0.5, 1.01, 0.008
"""Shares of speeds and torques from which joints have limits; share, and depth (m) of self-collision, beyond which
a motion is solved again."""
_MOST = 4
"""Attempts at a window after which a solution stands."""


def list_limits(
    biped: Biped,
    feet: tuple[str, ...],
    progress: Progress,
    frame_time: float,
    start: Array,
    contacts: Contacts,
    tried: Sequence[Outcome],
) -> list[Term] | None:
    """Return the terms of the next attempt at a window: no self-collision, smoothness, limits of speeds and torques.

    Joints far from their limits have none, and links far from each other may meet, until a solution shows that they do.
    If there is none with these limits, it stands. If there is none at all, torques cost less, at last nothing.
    """
    description = biped.description
    costs = _TORQUE if np.isfinite(description.strongest).any() else _TORQUE[-1:]
    solved = [one.motion.q for one in tried if one.solution.converged]
    failed = len(tried) - len(solved)
    if failed == len(costs) or (solved and not tried[-1].solution.converged):
        return None
    fastest = USED_SPEED * description.speeds
    strongest = description.strongest if costs[failed] else np.full(len(fastest), np.inf)
    seen = [start, *solved]
    used = [_find_used_shares(biped, q, frame_time, fastest, strongest) for q in seen]
    fast, strained = np.max(used, axis=0) > _NEAR
    if solved:
        unlimited = np.max(used[:-1], axis=0) <= _NEAR
        exceeded = (used[-1] > _EXCEEDED)[unlimited].any() or _measure_depth(biped, seen[-1]) > _DEEP
        if not exceeded or len(tried) >= _MOST:
            return None
    joints = np.array([dof.joint > 0 for dof in biped.skeleton.dofs], dtype=float)
    terms: list[Term] = [
        JointSpeedLimit(np.where(fast, fastest, np.inf)),
        AccelerationCost(_ACCELERATION * np.tile(joints, (len(start) - 2, 1))),
        ForceFadeCost(~contacts.flight, FORCE_FADE_COST, FORCE_FADE_COST),
        separate_links(biped, seen),
    ]
    if costs[failed]:
        most = np.where(strained, _USED_TORQUE * strongest, np.inf)
        terms.append(TorqueLimit(contacts.items, feet, most, costs[failed], progress))
    return terms


def _measure_depth(biped: Biped, q: Array) -> float:
    """Return the depth (m) of the deepest self-collision; negative without one."""
    return float(find_self_contacts(biped).find_nearest(place(biped.skeleton, q)).depth.max(initial=-np.inf))


def _find_used_shares(biped: Biped, q: Array, frame_time: float, fastest: Array, strongest: Array) -> Array:
    """Return the largest shares (2, dofs) of their speeds and torques that joints use.

    Forces of the ground are unknown: joints that carry them are taken to be strained, but not beyond their limits.
    """
    skeleton = biped.skeleton
    velocity, acceleration = differentiate(q, frame_time)
    torques = Dynamics(biped.description.character).torques(q, velocity, acceleration)[1:-1]
    rates = np.diff(q, axis=0) / frame_time
    loaded = {each for side in SIDES for each in skeleton.path_to_root(biped.places[f"{side}_foot"].joint)}
    carrying = np.array([dof.joint in loaded for dof in skeleton.dofs])
    speeds, shares = (
        np.abs(values).max(axis=0) / limits for values, limits in ((rates, fastest), (torques, strongest))
    )
    return np.stack((speeds, np.where(carrying, 1.0, shares)))
