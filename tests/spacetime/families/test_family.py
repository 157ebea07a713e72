"""Blending: at members, between them, and the slopes of smooth weights."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contacts.views import list_constraints
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from tests.spacetime.families.made import jump, unsolved

GRID = [
    {"stage": "ground 2", "forward": [-0.4, 0.4], "count": 3},
    {"stage": "flight 1", "higher": [0.0, 0.1], "count": 2},
]


@pytest.fixture(scope="module")
def grid():
    return unsolved(jump(), GRID)


def test_a_member_comes_back_exactly(grid):
    for member, values in (((0, 0), (-0.4, 0.0)), ((1, 1), (0.0, 0.1)), ((2, 0), (0.4, 0.0))):
        for smooth in (False, True):
            times, q = grid.coordinates(values, smooth)
            np.testing.assert_allclose(times, grid.times[member], atol=1e-12)
            np.testing.assert_allclose(q, grid.q[member], atol=1e-12)
        frame = 7
        np.testing.assert_allclose(grid.pose(values, grid.times[(*member, frame)]), grid.q[(*member, frame)], atol=1e-9)


def test_between_two_members_the_blend_is_linear(grid):
    times, q = grid.coordinates((0.1, 0.0))
    np.testing.assert_allclose(q, 0.75 * grid.q[1, 0] + 0.25 * grid.q[2, 0], atol=1e-12)
    times, _ = grid.coordinates((0.0, 0.025))
    np.testing.assert_allclose(times, 0.75 * grid.times[1, 0] + 0.25 * grid.times[1, 1], atol=1e-12)


@pytest.mark.parametrize("smooth", [False, True])
def test_a_pose_between_members_of_different_duration_is_shown_at_the_blended_time(grid, smooth):
    values = (0.13, 0.04)
    times, q = grid.coordinates(values, smooth)
    assert np.ptp(grid.times[:, :, -1]) > 0.01
    for frame in range(len(times)):
        np.testing.assert_allclose(grid.pose(values, times[frame], smooth), q[frame], atol=1e-9)


@pytest.mark.parametrize("smooth", [False, True])
def test_weights_name_members_and_add_up_to_one(grid, smooth):
    members, weights = grid.weights((-0.3, 0.03), smooth)
    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0.0).all()
    assert sorted(zip(*(part.tolist() for part in members), strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    q = np.tensordot(weights, grid.q[tuple(members)], 1)
    np.testing.assert_allclose(q, grid.coordinates((-0.3, 0.03), smooth)[1], atol=1e-12)


def test_smooth_weights_have_no_slope_at_members(grid):
    step = 1e-4
    at, near = (grid.coordinates((value, 0.0), smooth=True)[1] for value in (0.0, step))
    assert np.abs(near - at).max() / step < 1e-2
    at, near = (grid.coordinates((value, 0.0))[1] for value in (0.0, step))
    assert np.abs(near - at).max() / step > 0.5


def test_outside_is_refused(grid):
    with pytest.raises(InputError, match=r"forward of 'ground 2' must be -0.4 to 0.4, not 0.5"):
        grid.coordinates((0.5, 0.0))


def test_feet_of_a_motion_are_where_the_edit_has_them(grid):
    draft, motion = grid.motion((0.13, 0.0))
    holds = [hold for hold in list_constraints(draft.contacts) if hold.body.endswith("foot")]
    assert holds
    assert len(motion) == len(draft.reference)
    placed = motion.placement
    for hold in holds:
        joint = motion.skeleton.index(hold.body)
        for frame in range(hold.first, hold.last + 1):
            where = placed.positions[frame, joint] + quat.rotate(placed.rotations[frame, joint], hold.points[0])
            assert np.linalg.norm(where - hold.places[0]) < 1e-3
