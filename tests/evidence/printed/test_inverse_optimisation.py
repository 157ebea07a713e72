"""The printed algorithm: its springs, and that it lowers the difference of energies it minimises."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.styles.learning import LearnedStyle, measure_moment
from gambol.styles.scene import fit_scene
from gambol_evidence.printed import inverse_optimisation
from gambol_evidence.printed.inverse_optimisation import find_printed_start, learn_printed
from tests.styles.scenes import crouch

pytestmark = [pytest.mark.usefixtures("interpreted"), pytest.mark.slow]


def test_springs_leave_less_to_muscles_than_none_and_than_others() -> None:
    fitted = fit_scene(crouch())
    start = find_printed_start(fitted)
    assert start[:, 0].sum() == pytest.approx(1.0)
    assert (start[:, 1:4] >= 0.0).all()

    def effort(parameters: np.ndarray) -> float:
        return float((fitted.find_muscle_torques(parameters) ** 2).sum())

    assert effort(start) < effort(start * [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    assert effort(start) < 1.02 * effort(start * [1.0, 1.2, 1.2, 1.2, 1.0, 1.0, 1.0])


@pytest.fixture(scope="module")
def learning(interpreted: None) -> tuple[LearnedStyle, list[float]]:
    """What is learned in two steps, and the difference of energies before each of them."""
    values: list[float] = []

    def report(text: str, *_: object) -> None:
        if "energies" in text:
            values.append(float(text.split()[5].rstrip("):")))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inverse_optimisation, "_SHORTEST", 1e-3)  # solves are slow
        return learn_printed(crouch(frames=14), steps=2, progress=report), values


def test_the_difference_of_energies_falls(learning: tuple[LearnedStyle, list[float]]) -> None:
    learned, values = learning
    assert 2 <= len(learned.moments) <= 3
    assert learned.parameters[:, 0].sum() == pytest.approx(1.0, abs=0.05)
    assert len(values) == 2
    assert values[1] < values[0]


def test_a_search_that_is_stopped_returns_its_best_so_far(
    learning: tuple[LearnedStyle, list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before its first step there is none."""

    def learn(last: int) -> LearnedStyle:
        def report(what: str, done: int, total: int | None) -> None:
            if done == last and "step" in what:
                raise KeyboardInterrupt

        return learn_printed(crouch(frames=14), steps=2, progress=report)

    monkeypatch.setattr(inverse_optimisation, "_SHORTEST", 1e-3)  # solves are slow
    best = learn(1)
    assert best.stopped
    assert len(best.moments) == 2
    assert np.isfinite(best.uncertainty).all()
    assert not learning[0].stopped
    assert best.moments == learning[0].moments[:2]
    np.testing.assert_array_equal(measure_moment(best.clips[0].generated.q, best.clips[0].scene), best.moments[-1])
    with pytest.raises(KeyboardInterrupt):
        learn(0)
