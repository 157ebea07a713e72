"""Learning the printed model: its dimensions, closed latents, repeatability, and hostile input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol_evidence.printed.hierarchy_learning import learn_hierarchy, measure_progress
from tests.evidence.printed.handshakes import learn_handshakes, make_handshake, make_handshakes


def test_layers_have_the_dimensions_of_the_paper() -> None:
    model = learn_handshakes(printed=True)
    assert [agent.gplvm.n_components for agent in model.agents] == [2, 2]
    assert model.interaction.mean_.shape == (4,)
    assert model.rests.shape == (2, 3)
    assert model.dynamics.order == 2
    assert not model.agents[0].gplvm.factors[0].constant
    assert model.agents[1].means.shape == (2, 3)  # one hand in two styles


def test_latents_return_to_where_they_began() -> None:
    model, trial = learn_handshakes(), make_handshakes()[0]
    for agent in model.agents:
        latents = agent.gplvm.latents_[: len(trial)]
        reach = np.linalg.norm(latents - latents[0], axis=1).max()
        assert np.linalg.norm(latents[-1] - latents[0]) < 0.1 * reach
        # The back constraint sees the phase as a circle, as large as the movement.
        around = agent.gplvm.back_centres_[:, agent.moving.sum() :]
        radii = np.linalg.norm(around, axis=1)
        np.testing.assert_allclose(radii, radii[0])
        assert np.ptp(around, axis=0) == pytest.approx(2.0 * radii[0], rel=0.1)
        assert 0.2 < radii[0] < 2.0


def test_learning_twice_gives_the_same_model() -> None:
    again = learn_hierarchy(make_handshakes(), dimensions=2, printed=True, n_inducing=40, iterations=40)
    np.testing.assert_array_equal(again.interaction.latents_, learn_handshakes(printed=True).interaction.latents_)


def test_progress_waits_while_hands_rest() -> None:
    trial = make_handshake()
    progress = measure_progress(trial)
    assert progress[trial.contact] == 0.5
    assert progress[4] == pytest.approx(0.0, abs=1e-9)
    assert progress[-1] == 1.0
    assert (np.diff(progress) >= 0.0).all()


def test_clips_at_120_frames_per_second_are_learned_at_30() -> None:
    trials = [make_handshake(y, frames=161) for y in (0.0, 0.05)]
    fast = [
        replace(trial, people=tuple(replace(person, frame_time=1.0 / 120.0) for person in trial.people))
        for trial in trials
    ]
    model = learn_hierarchy(fast, n_inducing=20, iterations=5)
    assert model.frame_time == pytest.approx(1.0 / 30.0)
    assert len(model.interaction.latents_) == 2 * 41


def test_bad_input() -> None:
    with pytest.raises(InputError, match="no trials"):
        learn_hierarchy([])
    trial = make_handshake()
    slow = replace(trial, people=tuple(replace(person, frame_time=0.05) for person in trial.people))
    with pytest.raises(InputError, match="resample"):
        learn_hierarchy([trial, slow])
    still = replace(trial, people=tuple(replace(one, q=np.repeat(one.q[:1], len(one), axis=0)) for one in trial.people))
    with pytest.raises(InputError, match="does not move"):
        learn_hierarchy([still])
