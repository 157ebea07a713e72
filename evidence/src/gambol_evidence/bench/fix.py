"""`gambol bench fix`: frames that are repaired in a second on one core, against playing them and against peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np

import gambol as gb
from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol_evidence.bench.rows import Row
from gambol_evidence.peers import filter_clip, lock_feet_only

_SECONDS = 30.0
"""Of a long clip, which is solved in windows."""


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    walk = samples.walk()
    gb.fix(walk)  # compiles for this skeleton
    for name, clip in (("walk", walk), ("run", samples.run()), ("jump", samples.jump())):
        yield _time_repair(name, clip)
    for kind in ("jitter", "feet", "flight"):
        yield _time_repair(f"jump-only-{kind}", samples.jump(), (kind,))
    yield _time_repair("long", walk_on(_SECONDS))
    yield _time("peer-foot-lock", walk, lambda: lock_feet_only(fit(Character.from_motion(walk), walk)))
    yield _time("peer-filter", walk, lambda: filter_clip(walk))


def walk_on(seconds: float) -> Motion:
    """Return the built-in walk forward, backward and forward again, until it is long enough."""
    walk = samples.walk()
    there = np.arange(len(walk))
    order = np.concatenate((there, there[-2:0:-1]))
    frames = np.resize(order, round(seconds / walk.frame_time))
    return Motion(walk.skeleton, walk.q[frames], walk.frame_time, "walk there and back", rig=walk.rig)


def _time_repair(name: str, clip: Motion, only: tuple[str, ...] = ()) -> Row:
    return _time(name, clip, lambda: gb.fix(clip, only=only))


def _time(name: str, clip: Motion, work: Callable[[], object]) -> Row:
    begun = perf_counter()
    work()
    rate = len(clip) / (perf_counter() - begun)
    own = 1.0 / clip.frame_time
    return Row(name, rate, "frames/s", "frames/s that are played", own, rate / own)
