"""Tests of the model of actions and of its regression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io.models import as_model, save_model
from gambol.robots.actions.model import ACTIONS, ActionModel, learn_actions
from gambol.robots.actions.regression import fit_local_regression
from gambol.robots.actions.trials import WALKING
from tests.robots.actions.made import draw_tasks, make_action_trials, make_model

COLUMNS = 4
CLIPS = [f"clip {n % 4}" for n in range(30)]


def test_actions_are_learned_from_their_trials() -> None:
    truth = make_model(COLUMNS)
    learned = learn_actions(make_action_trials(truth, 14), (2, 1))
    assert learned.sources.shape[0] == 3
    for seed, action in enumerate(ACTIONS):
        assert learned.actions[action].explained > 0.99
        wanted, found = (
            np.array([[model.evaluate(action, phase, task) for phase in (0.0, 0.3, 0.7, 1.0)] for task in tasks])
            for tasks in [draw_tasks(action, 12, seed + 50)[2:]]
            for model in (truth, learned)
        )
        spread = wanted - wanted.mean(axis=(0, 1))
        assert np.sqrt(np.mean((found - wanted) ** 2)) < 0.1 * np.sqrt(np.mean(spread**2)), action


def test_curves_have_the_derivatives_of_their_values() -> None:
    model, task = make_model(COLUMNS), draw_tasks("approach", 3, 1)[2]
    curve, step = model.synthesise("approach", task), 1e-4
    before, now, after = (curve.evaluate(0.4 + change) for change in (-step, 0.0, step))
    assert now[1] == pytest.approx((after[0] - before[0]) / (2.0 * step), rel=1e-5, abs=1e-6)
    assert now[2] == pytest.approx((after[1] - before[1]) / (2.0 * step), rel=1e-5, abs=1e-5)


def test_the_ramp_is_the_difference_of_end_and_beginning() -> None:
    model, task = make_model(COLUMNS), draw_tasks("open", 3, 1)[2]
    curve = model.synthesise("open", task)
    assert np.abs(curve.ramps).max() > 0.1
    assert curve.evaluate(1.0)[0] - curve.evaluate(0.0)[0] == pytest.approx(curve.ramps)


def test_regression_is_exact_for_linear_functions() -> None:
    random = np.random.default_rng(0)
    inputs, matrix = random.normal(size=(30, 3)), random.normal(size=(3, 2))
    regression = fit_local_regression(inputs, 2.0 + inputs @ matrix, CLIPS)
    question = 0.3 * inputs[3] + 0.7 * inputs[8]
    assert regression.predict(question) == pytest.approx(2.0 + question @ matrix, abs=1e-4)


def test_regression_is_local_for_curved_functions() -> None:
    inputs = np.linspace(-2.0, 2.0, 30)[:, None]
    regression = fit_local_regression(inputs, inputs**2, CLIPS)
    assert regression.width < 1.0
    assert regression.predict(np.array([0.0])) == pytest.approx([0.0], abs=0.5)  # linear regression: 1.4


def test_regression_does_not_go_beyond_its_examples() -> None:
    inputs = np.linspace(0.0, 1.0, 30)[:, None]
    regression = fit_local_regression(inputs, 3.0 * inputs, CLIPS)
    assert regression.predict(np.array([7.0])) == pytest.approx([3.0], abs=1e-4)


def test_width_is_chosen_without_other_examples_of_the_same_recording() -> None:
    random = np.random.default_rng(1)
    inputs = np.repeat(random.uniform(size=(10, 1)), 3, axis=0)
    style = np.repeat(random.normal(size=(10, 1)), 3, axis=0)
    clips = [f"clip {n // 3}" for n in range(30)]
    near, far = (fit_local_regression(inputs, inputs + style, groups) for groups in (CLIPS, clips))
    assert near.width < far.width


def test_too_few_trials_are_refused() -> None:
    with pytest.raises(InputError, match="3 task parameters"):
        fit_local_regression(np.zeros((5, 3)), np.zeros((5, 1)), CLIPS[:5])
    with pytest.raises(InputError, match="no trials of the action 'open'"):
        learn_actions([trial for trial in make_action_trials(make_model(COLUMNS), 4) if trial.action != "open"])


def test_an_action_that_reaches_needs_a_drawer() -> None:
    task = draw_tasks(WALKING, 1, 0)[0]
    with pytest.raises(InputError, match="needs a drawer"):
        make_model(COLUMNS).evaluate("approach", 0.0, task)
    with pytest.raises(InputError, match="unknown action 'jump'"):
        make_model(COLUMNS).evaluate("jump", 0.0, task)


def test_a_saved_model_gives_the_same_angles(tmp_path: Path) -> None:
    model, task = make_model(COLUMNS), draw_tasks("approach", 3, 1)[2]
    save_model(model, tmp_path / "actions.npz")
    again = as_model(tmp_path / "actions.npz", ActionModel)
    assert (again.evaluate("approach", 0.3, task) == model.evaluate("approach", 0.3, task)).all()
    assert again.comfort == model.comfort


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.npz").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a model of actions"):
        as_model(tmp_path / "no.npz", ActionModel)
