"""Nearest points of segments, and segments that pass through each other between two frames."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry.segments import find_nearest_points, find_passes, measure_gaps

STICK = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
ACROSS = np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])


def test_nearest_points_are_nearer_than_any_others() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 40, 2, 3))
    other[:10, 1] = other[:10, 0]  # a point
    other[10:20] = one[10:20] + rng.normal(size=(10, 1, 3))  # parallel
    found = np.linalg.norm(np.subtract(*find_nearest_points(one, other)), axis=1)
    shares = np.linspace(0.0, 1.0, 101)[:, None]
    paths = [ends[:, :1] + shares * (ends[:, 1:] - ends[:, :1]) for ends in (one, other)]
    searched = np.linalg.norm(paths[0][:, :, None] - paths[1][:, None], axis=3).min(axis=(1, 2))
    assert (found <= searched + 1e-9).all()
    np.testing.assert_allclose(found, searched, atol=0.03)


def passes(heights: list[float], aside: float = 0.0) -> list[bool]:
    """Whether a stick at these heights passes through one that lies across it, which is moved aside."""
    one = np.stack([STICK + [0.0, 0.0, height] for height in heights])[:, None]
    other = np.repeat((ACROSS + [aside, 0.0, 0.0])[None, None], len(heights), axis=0)
    return find_passes(one, other, measure_gaps(one, other))[:, 0].tolist()


@pytest.mark.parametrize("step", [0.02, 0.3, 5.0])
def test_a_stick_passes_through_another_in_the_frame_in_which_it_does(step: float) -> None:
    assert passes([1.6 * step, 0.6 * step, -0.4 * step, -1.4 * step]) == [False, True, False]
    assert passes([-0.4 * step, 0.6 * step]) == [True]


def test_sticks_that_miss_each_other_do_not_pass() -> None:
    assert passes([0.5, -0.5], aside=1.01) == [False]
    assert passes([0.5, -0.5], aside=0.99) == [True]
    assert passes([0.5, 0.1]) == [False]
    assert passes([0.1, 0.5]) == [False]
