"""`gambol bench robots`: frames per second of reference motions on one core, from a loaded clip on.

The default includes its figures, as on the command line. Seconds are those of the processor, which other processes
disturb little.

GMR is not run here: its 166 frames per second are those measured beforehand on a walk of LAFAN1 with G1, on one shared
core of another machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from threadpoolctl import threadpool_limits

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.references.verb import make_reference
from gambol_evidence.bench.rows import NOT_INSTALLED, Row

_ROBOTS = ("jvrc1", "g1")
_PEER, _PEER_RATE = "GMR on G1, measured beforehand", 166.0
_BARS = {"fast": 500.0, "default": 30.0}
"""Frames per second that are wanted."""
_REPEATS = 2
_UNIT = "frames/s"


def run() -> Iterator[Row]:
    """Yield the rows."""
    clip = load("walk")
    for name in _ROBOTS:
        try:
            biped = load_biped(name)
        except InputError:
            yield Row(name, float("nan"), _UNIT, note=NOT_INSTALLED)
            continue
        for quality, bar in _BARS.items():
            fast = quality == "fast"
            rate = measure_rate(clip, biped, fast)
            if fast:
                yield Row(f"{name}-fast", rate, _UNIT, _PEER, _PEER_RATE, rate / _PEER_RATE)
            yield Row(f"{name}-{quality}-bar", rate, _UNIT, "bar", bar, rate / bar)


def measure_rate(clip: Motion, biped: Biped, fast: bool) -> float:
    """Return the frames per second of the best of several runs, after one that compiles and loads."""
    rates = []
    with threadpool_limits(1):
        for _ in range(1 + _REPEATS):
            begun = process_time()
            frames = len(make_reference(clip, biped, fast=fast).motion)
            rates.append(frames / (process_time() - begun))
    return max(rates[1:])
