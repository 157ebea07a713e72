"""Couples change places below a bridge of arms, from any start and without a schedule."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd import library
from gambol.primitives.crowd.dance import (
    PARTNER,
    DanceHall,
    DancerStates,
    command_dancers,
    draw_dancers,
    measure_exchanges,
    simulate_dance,
)
from gambol.primitives.crowd.dance_steps import DanceSteps, arm_points, head_tops, make_dance_steps
from gambol.primitives.crowd.paths import pose_paths
from gambol.primitives.crowd.performance import perform_scene
from gambol.primitives.crowd.scene import DanceAct, Scene, read_scene
from gambol.primitives.oscillator import states_on_cycle
from tests.primitives.walking import walk

HALL = DanceHall()


@cache
def steps() -> DanceSteps:
    """Made of the built-in walk."""
    return make_dance_steps(walk())


def dancers(along: list[float], aside: list[float], headings: list[float]) -> DancerStates:
    """Four who stand."""
    return DancerStates(np.stack((along, aside), axis=1), np.array(headings), np.zeros(4), states_on_cycle(np.zeros(4)))


APART = ([-1.0, -1.0, 1.0, 1.0], [0.75, -0.75, 0.25, -0.25])
AT_ENDS = ([-3.0, -3.0, 3.0, 3.0], [0.5, -0.5, 0.5, -0.5])
FACING = [0.0, 0.0, np.pi, np.pi]


def test_there_are_as_many_prototypes_as_in_the_paper_and_standing() -> None:
    assert len(steps().prototypes.names) == 11


def test_shares_are_of_a_whole_and_lead_where_they_should() -> None:
    speed, turning, none = np.array([0.0, 0.5, 0.3]), np.array([1.0, 0.0, -0.4]), np.zeros(3)
    blend = steps().blend(speed, turning, none, none, none)
    np.testing.assert_allclose(blend.sum(axis=1), 1.0)
    assert (blend >= 0.0).all()
    led = steps().frequency * blend[:, : len(steps().gaits.prototypes.names)] @ steps().gaits.corners
    np.testing.assert_allclose(led, np.stack((speed, turning), axis=1), atol=1e-6)


def test_who_goes_up_the_hall_lifts_the_arm_that_is_next_to_the_partner_and_the_others_crouch() -> None:
    wants = command_dancers(HALL, steps(), dancers(*APART, FACING))
    np.testing.assert_allclose(wants.right_arm, [1.0, 0.0, 0.0, 0.0], atol=0.06)
    np.testing.assert_allclose(wants.left_arm, [0.0, 1.0, 0.0, 0.0], atol=0.06)
    np.testing.assert_allclose(wants.crouch, [0.0, 0.0, 1.0, 1.0], atol=0.06)


def test_after_turning_about_roles_are_exchanged() -> None:
    along, aside = APART
    wants = command_dancers(HALL, steps(), dancers([-x for x in along], aside, [np.pi, np.pi, 0.0, 0.0]))
    assert wants.crouch[:2].min() > 0.9
    assert (wants.left_arm + wants.right_arm)[2:].min() > 0.9
    assert wants.left_arm[3] > 0.9
    assert wants.right_arm[2] > 0.9


def test_far_apart_nobody_bends_or_lifts() -> None:
    wants = command_dancers(HALL, steps(), dancers(*AT_ENDS, FACING))
    assert max(np.abs(row).max() for row in wants[2:]) < 1e-3


def test_a_mirrored_hall_is_danced_in_mirror_image() -> None:
    state = draw_dancers(HALL, 3)
    mirrored = state._replace(places=state.places[PARTNER] * [1.0, -1.0], headings=-state.headings[PARTNER])
    one, other = command_dancers(HALL, steps(), state), command_dancers(HALL, steps(), mirrored)
    np.testing.assert_allclose(other.speed, one.speed[PARTNER], atol=1e-9)
    np.testing.assert_allclose(other.turning, -one.turning[PARTNER], atol=1e-9)
    np.testing.assert_allclose(other.left_arm, one.right_arm[PARTNER], atol=1e-9)


def test_a_couple_leaves_only_when_the_others_face_it() -> None:
    ready = command_dancers(HALL, steps(), dancers(*AT_ENDS, FACING))
    assert ready.speed.min() > 0.9 * steps().speed
    one_away = command_dancers(HALL, steps(), dancers(*AT_ENDS, [0.0, 0.0, np.pi, 0.5]))
    assert np.abs(one_away.speed[:3]).max() < 0.01


def test_who_waits_out_of_place_steps_back_to_it() -> None:
    along, aside = AT_ENDS
    wants = command_dancers(HALL, steps(), dancers([-2.8, -2.8, *along[2:]], aside, [0.0, 0.0, 0.3, -0.3]))
    assert -HALL.backward <= wants.speed[0] < -0.2


def test_at_the_end_of_the_hall_everybody_turns_to_the_partner() -> None:
    wants = command_dancers(HALL, steps(), dancers([3.0, 3.0, -3.0, -3.0], AT_ENDS[1], FACING))
    np.testing.assert_array_equal(np.sign(wants.turning), [-1.0, 1.0, 1.0, -1.0])


@pytest.mark.parametrize(("seed", "late"), [(0, 0.0), (4, 2.0)])
def test_places_are_exchanged_twice_from_any_start(seed: int, late: float) -> None:
    done = simulate_dance(HALL, steps(), draw_dancers(HALL, seed), 23.0, 60.0, late)
    assert max(measure_exchanges(HALL, done)[:2]) < 0.1
    assert len(measure_exchanges(HALL, done)) >= 2
    places = done.paths.places
    apart = np.linalg.norm(places[:, :2, None] - places[:, None, 2:], axis=-1)
    assert apart.min() > 0.45
    assert np.linalg.norm(places[:, ::2] - places[:, 1::2], axis=-1).min() > 0.4
    # Both couples have bridged, and both have crouched.
    assert done.bridging.max(axis=0).min() > 0.95
    assert done.crouching.max(axis=0).min() > 0.95


def test_all_fall_into_step_as_mirror_images() -> None:
    done = simulate_dance(HALL, steps(), draw_dancers(HALL, 5), 12.0, 60.0)
    apart = np.exp(1j * (done.paths.phases[-1] - done.paths.phases[-1, 0]))
    np.testing.assert_allclose(apart, [1.0, -1.0, 1.0, -1.0], atol=1e-2)
    assert (np.diff(done.paths.phases, axis=0) >= 0.0).all()


def test_hands_meet_above_the_heads_that_pass() -> None:
    done = simulate_dance(HALL, steps(), draw_dancers(HALL, 1), 6.0, 60.0)
    bodies = pose_paths(PoseBlender(steps().prototypes), done.paths, 1.0 / 60.0)
    up = done.bridging[:, 0] > 0.95
    right, left = arm_points(bodies[0], "right")[up], arm_points(bodies[1], "left")[up]
    assert up.sum() > 60
    assert np.linalg.norm(right[:, -1] - left[:, -1], axis=1).mean() < 0.08
    for arm, head in ((right, head_tops(bodies[2])[up]), (left, head_tops(bodies[3])[up])):
        over = np.linalg.norm(arm[..., :2] - head[:, None, :2], axis=-1) < 0.15
        assert over.any()
        assert (arm[..., 2] - head[:, None, 2])[over].min() > 0.1


def test_the_scene_that_comes_with_gambol_is_performed() -> None:
    scene = read_scene(library.find("bridge"))
    assert scene.act == DanceAct("bridge")
    done = perform_scene(Scene(scene.name, scene.act, 10.0, scene.seed), walk())
    assert len(done.motions) == 4
    assert len(done.notes) == 1
    assert "exchange 1" in done.notes[0]
