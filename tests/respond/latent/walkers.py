"""Small learned walkers for tests: examples are the built-in walk plus a smooth deviation, without any solve."""

from __future__ import annotations

from functools import cache

import numpy as np

from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.respond.latent.examples import ExamplePush, NormalWalk, SolvedExample, make_normal_walk
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.learn import fit_walker
from gambol.respond.latent.responder import LatentWalker, WalkerState
from gambol.respond.latent.walk_model import TrainingOptions

LEAD, FRAMES = 12, 60


@cache
def make_test_walk() -> NormalWalk:
    return make_normal_walk(samples.walk(), 70.0)


def make_test_example(phase: float, direction: float, speed: float = 0.5) -> SolvedExample:
    """A walker who is carried to the side by a push and keeps the new path, leaning a little meanwhile."""
    walk = make_test_walk()
    start = round((1.0 + phase) * len(walk.loop)) - LEAD
    poses = walk.loop.at(np.arange(start, start + FRAMES))
    seconds = np.maximum(np.arange(FRAMES) - LEAD, 0) * FRAME_TIME
    carried = speed * np.e * 0.35 * (1.0 - np.exp(-seconds / 0.35) * (1.0 + seconds / 0.35))
    lean = 0.4 * speed * seconds * np.exp(-seconds / 0.2) / 0.2
    angle = np.radians(direction)
    poses[:, 0] += carried * np.cos(angle)
    poses[:, 1] += carried * np.sin(angle)
    poses[:, 4] -= lean * np.sin(angle)
    poses[:, 5] += lean * np.cos(angle)
    return SolvedExample(ExamplePush(phase, direction, speed), poses, LEAD, start)


@cache
def make_test_walker(order: int = 1, models: bool = False) -> LatentWalker:
    """A walker of two examples at one phase, or of six at three phases in three models."""
    phases = (0.0, 0.25, 0.5) if models else (0.25,)
    examples = [make_test_example(phase, direction) for phase in phases for direction in (90.0, 270.0)]
    return fit_walker(make_test_walk(), examples, TrainingOptions(3, order))


def walk_for(walker: LatentWalker, state: WalkerState, frames: int) -> tuple[WalkerState, Array]:
    poses = []
    for _ in range(frames):
        state, pose = walker.step(state)
        poses.append(pose)
    return state, np.array(poses)
