"""Skeletons whose joints turn freely: coordinates for given local frames, such as those of glTF's nodes.

Every joint gets three rotations on top of its rest orientation, in the order that stays farthest from gimbal lock over
the frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, find_safest_order
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement, local_frames, place_local
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton

_STILL_TURN = 1e-4
"""Rotation (radians) that counts as still: three steps of a 16-bit rotation."""
_STILL_SLIDE = 1e-6
"""Translation that counts as still, relative to the size of the skeleton."""
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def free_coordinates(
    names: tuple[str, ...], parents: tuple[int, ...], local: Placement, rest: Placement
) -> tuple[Skeleton, Array]:
    """Return a skeleton and its coordinates (frames, dofs) for frames relative to the parents, over time and at rest.

    A joint that stays away from its rest position gets a new offset.
    """
    offsets, rests = rest.positions[0].copy(), rest.rotations[0]
    still = Skeleton(names, parents, offsets, (), rests)
    tolerance = _STILL_SLIDE * float(np.ptp(place_local(still, rest).positions[0], axis=0).max())
    dofs: list[Dof] = []
    columns: list[Array] = []
    ends = set()
    for joint in range(len(names)):
        moves = local.positions[:, joint]
        if joint == 0 or np.ptp(moves, axis=0).max() > tolerance:
            dofs += [Dof(joint, "slide", axis) for axis in _AXES]
            columns += list((moves - offsets[joint]).T)
        elif np.abs(moves[0] - offsets[joint]).max() > tolerance:
            offsets[joint] = moves[0]
        deviation = quat.multiply(quat.conjugate(rests[joint]), local.rotations[:, joint])
        turns = 2.0 * np.linalg.norm(deviation[:, 1:], axis=1).max() > _STILL_TURN
        if joint and not turns and not still.children[joint]:
            ends.add(joint)
            continue
        order = find_safest_order(deviation) if turns else (0, 1, 2)
        dofs += [Dof(joint, "turn", _AXES[axis]) for axis in order]
        angles = angles_about(np.eye(3)[list(order)], deviation) if turns else np.zeros((len(moves), 3))
        columns += list(angles.T)
    skeleton = Skeleton(names, parents, offsets, tuple(dofs), rests, frozenset(ends))
    return skeleton, np.stack(columns, axis=1)


def share_skeleton(motions: Sequence[Motion]) -> list[Motion]:
    """Return motions with the same joints and rest orientations on one skeleton, whose joints turn freely."""
    first = motions[0].skeleton
    each = [local_frames(motion.skeleton, motion.q) for motion in motions]
    local = Placement(*(np.concatenate(parts) for parts in zip(*each, strict=True)))
    rest = Placement(first.offsets[None], first.rests[None])
    skeleton, q = free_coordinates(first.names, first.parents, local, rest)
    cuts = np.cumsum([len(motion) for motion in motions])[:-1]
    return [replace(motion, skeleton=skeleton, q=part) for motion, part in zip(motions, np.split(q, cuts), strict=True)]
