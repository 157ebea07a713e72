"""Random scenes: no collisions, all arrive; impossible input is reported."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.primitives.navigation.floor_plan import FloorPlan
from gambol.primitives.navigation.scenarios import make_circle, make_crossing, make_doorway, make_field, make_poles
from gambol.primitives.navigation.steer import perceive, prepare_floor, steer
from gambol.primitives.navigation.walk import compute_clearance, simulate_walk
from gambol.primitives.navigation.walker import WalkerLimits, advance_agents

SCENES: list[tuple[Callable[[], FloorPlan], float]] = [
    (lambda: make_poles(0), 16.0),
    (lambda: make_poles(7), 16.0),
    (lambda: make_crossing(0), 20.0),
    (lambda: make_crossing(0, 180.0), 30.0),
    (lambda: make_doorway(1), 25.0),
    (lambda: make_doorway(2, both=True), 30.0),
    (lambda: make_circle(0), 20.0),
]


@pytest.mark.parametrize(("make", "seconds"), SCENES)
def test_nobody_collides_and_all_arrive(make: Callable[[], FloorPlan], seconds: float) -> None:
    done = simulate_walk(make(), seconds=seconds)
    assert done.notes == ()
    assert np.isfinite(done.arrival).all()
    assert compute_clearance(done.plan, done.position, WalkerLimits().radius) > 0.0
    assert done.detour < 1.15
    stood = done.speed[1:] < 0.1
    turned = np.abs(np.angle(np.exp(1j * np.diff(done.heading, axis=0))))
    assert (turned * stood).sum(axis=0).max() < 1.5 * np.pi, "someone spins on the spot"


def test_scenes_depend_on_the_seed_alone() -> None:
    for make in (make_poles, make_crossing, make_doorway, make_circle):
        assert (make(3).starts == make(3).starts).all()
        assert np.abs(make(3).starts - make(4).starts).max() > 0.01


def test_at_a_door_used_both_ways_directions_take_turns() -> None:
    done = simulate_walk(make_doorway(0, both=True), seconds=40.0)
    x = done.position[:, :, 0]
    crossed = [(int(np.argmax(np.sign(x[:, n]) == np.sign(x[-1, n]))), float(np.sign(x[-1, n]))) for n in range(12)]
    directions = [way for _, way in sorted(crossed)]
    assert np.count_nonzero(np.diff(directions)) <= 3


def test_a_room_without_a_door_in_sight_is_left_by_its_corner() -> None:
    done = simulate_walk(
        FloorPlan([[0.0, 0.0]], [[4.0, 0.0]], walls=[[2.0, -1.0, 2.0, 3.0], [-1.0, -1.0, 2.0, -1.0]]), seconds=30.0
    )
    assert np.isfinite(done.arrival).all()
    assert compute_clearance(done.plan, done.position, 0.28) > 0.0


def test_goals_that_nobody_can_stand_on_are_approached_and_told() -> None:
    inside = simulate_walk(
        FloorPlan([[0.0, 0.0], [0.0, 3.0]], [[5.0, 0.0], [5.0, 3.0]], poles=[[9.0, 9.0, 0.2], [5.0, 0.0, 0.6]])
    )
    assert inside.notes == ("agent 0 did not arrive: its goal lies inside pole 1",)
    assert np.linalg.norm(inside.position[-1, 0] - [5.0, 0.0]) < 0.6 + 0.3 + 0.3
    assert np.isfinite(inside.arrival[1])
    shut = simulate_walk(FloorPlan([[0.0, 0.0]], [[5.0, 0.0]], bounds=[-2.0, -2.0, 2.0, 2.0]), seconds=20.0)
    assert shut.notes == ("agent 0 did not arrive: its goal is not reachable",)
    assert 1.2 < shut.position[-1, 0, 0] < 1.72
    assert len(shut.position) < 10 * 60


def test_time_that_was_too_short_is_told() -> None:
    assert simulate_walk(FloorPlan([[0.0, 0.0]], [[5.0, 0.0]]), seconds=1.0).notes == (
        "agent 0 did not arrive: time was up after 1 s",
    )


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        ({"starts": [[0, 0], [5, 5], [0.3, 0]], "goals": [[1, 1]] * 3}, "agents 0 and 2 start 0.30 m apart"),
        ({"starts": [[0, 0]], "goals": [[1, 1]], "poles": [[0.4, 0, 0.2]]}, "agent 0 starts inside pole 0"),
        ({"starts": [[0, 0]], "goals": [[1, 1]], "walls": [[0.1, -1, 0.1, 1]]}, "agent 0 starts inside wall 0"),
        ({"starts": [], "goals": []}, "no agents"),
        ({"starts": [[0, 0]], "goals": [[1, 1], [2, 2]]}, "1 starts but 2 goals"),
        ({"starts": [[0, float("nan")]], "goals": [[1, 1]]}, "row 0 of 'starts'"),
        ({"starts": [[0, 0]], "goals": [[1, float("inf")]]}, "row 0 of 'goals'"),
        ({"starts": [[0, 0, 0]], "goals": [[1, 1]]}, "'starts' has the shape"),
        ({"starts": [["a", 0]], "goals": [[1, 1]]}, "'starts' is not a table of numbers"),
        ({"starts": [[0, 0]], "goals": [[1, 1]], "headings": [0.0, 1.0]}, "1 agents but 2 headings"),
        ({"starts": [[0, 0]], "goals": [[1, 1]], "poles": [[3, 3, -1.0]]}, "radius of pole 0 is not above 0"),
        ({"starts": [[0, 0]], "goals": [[1, 1]], "bounds": [2, 2, -2, -2]}, "'bounds' are"),
    ],
)
def test_scenes_that_make_no_sense_are_refused_in_a_line(scene: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        prepare_floor(FloorPlan(**scene), WalkerLimits())  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_walker_has_positive_limits() -> None:
    with pytest.raises(InputError, match="top speed"):
        WalkerLimits(top_speed=float("nan"))


def test_a_step_needs_memory_in_proportion_to_the_people() -> None:
    """No array has an entry for each pair of them; `gambol bench crowd` measures how the time grows."""

    def measure_memory(people: int) -> int:
        scene = make_field(people)
        course, state = prepare_floor(scene, WalkerLimits()), scene.state
        tracemalloc.start()
        advance_agents(state, steer(course, state, perceive(course, state), 1.0 / 60.0), 1.0 / 60.0)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert measure_memory(2400) < 1.5 * 8.0 * measure_memory(300)
