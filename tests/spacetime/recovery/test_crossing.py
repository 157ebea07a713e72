"""Legs that pass through each other are found, and kept apart."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.spacetime.grounded import GroundedMotion
from gambol.spacetime.program import optimise
from gambol.spacetime.recovery import solve_answer
from gambol.spacetime.recovery.crossing import find_crossings
from gambol.spacetime.recovery.solve_answer import solve_window
from gambol.spacetime.recovery.window import cut_window
from tests.spacetime.recovery.conftest import make_push


def test_a_walk_does_not_cross_itself(grounded: GroundedMotion) -> None:
    assert find_crossings(grounded, grounded.motion.q) == []


def test_legs_turned_into_each_other_are_found_in_those_frames(grounded: GroundedMotion) -> None:
    """Both thighs adducted by 20 degrees for some frames."""
    skeleton, q = grounded.character.skeleton, grounded.motion.q.copy()
    frames = slice(100, 140)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        column = next(
            c for c in skeleton.columns(skeleton.index(f"{side}_thigh"), "turn") if abs(skeleton.dofs[c].axis[0]) > 0.9
        )
        q[frames, column] += sign * np.sign(skeleton.dofs[column].axis[0]) * np.radians(-20.0)
    found = find_crossings(grounded, q)
    assert found
    for one in found:
        assert ((one.frames >= 100) & (one.frames < 140)).all()
        np.testing.assert_allclose(np.linalg.norm(one.directions, axis=1), 1.0)


def test_a_leg_that_would_pass_through_the_other_passes_beside_it(
    grounded: GroundedMotion, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = cut_window(grounded, 1.44, 1.6, 30.0)
    push = make_push(grounded, 0.0, -0.7, 1.44)
    through = solve_window(window, [push], barrier=1e-5)
    solved = iter([through.outcome])  # the first solve of both is the same
    monkeypatch.setattr(solve_answer, "optimise", lambda *given, **more: next(solved, None) or optimise(*given, **more))
    beside = solve_window(window, [push], barrier=1e-5, apart=True)
    assert beside.outcome.solution.converged
    assert find_crossings(window.reference, through.outcome.motion.q)
    assert find_crossings(window.reference, beside.outcome.motion.q) == []
