"""One fitted walk for all tests of answers to pushes."""

from __future__ import annotations

import pytest

from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.respond.model import Model, learn


@pytest.fixture(scope="session")
def walk() -> Fit:
    clip = samples.walk()
    return fit(Character.from_motion(clip, 70.0), clip)


@pytest.fixture(scope="session")
def model(walk: Fit) -> Model:
    return learn(walk)
