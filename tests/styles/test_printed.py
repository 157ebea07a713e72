"""The printed algorithm: its springs, and that it lowers the difference of energies it minimises."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.styles import printed
from gambol.styles.printed import find_printed_start, learn_printed
from gambol.styles.scene import fit_scene
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


def test_the_difference_of_energies_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printed, "_SHORTEST", 1e-3)  # solves are slow
    values: list[float] = []

    def report(text: str, *_: object) -> None:
        if "energies" in text:
            values.append(float(text.split()[5].rstrip("):")))

    learned = learn_printed(crouch(frames=14), steps=2, progress=report)
    assert 2 <= len(learned.moments) <= 3
    assert learned.parameters[:, 0].sum() == pytest.approx(1.0, abs=0.05)
    assert len(values) == 2
    assert values[1] < values[0]
