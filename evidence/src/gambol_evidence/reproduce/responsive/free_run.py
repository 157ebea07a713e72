"""Claims about learned walkers without pushes: how long they train, and that they walk on without end.

Controls are the printed inference, the dynamics alone (an open loop, without the variance of the features), and the
dynamics of a walk that is not closed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.gaussian import LatentDynamics
from gambol.metrics.figures import Band
from gambol.respond.latent.walk_model import TrainingOptions, WalkModel
from gambol_evidence.reproduce.claims import OUR_BAR, THIS_MACHINE, Claim
from gambol_evidence.reproduce.responsive.prediction import learn_variant
from gambol_evidence.reproduce.responsive.walker_trials import TrialWalker, WalkerTrials, measure_foot_speeds

_LONG = 20_000
_CONTROL = 2_000
"""Frames of controls, and of models beside the first."""
_SHOWN = 900
"""Frames of poses, 30 s."""
_REPLAYED = "unpushed, the poses are those of the walk at the phase of the latents (free-pace)"
NextFrame = Callable[[WalkModel, Array, Array], tuple[Array, Array]]
"""Returns the latent and features after the last ones."""


class FreeRun(NamedTuple):
    """Latents that follow each other without pushes."""

    distances: Array
    """(frames,) steps from the normal walk."""
    rounds: Array
    """(frames,) rounds of the normal walk."""

    @property
    def farthest(self) -> float:
        """Largest distance (steps)."""
        return float(self.distances.max())

    def measure_pace(self, period: int) -> float:
        """Return the rounds that were walked relative to those of the clip."""
        return float(self.rounds[-1] - self.rounds[0]) * period / (len(self.rounds) - 1)


def infer_frame(model: WalkModel, latents: Array, rows: Array) -> tuple[Array, Array]:
    """Infer the next frame; nothing moves on latents that stop (`WalkModel.infer_next` does)."""
    found = model.inference.infer_next(latents, rows)
    return found.latent, found.row


def follow_dynamics(model: WalkModel, latents: Array, rows: Array) -> tuple[Array, Array]:
    """Return the mean of the dynamics: the open loop."""
    return model.dynamics.predict_next(latents)[0], rows[-1]


def run_latents(model: WalkModel, frames: int, find_next: NextFrame = infer_frame) -> FreeRun:
    """Go on from the normal walk."""
    latents, rows, phase = model.ring[-model.order :], model.normal[-model.order :], float(model.period - 1)
    distances, phases = np.empty(frames), np.empty(frames)
    for n in range(frames):
        latent, row = find_next(model, latents, rows)
        phase = model.find_phase(latent, phase + 1.0)
        latents, rows = np.vstack([latents[1:], latent]), np.vstack([rows[1:], row])
        distances[n], phases[n] = model.measure_distance(latent), phase
    return FreeRun(distances, np.unwrap(2.0 * np.pi * phases / model.period) / (2.0 * np.pi))


def measure_free_runs(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker."""
    for trial in trials.walkers:
        yield from _judge_latents(trial)
        yield from _judge_controls(trial)
        yield from _judge_poses(trial)


def _judge_latents(trial: TrialWalker) -> Iterator[Claim]:
    name, model = trial.name, trial.walker.models[0]
    text = "CPU seconds to train a model"
    yield Claim(f"train-{name}", OUR_BAR, text, trial.seconds, "s", name, Band(high=15.0), THIS_MACHINE)
    found = run_latents(model, _LONG)
    others = [run_latents(one, _CONTROL) for one in trial.walker.models[1:]]
    text = (
        f"largest distance of a free run from the cycle, {_LONG:,} frames of one model and {_CONTROL:,} of the others"
    )
    farthest = max(one.farthest for one in (found, *others))
    yield Claim(f"free-distance-{name}", OUR_BAR, text, farthest, "steps", name, Band(high=1.0))
    ends = np.interp(np.arange(np.ceil(found.rounds[0]), np.floor(found.rounds[-1])), found.rounds, np.arange(_LONG))
    text = "free run: standard deviation of the duration of a cycle"
    deviation = float(np.diff(ends).std()) if len(ends) > 2 else np.nan
    yield Claim(f"free-stride-{name}", OUR_BAR, text, deviation, "frames", name, Band(high=1.0))
    text = "free run: rounds relative to those of the clip"
    yield Claim(f"free-pace-{name}", OUR_BAR, text, found.measure_pace(model.period), "times", name, Band(0.93, 1.07))


def _judge_controls(trial: TrialWalker) -> Iterator[Claim]:
    """What the controls do, by the bars of the free run."""
    _, printed = learn_variant(trial, TrainingOptions(order=2, printed=True))
    first = trial.walker.models[0]
    runs = np.split(first.gplvm.latents_, np.cumsum([first.period, *first.lengths])[:-1])
    unclosed = replace(first, dynamics=LatentDynamics(first.order).fit(runs))
    for key, words, source, model, find_next in (
        ("printed", "printed inference", "YL10 appendix A, p. 561", printed, infer_frame),
        ("open-loop", "dynamics alone", OUR_BAR, first, follow_dynamics),
        ("unclosed", "a walk that is not closed", "YL10 §3.1, p. 558", unclosed, infer_frame),
    ):
        found = run_latents(model, _CONTROL, find_next)
        text = f"control, {words}: largest distance from the cycle in {_CONTROL:,} frames"
        yield Claim(f"{key}-distance-{trial.name}", source, text, found.farthest, "steps", trial.name, Band(high=1.0))
        text = f"control, {words}: rounds relative to those of the clip"
        pace = found.measure_pace(model.period)
        yield Claim(f"{key}-pace-{trial.name}", source, text, pace, "times", trial.name, Band(0.93, 1.07))


def _judge_poses(trial: TrialWalker) -> Iterator[Claim]:
    name, walker = trial.name, trial.walker
    state, poses = walker.start(), []
    begun = time.process_time()
    for _ in range(_SHOWN):
        state, pose = walker.step(state)
        poses.append(pose)
    rate = _SHOWN / (time.process_time() - begun)
    q = np.array(poses)
    speed = np.linalg.norm(q[-1, :2] - q[0, :2]) / (_SHOWN - 1) * walker.period / np.linalg.norm(walker.loop.travel)
    text = "speed of a free run relative to the clip"
    yield Claim(f"free-speed-{name}", OUR_BAR, text, float(speed), "times", name, Band(0.93, 1.07), _REPLAYED)
    clip = walker.loop.at(np.arange(_SHOWN))
    ours, theirs = (float(np.median(measure_foot_speeds(walker.decoder.layout.points, one))) for one in (q, clip))
    text = "median speed of feet on the ground relative to the clip"
    yield Claim(f"free-feet-{name}", OUR_BAR, text, ours / theirs, "times", name, Band(high=1.25))
    text = "frames per CPU second without pushes (the paper: 1)"
    yield Claim(f"free-rate-{name}", "YL10 §4, p. 560", text, rate, "frames/s", name, Band(250.0), THIS_MACHINE)
