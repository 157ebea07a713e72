"""One fitted walk for all tests of answers to pushes."""

from __future__ import annotations

import pytest

from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.respond.clip_responder import NearUnactuated
from gambol.respond.endless import endless
from gambol.respond.model import FREE, Model, learn


@pytest.fixture(scope="session")
def walk() -> Fit:
    clip = samples.walk()
    return fit(Character.from_motion(clip, 70.0), clip)


@pytest.fixture(scope="session")
def model(walk: Fit) -> Model:
    return learn(walk)


@pytest.fixture(scope="session")
def responder(walk: Fit, model: Model) -> NearUnactuated:
    return NearUnactuated("walk", model, endless(walk), FREE)
