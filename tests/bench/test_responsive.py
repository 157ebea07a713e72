"""`gambol bench responsive` measures what it says: features of walks, and rows with and without the peer."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from gambol.bench import responsive
from gambol.io import samples
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle


def test_features_do_not_depend_on_place_and_follow_the_cycle() -> None:
    walk = samples.walk()
    cycle = close_cycle(walk, find_cycle(walk))
    rows = responsive.make_rows(repeat_cycle(cycle, 4))
    # Two cycles of an odd number of frames are a whole number of rows.
    count = len(cycle)
    np.testing.assert_allclose(rows[: count - 1], rows[count : 2 * count - 1], atol=1e-6)
    # The second pose is the first of the row before; the velocity forward is that of the walk.
    width = (rows.shape[1] - 2) // 2
    np.testing.assert_array_equal(rows[1:, width : 2 * width], rows[:-1, :width])
    travel = np.linalg.norm(np.ptp(walk.placement.positions[:, 0, :2], axis=0)) / walk.duration
    assert rows[:, -2].mean() == pytest.approx(travel, rel=0.05)


def test_a_loop_is_closed() -> None:
    rows = responsive.make_loop(samples.walk())
    width = (rows.shape[1] - 2) // 2
    np.testing.assert_allclose(rows[0, width : 2 * width], rows[-1, :width], atol=0.03)
    steps = np.linalg.norm(np.diff(np.vstack([rows, rows[:1]]), axis=0), axis=1)
    assert steps[-1] < 1.5 * steps[:-1].max()


def test_rows(data, monkeypatch) -> None:
    monkeypatch.setenv("GAMBOL_DATA", str(data))
    monkeypatch.setattr(responsive, "_GPY_ITERATIONS", 3)
    monkeypatch.setattr(responsive, "_FRAMES", 20)
    monkeypatch.setattr(responsive, "_SIZES", (120, 240))
    monkeypatch.setitem(sys.modules, "GPy", None)
    rows = {(row.id, row.peer): row for row in responsive.run()}
    assert 300 < rows["rows", ""].value < 360
    assert 100 < rows["columns", ""].value < 130
    assert rows["learn", "GPy BCGPLVM"].comparison == "GPy BCGPLVM: not installed"
    linear = rows["rebuilt", "3 principal components"]
    assert linear.ratio == pytest.approx(linear.peer_value / linear.value)
    assert linear.ratio > 1.0
    assert all(math.isfinite(row.value) and row.value > 0.0 for row in rows.values())
    assert rows["evaluation-240", "exact"].ratio > 0.0


def test_without_recordings(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GAMBOL_DATA", str(tmp_path))
    (row,) = responsive.run()
    assert math.isnan(row.value)
    assert "35_01" in row.note


def test_beside_gpy(data, monkeypatch) -> None:
    pytest.importorskip("GPy", reason="GPy is not installed: pip install 'gambol[bench]'")
    monkeypatch.setattr(responsive, "_GPY_ITERATIONS", 3)
    walks = responsive.load_walks(data / "cmu_bvh" / "walk")
    with threadpool_limits(1):
        rows = {row.id: row for row in responsive._compare_learning(walks) if row.peer == "GPy BCGPLVM"}
    assert {"learn", "density", "rebuilt", "rebuilt-held-out"} == set(rows)
    assert all(row.ratio is not None and row.ratio > 0.0 for row in rows.values())
