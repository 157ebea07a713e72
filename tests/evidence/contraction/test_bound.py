"""Eigenvalue bounds: never below samples, close to known values, and valid witnesses."""

from __future__ import annotations

from fractions import Fraction

import casadi as ca
import numpy as np
import pytest

from gambol.contraction.certificate import Region, Scope, Verdict
from gambol.errors import InputError
from gambol_evidence.contraction.bound import bound_largest_eigenvalue, certify_system, is_invariant
from gambol_evidence.contraction.system import System
from tests.evidence.contraction.systems import ALPHA, box, hopf, linear, pendulum, van_der_pol


def _bound(system, region, boxes=200_000):
    low, high = region.ordered(system.names)
    return bound_largest_eigenvalue(0.5 * (system.jacobian + system.jacobian.T), system.symbols, low, high, boxes)


def _tops(system, region, count=2_000):
    low, high = region.ordered(system.names)
    points = np.random.default_rng(0).uniform(low, high, (count, len(low)))
    jacobians = system.jacobians_at(points)
    return np.linalg.eigvalsh(0.5 * (jacobians + jacobians.swapaxes(1, 2)))[:, -1]


@pytest.mark.parametrize("system", [hopf(), pendulum(), van_der_pol()], ids=["hopf", "pendulum", "van der pol"])
@pytest.mark.parametrize("half", [0.3, 1.5, 4.0])
def test_no_sample_is_above_the_bound_and_the_bound_is_nearly_reached(system, half):
    region = box(system, half)
    found = _bound(system, region)
    assert _tops(system, region).max() <= found.upper
    assert found.lower <= found.upper <= found.lower + 0.011 * abs(found.lower)
    jacobian = system.jacobians_at(found.state[None])[0]
    assert np.linalg.eigvalsh(0.5 * (jacobian + jacobian.T))[-1] == pytest.approx(found.lower)
    assert ((found.state >= -half) & (found.state <= half)).all()


def test_a_bound_that_runs_out_of_boxes_is_still_a_bound():
    region = box(van_der_pol(), 4.0)
    rough, fine = _bound(van_der_pol(), region, boxes=8), _bound(van_der_pol(), region)
    assert rough.upper > fine.upper >= fine.lower


def test_a_bound_of_what_does_not_vary_takes_one_box():
    one = ca.SX.sym("u", 2)
    for low, high in ((-1.0, 1.0), (2.0, 2.0)):
        found = bound_largest_eigenvalue(ca.SX(ca.DM([[1.0, 2.0], [2.0, 1.0]])), one, np.full(2, low), np.full(2, high))
        assert found.boxes == 1
        assert found.lower == pytest.approx(3.0)
        assert 3.0 <= found.upper <= 3.0 + 1e-13


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("function", "low", "high"),
    [(lambda u: 1 / u, -1.0, 1.0), (ca.exp, -5.0, 5000.0), (lambda u: (1e160 * u) ** 2, 0.0, 1.0)],
    ids=["pole", "exponential", "square"],
)
def test_what_is_attained_is_finite_and_attained(sign, function, low, high):
    one = ca.SX.sym("u")
    matrix = sign * function(one) * ca.SX.ones(1, 1)
    found = bound_largest_eigenvalue(matrix, one, np.array([low]), np.array([high]), boxes=3)
    assert np.isfinite(found.lower)
    assert found.lower == pytest.approx(float(ca.Function("at", [one], [matrix])(found.state)), rel=1e-9)
    assert found.upper >= found.lower


def test_the_oscillator_expands_at_alpha_at_rest_and_less_beyond():
    found = _bound(hopf(), box(hopf(), 1.5))
    assert ALPHA <= found.upper <= 1.01 * ALPHA
    np.testing.assert_allclose(found.state, 0.0, atol=0.05)
    # Beyond r = 1 everything shrinks: x from 1.2 to 2 has r >= 1.2.
    ring = certify_system("ring", hopf(), Region.of({"x": (1.2, 2.0), "y": (-1.0, 1.0)}))
    assert ring.verdict is Verdict.CONTRACTING
    assert 0.98 * ALPHA * 0.44 <= ring.rate <= ALPHA * 0.44
    rests = certify_system("rest", hopf(), box(hopf(), 1.5))
    assert rests.verdict is Verdict.REFUTED
    assert rests.witness.scope is Scope.ALL
    assert rests.witness.growth == pytest.approx(ALPHA)


def test_a_metric_shows_what_the_identity_cannot():
    system = linear(np.array([[-1.0, 10.0], [0.0, -1.0]]))
    plain = certify_system("shear", system, box(system, 1.0))
    assert plain.verdict is Verdict.REFUTED
    assert plain.witness.scope is Scope.METRIC  # It is stable: only this metric fails, and that is said.
    assert "in this metric" in str(plain)
    assert certify_system("shear", system, box(system, 1.0), np.diag([1.0, 20.0])).rate == pytest.approx(0.75, abs=1e-9)


