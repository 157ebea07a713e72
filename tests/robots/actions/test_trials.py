"""Tests of training trials made from a walk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol import load
from gambol.errors import InputError
from gambol.robots.actions.trials import DrawerRange, make_trials, measure_miss
from gambol.robots.actions.upper_body import UpperBody
from tests.robots.actions.made import load_body

WALK = load("walk")


def test_trials_of_three_actions_are_made_from_a_walk() -> None:
    body = load_body()
    trials = make_trials([WALK], body, seed=1, reaches=2)
    walks, reaches, openings = (
        [trial for trial in trials if trial.action == action] for action in ("walk", "approach", "open")
    )
    assert walks
    assert len(reaches) == len(openings) > 0
    assert len({trial.source for trial in trials}) == len(trials)  # of one recording, each counts by itself
    assert len({round(trial.length, 6) for trial in walks}) > 3  # and steps are edited
    for trial in walks:
        assert trial.length <= 0.35 + 1e-9
        assert trial.length / trial.duration <= 0.5 + 1e-9
    speeds = body.robot.description.speeds[body.columns]
    for reach, opening in zip(reaches, openings, strict=True):
        assert reach.length < 0.86 * max(walk.length for walk in walks)
        assert reach.drawer == opening.drawer
        assert max(measure_miss(body, reach), measure_miss(body, opening)) < 0.005
        assert (np.abs(np.diff(opening.angles, axis=0)) * (len(opening.angles) - 1) / opening.duration <= speeds).all()


def test_trials_of_several_recordings_know_theirs() -> None:
    other = replace(WALK, name="other")
    trials = make_trials([WALK, other], load_body(), reaches=1)
    assert {trial.source for trial in trials} == {WALK.name, "other"}
    assert len({round(trial.length, 6) for trial in trials if trial.action == "walk"}) <= 2


def test_a_robot_whose_hands_reach_no_drawer() -> None:
    with pytest.raises(InputError, match=r"jvrc.*reaches into no drawer as people would: a hand stays \d+ mm away"):
        make_trials([WALK], load_body(), reaches=1, drawers=DrawerRange(ahead=(1.5, 1.6)))


def test_a_robot_whose_joints_are_too_slow() -> None:
    robot = load_body().robot
    slow = replace(robot, description=replace(robot.description, speeds=0.2 * robot.description.speeds))
    with pytest.raises(InputError, match=r"joint '[LR]_\w+' would turn at [\d.]+ rad/s, its limit is"):
        make_trials([WALK], UpperBody(slow), reaches=1)


def test_the_seed_decides_about_drawers() -> None:
    body = load_body()
    one, same, other = (DrawerRange().draw(body, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert one == same != other
