"""Joints that turn freely: the same frames, whatever the coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.motion.free_joints import free_coordinates, share_skeleton
from gambol.motion.kinematics import Placement, local_frames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def chain(order: tuple[tuple[float, float, float], ...], sliding: tuple[int, ...]) -> Motion:
    """Three bones whose joints turn about axes in this order; some joints slide too."""
    dofs = [Dof(0, "slide", axis) for axis in (X, Y, Z)]
    for joint in range(3):
        dofs += [Dof(joint, "slide", axis) for axis in (X, Y, Z) if joint in sliding]
        dofs += [Dof(joint, "turn", axis) for axis in order]
    offsets = np.array([[0, 0, 1], [0, 0, 0.5], [0, 0.1, 0.4], [0, 0, 0.2]])
    rests = quat.from_axis_angle([X, Y, Z, X], np.array([0.0, 0.4, -0.2, 0.0]))
    skeleton = Skeleton(("a", "b", "c", "tip"), (-1, 0, 1, 2), offsets, tuple(dofs), rests, frozenset({3}))
    times = np.arange(20)[:, None] / 20
    return Motion(skeleton, 1.2 * np.sin(times * (1.0 + np.arange(len(dofs)))), 1 / 20)


def test_motions_with_other_axes_and_slides_share_a_skeleton() -> None:
    one, other = chain((X, Y, Z), ()), chain((Z, Y, X), (2,))
    a, b = share_skeleton((one, other))
    assert a.skeleton is b.skeleton
    for before, after in ((one, a), (other, b)):
        np.testing.assert_allclose(after.placement.positions, before.placement.positions, atol=1e-12)
        same = np.abs(np.sum(after.placement.rotations * before.placement.rotations, axis=-1))
        np.testing.assert_allclose(same, 1.0, atol=1e-12)
    assert [dof.joint for dof in a.skeleton.dofs if dof.kind == "slide"] == [0, 0, 0, 2, 2, 2]


def test_a_joint_that_stays_away_from_its_rest_gets_an_offset() -> None:
    motion = chain((X, Y, Z), ())
    frames = local_frames(motion.skeleton, motion.q)
    away = replace(motion.skeleton, offsets=motion.skeleton.offsets + [[0, 0, 0], [0, 0, 0.3], [0, 0, 0], [0, 0, 0]])
    rest = Placement(away.offsets[None], away.rests[None])
    skeleton, q = free_coordinates(away.names, away.parents, frames, rest)
    np.testing.assert_allclose(skeleton.offsets[1], [0, 0, 0.5])
    assert skeleton.ends == {3}
    np.testing.assert_allclose(Motion(skeleton, q, 1 / 20).placement.positions, motion.placement.positions, atol=1e-12)
