"""Learn the printed model of two people from trials, layer after layer (M17 section 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.interaction.rows import find_person_rows
from gambol.interaction.trials import Trial
from gambol.learn.gaussian import FactorKernel, GaussianProcess, LatentDynamics, LinearFactor, RbfKernel, ScaledGplvm
from gambol_evidence.printed.hierarchy import AgentLayer, Hierarchy, describe_style, find_lags, stack_history

_FRAME_TIME = 1.0 / 30.0
"""Seconds between learned frames; steps of latents are longer than their noise."""
_OBSERVED = 2
"""Number of hand samples in rows of person 2, if not as printed."""
_DIRECT = 2
"""Inducing inputs of the direct mapping, relative to other layers: hand samples have more dimensions than latents."""
_STILL = 1e-9
"""Columns that vary by less than this share of the largest are constant, such as legs that stand."""
_PRECISION = 1e4
"""Largest inverse variance of the noise, relative to the mean square of rows."""
_ONSET = 0.25
"""Share of the largest speed of the latents above which a meeting has begun."""


def learn_hierarchy(
    trials: Sequence[Trial],
    *,
    dimensions: int = 2,
    interaction_dimensions: int = 3,
    reduced: bool = True,
    printed: bool = False,
    n_inducing: int | None = 150,
    iterations: int = 80,
) -> Hierarchy:
    """Learn all layers from trials.

    - `dimensions` of each person's latents and `interaction_dimensions`: M17 has 2 and 3, too few for a phase and a
      contact point. With 4 and 4, hands at unseen contact points miss each other by half of that or less.
    - `reduced`: rows of person 2 are the place of the hand only.
    - `printed`: the kernel of styles has no constant, so that one style learns nothing from another, all styles have
      one mean, the dynamics no least noise, and rows of person 2 one hand sample. M17 prints no priors of
      hyperparameters; they are those of `ScaledGplvm`.
    - `n_inducing`: number of inducing inputs of every layer; None: exact, which is cubic in the number of frames.
    """
    if not trials:
        raise InputError("no trials to learn from", fix="give two clips of one scene, or several such pairs")
    one, two = (find_person_rows(trials, person) for person in range(2))
    styles = ("neutral", *sorted({emotion for trial in trials for emotion in trial.style}))
    strides = [max(1, round(_FRAME_TIME / trial.frame_time)) for trial in trials]
    frame_time = _check_frame_times([stride * trial.frame_time for stride, trial in zip(strides, trials, strict=True)])
    kept = [slice(trial.contact % stride, None, stride) for stride, trial in zip(strides, trials, strict=True)]
    hands = [trial.paths[1][frames] for trial, frames in zip(trials, kept, strict=True)]
    phases = np.concatenate([measure_progress(trial)[frames] for trial, frames in zip(trials, kept, strict=True)])
    lengths = [len(hand) for hand in hands]
    shares = np.stack([describe_style(trial.style, styles) for trial in trials])
    given = np.repeat(shares, lengths, axis=0)
    first, second = (
        np.concatenate([rows.encode(trial.local[n])[frames] for trial, frames in zip(trials, kept, strict=True)])
        for n, rows in enumerate((one, two))
    )
    lags, observed = find_lags(frame_time), 1 if printed else _OBSERVED
    histories = np.concatenate([stack_history(hand, lags) for hand in hands])
    seen = histories[:, : 3 * observed]
    if (np.ptp(seen, axis=0) == 0.0).any():
        raise InputError("the hand of person 2 does not move", fix="use trials in which both people move")
    second = seen if reduced else np.hstack([second, seen])
    gplvm = partial(ScaledGplvm, n_inducing=n_inducing, iterations=iterations, isotropic=True, max_precision=_PRECISION)
    factor = LinearFactor(len(styles), constant=not printed)
    agents = tuple(
        _learn_agent(
            rows,
            _find_means(rows, given, each=not printed),
            given,
            phases,
            partial(gplvm, factors=(factor,)),
            dimensions,
        )
        for rows in (first, second)
    )
    interaction = gplvm(interaction_dimensions)
    interaction.fit(np.hstack([agent.gplvm.latents_ for agent in agents]))
    sequences = np.split(interaction.latents_, np.cumsum(lengths)[:-1])
    dynamics = LatentDynamics(2, noise_floor=0.0 if printed else 0.2, n_inducing=n_inducing).fit(sequences)
    kernel = FactorKernel(RbfKernel(1.0, (10.0,) * len(lags), 100.0), (factor,))
    many = None if n_inducing is None else _DIRECT * n_inducing
    direct, direct_person = (
        GaussianProcess(kernel, n_inducing=many, iterations=iterations).fit(np.hstack([histories, given]), latents)
        for latents in (interaction.latents_, agents[0].gplvm.latents_)
    )
    begun = np.stack([sequence[0] for sequence in sequences])
    rests = _find_means(begun, shares, each=True)
    return Hierarchy(
        (one, two),
        (agents[0], agents[1]),
        interaction,
        dynamics,
        direct,
        direct_person,
        styles,
        np.stack([_find_beginning(sequence) for sequence in sequences]),
        rests,
        np.cov((begun - shares @ rests).T, bias=True),
        np.mean([hand[0] for hand in hands], axis=0),
        observed,
        frame_time,
    )


def measure_progress(trial: Trial) -> Array:
    """Return phases (frames,) from 0 over 0.5 at the contact to 1 that grow with the way of both hands."""
    one, two = (np.linalg.norm(np.diff(path, axis=0), axis=1) for path in trial.paths)
    way = np.append(0.0, np.cumsum(one + two))
    return np.interp(way, way[[0, trial.contact, -1]], [0.0, 0.5, 1.0])


def _check_frame_times(times: Sequence[float]) -> float:
    if max(times) > 1.05 * min(times):
        raise InputError(
            f"frames of {min(times):.4f} and {max(times):.4f} s",
            fix="resample all clips to one rate, such as 30 per second",
        )
    return times[0]


def _find_means(rows: Array, given: Array, *, each: bool) -> Array:
    """Return the mean rows (styles, columns) of all frames, or of each style.

    Latents depend on rows by the back constraint. Rows about the mean of their style make them depend on it less.
    """
    mean = rows.mean(axis=0)
    means = np.tile(mean, (given.shape[1], 1))
    return means + np.linalg.lstsq(given, rows - mean, rcond=None)[0] if each else means


def _learn_agent(
    rows: Array,
    means: Array,
    given: Array,
    phases: Array,
    make: Callable[[int], ScaledGplvm],
    dimensions: int,
) -> AgentLayer:
    centred = rows - given @ means
    spread = np.ptp(centred, axis=0)
    moving = spread > _STILL * spread.max()
    used = centred[:, moving]
    # The phase counts as much as all columns together.
    circle = np.column_stack([np.cos(2.0 * np.pi * phases), np.sin(2.0 * np.pi * phases)])
    circle *= np.sqrt(used.var(axis=0).sum())
    gplvm = make(min(dimensions, used.shape[1]))
    return AgentLayer(gplvm.fit(used, given=given, back=circle), moving, means)


def _find_beginning(latents: Array) -> Array:
    """Return the first two successive latents (2, dimensions) of a sequence that move."""
    speeds = np.linalg.norm(np.diff(latents, axis=0), axis=1)
    first = int(np.argmax(speeds > _ONSET * speeds.max()))
    return np.asarray(latents[first : first + 2])
