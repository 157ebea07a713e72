"""The claims about learned walkers fail on walkers that are wrong."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gambol.respond.latent.examples import ExamplePush
from gambol_evidence.reproduce.responsive import random_pushes, selectivity
from gambol_evidence.reproduce.responsive.deviations import SECOND, PushDeviation, find_landing, measure_deviation
from gambol_evidence.reproduce.responsive.free_run import FreeRun, follow_dynamics, run_latents
from gambol_evidence.reproduce.responsive.prediction import count_crossings, measure_errors
from gambol_evidence.reproduce.responsive.several_models import TwicePushed
from gambol_evidence.reproduce.responsive.walker_trials import PUSHED, PushedRun, measure_jump, run_walker
from tests.respond.latent.walkers import make_test_walker

AWAY, NEAR = np.append(np.full(10, 4.0), 0.3), np.full(11, 0.3)
GOOD = {
    "back": 0.8,
    "distances": AWAY,
    "departures": AWAY,
    "retained": 0.8,
    "foot_speeds": np.full(20, 0.01),
    "largest_jump": 2.0,
}
EXAMPLES = [SimpleNamespace(push=ExamplePush(phase / 4, 90.0 * way, 0.5)) for phase in range(4) for way in range(4)]


def _failures(**changed: object) -> set[str]:
    runs = [SimpleNamespace(**{**GOOD, **changed}) for _ in range(20)]
    claims = random_pushes._judge(SimpleNamespace(name="x"), runs)
    return {claim.id for claim in claims if not claim.holds}


def test_good_walkers_hold() -> None:
    assert _failures() == set()


@pytest.mark.parametrize(
    ("changed", "fails"),
    [
        ({"back": 4.0}, {"back-x"}),
        ({"distances": np.append(AWAY, 2.0)}, {"back-x"}),
        ({"departures": NEAR}, {"leave-x"}),
        ({"retained": 0.02}, {"retained-x"}),
        ({"retained": 1.9}, {"retained-x"}),
        ({"foot_speeds": np.full(20, 0.5)}, {"pushed-feet-x"}),
        ({"foot_speeds": np.full(0, 0.0)}, {"pushed-feet-x"}),
        ({"largest_jump": 5.0}, {"jump-x"}),
    ],
)
def test_wrong_walkers_fail(changed: dict[str, object], fails: set[str]) -> None:
    assert _failures(**changed) == fails


@pytest.mark.parametrize(
    ("visited", "example", "direction"),
    [
        (ExamplePush(0.25, 90.0, 0.5), True, True),
        (ExamplePush(0.5, 90.0, 0.5), False, True),
        (ExamplePush(0.25, 180.0, 0.5), False, False),
        (None, False, False),
    ],
)
def test_the_right_example_is_the_nearest_in_phase_and_direction(
    visited: ExamplePush | None, example: bool, direction: bool
) -> None:
    found = selectivity._judge_visit(ExamplePush(0.28, 100.0, 0.5), visited, EXAMPLES)
    assert (found.example, found.direction) == (example, direction)


def test_directions_and_phases_close_into_circles() -> None:
    found = selectivity._judge_visit(ExamplePush(0.98, 350.0, 0.5), ExamplePush(0.0, 0.0, 0.5), EXAMPLES)
    assert found.example


def _feet(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Places (frames, 4, 3) of heels and balls that move along x."""
    ends = np.zeros((len(left), 4, 3))
    ends[:, :2, 0], ends[:, 2:, 0] = left[:, None], right[:, None]
    return ends


def test_the_foot_that_swings_and_stops_first_lands() -> None:
    frames = np.arange(40)
    left = np.clip(frames - 5.0, 0.0, 15.0) * 0.05  # stands, swings at 1.5 m/s, stands from frame 20
    right = np.clip(frames - 10.0, 0.0, 20.0) * 0.05
    found = find_landing(_feet(left, right))
    assert (found.side, found.frame) == (0, 21)
    assert found.place[0] == pytest.approx(0.75)
    assert find_landing(_feet(left, right), (1,)).frame == 31
    assert np.isnan(find_landing(_feet(0.0 * left, 0.0 * right)).frame)  # nobody steps
    early = np.clip(frames + 0.0, 0.0, 3.0) * 0.05  # lands too early to be the answer, and stands
    assert find_landing(_feet(early, right)).side == 1


def test_deviations_are_zero_without_a_push_and_errors_one_if_it_is_ignored() -> None:
    walker = make_test_walker()
    points, calm = walker.decoder.layout.points, walker.loop.at(np.arange(SECOND + 5))
    pushed = calm + 0.0
    pushed[:, 1] += 0.01 * np.arange(len(calm))
    nothing, moved = measure_deviation(points, calm, calm), measure_deviation(points, pushed, calm)
    assert not nothing.points.any()
    assert not nothing.foothold.any()
    np.testing.assert_allclose(moved.centre[-1], [0.0, 0.01 * SECOND, 0.0], atol=1e-9)
    assert nothing.measure_error(moved) == pytest.approx(1.0)
    assert moved.measure_error(moved) == 0.0
    assert moved.measure_reaction() == pytest.approx(0.0, abs=1e-9)  # the pose is the same elsewhere


