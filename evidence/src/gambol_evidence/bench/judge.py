"""`gambol bench judge`: what it costs to judge a result, beside the verb that made it, in one run on one core.

The clips are built in. Every verb runs with its defaults; the judge looks at what it returns, and at the clip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from time import perf_counter
from typing import NamedTuple

from threadpoolctl import threadpool_limits

import gambol as gb
from gambol.clips.result import Result
from gambol_evidence.bench.rows import Row

_BAR = 0.1
"""Largest time of the judge, relative to that of the verb."""
_REPEATS = 3
_PUSH = gb.Push("left_upper_arm", force=(0.0, 60.0, 0.0), start=1.0)
_CHANGE = {"stage": "ground 2", "forward": 0.3}


@cache
def _learn_walk() -> gb.Primitives:
    return gb.learn_primitives({"walk": "walk"}).model


_VERBS: dict[str, Callable[[], Result]] = {
    "fix": lambda: gb.fix("walk"),
    "push": lambda: gb.push("walk", [_PUSH]),
    "edit": lambda: gb.edit("jump", changes=[_CHANGE]),
    "loop": lambda: gb.loop("walk", times=10),
    "join": lambda: gb.join("jump", "walk"),
    "retarget": lambda: gb.retarget("walk", "run"),
    "crowd": lambda: gb.crowd("poles", seconds=8.0),
    "play": lambda: gb.play_primitives(_learn_walk(), seconds=10.0),
}


class Shares(NamedTuple):
    """Shortest seconds of making a result and of judging it, and its frames."""

    making: float
    judging: float
    frames: int


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    with threadpool_limits(1):
        for name, verb in _VERBS.items():
            making, judging, frames = measure_shares(verb)
            share = judging / making
            yield Row(f"{name}-frame", 1e3 * judging / frames, "ms/frame")
            yield Row(f"{name}-share", share, "of the verb", "bar", _BAR, _BAR / share)


def measure_shares(verb: Callable[[], Result]) -> Shares:
    """Return the times of the best of several runs, after one that compiles and loads."""
    making, judging, frames = [], [], 0
    for _ in range(1 + _REPEATS):
        begun = perf_counter()
        result = verb()
        made = perf_counter()
        _ = result.judgement
        making.append(made - begun)
        judging.append(perf_counter() - made)
        frames = sum(map(len, result.motions))
    return Shares(min(making[1:]), min(judging[1:]), frames)
