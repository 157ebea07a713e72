"""Scenes: what a foot in springy shoes does, against the law of the spring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.contacts.contact import BodyPoint
from gambol.contacts.views import list_constraints
from gambol.motion.motion import Motion
from gambol.stages.feet import track_point
from gambol.styles.learning import find_start
from gambol.styles.scene import SolvedScene, fit_scene, generate_motion
from tests.styles.scenes import crouch

pytestmark = [pytest.mark.usefixtures("interpreted"), pytest.mark.slow]


def crouch_in_shoes(give: float, *, exact: bool = False) -> tuple[SolvedScene, np.ndarray]:
    """Return a crouch, and the heights (inner frames,) of the sole above its place."""
    scene = replace(crouch(), exact=(exact, exact), shoe_give=give)
    found = generate_motion(scene, find_start(fit_scene(scene)).make_uniform())
    assert found.solution.converged
    contact = list_constraints(scene.contacts)[0]
    motion = Motion(scene.character.skeleton, found.q, scene.frame_time, "crouch")
    sole = track_point(motion, BodyPoint("sole", contact.body, contact.points[0]))
    return found, sole[1:-1, 2] - contact.places[0, 2]


def test_a_spring_yields_by_the_force_on_it_over_its_stiffness() -> None:
    give = 0.03
    found, heights = crouch_in_shoes(give)
    weights = found.find_ground_force("foot")[1:-1, 2] / (GRAVITY * found.space.character.mass)
    np.testing.assert_allclose(heights, give * (1.0 - weights), atol=1e-6)
    assert np.ptp(heights) > 1e-3


def test_stiff_springs_are_hard_soles() -> None:
    hard, stiff = (crouch_in_shoes(give, exact=True)[0].q for give in (0.0, 1e-6))
    np.testing.assert_allclose(stiff, hard, atol=1e-4)