def test_the_reaction_is_that_of_the_pose() -> None:
    raised = np.zeros((SECOND, 2, 3))
    raised[:, 1, 2] = 0.2
    assert PushDeviation(raised, np.zeros((SECOND, 3)), np.zeros(2), 0.0).measure_reaction() == pytest.approx(0.1)


def test_free_runs_count_rounds_and_stalls_do_not() -> None:
    model = make_test_walker().models[0]
    walked = run_latents(model, 3 * model.period)
    assert walked.measure_pace(model.period) == pytest.approx(1.0, abs=0.05)
    assert walked.farthest < 1.0
    stuck = run_latents(model, 3 * model.period, lambda model, latents, rows: (latents[-1], rows[-1]))
    assert stuck.measure_pace(model.period) < 0.1
    assert FreeRun(np.array([0.1, 3.0, 0.2]), np.zeros(3)).farthest == 3.0
    latent, _ = follow_dynamics(model, model.ring[-model.order :], model.normal[-model.order :])
    assert np.linalg.norm(latent - model.ring[0]) < model.step


def test_predictions_of_the_walk_are_near_and_of_another_are_not() -> None:
    walker = make_test_walker()
    model, phases = walker.models[0], np.arange(walker.models[0].period, dtype=float)
    assert measure_errors(walker.decoder, model, model.normal, phases, 1) < 5.0
    other = model.normal + 0.05  # every point 87 mm away
    assert measure_errors(walker.decoder, model, other, phases, 1) > 50.0


def test_latents_that_meet_cross_only_if_their_poses_differ() -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    eight = np.stack((np.sin(angles), np.sin(2.0 * angles)), axis=1)
    ring = np.stack((np.sin(angles), np.cos(angles)), axis=1)

    def make(latents: np.ndarray, rows: np.ndarray) -> SimpleNamespace:
        return SimpleNamespace(gplvm=SimpleNamespace(latents_=latents), rows=rows, step=0.1, row_step=0.1)

    assert count_crossings(make(eight, ring)) > 0.03
    assert count_crossings(make(ring, ring)) == 0.0
    assert count_crossings(make(eight, eight)) == 0.0


def _push_twice(kick: float, frame: int = 15) -> TwicePushed:
    """A run whose joints swing, with a kick in a frame; the second push begins in frame 15."""
    poses = np.zeros((40, 10))
    poses[:, 7] = np.sin(0.3 * np.arange(40))
    poses[frame, 7] += kick
    states = [
        SimpleNamespace(
            gait=SimpleNamespace(body=SimpleNamespace(pose=pose), model=int(n >= 15), latents=np.ones((1, 3)))
        )
        for n, pose in enumerate(poses)
    ]
    return TwicePushed(SimpleNamespace(models=[SimpleNamespace(step=1.0)] * 2), states, 15)  # type: ignore[arg-type]


def test_a_jump_at_the_switch_is_a_seam() -> None:
    assert _push_twice(0.0).switched
    assert _push_twice(0.0).seam < 1.1
    assert _push_twice(0.5).seam > 2.0
    assert _push_twice(0.5, 15 + PUSHED).seam > 2.0
    assert _push_twice(0.5, 30).seam < 1.1


def test_jumps_and_visits_count_in_one_model() -> None:
    """A switch of models is no jump; a walker near an example away from the ring visits it, on the ring none."""
    walker = make_test_walker()
    model = walker.models[0]

    def run(latents: np.ndarray, models: list[int]) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(gait=SimpleNamespace(latents=latent[None], model=number))
            for latent, number in zip(latents, models, strict=True)
        ]

    far = np.array([[0.0, 0, 0], [0.1, 0, 0], [9.0, 0, 0], [9.2, 0, 0]])
    jump = measure_jump(SimpleNamespace(models=[model, model]), run(far, [0, 0, 1, 1]))  # type: ignore[arg-type]
    assert jump == pytest.approx(0.2 / model.step)
    for owner in (0, 1):
        frames = np.flatnonzero(model.owners == owner)
        away = np.array([model.measure_distance(model.gplvm.latents_[n]) for n in frames]) > 1.0
        latents = np.repeat(model.gplvm.latents_[frames[away][:1]], PUSHED + 3, axis=0)
        pushed = PushedRun(walker, walker.start(), run(latents, [0] * len(latents)), model.pushes[0])  # type: ignore[arg-type]
        assert pushed.visited == model.pushes[owner]
    normal = PushedRun(walker, walker.start(), run(model.ring[: PUSHED + 3], [0] * (PUSHED + 3)), model.pushes[0])  # type: ignore[arg-type]
    assert normal.visited is None


def test_feet_that_stand_in_the_walk_must_stand_while_pushed() -> None:
    walker = make_test_walker()
    start = walker.start_at(10)
    slid = []
    for n, state in enumerate(run_walker(walker, start, None, PUSHED)):
        pose = state.gait.body.pose.copy()
        pose[1] += 0.05 * (n + 1)  # the whole body slides at 1.5 m/s
        slid.append(state._replace(gait=state.gait._replace(body=state.gait.body._replace(pose=pose))))
    speeds = PushedRun(walker, start, slid, ExamplePush(0.3, 90.0, 0.5)).foot_speeds
    assert len(speeds) > 0
    assert speeds.min() > 1.2
