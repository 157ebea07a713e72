"""Interval functions contain every value in a box and are not much wider."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol.errors import InputError
from gambol_evidence.contraction.intervals import IntervalFunction

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


SINGLE = {
    "sine": (ca.sin(X), (-9.0, 9.0)),
    "cosine": (ca.cos(X), (-9.0, 9.0)),
    "magnitude": (ca.fabs(X), (-3.0, 3.0)),
    "square": (X**2, (-3.0, 3.0)),
    "cube": (X**3, (0.2, 2.0)),
    "fourth power": (X**4, (-2.0, 2.0)),
    "inverse": (1 / X, (0.2, 3.0)),
    "inverse square": (X**-2, (0.5, 3.0)),
    "broken power": (X**1.5, (0.2, 3.0)),
    "root": (ca.sqrt(X), (0.2, 3.0)),
    "exp": (ca.exp(X), (-3.0, 3.0)),
    "log": (ca.log(X), (0.2, 5.0)),
    "tanh": (ca.tanh(X), (-3.0, 3.0)),
    "arctan": (ca.atan(X), (-3.0, 3.0)),
    "sign": (ca.sign(X), (-3.0, 3.0)),
    "double": (2 * X - Y + Y, (-3.0, 3.0)),
    "negative": (-X, (-3.0, 3.0)),
}


@pytest.mark.parametrize("name", SINGLE)
def test_the_range_of_one_operation_is_exact_up_to_rounding(name):
    expression, (least, most) = SINGLE[name]
    ends = np.sort(np.random.default_rng(1).uniform(least, most, (100, 2)), axis=1)
    low, high = (np.stack((side, np.zeros(100)), axis=1) for side in ends.T)
    below, above = IntervalFunction(BOTH, expression)(low, high)
    grid = np.linspace(*ends.T, 801)
    value = ca.Function("value", [BOTH], [expression]).map(grid.size)
    found = np.array(value(np.stack((grid.ravel(), np.zeros(grid.size))))).reshape(grid.shape)
    room = np.abs(np.diff(found, axis=0)).max(axis=0) if name != "sign" else np.zeros(100)
    assert (below[:, 0] <= found.min(axis=0)).all()
    assert (above[:, 0] >= found.max(axis=0)).all()
    size = 1e-14 * (1.0 + np.abs(found).max(axis=0))
    assert (below[:, 0] >= found.min(axis=0) - room - size).all()
    assert (above[:, 0] <= found.max(axis=0) + room + size).all()


def test_what_a_library_may_round_is_added_in_proportion():
    """Four units in the last place on either side, of small values and of large ones."""
    points = np.array([[-30.0, 0.0], [-3.0, 0.0], [0.5, 0.0], [30.0, 0.0]])
    below, above = IntervalFunction(BOTH, ca.exp(X))(points, points)
    room = np.finfo(float).eps * np.exp(points[:, 0])
    for side in (np.exp(points[:, 0]) - below[:, 0], above[:, 0] - np.exp(points[:, 0])):
        assert (side >= 3.5 * room).all()
        assert (side <= 5.0 * room).all()


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
