"""Whether a family fits into memory, asked before anything is solved."""

from __future__ import annotations

import os
from math import prod
from pathlib import Path

from gambol.errors import InputError
from gambol.spacetime.families.plan import Plan

_COPIES = 3
"""Of all members: as they come, as one array, and as a file that is written."""
_BEGUN = 270
"""Numbers a frame that a neighbour begins with: variables and multipliers."""


def check_memory(plan: Plan, frames: int, dofs: int) -> None:
    """Refuse a family that does not fit, and say what would."""
    members, one = prod(plan.shape), 8 * frames * (_COPIES * (dofs + 1) + _BEGUN)
    free = available()
    if members * one > free:
        raise InputError(
            f"{members} members of {frames} frames take {members * one / 1e9:.3g} GB, and {free / 1e9:.3g} GB are free",
            file=plan.name,
            fix=f"at most {free // one} members fit: make 'count' smaller",
        )


def available() -> int:
    """Bytes of memory that are free."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):  # not Linux: all there is
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
