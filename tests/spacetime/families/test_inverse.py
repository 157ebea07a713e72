"""Inverse control: the values that made a target are found again in few steps, and what is out of reach is told."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.inverse import find_point, reach
from tests.spacetime.families.made import jump, unsolved

SPACE = [
    {"stage": "ground 2", "forward": [-0.4, 0.4], "count": 3},
    {"stage": "ground 2", "left": [-0.3, 0.3], "count": 3},
    {"stage": "flight 1", "higher": [0.0, 0.15], "count": 2},
]
TOP = 0.6


@pytest.fixture(scope="module")
def space():
    return unsolved(jump(), SPACE)


def _where(family, body, point, values):
    """The slow and sure way."""
    placed = place(family.character.skeleton, family.pose(values, TOP)[None])
    joint = family.character.skeleton.index(body)
    return placed.positions[0, joint] + quat.rotate(placed.rotations[0, joint], point)


@pytest.mark.parametrize("part", ["head", "right hand", "left foot", "pelvis"])
def test_what_made_a_target_is_found_again(space, part):
    body, point = find_point(space.character, part)
    random = np.random.default_rng(0)
    for _ in range(20):
        values = [random.uniform(*axis.ranges[axis.measure]) for axis in space.plan.axes]
        goal = _where(space, body, point, values)
        found = reach(space, body, point, goal, TOP)
        assert found.hit
        assert found.miss < 1e-3
        assert np.linalg.norm(_where(space, body, point, found.values) - goal) == pytest.approx(found.miss, abs=1e-9)
        np.testing.assert_allclose(found.values, values, atol=0.01)


def test_out_of_reach_is_told_and_comes_nearest(space):
    body, point = find_point(space.character, "head")
    middle = _where(space, body, point, (0.0, 0.0, 0.05))
    found = reach(space, body, point, middle + [0.0, 2.0, 0.0], TOP)
    assert not found.hit
    assert found.values[1] == pytest.approx(0.3)
    near = min(
        np.linalg.norm(_where(space, body, point, (x, 0.3, z)) - middle - [0.0, 2.0, 0.0])
        for x in np.linspace(-0.4, 0.4, 17)
        for z in np.linspace(0.0, 0.15, 7)
    )
    assert found.miss <= near + 1e-3


def test_it_takes_few_steps(space, monkeypatch):
    """A step evaluates the pose and its derivative along each axis; `gambol bench edit` measures the time."""
    body, point = find_point(space.character, "right hand")
    pose, asked = Family.pose, []
    monkeypatch.setattr(Family, "pose", lambda *values: asked.append(values) or pose(*values))
    random = np.random.default_rng(1)
    steps = []
    for _ in range(20):
        goal = _where(space, body, point, [random.uniform(*axis.ranges[axis.measure]) for axis in space.plan.axes])
        asked.clear()
        assert reach(space, body, point, goal, TOP).hit
        steps.append(len(asked) / (1 + len(SPACE)))
    assert max(steps) <= 6


def test_points_that_people_name(space):
    character = space.character
    body, point = find_point(character, "Right Hand")
    assert body == "right_hand"
    assert np.linalg.norm(point) > 0.1
    assert find_point(character, "head")[1][2] > 0.1
    with pytest.raises(InputError, match="no body 'tail'"):
        find_point(character, "tail")
    with pytest.raises(InputError, match="as in all members"):
        reach(space, body, point, (0.0, 0.0, 1.0), 60.0)


def test_a_place_is_three_numbers(space):
    body, point = find_point(space.character, "head")
    with pytest.raises(InputError, match="three finite numbers"):
        reach(space, body, point, (np.nan, 0.0, 1.0), TOP)
