"""`gambol bench style`: seconds to fit a walk, to solve a motion in a style, and to learn one, beside those of L05.

L05 section 5.7 reports 4 to 6 hours of learning and 10 to 30 minutes of synthesis on a processor of 2 GHz; the shorter
times are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TypeVar

from gambol.fit.load import load
from gambol.spacetime.edits.verb import prepare_clip
from gambol.styles.learning import find_start, learn_parameters
from gambol.styles.scene import fit_scene, generate_motion
from gambol.styles.task import StyleTask, draft_task, make_scene
from gambol_evidence.bench.rows import Row

_PEER = "L05 section 5.7"
_LEARNING, _SYNTHESIS = 4.0 * 3600.0, 600.0
"""Seconds."""
_PART = 1.0, 3.3
"""Two strides of the built-in walk (s)."""
_Found = TypeVar("_Found")


def run() -> Iterator[Row]:
    """Yield the rows."""
    walk = load("walk")
    scene = make_scene(draft_task(prepare_clip(walk, *_PART)[0], StyleTask()))
    fit_scene(scene)  # compiles and loads
    seconds, fitted = _time(lambda: fit_scene(make_scene(draft_task(prepare_clip(walk, *_PART)[0], StyleTask()))))
    yield Row("fitting", seconds, "s")
    scene, parameters = scene.with_reference(fitted.q), find_start(fitted).make_uniform()
    seconds, cold = _time(lambda: generate_motion(scene, parameters))
    yield Row("synthesis", seconds, "s", _PEER, _SYNTHESIS, _SYNTHESIS / seconds)
    parameters[:, 0] *= 1.1
    seconds, _ = _time(lambda: generate_motion(scene, parameters, start=cold.solution.state))
    yield Row("synthesis-warm", seconds, "s", _PEER, _SYNTHESIS, _SYNTHESIS / seconds)
    seconds, learned = _time(lambda: learn_parameters([scene]))
    yield Row("learning", seconds, "s", _PEER, _LEARNING, _LEARNING / seconds)
    yield Row("learned", learned.moments[-1].error_deg, "degrees")


def _time(call: Callable[[], _Found]) -> tuple[float, _Found]:
    begun = perf_counter()
    found = call()
    return perf_counter() - begun, found
