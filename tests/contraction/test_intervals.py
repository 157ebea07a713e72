"""Interval functions contain every value in a box and are not much wider."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol.contraction.intervals import IntervalFunction
from gambol.errors import InputError

X, Y = ca.SX.sym("x"), ca.SX.sym("y")
BOTH = ca.vertcat(X, Y)
EXPRESSIONS = {
    "sum": X + Y,
    "difference": X - Y,
    "product": X * Y,
    "quotient": X / (2.5 + ca.cos(Y)),
    "through zero": X / Y,
    "inverse": 1 / (Y - 10),
    "square": X**2,
    "cube": X**3 * Y,
    "negative power": (Y + 20) ** -3,
    "broken power": (Y + 20) ** 1.7,
    "root": ca.sqrt(X**2 + 0.1),
    "exp": ca.exp(0.3 * X) * ca.log(Y + 20),
    "sine": ca.sin(3 * X) * Y,
    "cosine": ca.cos(2 * X + Y),
    "tanh": ca.tanh(X) - 2 * Y,
    "arctan": ca.atan(X * Y),
    "magnitude": ca.fabs(X) - 0.5 * (X + Y - ca.fabs(X - Y)) * Y,
    "distance": ca.sqrt(X * X + Y * Y),
    "sign": ca.sign(X) * Y,
}
NUMBER = st.floats(-6.0, 6.0)


@pytest.mark.parametrize("name", EXPRESSIONS)
@settings(max_examples=40, deadline=None)
@given(st.tuples(NUMBER, NUMBER, NUMBER, NUMBER))
def test_a_range_holds_every_value(name, ends):
    low = np.array([[min(ends[:2]), min(ends[2:])]])
    high = np.array([[max(ends[:2]), max(ends[2:])]])
    below, above = IntervalFunction(BOTH, EXPRESSIONS[name])(low, high)
    value = ca.Function("value", [BOTH], [EXPRESSIONS[name]])
    grid = np.stack(np.meshgrid(*(np.linspace(low[0, n], high[0, n], 9) for n in range(2))), axis=-1).reshape(-1, 2)
    found = np.array([float(value(point)) for point in grid])
    found = found[np.isfinite(found)]
    assert (found >= below[0, 0]).all()
    assert (found <= above[0, 0]).all()


def test_crests_and_zeros_inside_a_box_are_seen():
    low, high = np.array([[1.0, -1.0]]), np.array([[2.0, 2.0]])
    below, above = IntervalFunction(BOTH, ca.vertcat(ca.sin(X), ca.cos(Y), Y**2, ca.fabs(Y)))(low, high)
    np.testing.assert_allclose(above[0], [1.0, 1.0, 4.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(below[0], [np.sin(1.0), np.cos(2.0), 0.0, 0.0], atol=1e-12)


def test_a_point_is_rounded_outward_but_hardly_widened():
    third = np.array([[1.0, 3.0]])
    below, above = IntervalFunction(BOTH, X / Y)(third, third)
    assert below[0, 0] < 1.0 / 3.0 < above[0, 0]
    assert above[0, 0] - below[0, 0] < 1e-15


def test_division_by_an_interval_that_holds_zero_is_unbounded():
    below, above = IntervalFunction(BOTH, X / Y)(np.array([[1.0, -1.0]]), np.array([[1.0, 1.0]]))
    assert below[0, 0] == -np.inf
    assert above[0, 0] == np.inf


def test_operations_without_an_interval_form_are_named():
    with pytest.raises(InputError, match="acos"):
        IntervalFunction(BOTH, ca.acos(X))
    with pytest.raises(InputError, match="square root"):
        IntervalFunction(BOTH, ca.sqrt(X))(np.array([[-1.0, 0.0]]), np.array([[1.0, 0.0]]))
    with pytest.raises(InputError, match="square root"):
        IntervalFunction(BOTH, ca.sqrt(X))(np.array([[-1e-9, 0.0]]), np.array([[1.0, 0.0]]))
    with pytest.raises(InputError, match="fabs"):
        IntervalFunction(BOTH, ca.jacobian(ca.fmin(X, Y), BOTH))


def test_a_distance_from_the_middle_of_a_box_is_no_root_of_what_is_below_zero():
    below, above = IntervalFunction(BOTH, ca.sqrt(X * X + Y * Y))(np.array([[-1.0, -1.0]]), np.array([[1.0, 1.0]]))
    assert below[0, 0] == 0.0
    assert np.sqrt(2.0) <= above[0, 0] < np.sqrt(2.0) + 1e-12
