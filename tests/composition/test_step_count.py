"""How many steps somebody takes: numbers that fit, and the one that costs least."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.composition import step_count
from gambol.composition.composition import Action, Composition, Person
from gambol.composition.conditions import BodyPart, Reach
from gambol.composition.step_count import StepCount, choose_step_counts
from gambol.errors import InputError

GOAL = Reach(BodyPart("anna", "pelvis", 0.0), (2.4, 0.6), 2.0)
SCENE = Composition("there", (Person("anna", (Action("walk", steps=0),)),), (GOAL,), duration=2.2)


def test_pace_and_stride_bring_somebody_there_in_time() -> None:
    tried = step_count._list_counts(SCENE, SCENE.people[0], GOAL)
    assert 1 < len(tried) <= 5
    assert tried == sorted(tried, key=lambda one: one.gait_cost)
    rates = {one.steps: one.pace * one.stride for one in tried}
    assert np.ptp(list(rates.values())) < 1e-9  # the same speed, with fewer long or more short steps
    assert [one.pace for one in sorted(tried, key=lambda one: one.steps)] == sorted(one.pace for one in tried)


def test_the_number_that_costs_least_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = {3: 5.0, 4: 1.0, 5: 2.0}
    monkeypatch.setattr(step_count, "_list_counts", lambda *given: [StepCount(n, 1.0 + 0.1 * n, 0.9) for n in costs])
    monkeypatch.setattr(step_count, "_try_count", lambda given, count: costs[count.steps])
    chosen, notes = choose_step_counts(SCENE)
    (action,) = chosen.people[0].actions
    assert (action.steps, action.pace, action.stride) == (4, 1.4, 0.9)
    assert chosen.people[0].heading == pytest.approx(np.degrees(np.arctan2(0.6, 2.4)))
    assert notes == ("anna: 4 steps cost least (3: 5, 4: 1, 5: 2)",)
    costs = dict.fromkeys(costs, np.inf)
    with pytest.raises(InputError, match=r"'anna' cannot arrive at \(2.4, 0.6\) in 2 s"):
        choose_step_counts(SCENE)


@pytest.mark.slow
def test_a_solved_number_of_steps_arrives() -> None:
    person = SCENE.people[0]
    cost = step_count._try_count((SCENE, person), step_count._list_counts(SCENE, person, GOAL)[0])
    assert 0.0 < cost < 20.0


def test_what_cannot_be_found_is_said() -> None:
    assert choose_step_counts(replace(SCENE, people=(Person("anna", (Action("walk", steps=3),)),)))[1] == ()
    with pytest.raises(InputError, match="needs one action, a 'reach' condition and a duration"):
        choose_step_counts(replace(SCENE, conditions=()))
    far = replace(GOAL, place=(40.0, 0.0))
    with pytest.raises(InputError, match=r"no number of steps brings 'anna' 40.0 m"):
        choose_step_counts(replace(SCENE, conditions=(far,)))