def test_a_witness_breaks_contraction_for_real():
    far = certify_system("pendulum", pendulum(), Region.of({"angle": (2.0, 4.0), "speed": (-1.0, 1.0)}))
    assert far.verdict is Verdict.REFUTED
    assert far.witness.scope is Scope.ALL
    np.testing.assert_allclose(far.witness.state, [np.pi, 0.0], atol=1e-6)
    # Solutions that begin a hair to either side of it part at the rate that is shown.
    values, vectors = np.linalg.eig(pendulum().jacobians_at(far.witness.state[None])[0])
    state, step, system = far.witness.state + 1e-6 * vectors[:, values.real.argmax()], 1e-3, pendulum()
    for _ in range(1000):
        state = state + step * system.rates_at(state[None])[0]
    grown = np.linalg.norm(state - far.witness.state) / 1e-6
    assert np.log(grown) == pytest.approx(far.witness.growth, rel=0.01)


def test_what_no_constant_metric_can_repair_is_told_apart():
    # No equilibrium here: the state runs away, but neighbours part.
    system = System(("x",), lambda x: (ca.exp(x),))
    found = certify_system("runs away", system, box(system, 1.0))
    assert found.verdict is Verdict.REFUTED
    assert found.witness.scope is Scope.CONSTANT


def test_neither_is_said_where_neither_is_known():
    still = System(("x", "y"), lambda x, y: (y, -x))
    found = certify_system("turns", still, box(still, 1.0))
    assert found.verdict is Verdict.UNDECIDED
    assert found.rate == 0.0
    assert "does not prove divergence" in str(found)
    coarse = certify_system(
        "pendulum", System(("x",), lambda x: (-x + 0.9 * ca.sin(x),)), Region.of({"x": (-1.0, 1.0)}), boxes=1
    )
    assert coarse.verdict is not Verdict.REFUTED


def test_inputs_count_at_all_their_values():
    system = System(("x",), lambda x, gain: (-gain * x,), inputs=("gain",))
    assert certify_system("fed", system, Region.of({"x": (-1.0, 1.0), "gain": (0.5, 2.0)})).rate == pytest.approx(
        0.5, rel=0.02
    )
    assert not certify_system("fed", system, Region.of({"x": (-1.0, 1.0), "gain": (-0.5, 2.0)})).contracting


def test_a_least_written_with_a_magnitude_is_bounded_at_its_kink_and_a_jump_is_refused():
    limited = System(("x",), lambda x: (-3 * x + 0.5 * (2 * x + 1 - ca.fabs(2 * x - 1)),))  # -3 x + min(2 x, 1)
    assert certify_system("limited", limited, box(limited, 1.0)).rate == pytest.approx(1.0, rel=0.02)
    jumps = System(("x",), lambda x: (-x + ca.sign(x),))  # Its derivative is -1, but solutions part at 0.
    with pytest.raises(InputError, match="jumps"):
        certify_system("jumps", jumps, box(jumps, 1.0))
    with pytest.raises(InputError, match="no interval form"):
        certify_system("jumps", System(("x",), lambda x: (ca.if_else(x > 0, 1, -1) - x,)), box(jumps, 1.0))


def test_what_eigenvalues_lose_to_rounding_is_added_for_the_radius_too():
    # One box: centre 0 and every entry as far as r from it; the largest eigenvalue reached is exactly size r.
    random, one = np.random.default_rng(0), ca.SX.sym("u")
    for size in range(8, 40):
        for far in random.uniform(0.1, 9.0, 4):
            found = bound_largest_eigenvalue(
                one * ca.SX.ones(size, size), one, np.array([-far]), np.array([far]), boxes=1
            )
            assert Fraction(found.upper) >= size * Fraction(float(far))


def test_a_metric_that_can_hardly_be_inverted_is_charged_for_what_its_inverse_is_off():
    # theta (-1) theta^-1 is -1 whatever theta is, so a rate above 1 can only come from an inverse that is off.
    system = linear(-np.eye(2))
    random = np.random.default_rng(1)
    for _ in range(40):
        left, right = (np.linalg.qr(random.normal(size=(2, 2)))[0] for _ in range(2))
        found = certify_system("skewed", system, box(system, 1.0), left @ np.diag([1.0, 1e-5]) @ right)
        assert 0.99 <= found.rate <= 1.0
    with pytest.raises(InputError, match="no inverse"):
        certify_system("flat", system, box(system, 1.0), np.ones((2, 2)))


