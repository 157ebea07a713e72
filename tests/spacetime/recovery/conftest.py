"""One pushed walk for all tests of recoveries: the built-in walk, repeated."""

from __future__ import annotations

from functools import partial

import pytest

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle
from gambol.motion.pushes import Push
from gambol.spacetime.grounded import GroundedMotion, ground_motion
from gambol.spacetime.recovery import recover as recovery
from gambol.spacetime.recovery.recover import PushAnswer

ONSET, SPEED = 1.25, 0.5
"""Seconds, m/s."""
FPS, HORIZON = 20.0, 1.5
"""Frames per second that are solved, and seconds after a push in which the clip is met again."""
recover = partial(recovery.recover, fps=FPS, horizon=HORIZON)


def ground_sample(name: str, rounds: int) -> GroundedMotion:
    """A built-in gait, repeated."""
    clip = samples.by_name(name)
    repeated = repeat_cycle(close_cycle(clip, find_cycle(clip)), rounds)
    return ground_motion(fit(Character.from_motion(repeated, 70.0), repeated))


@pytest.fixture(scope="session")
def grounded() -> GroundedMotion:
    return ground_sample("walk", 4)


def make_push(clip: GroundedMotion, x: float, y: float, onset: float = ONSET) -> Push:
    """A push of 0.2 s on the chest that changes the velocity of the centre of mass by (x, y) m/s."""
    return Push("chest", (5.0 * clip.character.mass * x, 5.0 * clip.character.mass * y, 0.0), onset, 0.2)


@pytest.fixture(scope="session")
def pushed_left(grounded: GroundedMotion) -> PushAnswer:
    return recover(grounded, [make_push(grounded, 0.0, SPEED)], timing=False)
