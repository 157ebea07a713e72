"""Learning: the optimum of known parameters is found again, at converged solves."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.progress import silent
from gambol.styles import learning
from gambol.styles.learning import find_start, learn_parameters, measure_moment
from gambol.styles.scene import fit_scene, generate_motion
from tests.styles.scenes import crouch

pytestmark = [pytest.mark.usefixtures("interpreted"), pytest.mark.slow]


def test_a_fitted_motion_obeys_physics() -> None:
    scene = crouch()
    fitted = fit_scene(scene)
    assert fitted.solution.converged
    assert np.abs(fitted.root_residual).max() < 1.0
    assert measure_moment(fitted.q, scene).error_deg < 3.0
    rise = np.diff(fitted.solution.x[fitted.space.velocity], axis=0) / scene.frame_time
    expected = scene.character.mass * (rise + [0.0, 0.0, 9.81])
    np.testing.assert_allclose(fitted.find_ground_force("foot")[1:-1], expected, atol=0.01)


def test_a_style_keeps_the_given_poses_and_costs_less() -> None:
    scene = crouch()
    fitted = fit_scene(scene)
    scene, start = scene.with_reference(fitted.q), find_start(fitted)
    parameters = start.make_uniform()
    found = generate_motion(scene, parameters)
    assert found.solution.converged
    np.testing.assert_allclose(found.q[[0, 1, -2, -1]], fitted.q[[0, 1, -2, -1]], atol=1e-6)
    costs = [(parameters[:, 0] * one.find_muscle_torques(parameters) ** 2).sum() for one in (fitted, found)]
    assert costs[1] < costs[0]


def test_dear_muscles_are_used_less() -> None:
    scene = crouch()
    fitted = fit_scene(scene)
    scene, start = scene.with_reference(fitted.q), find_start(fitted)
    torques = []
    for factor in (1.0, 20.0):
        parameters = start.make_uniform()
        parameters[:, 1:4] *= 1e-3
        parameters[2, 0] *= factor  # the knee
        found = generate_motion(scene, parameters)
        torques.append(np.sqrt(np.mean(found.joint_torques[:, 2] ** 2)))
    assert torques[1] < 0.95 * torques[0]


@pytest.mark.parametrize("parameter", [0, 5, 6], ids=["cost", "posture", "rest"])
def test_motions_follow_free_numbers_as_their_derivatives_say(parameter: int) -> None:
    """Those of the knee, from solves on both sides."""
    scene = crouch()
    fitted = fit_scene(scene)
    search = learning._Search([scene.with_reference(fitted.q)], [fitted], learning.ALL_PARTS, silent)
    free, knee, small = np.zeros((4, 7)), 2, 0.02
    now = search._generate(free)
    assert now is not None
    expected = search._differentiate(free, now)[:, 7 * knee + parameter]
    ends = []
    for sign in (1.0, -1.0):
        free[knee, parameter] = sign * small
        found = search._generate(free)
        assert found is not None
        ends.append(found[0].q.ravel())
    measured = (ends[0] - ends[1]) / (2.0 * small)
    assert np.abs(measured - expected).max() < 0.05 * np.abs(expected).max()


def test_the_motion_of_a_hidden_style_is_learned() -> None:
    """Parameters that differ from the uniform ones are not found themselves, but their motion is."""
    scene = crouch()
    fitted = fit_scene(scene)
    scene, start = scene.with_reference(fitted.q), find_start(fitted)
    free = np.random.default_rng(2).normal(size=(4, 7)) * [1.0, 1.0, 1.0, 1.0, 0.3, 2.0, 0.6]
    hidden = generate_motion(scene, start.make_parameters(free))
    learned = learn_parameters([scene.with_reference(hidden.q)], steps=12)
    first, last = learned.moments[0], learned.moments[-1]
    assert first.error_deg > 1.0
    assert last.error_deg < 0.3 * first.error_deg
    assert learned.clips[0].generated.solution.converged
    assert (learned.uncertainty > 0.0).all()


def test_one_style_is_learned_from_two_clips() -> None:
    """Both are optima of the same hidden parameters, from different crouches."""
    fits = [fit_scene(crouch(depth)) for depth in (0.3, 0.15)]
    scenes = [crouch(depth).with_reference(one.q) for depth, one in zip((0.3, 0.15), fits, strict=True)]
    start = find_start(fits[0])
    free = np.random.default_rng(4).normal(size=(4, 7)) * [1.0, 1.0, 1.0, 1.0, 0.3, 2.0, 0.6]
    hidden = [generate_motion(scene, start.make_parameters(free)) for scene in scenes]
    told = [scene.with_reference(one.q) for scene, one in zip(scenes, hidden, strict=True)]
    learned = learn_parameters(told, steps=4)
    assert len(learned.clips) == 2
    assert learned.moments[-1].error_deg < 0.4 * learned.moments[0].error_deg
    for clip in learned.clips:
        assert measure_moment(clip.generated.q, clip.scene).error_deg < learned.moments[0].error_deg


def test_a_search_that_is_stopped_returns_its_best_so_far() -> None:
    """Before its first step there is none."""

    def learn(last: int) -> learning.LearnedStyle:
        def report(what: str, done: int, total: int | None) -> None:
            if done == last and "step" in what:
                raise KeyboardInterrupt

        return learn_parameters([crouch(frames=14)], steps=2, progress=report)

    best = learn(1)
    assert best.stopped
    assert len(best.moments) == 2
    assert np.isfinite(best.uncertainty).all()
    assert not np.array_equal(best.parameters, learn(9).parameters)
    np.testing.assert_array_equal(measure_moment(best.clips[0].generated.q, best.clips[0].scene), best.moments[-1])
    with pytest.raises(KeyboardInterrupt):
        learn(0)
