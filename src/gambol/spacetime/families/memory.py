"""Check whether a family fits into memory before anything is solved."""

from __future__ import annotations

from math import prod

from gambol.errors import InputError
from gambol.io.archive import available_memory
from gambol.spacetime.families.plan import FamilyPlan

_COPIES = 3
"""Copies of all members: as solved, as one array, and as a file being written."""
_WARM_START = 270
"""Numbers per frame of a warm start: variables and multipliers."""


def check_memory(plan: FamilyPlan, frames: int, dofs: int) -> None:
    """Raise an error if a family does not fit into memory, naming how many members would."""
    members, one = prod(plan.shape), 8 * frames * (_COPIES * (dofs + 1) + _WARM_START)
    free = available_memory()
    if members * one > free:
        raise InputError(
            f"{members} members of {frames} frames take {members * one / 1e9:.3g} GB; {free / 1e9:.3g} GB are free",
            file=plan.name,
            fix=f"at most {free // one} members fit: make 'count' smaller",
        )
