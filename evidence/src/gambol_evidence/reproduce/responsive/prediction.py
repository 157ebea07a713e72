"""Claims about how far a learned walker's next frames are from the recording, and about variants of the model.

YL10 3.1: joint angles did not show the structure of the motions; two dimensions make latents cross, three suffice, four
improve little; second-order dynamics are more accurate than first-order ones.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.fit.rig import fit
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.respond.latent.decode import PoseDecoder, learn_decoder
from gambol.respond.latent.features import (
    FeatureKind,
    FeatureLayout,
    GroundPlace,
    compute_features,
    compute_loop_features,
    resample_poses,
)
from gambol.respond.latent.learn import group_examples
from gambol.respond.latent.walk_model import TrainingOptions, WalkModel, learn_walk_model
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.responsive.walker_trials import PUSHED, TrialWalker, WalkerTrials

_AHEAD = 30
_EVERY = 5
"""Frames between the starts of predictions."""
_CENTRE = GroundPlace(0.0, 0.0, 0.0)
_CLOSE, _APART, _EARLIER = 1.0, 3.0, 5
"""Latents within a step of each other cross if their features are 3 steps apart, and they are 5 frames apart."""


def measure_predictions(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker."""
    for trial in trials.walkers:
        yield from _judge_errors(trial)
        yield from _judge_variants(trial)


def predict_rows(model: WalkModel, rows: Array, phases: Array, frames: int) -> Array:
    """Return the features (starts, frames, D) that follow each of the last ones (starts, order, D) at its phase."""
    latents = model.gplvm.transform(rows.reshape(-1, rows.shape[-1])).reshape(*rows.shape[:2], -1)
    found = np.empty((len(rows), frames, rows.shape[-1]))
    for start, phase in enumerate(phases):
        last, known = latents[start], rows[start]
        for n in range(frames):
            latent, row = model.infer_next(last, known, phase)
            phase = model.find_phase(latent, phase + 1.0)
            last, known = np.vstack([last[1:], latent]), np.vstack([known[1:], row])
            found[start, n] = row
    return found


def measure_errors(decoder: PoseDecoder, model: WalkModel, run: Array, phases: Array, frames: int) -> float:
    """Return the mean error (mm) of body points in the frames that follow frames of a run of features (frames, D)."""
    order = model.order
    starts = np.arange(order - 1, len(run) - frames, _EVERY)
    found = predict_rows(model, np.stack([run[n - order + 1 : n + 1] for n in starts]), phases[starts], frames)
    true = np.stack([run[n + 1 : n + 1 + frames] for n in starts])
    return 1000.0 * float(np.mean([
        np.linalg.norm(_locate(decoder, one) - _locate(decoder, other), axis=1).mean()
        for one, other in zip(found.reshape(-1, run.shape[1]), true.reshape(-1, run.shape[1]), strict=True)
    ]))  # fmt: skip


def _locate(decoder: PoseDecoder, row: Array) -> Array:
    return decoder.locate(decoder.layout.split(row).now, _CENTRE)


def _judge_errors(trial: TrialWalker) -> Iterator[Claim]:
    walker, model = trial.walker, trial.walker.models[0]
    rounds = np.tile(model.normal, (3, 1))
    phases = np.tile(np.arange(model.period, dtype=float), 3)
    layout = walker.decoder.layout
    poses = resample_poses(fit(trial.walk.character, trial.other).motion.q, trial.other.frame_time)
    other = compute_features(layout, poses)
    nearest = ((other[:, None] - model.normal[None]) ** 2).sum(axis=2).argmin(axis=1).astype(float)
    for name, whose, run, at, data in (
        ("", "", rounds, phases, trial.name),
        ("other-", " of another walk of the person", other, nearest, f"{trial.other.name}, learned from {trial.name}"),
    ):
        for key, frames, words, bar in (
            ("one-step", 1, "the next frame", 3.0),
            ("thirty", _AHEAD, "30 free frames", 12.0),
        ):
            error = measure_errors(walker.decoder, model, run, at, frames)
            text = f"mean error of body points in {words}{whose}"
            yield Claim(f"{name}{key}-{trial.name}", OUR_BAR, text, error, "mm", data, Band(high=bar))


def learn_variant(
    trial: TrialWalker, options: TrainingOptions, features: FeatureKind = "points"
) -> tuple[PoseDecoder, WalkModel]:
    """Learn one model of a walk and the first group of its examples, with its decoder."""
    layout = FeatureLayout(trial.walk.character, features)
    group = group_examples(trial.examples)[0]
    model = learn_walk_model(layout, compute_loop_features(layout, trial.walk.loop), group, options)
    return learn_decoder(layout, trial.walk.loop.at(np.arange(model.period)), [one.poses for one in group]), model


def measure_recoveries(decoder: PoseDecoder, model: WalkModel) -> float:
    """Return the mean error (mm) of body points in the 30 frames that follow the pushes of the examples."""
    begins = np.cumsum((model.period, *model.lengths))[:-1]
    errors = []
    for begin, onset in zip(begins, model.onsets, strict=True):
        first = begin + onset + PUSHED - model.order + 1
        frames = slice(first, first + model.order + _AHEAD)
        errors.append(measure_errors(decoder, model, model.rows[frames], model.phases[frames], _AHEAD))
    return float(np.mean(errors))


def count_crossings(model: WalkModel) -> float:
    """Return the share of training frames whose latents cross those of other poses."""
    latents, rows = model.gplvm.latents_, model.rows
    near = np.linalg.norm(latents[:, None] - latents[None], axis=2) < _CLOSE * model.step
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2) > _APART * model.row_step
    late = np.abs(np.subtract.outer(np.arange(len(rows)), np.arange(len(rows)))) > _EARLIER
    return float((near & apart & late).any(axis=1).mean())


def _judge_variants(trial: TrialWalker) -> Iterator[Claim]:
    models = {
        (dimensions, order): learn_variant(trial, TrainingOptions(dimensions, order))
        for dimensions in (2, 3, 4)
        for order in (1, 2)
    }
    errors = {key: measure_recoveries(*found) for key, found in models.items()}
    angles = measure_recoveries(*learn_variant(trial, TrainingOptions(), "angles"))
    shown = [f"{d}-D order {o} {error:.0f} mm" for (d, o), error in errors.items()]
    data = f"{trial.name}: {', '.join(shown)}, angles {angles:.0f} mm"
    crossed = {d: count_crossings(models[d, 1][1]) for d in (2, 3)}
    crossings = f"{trial.name}: {crossed[2]:.2f} and {crossed[3]:.2f} of all frames"
    for name, words, ratio, band, used in (
        ("two-cross", "two-dimensional latents cross more often than three-dimensional ones",
         crossed[2] / max(crossed[3], 1e-3), Band(low=2.0), crossings),
        ("three-better", "errors of recoveries in 3-D relative to 2-D", errors[3, 1] / errors[2, 1], Band(high=0.8),
         data),
        ("four-little", "four dimensions improve little: errors relative to 3-D", errors[4, 1] / errors[3, 1],
         Band(0.8, 1.25), data),
        ("second-order", "second-order dynamics are more accurate: errors relative to order 1",
         errors[3, 2] / errors[3, 1], Band(high=0.9), data),
        ("angles", "joint angles are worse features: errors relative to body points", angles / errors[3, 1],
         Band(low=1.1), data),
    ):  # fmt: skip
        yield Claim(f"{name}-{trial.name}", "YL10 §3.1, p. 558", words, ratio, "times", used, band)
