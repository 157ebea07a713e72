"""Choose the number of sources by cross-validation on left-out trials at left-out samples.

More sources always fit a new trial better, including its noise, because the trial has its own weights and delays. A
left-out trial is therefore fitted to every other sample and scored at the samples between, which share the signal but
not the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.learn.anechoic.mixture import AnechoicMixture
from gambol.learn.anechoic.signals import check_count, check_signals

_WORTH = 0.05
"""Share of the unexplained variance that another source must explain: with many trials per fold the standard error is
so small that the remains of imperfectly learned sources would count."""


@dataclass(frozen=True, eq=False)
class OrderSelection:
    """Explained variance of left-out data (candidates, folds), and the chosen number of sources."""

    candidates: tuple[int, ...]
    scores: Array
    chosen: int


def choose_order(
    X: ArrayLike,
    candidates: Sequence[int] = (1, 2, 3, 4, 5, 6),
    *,
    template: AnechoicMixture | None = None,
    folds: int = 5,
    groups: Sequence[object] | None = None,
    seed: int = 0,
) -> OrderSelection:
    """Choose the fewest sources whose mean score is within one standard error of the best, or that leave at most a
    twentieth more unexplained.

    `template` has the other parameters; `groups` names the group of each trial, and a group stays in one fold.
    """
    from sklearn.base import clone
    from sklearn.model_selection import GroupKFold, KFold

    signals = check_signals(X)
    names = np.unique(np.arange(len(signals)) if groups is None else np.asarray(groups), return_inverse=True)[1]
    check_count("folds", folds, least=2)
    if len(names) != len(signals) or folds > names.max() + 1 or not candidates:
        raise InputError(
            f"{len(signals)} trials, {len(names)} group names of {names.max() + 1} groups, {folds} folds, "
            f"{len(candidates)} candidates",
            fix="give one group name per trial, at most as many folds as groups, and at least one candidate",
        )
    if groups is None:
        splits = list(KFold(folds, shuffle=True, random_state=seed).split(signals))
    else:
        splits = list(GroupKFold(folds).split(signals, groups=names))
    base = AnechoicMixture(seed=seed) if template is None else template
    scores = np.zeros((len(candidates), len(splits)))
    for row, count in enumerate(candidates):
        for column, (known, left) in enumerate(splits):
            model = clone(base).set_params(n_sources=count).fit(signals[known])
            scores[row, column] = _between(model, signals[left])
    means, errors = scores.mean(axis=1), scores.std(axis=1, ddof=1) / np.sqrt(len(splits))
    best = int(means.argmax())
    least = means[best] - max(errors[best], _WORTH * (1.0 - means[best]))
    near = [count for count, mean in zip(candidates, means, strict=True) if mean >= least]
    return OrderSelection(tuple(candidates), scores, min(near))


def _between(model: AnechoicMixture, signals: Array) -> float:
    """Return the variance explained at odd samples by a mixing fitted to even ones, and vice versa."""
    window = model.window
    left = 0.0
    for first in (0, 1):
        mixing = model.estimate_mixing(signals[..., first::2], window.every_other(first))
        left += float(((signals - model.reconstruct(mixing, window))[..., 1 - first :: 2] ** 2).sum())
    return 1.0 - left / float(((signals - signals.mean(axis=-1, keepdims=True)) ** 2).sum())
