from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.motion.cage import LEFT, RIGHT, Cage, share_along


@given(st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=6), st.floats(0.01, 1.0), st.floats(-4.0, 4.0))
def test_shares_along_a_chain_add_up_wherever_its_joints_are(starts: list[float], reach: float, place: float) -> None:
    """Joints at one place, or in the wrong order, included."""
    owners = list(range(len(starts) + 1))
    shares = share_along(owners, starts, [reach] * len(starts), place)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert min(shares.values()) >= 0.0


def test_each_joint_takes_over_at_its_start() -> None:
    places = np.linspace(-1.0, 4.0, 51)
    found = np.array([[share_along([7, 8, 9], [0.0, 2.0], [0.5, 0.5], s)[j] for j in (7, 8, 9)] for s in places])
    assert (np.diff(found[:, 0]) <= 0.0).all()
    assert (np.diff(found[:, 2]) >= 0.0).all()
    np.testing.assert_allclose(found[[0, 20, 50]], np.eye(3))
    np.testing.assert_allclose(found[10], [0.5, 0.5, 0.0], atol=1e-12)
    assert ((found > 0.0).sum(axis=1) <= 2).all()


def test_faces_of_the_right_side_are_turned_round_and_unused_vertices_dropped() -> None:
    cage = Cage()
    ring = cage.add(np.arange(15.0).reshape(5, 3), {2: 1.0})
    cage.add_face(ring[1:], LEFT)
    cage.add_face(ring[1:], RIGHT)
    vertices, weights, quads, zones = cage.finish(3)
    np.testing.assert_array_equal(vertices, np.arange(3.0, 15.0).reshape(4, 3))
    np.testing.assert_array_equal(weights, np.tile([0.0, 0.0, 1.0], (4, 1)))
    np.testing.assert_array_equal(quads, [[0, 1, 2, 3], [3, 2, 1, 0]])
    np.testing.assert_array_equal(zones, [LEFT, RIGHT])
