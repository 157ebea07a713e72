"""One fitted walk for all tests of answers to pushes."""

from __future__ import annotations

import pytest

from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.respond.endless import make_endless
from gambol.respond.model import DEFAULT_FREE, ResponseModel, learn_response
from gambol.respond.near_unactuated import NearUnactuatedResponder


@pytest.fixture(scope="session")
def walk() -> Fit:
    clip = samples.walk()
    return fit(Character.from_motion(clip, 70.0), clip)


@pytest.fixture(scope="session")
def model(walk: Fit) -> ResponseModel:
    return learn_response(walk)


@pytest.fixture(scope="session")
def responder(walk: Fit, model: ResponseModel) -> NearUnactuatedResponder:
    return NearUnactuatedResponder("walk", model, make_endless(walk), DEFAULT_FREE)
