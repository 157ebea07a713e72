"""Models of the built-in walk and run, learned once for all tests."""

from __future__ import annotations

from functools import cache

from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.primitives.learning import DelayMode, learn_model
from gambol.primitives.model import Primitives


def moving(delays: DelayMode = "tied", rotations: str = "log", sources: int = 3) -> Primitives:
    """Walk and run."""
    return _moving(delays, rotations, sources)


@cache
def _moving(delays: DelayMode, rotations: str, sources: int) -> Primitives:
    return learn_model({"walk": [samples.walk()], "run": [samples.run()]}, sources, delays, rotations=rotations)


def jump() -> Motion:
    """The built-in jump up to the crouch that it lands in: it does not come back to its first pose."""
    whole = samples.jump()
    return whole[: 2 * len(whole) // 3]


@cache
def jumping() -> Primitives:
    """The jump as one movement, four sources."""
    return learn_model({"jump": [jump()]}, 4, once=True)
