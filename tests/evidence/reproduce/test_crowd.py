"""Claims about crowds fail where certificates promise too much or crowds do not do what is claimed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.primitives.crowd.profile import SpeedProfile
from gambol.primitives.navigation.floor_plan import FloorPlan
from gambol_evidence.reproduce.crowd import certificates, dance, navigation

PROFILE, PERIOD = SpeedProfile.of(1.0 + 0.2 * np.cos(np.linspace(0.0, 2.0 * np.pi, 100, endpoint=False))), 1.1


@pytest.fixture(autouse=True)
def few_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "STARTS", 10)


@pytest.mark.parametrize(
    ("certify", "times", "measure", "failed"),
    [
        ("certify_phases", 1.5, certificates._synchronising, {"sync-all", "sync-ring", "sync-grid"}),
        ("certify_phases_in_cone", 1.5, certificates._synchronising, {"sync-near"}),
        ("certify_step_sizes", 1.5, lambda: certificates._stepping(PROFILE, PERIOD), {"steps-all"}),
        ("certify_limited_steps", 3.0, lambda: certificates._stepping(PROFILE, PERIOD), {"steps-limited"}),
    ],
)
def test_a_certificate_that_promises_too_much_fails(
    certify: str, times: float, measure, failed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(claim.holds for claim in measure())
    true = getattr(certificates, certify)
    monkeypatch.setattr(certificates, certify, lambda *args: replace(true(*args), rate=times * true(*args).rate))
    assert failed <= {claim.id for claim in measure() if not claim.holds}


def test_a_certificate_that_promises_nothing_fails_to_be_tight(monkeypatch: pytest.MonkeyPatch) -> None:
    true = certificates.certify_phases
    monkeypatch.setattr(certificates, "certify_phases", lambda *args: replace(true(*args), rate=0.5 * true(*args).rate))
    failed = {claim.id for claim in certificates._synchronising() if not claim.holds}
    assert failed == {"sync-tight"}


def test_walkers_that_ignore_each_other_collide() -> None:
    assert navigation.cross_with_ours(navigation.make_crossing, 1).collisions == 0
    found = navigation._outcome([_walk_straight(navigation.make_crossing(seed)) for seed in range(2)])
    assert found.collisions == 2


def _walk_straight(plan: FloorPlan) -> tuple[FloorPlan, Array, Array]:
    shares = np.linspace(0.0, 1.0, 361)[:, None, None]
    return plan, (1.0 - shares) * plan.starts + shares * plan.goals, np.full(len(plan.starts), 6.0)


def test_a_dance_in_which_nobody_passes_below_arms_is_not_measured() -> None:
    assert dance._room(np.full((5, 3, 3), 2.0), np.zeros((5, 3))) == np.inf
