"""`gambol bench responsive` measures what it says: rows of walks, and rows with and without the peer."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from gambol_evidence.bench import responsive


def test_rows_are_a_closed_cycle_and_the_clips_in_columns_of_one_deviation(data) -> None:
    walks = responsive.load_walks(data / "cmu_bvh" / "walk")
    loop, *clips = walks.clips
    assert len(clips) == 3
    np.testing.assert_allclose(walks.rows.std(axis=0), 1.0)
    steps = np.linalg.norm(np.diff(np.vstack([loop, loop[:1]]), axis=0), axis=1)
    assert steps[-1] < 1.5 * steps[:-1].max()
    # The cycle is from the first clip, and the held-out clip is another walk of the same person.
    nearest = [np.linalg.norm(loop[:, None] - clip[None], axis=2).min(axis=1).max() for clip in (clips[0], clips[1])]
    assert nearest[0] < nearest[1]
    assert not any(np.array_equal(walks.held_out, clip) for clip in clips)
    assert walks.held_out.shape[1] == loop.shape[1]


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
    pytest.importorskip("GPy", reason="GPy is not installed: pip install 'gambol-evidence[bench]'")
    monkeypatch.setattr(responsive, "_GPY_ITERATIONS", 3)
    walks = responsive.load_walks(data / "cmu_bvh" / "walk")
    with threadpool_limits(1):
        rows = {row.id: row for row in responsive._compare_learning(walks) if row.peer == "GPy BCGPLVM"}
    assert {"learn", "density", "rebuilt", "rebuilt-held-out"} == set(rows)
    assert all(row.ratio is not None and row.ratio > 0.0 for row in rows.values())
