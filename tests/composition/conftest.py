"""Casts and solved scenes that several tests look at."""

from __future__ import annotations

import pytest

from gambol.composition.blocks import BlockProblem, Cast, SolvedBlock, solve_problem
from gambol.composition.cast import make_cast
from tests.composition.scenes import PAIR


@pytest.fixture(scope="session")
def pair() -> Cast:
    """Two people who hold hands."""
    return make_cast(PAIR)[0]


@pytest.fixture(scope="session")
def solved_pair(pair: Cast) -> tuple[BlockProblem, SolvedBlock]:
    """Both in one problem."""
    made = BlockProblem(pair, pair.draft(), pair.whole)
    return made, solve_problem(made)
