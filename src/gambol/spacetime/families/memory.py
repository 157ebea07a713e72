"""Whether a family fits into memory, asked before anything is solved."""

from __future__ import annotations

from math import prod

from gambol.errors import InputError
from gambol.io.archive import available_memory
from gambol.spacetime.families.plan import FamilyPlan

_COPIES = 3
"""Of all members: as they come, as one array, and as a file that is written."""
_BEGUN = 270
"""Numbers a frame that a neighbour begins with: variables and multipliers."""


def check_memory(plan: FamilyPlan, frames: int, dofs: int) -> None:
    """Refuse a family that does not fit, and say what would."""
    members, one = prod(plan.shape), 8 * frames * (_COPIES * (dofs + 1) + _BEGUN)
    free = available_memory()
    if members * one > free:
        raise InputError(
            f"{members} members of {frames} frames take {members * one / 1e9:.3g} GB, and {free / 1e9:.3g} GB are free",
            file=plan.name,
            fix=f"at most {free // one} members fit: make 'count' smaller",
        )