def _exact_rate(theta: np.ndarray, jacobian: np.ndarray) -> float:
    """-lambda_max of the symmetric part of theta J theta^-1 for 2 x 2 matrices of floats, in rational numbers."""
    (a, b), (c, d) = [[Fraction(float(value)) for value in row] for row in theta]
    j = [[Fraction(float(value)) for value in row] for row in jacobian]
    inverse = [[d, -b], [-c, a]]
    turned = [
        [sum(x[i][k] * y[k][n] for k in (0, 1)) for n in (0, 1)] for x, y in [([[a, b], [c, d]], j)] for i in (0, 1)
    ]
    turned = [[sum(turned[i][k] * inverse[k][n] for k in (0, 1)) / (a * d - b * c) for n in (0, 1)] for i in (0, 1)]
    mean, half = (turned[0][0] + turned[1][1]) / 2, (turned[0][0] - turned[1][1]) / 2
    skew = (turned[0][1] + turned[1][0]) / 2
    return -float(mean) - float(half**2 + skew**2) ** 0.5


def test_a_rate_in_a_skewed_metric_is_never_above_the_exact_one():
    """Products of theta, J and its inverse lose digits with the square of the metric's condition."""
    random = np.random.default_rng(2)
    for shrink in (1e-2, 1e-4, 1e-5):
        for _ in range(15):
            left, right = (np.linalg.qr(random.normal(size=(2, 2)))[0] for _ in range(2))
            theta = left @ np.diag([1.0, shrink]) @ right
            jacobian = np.linalg.inv(theta) @ np.array([[-1.0, 0.3], [-0.3, -1.0]]) @ theta
            found = certify_system("skewed", linear(jacobian), box(linear(jacobian), 1.0), theta)
            assert found.rate <= _exact_rate(theta, jacobian)
            assert found.rate >= 1.0 - 1e-14 / shrink**2.5


def test_solutions_that_start_in_the_ball_that_is_named_stay_in_the_box():
    """The ball touches the box and is nowhere outside; solutions on it move inward in the metric."""
    system = System(("x", "y"), lambda x, y: (-ca.log(x / 3) + 0.8 * y, -y))
    region, theta = Region.of({"x": (2.0, 4.5), "y": (-1.0, 1.0)}), np.array([[1.0, 0.3], [0.0, 2.0]])
    for factor in (None, theta):
        said = str(certify_system("logarithm", system, region, factor))
        assert "of x = 3, y = 0" in said
        radius = float(said.split("start within ")[1].split()[0])
        turns = np.linspace(0.0, 2.0 * np.pi, 2001)
        ball = radius * np.stack((np.cos(turns), np.sin(turns)))
        points = np.array([[3.0], [0.0]]) + np.linalg.solve(np.eye(2) if factor is None else factor, ball)
        outside = np.array([points[0] - 4.5, 2.0 - points[0], np.abs(points[1]) - 1.0])
        assert outside.max() == pytest.approx(0.0, abs=0.004)


def test_whether_solutions_leave_a_box_is_seen_at_its_faces():
    falls = System(("x", "y"), lambda x, y: (-x, -y))
    assert is_invariant(falls, box(falls, 1.0))
    drifts = System(("x", "y"), lambda x, y: (-x + 2, -y))
    assert not is_invariant(drifts, box(drifts, 1.0))
    assert "no solution leaves" in str(certify_system("falls", falls, box(falls, 1.0)))
    assert "while solutions stay" in str(certify_system("drifts", drifts, box(drifts, 1.0)))


def test_regions_are_checked():
    with pytest.raises(InputError, match="region of x"):
        Region.of({"x": (1.0, -1.0)})
    with pytest.raises(InputError, match="each of x, v"):
        certify_system("pendulum", van_der_pol(), Region.of({"x": (0.0, 1.0)}))
    with pytest.raises(InputError, match="one rate per state"):
        certify_system("short", System(("x", "y"), lambda x, y: (y,)), Region.of({"x": (0, 1), "y": (0, 1)}))


@pytest.mark.parametrize(
    ("states", "rates", "words"),
    [
        (("x",), lambda x: (-2.0 * x + float("nan"),), "not finite"),
        (("x",), lambda x: (-x, -x), "2 rates for 1 states"),
        (("x",), lambda x, y: (-x,), "cannot be evaluated"),
        (("x",), lambda x: -x, "cannot be evaluated"),
        ((), lambda: (), "no states"),
    ],
)
def test_invalid_systems_are_refused(states, rates, words: str) -> None:
    region = Region.of(dict.fromkeys(states, (-1.0, 1.0)))
    with pytest.raises(InputError, match=words):
        certify_system("nothing", System(states, rates), region)
