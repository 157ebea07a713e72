"""Claims about sketches: they hold for a solved sketch, and fail where a law or a cost is dropped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gambol.spacetime import synthesis
from gambol.terms.contacts import FixedContacts
from gambol.terms.momentum import NewtonEuler
from gambol.terms.space import Term
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.sketch import bars, seen


@pytest.fixture(autouse=True)
def one_sketch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bars.sketches, "names", lambda: ["tripod_side"])


@pytest.fixture
def solved_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sketches are solved with what a test changes; others do not see them."""
    monkeypatch.setattr(bars, "solve_named", bars.solve_named.__wrapped__)
    monkeypatch.setattr(seen, "solve_named", bars.solve_named)


def measure_counted() -> list[Claim]:
    return [claim for claim in bars.measure_solved() if claim.counted]


def test_a_solved_sketch_holds_every_claim() -> None:
    claims = measure_counted()
    fields = ("iterations", "fall", "spin", "contact", "least", "peak", "friction", "pressure")
    assert [claim.id for claim in claims] == [f"tripod_side-{field}" for field in fields]
    assert all(claim.holds for claim in claims)
    assert claims[0].motion is not None


@pytest.mark.usefixtures("solved_anew")
@pytest.mark.parametrize(
    ("dropped", "failed"), [(NewtonEuler, "tripod_side-fall"), (FixedContacts, "tripod_side-contact")]
)
def test_a_law_that_is_dropped_fails(dropped: type[Term], failed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = synthesis.sketch_terms
    monkeypatch.setattr(
        synthesis, "sketch_terms", lambda *args: [term for term in terms(*args) if not isinstance(term, dropped)]
    )
    assert failed in {claim.id for claim in measure_counted() if not claim.holds}


def test_a_sketch_that_does_not_converge_fails() -> None:
    found = bars.solve_named("tripod_side")
    stopped = replace(found.outcome.solution, converged=False)
    assert bars._iterations(replace(found, outcome=replace(found.outcome, solution=stopped))) == float("inf")


@pytest.mark.usefixtures("solved_anew")
def test_a_crouch_that_no_cost_asks_for_is_too_shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    assert next(seen.measure_crouch()).holds
    terms = synthesis.sketch_terms
    monkeypatch.setattr(
        synthesis, "sketch_terms", lambda made, weights, *args: terms(made, replace(weights, force_rate=2e-4), *args)
    )
    claim = next(seen.measure_crouch())
    assert claim.id == "crouch-depth"
    assert not claim.holds
