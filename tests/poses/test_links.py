"""Frames of links as matrices, compared with forward kinematics by quaternions."""

from __future__ import annotations

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place, point_jacobian
from gambol.poses.links import SkeletonLinks
from tests.poses.test_problem import make_skeleton

FRAMES = 4
POINTS = np.random.default_rng(1).normal(size=(7, 3))


def test_joints_are_where_forward_kinematics_places_them() -> None:
    skeleton = make_skeleton()
    q = np.random.default_rng(0).normal(size=(FRAMES, len(skeleton.dofs)))
    placed, links = place(skeleton, q), SkeletonLinks(skeleton, range(7)).place(q)
    np.testing.assert_allclose(links.root.T, placed.positions[:, 0], atol=1e-12)
    found = links.locate(list(range(7)), POINTS) + links.root[:, None]
    expected = placed.positions + quat.rotate(placed.rotations, POINTS)
    np.testing.assert_allclose(found.transpose(2, 1, 0), expected, atol=1e-12)


def test_screws_give_the_velocities_of_points() -> None:
    skeleton = make_skeleton()
    q = np.random.default_rng(0).normal(size=(FRAMES, len(skeleton.dofs)))
    links = SkeletonLinks(skeleton, [3, 6]).place(q)
    for joint in (3, 6):
        at = links.locate([joint], POINTS[joint : joint + 1])[:, 0]
        angular, linear = links.screws[:3], links.screws[3:]
        moves = np.cross(angular, at[:, None], axis=0) + linear
        expected = point_jacobian(skeleton, q, joint, POINTS[joint])
        on_path = np.array([dof.joint in skeleton.path_to_root(joint) for dof in skeleton.dofs])
        np.testing.assert_allclose(moves.transpose(2, 0, 1)[..., on_path], expected[..., on_path], atol=1e-12)
