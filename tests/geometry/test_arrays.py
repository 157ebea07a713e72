"""Runs of True in masks."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import join_runs


def test_runs_that_are_near_each_other_are_joined() -> None:
    mask = np.array([1, 1, 0, 1, 0, 0, 1, 0], dtype=bool)
    assert join_runs(mask, 0) == [(0, 1), (3, 3), (6, 6)]
    assert join_runs(mask, 1) == [(0, 3), (6, 6)]
    assert join_runs(mask, 2) == [(0, 6)]
