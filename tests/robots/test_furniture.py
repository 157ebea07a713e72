"""The table with a drawer that is drawn: the object in the open drawer is where the hand reaches for it."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.robots.actions.trials import PULL
from gambol.robots.furniture import make_furniture


@pytest.mark.parametrize("size", [1.0, 0.8])
def test_the_object_of_the_open_drawer_is_where_it_was_said(size: float) -> None:
    handle, item = np.array([1.5, 0.1, 0.9]), size * np.array([-0.07, -0.22, -0.05])
    shut, opened = [*handle, 0.0], [*handle, size * PULL]
    motion = make_furniture(np.array([shut, opened]), 0.02, item, size)
    assert motion.skin is not None
    red = np.array(motion.skin.colors)[:, 0] > 2.0 * np.array(motion.skin.colors)[:, 1]
    inside = np.array(motion.skin.vertices)[red].mean(axis=0)
    np.testing.assert_allclose(motion.placement.positions[1, 1] + inside, handle + item, atol=1e-6)
    np.testing.assert_allclose(motion.placement.positions[0, 1], handle, atol=1e-9)
