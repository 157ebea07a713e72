"""The ragdoll that push responses are compared with follows the walk and yields to the push."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.motion.pushes import Push
from gambol.respond.model import learn_response
from gambol_evidence.bench.near_unactuated import _make_ragdoll, _respond_together, _time_learning


@pytest.fixture(scope="module")
def fitted() -> Fit:
    walk = samples.walk()[:90]
    return fit(Character.from_motion(walk, 75.0), walk)


def test_the_ragdoll_follows_the_walk_and_yields_to_the_push(fitted: Fit) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install 'gambol[robot]'")
    targets = fitted.motion.q
    calm, pushed = (_make_ragdoll(fitted, Push("left_upper_arm", (0.0, force, 0.0), 0.5))() for force in (1e-9, -110.0))
    assert np.isfinite(pushed).all()
    assert np.degrees(np.abs(calm - targets)[:, 6:]).max() < 10.0
    moved = np.degrees(np.abs(pushed - calm)[:, 6:].max(axis=1))
    assert moved[:30].max() < 1e-6
    assert moved.max() > 2.0


def test_the_batch_and_the_time_learning_run(fitted: Fit) -> None:
    _respond_together(learn_response(fitted), fitted.motion.q[:4], Push("chest", (50.0, 0.0, 0.0), 0.0))
    assert _time_learning(fitted, False) > 0.0
