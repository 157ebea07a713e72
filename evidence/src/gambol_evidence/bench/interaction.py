"""`gambol bench interaction`: reactions per second, and learning as a function of the number of frames, on one core.

M17 reports 68 frames per second (section 4.4, with rendering). Reactions are to full poses, the hand following the
observed one included, on a recorded high five with moved contacts. Its two approximations, direct mappings and sparse
processes, make the printed model 100 times faster: both models are learned from the same trials, with few iterations,
since only the time of a reaction counts here. Learning is that of a course of 159 columns, as many as M17 has joint
angles, from smooth random trials of 90 frames.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.interaction.course import CourseSamples, learn_course
from gambol.interaction.model import learn_interaction_model
from gambol.interaction.partner import Partner
from gambol.interaction.trials import Trial, find_trial
from gambol.interaction.variations import grid_shifts, move_contact
from gambol_evidence.bench.rows import Row
from gambol_evidence.printed.hierarchy_learning import learn_hierarchy
from gambol_evidence.printed.hierarchy_partner import HierarchyPartner

_PAIR = ("20_11", "21_11")
_PAPER = "M17 §4.4"
_PAPER_RATE = 68.0
_WIDTH = 0.12
"""Metres by which contacts are moved."""
_ITERATIONS = 10
_ROUNDS = 5
_COLUMNS, _FRAMES = 159, 90
_SIZES = (900, 9900, 49500)


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    folder = Path(os.environ.get("GAMBOL_DATA", "")) / "cmu_bvh" / "two_person"
    with threadpool_limits(1):
        if all((folder / f"{name}.bvh").is_file() for name in _PAIR):
            one, two = (load(folder / f"{name}.bvh") for name in _PAIR)
            trial = find_trial(one, two)
            yield from measure_reactions([move_contact(trial, shift) for shift in grid_shifts(_WIDTH, _WIDTH)])
        else:
            yield Row("reactions", math.nan, "frames/s", note=f"no recordings {', '.join(_PAIR)} in GAMBOL_DATA")
        seconds = [measure_learning(size) for size in _SIZES]
        for size, found in zip(_SIZES, seconds, strict=True):
            yield Row(f"learn-{size}", found, "s")
        exponent = float(np.polyfit(np.log(_SIZES), np.log(seconds), 1)[0])
        yield Row("learn-exponent", exponent, "of the number of frames")


def measure_reactions(trials: Sequence[Trial]) -> Iterator[Row]:
    """Yield reactions per CPU second: ours beside the paper's, and those of the printed model, direct beside exact."""
    path = trials[0].paths[1]
    ours = _measure_rate(Partner(learn_interaction_model(trials)), path, _ROUNDS)
    yield Row("reactions", ours, "frames/s", _PAPER, _PAPER_RATE, ours / _PAPER_RATE)
    sparse, full = (learn_hierarchy(trials, n_inducing=count, iterations=_ITERATIONS) for count in (150, None))
    direct = _measure_rate(HierarchyPartner(sparse), path, _ROUNDS)
    yield Row("reactions-printed", direct, "frames/s", _PAPER, _PAPER_RATE, direct / _PAPER_RATE)
    for name, hierarchy in (("sparse", sparse), ("full", full)):
        exact = _measure_rate(HierarchyPartner(hierarchy, exact=True), path, 1)
        yield Row(f"direct-{name}", direct, "frames/s", f"exact inference, {name} processes", exact, direct / exact)


def _measure_rate(partner: Any, path: Array, rounds: int) -> float:
    """Return the steps per CPU second along the path (samples, 3) of a hand."""
    state, begun = partner.start(), process_time()
    for hand in (*path,) * rounds:
        state, _ = partner.step(state, hand)
    return rounds * len(path) / (process_time() - begun)


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
