"""The cart on a table: predictions, and its zero moment point."""

from __future__ import annotations

import numpy as np

from gambol.robots.cart import Cart, predict_cart


def test_predictions_are_those_of_the_cart() -> None:
    random = np.random.default_rng(0)
    jerks = random.normal(size=(6, 2))
    cart = Cart(*random.normal(size=(3, 2)))
    position, velocity, point = (
        prediction.free @ np.stack(cart) + prediction.forced @ jerks for prediction in predict_cart(0.8, 0.1, 6)
    )
    for sample, jerk in enumerate(jerks):
        cart = cart.advance(jerk, 0.04).advance(jerk, 0.06)
        np.testing.assert_allclose(position[sample], cart.position)
        np.testing.assert_allclose(velocity[sample], cart.velocity)
        np.testing.assert_allclose(point[sample], cart.find_zero_moment_point(0.8))


def test_a_pendulum_that_falls_has_its_zero_moment_point_at_the_pivot() -> None:
    omega = np.sqrt(9.81 / 0.8)
    cart = Cart(np.array([0.1, -0.2]), np.zeros(2), omega**2 * np.array([0.1, -0.2]))
    np.testing.assert_allclose(cart.find_zero_moment_point(0.8), 0.0, atol=1e-15)
