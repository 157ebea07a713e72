"""The actuation space of a clip."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.filters import differentiate, low_pass
from gambol.motion.cycles import weigh_cycles
from gambol.respond.actuation import compute_actuation, destabilising_stiffness, upper_body_columns


def test_directions_are_orthonormal_and_sorted_by_the_torque_they_carry(walk: Fit) -> None:
    found = compute_actuation(walk)
    np.testing.assert_allclose(found.directions.T @ found.directions, np.eye(24), atol=1e-12)
    assert (np.diff(found.powers) <= 0.0).all()
    columns = upper_body_columns(walk.character)
    assert len(columns) == 30
    q = low_pass(walk.motion.q, walk.motion.frame_time, 8.0)
    torques = Dynamics(walk.character).torques(q, *differentiate(q, walk.motion.frame_time))[:, columns[6:]]
    weights = weigh_cycles(walk.source).coverage
    np.testing.assert_allclose(weights @ (torques @ found.directions) ** 2, found.powers, rtol=1e-6, atol=1e-9)
    share = np.sum(weights @ (torques @ found.free(10)) ** 2) / np.sum(weights @ torques**2)
    assert share < 1e-3


def test_plain_centring_leaves_a_constant_torque_in_the_free_directions(walk: Fit) -> None:
    """Why the second moment is used and not the covariance, as printed."""
    columns = upper_body_columns(walk.character)[6:]
    q = low_pass(walk.motion.q, walk.motion.frame_time, 8.0)
    torques = Dynamics(walk.character).torques(q, *differentiate(q, walk.motion.frame_time))[:, columns]
    mean = weigh_cycles(walk.source).coverage @ torques
    means = [np.linalg.norm(mean @ compute_actuation(walk, centred=c).free(10)) for c in (False, True)]
    assert means[1] > 3.0 * means[0]


def test_gravity_topples_a_trunk_that_nothing_holds(walk: Fit) -> None:
    found = compute_actuation(walk)
    pulls = [destabilising_stiffness(walk, found.free(k)) for k in (0, 5, 10, 24)]
    assert pulls[0] == 0.0
    assert pulls == sorted(pulls)
    assert 50.0 < pulls[3] < 200.0


@pytest.mark.parametrize("count", [-1, 25])
def test_there_are_no_more_free_directions_than_coordinates(walk: Fit, count: int) -> None:
    with pytest.raises(InputError, match="0 to 24"):
        compute_actuation(walk).free(count)


def test_the_least_stable_direction_of_a_space_is_no_more_stable_than_any_direction_in_it(walk: Fit) -> None:
    spine = np.eye(24)[:, :2]
    first, second = (destabilising_stiffness(walk, spine[:, [n]]) for n in (0, 1))
    both = destabilising_stiffness(walk, spine)
    assert both >= max(first, second) > min(first, second)
    turned = destabilising_stiffness(walk, spine @ np.array([[0.6, -0.8], [0.8, 0.6]]))
    assert turned == pytest.approx(both, rel=1e-6)
    assert destabilising_stiffness(walk, np.eye(24)[:, 8:9]) == 0.0  # a stable direction
