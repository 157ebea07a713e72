"""How certificates read, and which are refused."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.certificate import Certificate, Region, Scope, Verdict, Witness
from gambol.errors import InputError


def _refuted(growth: float) -> Certificate:
    witness = Witness(np.zeros(1), growth, Scope.ALL, "rest")
    return Certificate("part", Verdict.REFUTED, "2 < 3", "here", "identity", "closed form", witness=witness)


def test_a_witness_says_whether_differences_grow():
    assert "grow at 2 per s" in str(_refuted(2.0))
    assert "do not shrink" in str(_refuted(0.0))


def test_parts_are_indented_below_their_whole():
    part = Certificate("part", Verdict.CONTRACTING, "", "here", "identity", "closed form", 2.0, parts=(_refuted(1.0),))
    whole = Certificate("whole", Verdict.CONTRACTING, "", "here", "identity", "closed form", 1.0, parts=(part, part))
    indents = [len(line) - len(line.lstrip()) for line in whole.lines()]
    assert indents == [0, 2, 4, 2, 4]


@pytest.mark.parametrize(("verdict", "rate"), [(Verdict.CONTRACTING, 0.0), (Verdict.UNDECIDED, 0.5)])
def test_a_rate_goes_with_contraction_and_with_nothing_else(verdict, rate):
    with pytest.raises(InputError, match="with verdict"):
        Certificate("part", verdict, "", "here", "identity", "closed form", rate)


def test_a_region_is_ordered_by_name_and_may_be_a_point():
    low, high = Region.of({"x": (1.0, 1.0), "y": (-2.0, 3.0)}).ordered(("y", "x"))
    np.testing.assert_array_equal(low, [-2.0, 1.0])
    np.testing.assert_array_equal(high, [3.0, 1.0])
