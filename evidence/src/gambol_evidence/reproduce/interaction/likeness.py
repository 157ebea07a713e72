"""Claims about likeness: a classifier of short windows tells generated people from held-out trials, or does not.

M17 reports that people do not tell generated from recorded movements (section 4.4). Here a classifier judges in their
place: it sees windows of a third of a second of the joints of person 1, and is tested on trials that it has not seen.
It must catch a simple generator, principal components with linear dynamics, for its verdict on ours to mean anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold, cross_val_score

from gambol.geometry.arrays import Array
from gambol.interaction.generation import MeetingPlan, generate_meeting
from gambol.interaction.trials import GroundFrame
from gambol.metrics.figures import Band
from gambol.motion.kinematics import Placement
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.interaction.baselines import learn_linear_dynamics
from gambol_evidence.reproduce.interaction.meeting_trials import MeetingSeed, MeetingTrials

_WINDOW, _STRIDE = 10, 5
"""Frames of a window, and from one to the next, at 30 frames per second."""
_COMPONENTS = 20
_FOLDS = 5
_HERE = GroundFrame(np.zeros(3), 0.0)


def measure_likeness(trials: MeetingTrials) -> Iterator[Claim]:
    """Yield how often the classifier tells generated from held-out windows, ours and those of linear dynamics."""
    real, ours, linear = [], [], []
    for seed in trials.standing:
        shown = PCA(_COMPONENTS, random_state=0).fit(
            np.concatenate([_see(seed, one.trial.local[0]) for one in seed.learned])
        )
        real += [shown.transform(_see(seed, one.trial.local[0])) for one in seed.tested]
        ours += [shown.transform(rows) for rows in _generate(seed)]
        linear += [shown.transform(rows) for rows in _generate_linear(seed)]
    data = f"edited 20_11 and 21_11, standing, {len(trials.standing)} seeds, {len(real)} trials of each"
    for name, words, made, band in (
        ("told-ours", "windows that a classifier tells from held-out trials: generated", ours, Band(high=60.0)),
        ("told-linear", "the same, of principal components with linear dynamics", linear, Band(low=80.0)),
    ):
        yield Claim(name, f"{OUR_BAR}; M17 §4.4", words, 100.0 * tell_apart(real, made), "%", data, band)


def tell_apart(real: Sequence[Array], made: Sequence[Array]) -> float:
    """Return the balanced accuracy of a classifier of windows of two kinds of rows (frames, columns)."""
    windows, kinds, groups = [], [], []
    for kind, runs in enumerate((real, made)):
        for number, rows in enumerate(runs):
            cut = [rows[n : n + _WINDOW].ravel() for n in range(0, len(rows) - _WINDOW + 1, _STRIDE)]
            windows += cut
            kinds += [kind] * len(cut)
            groups += [number] * len(cut)  # a trial and the one generated for it are in one fold
    folds = GroupKFold(min(_FOLDS, len(real)))
    judge = HistGradientBoostingClassifier(random_state=0)
    return float(cross_val_score(judge, windows, kinds, groups=groups, cv=folds, scoring="balanced_accuracy").mean())


def _see(seed: MeetingSeed, local: Placement) -> Array:
    """Return rotations (frames, columns) of the joints of person 1."""
    return seed.model.people[0].encode(local)[:, 3:]


def _generate(seed: MeetingSeed) -> list[Array]:
    """Return rows of person 1, one for every held-out trial, of its style and contact point and varied."""
    plans = [MeetingPlan(one.trial.style, goal=one.trial.place, seed=n) for n, one in enumerate(seed.tested)]
    return [_see(seed, generate_meeting(seed.model, plan, _HERE).local[0]) for plan in plans]


def _generate_linear(seed: MeetingSeed) -> list[Array]:
    dynamics = learn_linear_dynamics([one.trial for one in seed.learned])
    return [dynamics.generate(len(one.trial), n)[0][:, 3:] for n, one in enumerate(seed.tested)]
