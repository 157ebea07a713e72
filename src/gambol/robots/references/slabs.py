"""What a robot stands on, to draw it: a slab below every flat stance, where the ground is not one level floor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import UP
from gambol.motion.motion import Motion
from gambol.motion.shapes import Mesh, build_box
from gambol.motion.skeleton import Dof, Skeleton
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.sole_shapes import locate_soles
from gambol.stages.feet import SIDES

_UNEVEN = 0.02
"""Metres between the highest and the lowest ground from which it is drawn."""
_LARGER, _THICK = 1.4, 0.02
"""Size of slabs relative to soles, and metres of the lowest below its top."""
_STONE = (0.72, 0.71, 0.68)
_FIXED = Skeleton(("ground",), (-1,), np.zeros((1, 3)), (Dof(0, "slide", (0.0, 0.0, 1.0)),))


def add_slabs(reference: ReferenceMotion) -> ReferenceMotion:
    """Return a reference with slabs as props of its motion; none on a level floor."""
    tops = _find_tops(reference)
    if not tops or np.ptp([top[:, 2] for top in tops]) < _UNEVEN:
        return reference
    floor = min(float(top[:, 2].min()) for top in tops) - _THICK
    still, step = np.zeros((len(reference.motion), 1)), reference.motion.frame_time
    slabs = tuple(Motion(_FIXED, still, step, "ground", skin=_build_slab(top, floor)) for top in tops)
    return replace(reference, motion=replace(reference.motion, props=slabs))


def _find_tops(reference: ReferenceMotion) -> list[Array]:
    """Return the tops (4, 3) of the slabs, with corners as those of soles."""
    corners = locate_soles(reference.biped, reference.motion.placement)
    corners[..., 2] = reference.ground
    tops = []
    for side in range(len(SIDES)):
        for first, last in find_runs(reference.flat[:, side]):
            sole = np.median(corners[first : last + 1, side], axis=0)
            tops.append(sole.mean(axis=0) + _LARGER * (sole - sole.mean(axis=0)))
    return tops


def _build_slab(top: Array, floor: float) -> Mesh:
    """Return a box from a floor (m) to its top, which may be tilted."""
    middle, ahead, left = top.mean(axis=0), top[2] - top[0], top[0] - top[1]
    half = 0.5 * np.array([np.linalg.norm(ahead[:2]), np.linalg.norm(left[:2])])
    box = build_box((*-half, floor), (*half, middle[2]), 0, _STONE)
    turn = quat.from_axis_angle(UP, np.arctan2(ahead[1], ahead[0]))
    slopes = np.array([ahead[2], left[2]]) / (2.0 * half)
    vertices = box.vertices.copy()
    vertices[:, 2] += (vertices[:, 2] > middle[2] - 1e-9) * (vertices[:, :2] @ slopes)
    placed = quat.rotate(turn, vertices) + middle * (1.0, 1.0, 0.0)
    return replace(box, vertices=placed, normals=quat.rotate(turn, box.normals))
