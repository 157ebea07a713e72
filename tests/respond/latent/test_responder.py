"""A learned walker walks on without end, gives way to pushes in their direction, and keeps the responder protocol."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.motion.pushes import AppliedForce, Pull
from gambol.respond.latent.learn import fit_walker, group_examples, plan_examples
from gambol.respond.latent.phases import interpolate_loop
from gambol.respond.latent.responder import LatentWalker, WalkerState
from gambol.respond.latent.walk_model import TrainingOptions
from gambol.respond.responder import Responder, warm_up
from gambol.respond.session import Session
from gambol.respond.stream import Stream
from tests.respond.latent.walkers import make_test_example, make_test_walk, make_test_walker, walk_for


@pytest.fixture(scope="module")
def walker() -> LatentWalker:
    return make_test_walker()


def push(walker: LatentWalker, state: WalkerState, newtons: tuple[float, float], frames: int = 6) -> WalkerState:
    for _ in range(frames):
        state, _ = walker.step(state, [AppliedForce("chest", (*newtons, 0.0))])
    return state


def find_centre(walker: LatentWalker, state: WalkerState) -> np.ndarray:
    place = walker.decoder.layout.locate(state.gait.body.pose)
    return np.array([place.x, place.y])


def test_it_walks_on_like_the_walk_it_learned_from(walker: LatentWalker) -> None:
    state, poses = walk_for(walker, walker.start(), 300)
    model = walker.models[0]
    assert model.measure_distance(state.gait.latents[-1]) < 0.5
    speed = np.linalg.norm(walker.loop.travel) / walker.period
    assert np.linalg.norm(poses[-1, :2] - poses[0, :2]) / 299 == pytest.approx(speed, rel=0.03)
    away = np.abs(poses[-1] - walker.target(state))
    assert np.degrees(away[4:].max()) < 8.0
    assert np.linalg.norm(walker.origin(state)[:2] - find_centre(walker, state)) < 0.1


@pytest.mark.parametrize("order", [1, 2])
def test_a_push_carries_it_along_and_it_returns(order: int) -> None:
    """Pushed to the left and to the right it goes there by what its examples show, and not back."""
    walker = make_test_walker(order)
    begun = walk_for(walker, walker.start(), 8)[0]
    calm = walk_for(walker, begun, 66)[0]
    moved = {}
    for side in (1.0, -1.0):
        pushed = push(walker, begun, (0.0, side * 0.5 * 70.0 / 0.2))
        model = walker.models[pushed.gait.model]
        away = [model.measure_distance(walk_for(walker, pushed, n)[0].gait.latents[-1]) for n in (4, 8, 12)]
        assert max(away) > 1.0
        after = walk_for(walker, pushed, 60)[0]
        assert model.measure_distance(after.gait.latents[-1]) < 0.5
        moved[side] = (find_centre(walker, after) - find_centre(walker, calm))[1]
    assert moved[1.0] > 0.08
    if order == 1:  # with so few frames, order 2 loses the other example
        assert moved[-1.0] < -0.08


def test_it_returns_to_its_way(walker: LatentWalker) -> None:
    """Turned by 20 degrees it goes where it was going after 2 s; without, errors of the heading would stay."""
    begun = walk_for(walker, walker.start(), 8)[0]
    turned = begun._replace(gait=begun.gait._replace(way=begun.gait.way + np.radians(20.0)))
    after = walk_for(walker, turned, 60)[0]
    later = walk_for(walker, after, walker.period)[0]
    went = find_centre(walker, later) - find_centre(walker, after)
    calm = find_centre(walker, walk_for(walker, begun, 60 + walker.period)[0])
    calm = calm - find_centre(walker, walk_for(walker, begun, 60)[0])
    turn = np.degrees(np.arctan2(went[1], went[0]) - np.arctan2(calm[1], calm[0]))
    assert turn == pytest.approx(20.0, abs=1.5)
    for newtons in (250.0, -250.0):
        pushed = walk_for(walker, push(walker, begun, (0.0, newtons)), 60)[0]
        went = find_centre(walker, walk_for(walker, pushed, walker.period)[0]) - find_centre(walker, pushed)
        assert abs(went[1]) / (walker.period / 30.0) < 0.05


def test_the_latent_makes_up_for_a_push_at_another_phase(walker: LatentWalker) -> None:
    """After a push that came earlier or later, what an example does is soon shown at its own phase."""
    for late in (-3.0, 3.0):
        gait = push(walker, walk_for(walker, walker.start(), 8)[0], (0.0, 250.0)).gait
        gait = gait._replace(lag=late, phase=gait.phase + late - gait.lag)
        for _ in range(8):
            gait = walker._walk_on(gait)
        assert abs(gait.lag) < 1.5


def test_pushes_that_look_alike_are_told_apart_by_their_direction(walker: LatentWalker) -> None:
    """From a pose between two examples the latent is that of the example which was pushed in the same direction."""
    model = walker.models[0]
    left, right = (np.flatnonzero(model.owners == n)[model.onsets[n] + 4] for n in range(2))
    row, phase = 0.5 * (model.rows[left] + model.rows[right]), float(model.phases[left])
    for direction, own in ((90.0, 0), (60.0, 0), (270.0, 1), (240.0, 1)):
        found = model.locate_pushed(row, phase, direction)
        apart = np.linalg.norm(model.gplvm.latents_ - found, axis=1)
        assert apart[model.owners == own].min() < 0.7 * apart[model.owners == 1 - own].min()


def test_the_answer_grows_with_the_push(walker: LatentWalker) -> None:
    begun = walk_for(walker, walker.start(), 8)[0]
    calm = find_centre(walker, walk_for(walker, begun, 26)[0])
    moved = []
    for speed in (0.1, 0.25, 0.5, 0.8):
        after = walk_for(walker, push(walker, begun, (0.0, speed * 70.0 / 0.2)), 20)[0]
        moved.append((find_centre(walker, after) - calm)[1] / speed)
    assert min(moved) > 0.0
    assert max(moved) / min(moved) < 2.5


def test_vertical_forces_change_nothing_and_weak_ones_hardly_anything(walker: LatentWalker) -> None:
    begun = walk_for(walker, walker.start(), 8)[0]
    calm = walk_for(walker, begun, 6)[0]
    lifted, nudged = begun, push(walker, begun, (0.0, 0.1))
    for _ in range(6):
        lifted, _ = walker.step(lifted, [AppliedForce("chest", (0.0, 0.0, 200.0))])
    assert np.array_equal(lifted.gait.body.pose, calm.gait.body.pose)
    np.testing.assert_allclose(nudged.gait.body.pose, calm.gait.body.pose, atol=1e-3)
    assert nudged.gait.strength < 0.001


def test_examples_at_many_phases_are_divided_evenly() -> None:
    examples = [make_test_example(phase / 16, 90.0) for phase in range(16)]
    assert {len(group) for group in group_examples(examples)} == {2}


def test_states_are_values_and_runs_repeat(walker: LatentWalker) -> None:
    state = push(walker, walk_for(walker, walker.start(), 6)[0], (0.0, 150.0), 3)
    forces = [AppliedForce("head", (20.0, -80.0, 0.0))]
    first = walker.step(state, forces)[1]
    walker.step(state)
    assert np.array_equal(walker.step(state, forces)[1], first)
    again = fit_walker(make_test_walk(), [make_test_example(0.25, d) for d in (90.0, 270.0)], TrainingOptions(3))
    repeated = push(again, walk_for(again, again.start(), 6)[0], (0.0, 150.0), 3)
    assert np.array_equal(repeated.gait.body.pose, state.gait.body.pose)


def test_it_keeps_the_protocol(walker: LatentWalker) -> None:
    responder: Responder[WalkerState] = walker
    warm_up(responder)
    session = Session(responder)
    session.advance(0.2)
    session.grab("left_hand", tuple(session.placement.positions[walker.character.body("left_hand")]))
    session.drag_to((0.0, 1.5, 1.0))
    session.advance(0.2)
    assert session.pushed
    session.release()
    stream = Stream(responder)
    answer = stream.answer('{"pushes": [{"body": "head", "force": [0, 60, 0]}]}')
    assert answer["pose"] == walker.step(walker.start(), [AppliedForce("head", (0.0, 60.0, 0.0))])[1].tolist()
    dofs = len(walker.character.skeleton.dofs)
    assert "own targets" in stream.answer(json.dumps({"target": [0.0] * dofs}))["error"]
    assert "no body" in stream.answer('{"pushes": [{"body": "tail", "force": [5, 0, 0]}]}')["error"]


def test_forces_of_any_size_and_duration_leave_it_on_its_feet(walker: LatentWalker) -> None:
    begun = walk_for(walker, walker.start(), 8)[0]
    strong, stronger = (push(walker, begun, (0.0, newtons)) for newtons in (1e4, 1e300))
    np.testing.assert_allclose(strong.gait.body.pose, stronger.gait.body.pose, atol=1e-6)
    held = push(walker, begun, (0.0, 60.0), 90)
    height = held.gait.body.pose[2] - begun.gait.body.pose[2]
    assert abs(height) < 0.1
    with pytest.raises(InputError, match="no finite pose"):
        walker.step(begun, [AppliedForce("head", (0.0, 1.7e308, 0.0))] * 2)
    far = Pull("head", (0.0, 0.0, 1e300), (0.0, 0.0, 0.0), 1e300)
    assert np.isfinite(walker.step(begun, [far])[1]).all()


@pytest.mark.parametrize("begins", [5, 11])
def test_walkers_go_on_smoothly_when_a_push_ends(begins: int) -> None:
    """Pushed between the phases of the examples: what the model does not show of the pose fades."""
    walker = make_test_walker(models=True)
    for newtons in (250.0, -250.0):
        frames = [push(walker, walk_for(walker, walker.start(), begins)[0], (0.0, newtons))]
        ended = frames[0].gait
        for _ in range(12):
            frames.append(walk_for(walker, frames[-1], 1)[0])
        model = walker.models[ended.model]
        rows = np.array([one.gait.rows[-1] for one in frames])
        sudden = walk_for(walker, frames[0]._replace(gait=ended._replace(rest=0.0)), 1)[0].gait.rows[-1]
        moved = np.linalg.norm(np.diff(rows, axis=0), axis=1)
        assert moved.max() < 4.0 * model.row_step
        assert moved[0] < 0.6 * np.linalg.norm(sudden - rows[0])
        phases = np.unwrap([one.gait.phase for one in frames], period=walker.period)
        assert np.diff(phases).min() > 0.4
        latents = np.array([one.gait.latents[-1] for one in frames])
        assert np.linalg.norm(np.diff(latents, axis=0), axis=1).max() < 3.0 * model.step


@pytest.mark.parametrize("late", [0.0, 3.0])
def test_weak_pushes_change_the_timing_of_steps_less(walker: LatentWalker, late: float) -> None:
    """As they do footholds; and the steps of one that is over are those of the normal walk."""
    ended = push(walker, walk_for(walker, walker.start(), 8)[0], (0.0, 250.0)).gait
    hurries = []
    for strength in (0.0, 0.3, 0.6):
        gait = ended._replace(strength=strength, lag=ended.lag + late, phase=ended.phase + late)
        hurries.append(walker._walk_on(gait).phase - gait.phase - 1.0)
    assert hurries[0] == pytest.approx(0.0, abs=1e-9)
    assert abs(hurries[2]) > 0.02
    assert hurries[2] == pytest.approx(2.0 * hurries[1])


def test_several_models_share_the_walk_and_hand_over(walker: LatentWalker) -> None:
    """A push chooses the model of its phase; the pose does not jump there."""
    several = make_test_walker(models=True)
    assert [len(model.pushes) for model in several.models] == [2, 2, 2]
    assert several.choose_model(90.0, 0.25 * several.period) == 1
    assert several.choose_model(270.0, 0.55 * several.period) == 2
    state = walk_for(several, several.start(), round(0.5 * several.period))[0]
    assert state.gait.model == 0
    after, pose = several.step(state, [AppliedForce("chest", (0.0, 1.0, 0.0))])
    assert after.gait.model == 2
    _, calm = several.step(state)
    assert np.abs(pose - calm).max() < 0.002
    _, next_calm = several.step(walk_for(several, state, 1)[0])
    _, next_pose = several.step(after)
    own = np.abs(np.diff(several.loop.poses, axis=0))[:, 4:].max()
    assert np.abs(next_pose - next_calm)[4:].max() < own


def test_a_push_moves_latents_through_those_between(walker: LatentWalker) -> None:
    """Pushed back during a recovery, the latent goes to the other example in several frames, and its phase is known."""
    model, state = walker.models[0], push(walker, walk_for(walker, walker.start(), 8)[0], (0.0, 250.0))
    for _ in range(6):
        last, (state, _) = state, walker.step(state, [AppliedForce("chest", (0.0, -250.0, 0.0))])
        moved = np.linalg.norm(state.gait.latents[-1] - last.gait.latents[-1]) / model.step
        assert moved < 2.6
        own = model.find_phase(state.gait.latents[-1], state.gait.phase)
        apart = (state.gait.phase - state.gait.lag - own + 0.5 * walker.period) % walker.period - 0.5 * walker.period
        assert abs(apart) < 1e-9


@pytest.mark.parametrize("order", [1, 2])
def test_the_last_feature_vectors_hand_over_in_their_order(order: int) -> None:
    walker = make_test_walker(order, models=True)
    gait = walker.start_at(10).gait
    found, ring = walker._hand_over(gait, 2), walker.models[2].ring
    expected = [interpolate_loop(ring, gait.phase - late) for late in reversed(range(order))]
    apart = np.linalg.norm(found - expected, axis=1)
    assert len(found) == order
    assert apart.max() < 0.25 * walker.models[2].step


def test_the_printed_form_switches_models_as_well() -> None:
    several = make_test_walker(models=True)
    printed = LatentWalker(several.walk, several.decoder, several.models, "printed")
    state = walk_for(printed, printed.start(), round(0.5 * printed.period))[0]
    assert printed.step(state, [AppliedForce("chest", (0.0, 50.0, 0.0))])[0].gait.model == 2
    assert printed.step(state)[0].gait.model == 0


def test_the_printed_form_deforms_a_frame_by_millimetres(walker: LatentWalker) -> None:
    printed = LatentWalker(walker.walk, walker.decoder, walker.models, "printed")
    begun = walk_for(printed, printed.start(), 8)[0]
    pushed = find_centre(printed, push(printed, begun, (0.0, 175.0), 1))
    moved = pushed - find_centre(printed, walk_for(printed, begun, 1)[0])
    # 175 N on 70 kg during a frame of 1/30 s: h² F / m.
    assert moved[1] == pytest.approx(175.0 / 70.0 / 900.0, rel=0.05)
    assert abs(moved[0]) < 0.001


def test_examples_are_planned_and_grouped() -> None:
    plan = plan_examples(3, 2)
    assert [(one.phase, one.direction) for one in plan][:3] == [(0.0, 0.0), (0.0, 180.0), (1 / 3, 0.0)]
    examples = [make_test_example(phase, direction) for phase in (0.0, 0.5) for direction in (0.0, 90.0, 180.0)]
    assert [len(group) for group in group_examples(examples)] == [3, 3]
    assert [len(group) for group in group_examples(examples, "direction")] == [2, 2, 2]
    assert [len(group) for group in group_examples(examples, "none")] == [6]
    assert [len(group) for group in group_examples(examples[:4])] == [4]
    for refused in (
        lambda: group_examples(examples, "size"),
        lambda: plan_examples(0),
        lambda: plan_examples(speed=9.0),
    ):
        with pytest.raises(InputError):
            refused()
    with pytest.raises(InputError, match="choose 2, 3 or 4"):
        fit_walker(make_test_walk(), examples[:1], TrainingOptions(5))
