"""Bring footholds within reach of a robot: a sole that cannot lie flat where a person's does, lies where it can.

A wide stance needs ankles that turn as far as the legs spread. A sole that is tilted at the limit of its ankle lies
flat if the whole leg turns back about its hip, which moves the foothold.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross
from gambol.motion.kinematics import Placement
from gambol.robots.biped import Biped
from gambol.robots.references.sole_path import SolePath, slide_spans
from gambol.robots.sole_shapes import locate_soles
from gambol.stages.feet import SIDES

_TILTED, _AWAY = np.radians(0.5), 0.005
"""Tilt (rad) and distance (m) of a sole from its path from which a foothold is out of reach."""
_FARTHER, _FARTHEST = 1.1, 0.1
"""By how much more than needed a foothold moves, and how far at most, as a share of the length of a leg."""


def bring_within_reach(
    biped: Biped, soles: Mapping[str, SolePath], keys: slice, placed: Placement
) -> dict[str, SolePath]:
    """Return paths whose flat stances are where poses show that soles can lie flat; `keys` are the frames of poses."""
    corners = locate_soles(biped, placed)
    return {side: _move_stances(biped, side, soles[side], keys, placed, corners[:, n]) for n, side in enumerate(SIDES)}


def _move_stances(biped: Biped, side: str, path: SolePath, keys: slice, placed: Placement, corners: Array) -> SolePath:
    foot, hip = biped.places[f"{side}_foot"].joint, biped.places[f"{side}_thigh"]
    level = quat.multiply(placed.rotations[:, foot], quat.conjugate(biped.orient_standing(foot)))
    tilts = quat.log(quat.multiply(level, quat.conjugate(path.rotations[keys]))) * (1.0, 1.0, 0.0)
    away = (corners.mean(axis=1) - path.places[keys]) * (1.0, 1.0, 0.0)
    hips = hip.locate(placed)
    shifts, at = [], np.arange(len(path.places))[keys]
    for first, last in path.flat:
        span = (at >= first) & (at <= last)
        tilt, slip = tilts[span].mean(axis=0), away[span].mean(axis=0)
        leg = (path.places[keys] - hips)[span].mean(axis=0)
        far = np.linalg.norm(tilt) > _TILTED or np.linalg.norm(slip) > _AWAY
        shift = _FARTHER * (slip - cross(tilt, leg)) * (1.0, 1.0, 0.0) if far else np.zeros(3)
        shifts.append(shift * min(1.0, _FARTHEST * biped.leg_length / max(float(np.linalg.norm(shift)), 1e-9)))
    return slide_spans(path, path.flat, np.array(shifts).reshape(-1, 3)[:, :2])
