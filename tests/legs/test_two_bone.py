"""The law of cosines against two bones that are drawn, as numbers and as expressions."""

from __future__ import annotations

import casadi as ca
import numpy as np

from gambol.legs.two_bone import end_angle, flexion, flexion_cosine, hip_drop, leg_reach, soften_reach

DRAW = np.random.default_rng(0)
UPPER, LOWER, BENT = DRAW.uniform(0.3, 0.5, 40), DRAW.uniform(0.3, 0.5, 40), DRAW.uniform(0.1, 2.5, 40)
ANKLE = np.stack((LOWER * np.sin(BENT), UPPER + LOWER * np.cos(BENT)))
"""(2, 40) from the hip, the upper bone along the second axis."""
REACH = np.hypot(*ANKLE)


def test_angles_are_those_of_bones_that_are_drawn() -> None:
    np.testing.assert_allclose(flexion(UPPER, LOWER, REACH), BENT)
    np.testing.assert_allclose(end_angle(UPPER, LOWER, BENT), np.arctan2(*ANKLE))


def test_what_a_bone_deviates_to_the_side_stays_out_of_the_flexion() -> None:
    aside = 0.1
    whole = np.hypot(LOWER, aside)
    np.testing.assert_allclose(flexion_cosine(UPPER, whole, np.hypot(REACH, aside), aside), np.cos(BENT))


def test_reach_is_the_distance_between_the_ends_of_bones_that_are_drawn() -> None:
    np.testing.assert_allclose(leg_reach(UPPER, LOWER, BENT), REACH)
    np.testing.assert_allclose(leg_reach(UPPER, np.hypot(LOWER, 0.1), BENT, 0.1), np.hypot(REACH, 0.1))


def test_softened_reach_is_the_distance_itself_then_slows_down_to_the_largest_one() -> None:
    far, step = np.linspace(0.7, 1.2, 5001, retstep=True)
    reach = soften_reach(far, 0.8, 0.85)
    np.testing.assert_array_equal(reach[far <= 0.8], far[far <= 0.8])
    assert reach.max() <= 0.85
    np.testing.assert_allclose(reach[-1], 0.85, atol=1e-6)
    slope = np.diff(reach) / step
    assert (np.diff(slope) < 1e-9).all()
    assert np.abs(np.diff(slope, n=2)).max() < 1e-5  # the second derivative has no jump: one would be 4e-3


def test_what_is_out_of_reach_is_straight_or_folded() -> None:
    assert flexion(0.4, 0.4, 0.9) == 0.0
    assert flexion(0.5, 0.3, 0.1) == np.pi


def test_a_hip_lowered_by_hip_drop_reaches_its_ankle() -> None:
    ways = DRAW.uniform(-0.3, 0.3, (3, 40)) - np.array([[0.0], [0.0], [1.0]])
    lowered = ways + hip_drop(ways, 0.8) * np.array([[0.0], [0.0], [1.0]])
    np.testing.assert_allclose(np.linalg.norm(lowered, axis=0), 0.8)


def test_expressions_are_the_same_numbers() -> None:
    upper, lower, reach, way = ca.SX.sym("upper"), ca.SX.sym("lower"), ca.SX.sym("reach"), ca.SX.sym("way", 3)
    bend = flexion(upper, lower, reach)
    soft = soften_reach(reach, 0.6 * upper, lower + 0.5 * upper)
    outputs = [bend, end_angle(upper, lower, bend), hip_drop(ca.vertsplit(way), reach), soft]
    function = ca.Function("leg", [upper, lower, reach, way], outputs)
    ours = [float(x) for x in function(0.42, 0.4, 0.7, [0.1, 0.2, -0.9])]
    angle = flexion(0.42, 0.4, 0.7)
    np.testing.assert_allclose(
        ours, [angle, end_angle(0.42, 0.4, angle), hip_drop((0.1, 0.2, -0.9), 0.7), soften_reach(0.7, 0.252, 0.61)]
    )
