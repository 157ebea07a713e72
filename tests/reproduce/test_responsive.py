"""The claims about learned walkers fail on walkers that are wrong."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gambol.reproduce.responsive import responder, selectivity
from gambol.respond.latent.examples import ExamplePush

GOOD = {"back": 0.8, "distances": np.array([0.2, 4.0, 0.3]), "retained": 0.8, "foot_speed": 0.01, "largest_jump": 2.0}
EXAMPLES = [SimpleNamespace(push=ExamplePush(phase / 4, 90.0 * way, 0.5)) for phase in range(4) for way in range(4)]


def _failures(**changed: object) -> set[str]:
    runs = [SimpleNamespace(**{**GOOD, **changed}) for _ in range(20)]
    claims = responder._judge(SimpleNamespace(name="x"), runs)
    return {claim.id for claim in claims if not claim.holds}


def test_good_walkers_hold() -> None:
    assert _failures() == set()


@pytest.mark.parametrize(
    ("changed", "fails"),
    [
        ({"back": 4.0}, {"back-x"}),
        ({"distances": np.array([0.2, 4.0, 2.0])}, {"back-x"}),
        ({"distances": np.array([0.2, 1.0, 0.3])}, {"leave-x"}),
        ({"retained": 0.02}, {"retained-x"}),
        ({"retained": 1.9}, {"retained-x"}),
        ({"foot_speed": 0.5}, {"pushed-feet-x"}),
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
