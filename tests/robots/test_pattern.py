"""Walking patterns: constraints hold, steps follow gaits and pushes, and turned worlds are planned alike."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry.vectors import rotate_plane
from gambol.robots.cart import Cart
from gambol.robots.footprints import Footprint, Support
from gambol.robots.pattern import PERIOD, PLANNED_SAMPLES, Gait, WalkerSize, WalkingPlan, plan_walk

SIZE = WalkerSize(0.85, (0.1, 0.03), 0.2)
LEFT, RIGHT = Footprint(0, 0.0, 0.1, 0.0), Footprint(1, 0.0, -0.1, 0.0)


def walk(gait: Gait, samples: int, cart: Cart | None = None) -> tuple[list[WalkingPlan], list[Footprint], Cart]:
    """Plans of a walker who stands, shifts the weight to the right foot, and walks."""
    cart, plans, stood = cart or Cart.rest(np.zeros(2)), [], []
    supports = [Support(6, (LEFT, RIGHT)), Support(gait.samples, (RIGHT,))]
    for _ in range(samples):
        plan = plan_walk(
            SIZE, cart, [*supports, *[Support(gait.samples, ())] * PLANNED_SAMPLES], [gait] * PLANNED_SAMPLES
        )
        cart = cart.advance(plan.jerks[0], PERIOD)
        plans.append(plan)
        supports[0] = supports[0]._replace(samples=supports[0].samples - 1)
        if supports[0].samples == 0:
            supports = supports[1:] or [Support(gait.samples, plan.footprints[:1])]
            stood.append(supports[0].footprints[-1])
    return plans, stood, cart


def test_steps_are_those_of_the_gait_and_points_stay_in_soles() -> None:
    gait = Gait(np.array([0.3, 0.0]), 0.0, 7)
    plans, stood, cart = walk(gait, 41)
    lengths = np.diff([foot.x for foot in stood])
    np.testing.assert_allclose(lengths[1:], 0.21, atol=0.005)
    assert [foot.side for foot in stood[:4]] == [1, 0, 1, 0]
    assert cart.velocity[0] == pytest.approx(0.3, abs=0.12)
    assert all(plan.solved for plan in plans)
    for plan, foot in ((plans[8], RIGHT), (plans[15], stood[1])):
        offset = foot.rotation.T @ (plan.zero_moment_points[0] - foot.place[:2])
        assert (np.abs(offset) <= np.array(SIZE.half_sole) + 1e-6).all()


def test_points_stay_in_soles_that_are_turned() -> None:
    plans, stood, _ = walk(Gait(np.array([0.2, 0.0]), 0.4, 7), 41)
    headings = np.diff([foot.heading for foot in stood])
    np.testing.assert_allclose(headings[1:], 0.28, atol=0.01)
    plan = plans[-1]  # 41 = 6 + 5 * 7 samples are over: a step begins with this plan's second sample
    for number, foot in enumerate(plan.footprints):
        points = plan.zero_moment_points[1 + 7 * number : 8 + 7 * number]
        offsets = (points - foot.place[:2]) @ foot.rotation
        assert (np.abs(offsets) <= np.array(SIZE.half_sole) + 1e-4).all()


def test_a_turned_world_is_planned_alike() -> None:
    gait, angle = Gait(np.array([0.25, 0.05]), 0.2, 7), 0.9
    cart = Cart(np.array([0.02, -0.05]), np.array([0.2, -0.1]), np.array([0.1, 0.3]))
    plans = []
    for turned in (0.0, angle):
        axes = rotate_plane(turned)
        foot = Footprint(1, *(axes @ [0.0, -0.1]).tolist(), turned)
        moved = Cart(*(axes @ part for part in cart))
        plans.append(plan_walk(SIZE, moved, [Support(5, (foot,)), *[Support(7, ())] * 3], [gait] * 3))
    one, two = plans
    np.testing.assert_allclose(two.jerks, one.jerks @ rotate_plane(angle).T, atol=2e-2)
    for a, b in zip(one.footprints, two.footprints, strict=True):
        np.testing.assert_allclose(b.place[:2], rotate_plane(angle) @ a.place[:2], atol=1e-3)
        assert b.heading == pytest.approx(a.heading + angle, abs=1e-4)


def test_a_body_that_moves_aside_is_stepped_after() -> None:
    supports = [Support(4, (RIGHT,)), *[Support(7, ())] * 2]
    gait = Gait(np.zeros(2), 0.0, 7)
    calm, pushed = (
        plan_walk(SIZE, Cart(np.array([0.0, -0.05]), np.array([0.0, speed]), np.zeros(2)), supports, [gait] * 2)
        for speed in (0.05, 0.2)
    )
    assert pushed.footprints[0].y > calm.footprints[0].y + 0.03
    assert pushed.footprints[0].y - RIGHT.y <= SIZE.width + SIZE.outward + 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_states_after_pushes_have_plans(seed: int) -> None:
    random = np.random.default_rng(seed)
    cart = Cart(*(random.normal(0.0, size, 2) for size in (0.06, 0.15, 0.6)))
    gaits = [Gait(random.uniform(-0.4, 0.4, 2), random.uniform(-0.6, 0.6), int(random.integers(5, 9)))] * 3
    plan = plan_walk(SIZE, cart, [Support(int(random.integers(1, 8)), (RIGHT,)), *[Support(7, ())] * 3], gaits)
    assert plan.solved
    assert np.isfinite(plan.jerks).all()


def test_one_who_stands_comes_to_rest_between_the_feet() -> None:
    cart = Cart(np.array([0.03, 0.02]), np.array([0.1, -0.05]), np.zeros(2))
    for _ in range(60):
        plan = plan_walk(SIZE, cart, [Support(PLANNED_SAMPLES, (LEFT, RIGHT))], [])
        assert plan.footprints == ()
        cart = cart.advance(plan.jerks[0], PERIOD)
    np.testing.assert_allclose(cart.position, 0.0, atol=2e-3)
    np.testing.assert_allclose(cart.velocity, 0.0, atol=2e-3)
