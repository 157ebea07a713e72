"""`gambol bench interaction`: reactions per second, and learning as a function of the number of frames, on one core.

M17 reports 68 frames per second (section 4.4, with rendering). Reactions are to full poses, the hand following the
observed one included, on a recorded high five with moved contacts. Learning is that of a course of 159 columns, as many
as M17 has joint angles, from smooth random trials of 90 frames.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from gambol.bench.rows import Row
from gambol.fit.load import load
from gambol.interaction.course import CourseSamples, learn_course
from gambol.interaction.model import InteractionModel
from gambol.interaction.partner import Partner
from gambol.interaction.verb import learn_interaction

_PAIR = ("20_11", "21_11")
_PAPER = "M17 §4.4"
_PAPER_RATE = 68.0
_ROUNDS = 5
_COLUMNS, _FRAMES = 159, 90
_SIZES = (900, 9900, 49500)


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    folder = Path(os.environ.get("GAMBOL_DATA", "")) / "cmu_bvh" / "two_person"
    with threadpool_limits(1):
        if all((folder / f"{name}.bvh").is_file() for name in _PAIR):
            one, two = (load(folder / f"{name}.bvh") for name in _PAIR)
            rate = measure_reactions(learn_interaction([(one, two)]).model)
            yield Row("reactions", rate, "frames/s", _PAPER, _PAPER_RATE, rate / _PAPER_RATE)
        else:
            yield Row("reactions", math.nan, "frames/s", note=f"no recordings {', '.join(_PAIR)} in GAMBOL_DATA")
        seconds = [measure_learning(size) for size in _SIZES]
        for size, found in zip(_SIZES, seconds, strict=True):
            yield Row(f"learn-{size}", found, "s")
        exponent = float(np.polyfit(np.log(_SIZES), np.log(seconds), 1)[0])
        yield Row("learn-exponent", exponent, "of the number of frames")


def measure_reactions(model: InteractionModel) -> float:
    """Return reactions per CPU second to the mean path of the hand of person 2."""
    course = model.course
    features = course.combine(course.share_styles({}), course.goal_space.mean)
    path = course.evaluate_all(np.linspace(0.0, 1.0, 120), features)[:, model.columns[3]]
    partner = Partner(model)
    state, begun = partner.start(), process_time()
    for hand in (*path,) * _ROUNDS:
        state, _ = partner.step(state, hand)
    return _ROUNDS * len(path) / (process_time() - begun)


def measure_learning(frames: int) -> float:
    """Return the CPU seconds to learn a course from trials of four styles with so many frames in all."""
    random, trials = np.random.default_rng(0), frames // _FRAMES
    phases = np.linspace(0.0, 1.0, _FRAMES)
    waves = np.concatenate([[np.sin(np.pi * n * phases), np.cos(np.pi * n * phases)] for n in range(1, 5)])
    samples = []
    for _ in range(trials):
        style, goal = np.eye(3)[random.integers(3)], random.normal(0.0, 0.1, 3)
        mixed = waves.T @ np.random.default_rng(1).normal(size=(8, _COLUMNS)) * (1.0 + goal[0] + 0.3 * style[0])
        rows = mixed + random.normal(0.0, 0.02, (_FRAMES, _COLUMNS))
        samples.append(CourseSamples(phases, np.tile(style, (_FRAMES, 1)), np.tile(goal, (_FRAMES, 1)), rows))
    joined = CourseSamples(*(np.concatenate(values) for values in zip(*samples, strict=True)))
    begun = process_time()
    learn_course(joined, ("angry", "happy", "sad"))
    return process_time() - begun
