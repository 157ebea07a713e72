"""Scene files: parsing, performing, invalid input."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.primitives.crowd import library
from gambol.primitives.crowd.performance import CROWD_FPS, certify_scene, perform_scene, walker_limits
from gambol.primitives.crowd.scene import DanceAct, MarchAct, WalkAct, parse_scene, read_scene
from gambol.primitives.navigation.walk import compute_clearance
from tests.primitives.walking import gaits

HAND = {"walk": {"agents": [{"start": [0, 0], "goal": [4, 0]}, {"start": [4, 0.2], "goal": [0, 0]}]}, "seconds": 12}


@pytest.mark.parametrize("name", library.names())
def test_what_comes_with_gambol_can_be_read(name: str) -> None:
    scene = read_scene(library.find(name))
    assert isinstance(scene.act, WalkAct | MarchAct | DanceAct)
    assert library.about(name)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([], "a scene must be a mapping"),
        ({}, "one of walk, march and dance"),
        ({"walk": "poles", "march": {}}, "one of walk, march and dance"),
        ({"walk": "hills"}, "no scenario 'hills'"),
        ({"walk": "poles", "seconds": 0}, "seconds"),
        ({"walk": "poles", "seconds": "long"}, "seconds"),
        ({"walk": "poles", "seed": 1.5}, "seed"),
        ({"walk": {"agents": [{"start": [0, 0]}]}}, "lacks its start or goal"),
        ({"walk": {"agents": []}}, "no agents"),
        ({"walk": {"agents": [{"start": [0, "x"], "goal": [1, 1]}]}}, "numbers"),
        ({"walk": {"agents": [{"start": [0, 0], "goal": [1, 1]}], "poles": [[1, 2]]}}, "3 numbers"),
        ({"walk": {"agents": [{"start": [0, 0], "goal": [1, 1]}], "bounds": [1, 1, 0, 0]}}, "bounds"),
        ({"march": {"rows": 0}}, "agents in total"),
        ({"march": {"rows": 2.5}}, "whole number"),
        ({"march": {"along": 0.1}}, "less than 0.6 m apart"),
        ({"march": {"sees": "god"}}, "no graph"),
        ({"march": {"control": {"coupling": -1}}}, "coupling"),
        ({"march": {"control": {"kopling": 1}}}, "no key 'kopling'"),
        ({"march": {"control": {"stride_updates": 3}}}, "true or false"),
        ({"dance": "waltz"}, "no dance 'waltz'"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(content, told: str) -> None:
    with pytest.raises(InputError, match=told):
        parse_scene(content, "scene")


def test_two_who_meet_pass_and_arrive_as_whole_bodies() -> None:
    scene = parse_scene(HAND, "meeting")
    done = perform_scene(scene, gaits().prototypes)
    ends = np.array([motion.placement.positions[-1, 0, :2] for motion in done.motions])
    np.testing.assert_allclose(ends, [[4.0, 0.0], [0.0, 0.0]], atol=0.35)
    frames = np.stack([motion.placement.positions[:, 0, :2] for motion in done.motions], axis=1)
    assert np.linalg.norm(frames[:, 0] - frames[:, 1], axis=1).min() > 0.5
    assert done.notes[0].startswith("2 of 2 arrived")


def test_bodies_stay_about_the_discs_that_were_steered() -> None:
    scene = parse_scene({"walk": "poles", "seconds": 12, "seed": 3}, "poles")
    done = perform_scene(scene, gaits().prototypes)
    assert done.poles is not None
    frames = np.stack([motion.placement.positions[:, 0, :2] for motion in done.motions], axis=1)
    assert isinstance(scene.act, WalkAct)
    walker = walker_limits(gaits())
    assert compute_clearance(scene.act.floor_plan(3), frames, walker.radius - 0.06) > 0.0


def test_agents_inside_each_other_and_goals_nobody_reaches_are_told() -> None:
    inside = {"walk": {"agents": [{"start": [0, 0], "goal": [4, 0]}, {"start": [0.1, 0], "goal": [4, 2]}]}}
    with pytest.raises(InputError, match=r"agents 0 and 1 start 0\.10 m apart"):
        perform_scene(parse_scene(inside, "inside"), gaits().prototypes)
    covered = {"walk": {"agents": [{"start": [0, 0], "goal": [4, 0]}], "poles": [[4, 0, 0.5]]}, "seconds": 8}
    done = perform_scene(parse_scene(covered, "covered"), gaits().prototypes)
    assert "did not arrive: its goal lies inside pole 0" in done.notes[1]


def test_a_march_is_certified_and_a_walk_is_not() -> None:
    good = certify_scene(read_scene(library.find("march")), gaits().prototypes)
    assert good.contracting
    whole = certify_scene(read_scene(library.find("parade")), gaits().prototypes)
    assert all("contracting" in line for line in whole.lines())
    assert not any("counted from" in line for line in whole.lines())
    bad = certify_scene(read_scene(library.find("stampede")), gaits().prototypes)
    assert not bad.contracting
    with pytest.raises(InputError, match="only a march"):
        certify_scene(parse_scene(HAND, "meeting"), gaits().prototypes)


def test_a_performance_is_the_same_for_the_same_seed() -> None:
    content = {"march": {"rows": 2, "columns": 2}, "seconds": 1.0}
    one, again = (perform_scene(parse_scene({**content, "seed": 5}, "x"), gaits().prototypes) for _ in range(2))
    other = perform_scene(parse_scene({**content, "seed": 6}, "x"), gaits().prototypes)
    assert np.array_equal(one.motions[0].q, again.motions[0].q)
    assert not np.array_equal(one.motions[0].q, other.motions[0].q)
    assert len(one.motions[0]) == CROWD_FPS
