"""Places of points and their derivatives by the coordinates."""

from __future__ import annotations

import numpy as np

from gambol.io import samples
from gambol.motion.kinematics import find_moved_points, locate_points, place, point_jacobian

JOINTS = [0, 3, 5]
POINTS = np.array([[0.1, 0.0, 0.2], [0.0, -0.1, 0.05], [0.02, 0.03, 0.0]])


def test_jacobians_of_points_are_their_finite_differences() -> None:
    walk = samples.walk()
    skeleton, q, step = walk.skeleton, walk.q[:3], 1e-6
    where, jacobian = locate_points(skeleton, q, JOINTS, POINTS)
    for column, move in enumerate(step * np.eye(q.shape[1])):
        ahead, behind = (locate_points(skeleton, q + sign * move, JOINTS, POINTS)[0] for sign in (1.0, -1.0))
        np.testing.assert_allclose((ahead - behind) / (2.0 * step), jacobian[..., column], atol=1e-8)
    np.testing.assert_array_equal(point_jacobian(skeleton, q, JOINTS[1], POINTS[1]), jacobian[:, 1])
    origins = locate_points(skeleton, q, JOINTS, np.zeros((3, 3)))[0]
    np.testing.assert_allclose(origins, place(skeleton, q).positions[:, JOINTS], atol=1e-12)
    still = find_moved_points(skeleton, JOINTS) == 0.0
    assert not jacobian.swapaxes(2, 3)[:, still].any()
    assert np.isfinite(where).all()


def test_limits_and_kinds_are_those_of_the_degrees_of_freedom() -> None:
    skeleton = samples.walk().skeleton
    assert skeleton.lower.tolist() == [dof.lower for dof in skeleton.dofs]
    assert skeleton.upper.tolist() == [dof.upper for dof in skeleton.dofs]
    assert skeleton.turning.tolist() == [dof.kind == "turn" for dof in skeleton.dofs]
    assert not skeleton.lower.flags.writeable
