"""Mend what a viewer would see, one finding after the other, and keep what leaves fewer of them."""

from __future__ import annotations

from collections.abc import Callable

from gambol.judge.finding import Finding
from gambol.motion.motion import Motion

_MOST = 30
"""Findings of a clip, at most: with more, it is something else that is wrong."""


def mend_findings(
    motion: Motion, find: Callable[[Motion], list[Finding]], mend: Callable[[Motion, Finding], Motion]
) -> tuple[Motion, int]:
    """Return the motion without the findings that can be mended, and their number."""
    left, tried, count = find(motion), 0, 0
    while len(left) <= _MOST and tried < len(left):
        changed = mend(motion, left[tried])
        found = find(changed)
        if len(found) < len(left):
            motion, left, count = changed, found, count + 1
        else:
            tried += 1
    return motion, count
