from __future__ import annotations

import numpy as np
import pytest

from gambol_evidence.bench import film


def test_rows_compare_a_film_with_polygons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film, "_SIZE", (128, 96))
    monkeypatch.setattr(film, "_PICTURES", 2)
    few = film.place_walkers(1, 2)
    monkeypatch.setattr(film, "place_walkers", lambda rows, columns: few)
    rows = list(film.run())
    assert [row.id for row in rows] == ["one-1080p", "one-1080p-mp4", "walkers-12-1080p", "walkers-12-1080p-mp4"]
    for drawn, written in (rows[:2], rows[2:]):
        assert drawn.ratio == pytest.approx(drawn.value / drawn.peer_value)  # type: ignore[operator]
        assert 0.0 < written.value < drawn.value


def test_walkers_stand_apart() -> None:
    scene = film.place_walkers(2, 3)
    places = np.array([motion.placement.positions[0, motion.mover] for motion in scene])
    gaps = np.linalg.norm(places[:, None] - places, axis=-1) + 9.0 * np.eye(6)
    assert gaps.min() == pytest.approx(1.5)
    assert np.ptp(places[:, 2]) == pytest.approx(0.0, abs=1e-9)
