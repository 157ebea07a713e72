"""Criteria of solved motions: every figure that a motion can have is a claim, also one that is not a number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gambol.contacts.contact import Contact
from gambol.spacetime.evaluate import BetweenErrors, FrameErrors
from gambol_evidence.reproduce.physical import AT_FRAMES, BETWEEN, find_absent_figures, make_claims

STILL = FrameErrors(*[0.0] * 8)
FLIGHT, FLOOR = {"fall", "spin", "parabola"}, {"least", "peak", "friction", "pressure"}


def make_contact(first: int, last: int, **others) -> Contact:
    return Contact("left_foot", np.zeros((1, 3)), np.zeros((1, 3)), first, last, **others)


def test_a_figure_that_is_not_a_number_is_a_claim_that_fails() -> None:
    errors = FrameErrors(**{**vars(STILL), "fall": math.nan})
    claims = {claim.id: claim for claim in make_claims("jump", errors, AT_FRAMES, "data")}
    assert len(claims) == len(AT_FRAMES)
    assert not claims["jump-fall"].holds
    assert not claims["jump-fall"].computed
    assert claims["jump-spin"].holds


def test_units_are_those_of_the_claims() -> None:
    (claim,) = make_claims("jump", BetweenErrors(0.0, 0.0, 0.002, 0.0), [BETWEEN[2]], "data")
    assert (claim.unit, claim.holds) == ("mm", True)
    assert claim.measured == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("contacts", "absent"),
    [
        ([make_contact(0, 9)], FLIGHT),
        ([make_contact(0, 3), make_contact(7, 9)], set()),
        ([], FLOOR),
        ([make_contact(0, 9, grip=True)], FLIGHT | FLOOR),
        ([make_contact(0, 3, slide=np.array([1.0, 0.0, 0.0]))], FLOOR),
    ],
)
def test_figures_without_frames_are_absent(contacts: list[Contact], absent: set[str]) -> None:
    assert find_absent_figures(contacts, 10) == absent
