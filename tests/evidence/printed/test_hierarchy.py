"""Layers of the printed model: linear in style, generation, and hostile input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol_evidence.printed.hierarchy import describe_style, find_lags, generate_rows, stack_history
from tests.evidence.printed.handshakes import learn_handshakes, locate_hand, make_handshakes


def test_frames_are_reconstructed_through_both_layers() -> None:
    model = learn_handshakes(reduced=False)
    trial = make_handshakes()[6]
    size = len(trial)
    start = sum(len(each) for each in make_handshakes()[:6])
    latents = model.interaction.latents_[start : start + size]
    rows = [model.decode(one, model.describe(trial.style)) for one in latents]
    first, second = (np.stack(one) for one in zip(*rows, strict=True))
    assert np.linalg.norm(locate_hand(model, first) - trial.paths[0], axis=1).mean() < 0.02
    assert np.linalg.norm(second[:, model.hand][:, :3] - trial.paths[1], axis=1).mean() < 0.02
    # Sad people bow.
    person = model.people[0]
    assert np.abs(first - person.encode(trial.local[0])).mean(axis=0).max() < 0.05
    # The hand that the joint angles of person 2 tell is the one in its last columns.
    person = model.people[1]
    told = person.arm.locate(person.decode(second[:, : person.size]))
    assert np.linalg.norm(told - trial.paths[1], axis=1).mean() < 0.02


@pytest.mark.parametrize("printed", [False, True])
def test_rows_of_a_style_in_between_are_in_between(printed: bool) -> None:
    """Both kernels are linear in the style: morphing is linear in the agent layer."""
    model = learn_handshakes(printed=printed)
    agent = model.agents[0]
    latent = agent.gplvm.latents_[15]
    neutral, sad, half = (agent.decode(latent, model.describe({"sad": share})) for share in (0.0, 1.0, 0.25))
    assert np.abs(sad - neutral).max() > 0.01
    np.testing.assert_allclose(half, 0.75 * neutral + 0.25 * sad, atol=1e-9)


def test_generated_hands_meet_and_styles_may_change() -> None:
    model = learn_handshakes(reduced=False)
    first, second = generate_rows(model, [{}] * 18)
    apart = np.linalg.norm(locate_hand(model, first) - second[:, model.hand][:, :3], axis=1)
    assert apart[0] > 0.5
    assert apart.min() < 0.05
    morphed, _ = generate_rows(model, [{"sad": n / 17} for n in range(18)])
    np.testing.assert_array_equal(morphed[0], first[0])
    assert np.abs(morphed[-1] - first[-1]).max() > 0.01
    with pytest.raises(InputError, match="trial 10 of 10"):
        generate_rows(model, [{}], trial=10)
    with pytest.raises(InputError, match="no frames"):
        generate_rows(model, [])


def test_history_begins_at_rest() -> None:
    path = np.arange(15.0).reshape(5, 3)
    assert find_lags(1.0 / 30.0) == (0, 3, 6)
    found = stack_history(path, (0, 3))
    np.testing.assert_array_equal(found[4], [12.0, 13.0, 14.0, 3.0, 4.0, 5.0])
    np.testing.assert_array_equal(found[1], [3.0, 4.0, 5.0, 0.0, 1.0, 2.0])


def test_neutral_has_what_emotions_leave() -> None:
    np.testing.assert_array_equal(describe_style({"sad": 0.25}, ("neutral", "happy", "sad")), [0.75, 0.0, 0.25])


def test_bad_styles() -> None:
    with pytest.raises(InputError, match="unknown style 'angry'"):
        learn_handshakes().describe({"angry": 1.0})
    with pytest.raises(InputError, match="shares"):
        learn_handshakes().describe({"sad": np.nan})


def test_layers_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(InputError, match="mean_ of ScaledGplvm must be finite and of shape"):
        replace(learn_handshakes(), interaction=learn_handshakes(printed=True).interaction)
