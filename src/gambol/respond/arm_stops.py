"""Arms stay outside of the trunk: points of the forearms stop at an ellipsoid around it.

In clips hands are in pockets and forearms rest against the body. A point that the clip has inside stops where it is in
the clip.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from gambol.body.character import Character
from gambol.body.expressions import Expressions

_DEPTH, _WIDTH = 0.155, 0.215
"""Half depth and half width of the trunk with those of a forearm, in leg lengths: drawn bodies (motion.body_size)."""
_PALM = 0.08
"""From the wrist to the middle of the palm, in leg lengths."""
_MARGIN = 0.25
"""Share of the ellipsoid's size, outside of it, in which an arm is braked."""
_BRAKE, _STOP = 8.0, 1e4
"""Damping of a point that comes near, and stiffness of the stop, as multiples of the inertia of forearm and hand."""


class ArmStops(NamedTuple):
    """What the stops add to the step: a matrix (n, n) and an impulse (n,)."""

    resistance: ca.SX
    impulse: ca.SX


def stop_arms(body: Expressions, leg_length: float, clip: ca.SX, q: ca.SX, rate: ca.SX, h: ca.SX) -> ArmStops:
    """Return what keeps the arms of an upper body outside of its trunk.

    `clip` is the clip's pose and `q` the one that the body comes to if nothing acts, both (n,); `rate` is that of the
    deviation.
    """
    find = _nearness_function(body, leg_length)
    near, slopes = find(q)
    allowed = ca.fmin(find(clip)[0], 1.0)
    into = ca.fmin(ca.fmax(1.0 + (allowed - near) / _MARGIN, 0.0), 1.0)
    brake = ca.if_else(slopes @ rate < 0.0, _BRAKE * into**2, 0.0)
    stop = ca.if_else(near < allowed, _STOP, 0.0)
    inertia = _find_mass(body.character) * leg_length**2 * _DEPTH**2
    impulse = stop * (allowed - near) / h - brake * (slopes @ rate)
    return ArmStops(inertia * slopes.T @ ca.diag(stop + brake) @ slopes, inertia * slopes.T @ impulse)


def _nearness_function(body: Expressions, leg_length: float) -> ca.Function:
    """Return a function from a pose to how far points of the forearms are from the trunk (1: at its surface)."""
    skeleton = body.character.skeleton
    frames = body.frames(body.q)
    middle = skeleton.index("spine")
    turn, origin = ca.reshape(frames[:9, middle], 3, 3), frames[9:, middle]
    low, high = (turn.T @ (_find_end(frames, skeleton.names, end) - origin) for end in ("pelvis", "upper_arm"))
    found = []
    for side in ("left", "right"):
        elbow, wrist = (frames[9:, skeleton.index(f"{side}_{part}")] for part in ("forearm", "hand"))
        along = (wrist - elbow) / ca.norm_2(wrist - elbow)
        for point in (elbow, 0.5 * (elbow + wrist), wrist + _PALM * leg_length * along):
            x, y, z = ca.vertsplit(turn.T @ (point - origin))
            share = ca.fmin(ca.fmax((z - low[2]) / (high[2] - low[2]), 0.0), 1.0)
            beyond = z - low[2] - share * (high[2] - low[2])
            ahead = x - low[0] - share * (high[0] - low[0])
            scaled = ca.vertcat(ahead / _DEPTH, y / _WIDTH, beyond / _DEPTH) / leg_length
            found.append(ca.norm_2(scaled))
    near = ca.vertcat(*found)
    return ca.Function("nearness", [body.q], [near, ca.jacobian(near, body.q)], {"cse": True})


def _find_end(frames: ca.SX, names: tuple[str, ...], part: str) -> ca.SX:
    """Return the mean position of the joints of a part of the body."""
    found = [n for n, name in enumerate(names) if name.endswith(part)]
    return ca.sum2(frames[9:, found]) / len(found)


def _find_mass(character: Character) -> float:
    """Return the mean mass (kg) of a forearm with its hand."""
    moved = [name.endswith(("forearm", "hand")) for name in character.skeleton.names]
    return float(0.5 * np.sum(character.masses[moved]))
