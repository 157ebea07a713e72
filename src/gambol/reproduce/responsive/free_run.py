"""Claims about learned walkers without pushes: how long they train, and that they walk on without end."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, THIS_MACHINE, Claim
from gambol.reproduce.responsive.walker_trials import TrialWalker, WalkerTrials
from gambol.respond.latent.points import BodyPoints
from gambol.respond.latent.walk_model import WalkModel

_LONG, _BLOCK = 20_000, 1_000
_SHOWN = 900
"""Frames of poses, 30 s."""
_LOW = 0.02
"""Metres above the lowest decile within which heels and balls count as on the ground."""


def measure_free_runs(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker."""
    for trial in trials.walkers:
        yield from _measure(trial)


def run_latents(model: WalkModel, frames: int) -> tuple[Array, Array]:
    """Return distances (frames,) from the normal walk in steps, and phases (frames,) in rounds, of a free run."""
    latents, rows, phase = model.ring[-model.order :], model.normal[-model.order :], float(model.period - 1)
    distances, phases = np.empty(frames), np.empty(frames)
    for n in range(frames):
        latent, row = model.infer_next(latents, rows, phase)
        phase = model.find_phase(latent, phase + 1.0)
        latents, rows = np.vstack([latents[1:], latent]), np.vstack([rows[1:], row])
        distances[n], phases[n] = model.measure_distance(latent), phase
    return distances, np.unwrap(2.0 * np.pi * phases / model.period) / (2.0 * np.pi)


def measure_one_step(model: WalkModel, pose_size: int) -> float:
    """Return the mean error (mm) of body points in the frame that follows each frame of the normal walk."""
    last = np.arange(model.period)
    rows = []
    for n in last:
        known = np.arange(n - model.order + 1, n + 1) % model.period
        rows.append(model.infer_next(model.ring[known], model.normal[known], float(n))[1])
    errors = (np.array(rows) - np.roll(model.normal, -1, axis=0))[:, :pose_size].reshape(len(last), -1, 3)
    return 1000.0 * float(np.linalg.norm(errors, axis=2).mean())


def _measure(trial: TrialWalker) -> Iterator[Claim]:
    name, walker = trial.name, trial.walker
    model = walker.models[0]
    yield Claim(
        f"train-{name}",
        OUR_BAR,
        "CPU seconds to train a model",
        trial.seconds,
        "s",
        name,
        Band(high=15.0),
        THIS_MACHINE,
    )
    distances, rounds = run_latents(model, _LONG)
    blocks = distances.reshape(-1, _BLOCK).max(axis=1)
    yield Claim(
        f"free-distance-{name}",
        OUR_BAR,
        "free run of 20,000 frames: largest distance from the cycle in any block of 1,000",
        float(blocks.max()),
        "steps",
        name,
        Band(high=1.0),
    )
    ends = np.interp(np.arange(np.ceil(rounds[0]), np.floor(rounds[-1])), rounds, np.arange(_LONG))
    yield Claim(
        f"free-stride-{name}",
        OUR_BAR,
        "free run: standard deviation of the duration of a cycle",
        float(np.diff(ends).std()),
        "frames",
        name,
        Band(high=1.0),
    )
    size = walker.decoder.layout.pose_size
    yield Claim(
        f"one-step-{name}",
        OUR_BAR,
        "mean error of body points in the next frame",
        measure_one_step(model, size),
        "mm",
        name,
        Band(high=3.0),
    )
    yield from _measure_poses(trial)


def _measure_poses(trial: TrialWalker) -> Iterator[Claim]:
    name, walker = trial.name, trial.walker
    state, poses = walker.start(), []
    begun = time.process_time()
    for _ in range(_SHOWN):
        state, pose = walker.step(state)
        poses.append(pose)
    rate = _SHOWN / (time.process_time() - begun)
    q = np.array(poses)
    speed = np.linalg.norm(q[-1, :2] - q[0, :2]) / (_SHOWN - 1) * walker.period / np.linalg.norm(walker.loop.travel)
    yield Claim(
        f"free-speed-{name}",
        OUR_BAR,
        "speed of a free run relative to the clip",
        float(speed),
        "times",
        name,
        Band(0.93, 1.07),
    )
    clip = walker.loop.at(np.arange(_SHOWN))
    yield Claim(
        f"free-feet-{name}",
        OUR_BAR,
        "median speed of feet on the ground relative to the clip",
        _measure_skating(walker.decoder.layout.points, q) / _measure_skating(walker.decoder.layout.points, clip),
        "times",
        name,
        Band(high=1.25),
    )
    yield Claim(
        f"free-rate-{name}",
        "YL10 p. 560",
        "frames per CPU second without pushes (the paper: 1)",
        rate,
        "frames/s",
        name,
        Band(250.0),
        THIS_MACHINE,
    )


def _measure_skating(points: BodyPoints, q: Array) -> float:
    feet = points.locate(q)[0][:, points.feet]
    low = feet[:, :, 2] < np.quantile(feet[:, :, 2], 0.1, axis=0) + _LOW
    speeds = np.linalg.norm(np.diff(feet[:, :, :2], axis=0), axis=2)
    return float(np.median(speeds[low[1:] & low[:-1]]))
