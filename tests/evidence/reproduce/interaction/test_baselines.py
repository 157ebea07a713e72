"""Baselines on small trials: what each can tell, and what it cannot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.interaction.rows import find_person_rows
from gambol.interaction.trials import Trial
from gambol_evidence.reproduce.interaction.baselines import (
    Reaction,
    learn_linear_dynamics,
    learn_neighbours,
    learn_regression,
    learn_replay,
)
from tests.evidence.printed.handshakes import make_handshake, make_handshakes

UNSEEN = make_handshake(0.05, 0.04)


def measure_error(reaction: Reaction, trial: Trial) -> float:
    """Distance (m) between both hands at the contact."""
    person = find_person_rows(make_handshakes(), 0)
    rows = reaction(trial.paths[1], trial.style)
    assert rows.shape == (len(trial), person.size)
    return float(np.linalg.norm(person.arm.locate(person.decode(rows))[trial.contact] - trial.place))


def test_regression_reaches_unseen_points() -> None:
    assert measure_error(learn_regression(make_handshakes(), 60), UNSEEN) < 0.01


def test_neighbours_show_what_was_seen() -> None:
    reaction = learn_neighbours(make_handshakes())
    assert measure_error(reaction, make_handshakes()[6]) < 1e-6
    assert 0.01 < measure_error(reaction, UNSEEN) < 0.1


def test_replay_does_not_see_the_hand() -> None:
    reaction = learn_replay(make_handshakes())
    assert measure_error(reaction, make_handshake()) < 0.01
    assert measure_error(reaction, UNSEEN) == pytest.approx(np.hypot(0.05, 0.04), abs=0.01)
    path = make_handshake().paths[1]
    np.testing.assert_array_equal(reaction(path, {}), reaction(path + 1.0, {}))
    # Sad people bow and are slower.
    person, trial = find_person_rows(make_handshakes(), 0), make_handshake(style="sad")
    assert np.abs(reaction(trial.paths[1], trial.style) - person.encode(trial.local[0])).max() < 0.05


def test_linear_dynamics_begin_as_trials_and_run() -> None:
    trials = make_handshakes()
    model = learn_linear_dynamics(trials, 6)
    first, second = model.generate(40, seed=3)
    again, _ = model.generate(40, seed=3)
    other, _ = model.generate(40, seed=4)
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    people = [find_person_rows(trials, n) for n in range(2)]
    for rows, person, n in zip((first, second), people, range(2), strict=True):
        starts = np.stack([person.encode(trial.local[n])[0] for trial in trials])
        assert np.abs(rows[0] - starts).max(axis=1).min() < 0.05
        assert np.isfinite(rows).all()
        assert np.ptp(rows, axis=0).max() > 0.2


def test_linear_dynamics_go_on_as_trials_do() -> None:
    trials = make_handshakes()
    people = [find_person_rows(trials, n) for n in range(2)]
    wanted = np.hstack([one.encode(local) for one, local in zip(people, trials[0].local, strict=True)])[12:15]
    model = learn_linear_dynamics(trials, 6)
    begun = model.components.transform(wanted[:2])[None]
    quiet = replace(model, noise=np.zeros((6, 6)), beginnings=begun)
    found = np.hstack(quiet.generate(3, seed=0))
    assert np.abs(found[2] - wanted[2]).max() < 0.3 * np.abs(wanted[2] - wanted[1]).max()


@pytest.mark.parametrize("learn", [learn_regression, learn_neighbours, learn_replay])
def test_bad_input(learn) -> None:
    with pytest.raises(InputError, match="no trials"):
        learn([])
    with pytest.raises(InputError, match="unknown style"):
        learn(make_handshakes()[:3])(UNSEEN.paths[1], {"angry": 1.0})
