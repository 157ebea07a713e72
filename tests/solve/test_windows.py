"""Windows of a long clip."""

from __future__ import annotations

from itertools import pairwise

from gambol.solve.windows import split_windows


def test_windows_cover_every_frame_once_and_their_number_is_linear() -> None:
    for frames in (10, 300, 541, 1000, 5000, 50000):
        found = list(split_windows(frames, 360, 60))
        assert found[0][0] == 0
        assert found[-1][1] == frames - 1
        assert all(b[0] == a[1] + 1 - 60 for a, b in pairwise(found))
        assert max(last - first + 1 for first, last in found) <= 540
        assert len(found) <= 1 + frames / 299
