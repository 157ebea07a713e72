"""Divide the frames of a long clip into overlapping windows that are solved one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np


def split_windows(frames: int, window: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield first and last frames of overlapping windows of about the same length; one window for a short clip."""
    count = 1 if frames <= 1.5 * window else -(-(frames - overlap) // (window - overlap))
    edges = np.linspace(0, frames - overlap, count + 1).astype(int)
    for first, end in pairwise(map(int, edges)):
        yield first, min(end + overlap, frames) - 1
