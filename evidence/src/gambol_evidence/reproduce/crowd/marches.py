"""M17 Fig. 3: thirty-six walkers synchronise and form a grid where the conditions hold, and do not where they fail.

Order parameters are measured over seeded starts: any phases, positions up to 0.6 m off, headings up to 0.5 rad, step
frequencies within 10 %. The slip of the feet is measured on the bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from gambol.contraction.graphs import grid_graph
from gambol.metrics.figures import Band
from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd import library
from gambol.primitives.crowd.gaits import GaitPlane
from gambol.primitives.crowd.march import MarchRecord, OrderParameters, simulate_march
from gambol.primitives.crowd.paths import CrowdPaths, pose_paths
from gambol.primitives.crowd.performance import CROWD_FPS, make_march_model
from gambol.primitives.crowd.scene import MarchAct, read_scene
from gambol.primitives.crowd.verb import make_step_prototypes
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.recordings import load_cmu_clip
from gambol_evidence.reproduce.slip_speeds import measure_slip_speeds, percentile_99

SEEDS, SECONDS, FEW = 20, 40.0, 5
MARCH_WALK = "35_01"
_SETTLED = 10.0
"""Final seconds over which a crowd that does not settle is averaged."""


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    plane, about = load_gaits(data), f"walk of {MARCH_WALK}, 36 walkers, {SEEDS} seeded starts, {SECONDS:g} s"
    runs = [run_march(plane, "march", seed) for seed in range(SEEDS)]
    last = np.array([run.orders[-1] for run in runs])
    first = np.array([run.orders[0] for run in runs])
    for name, unit, text, band in (
        ("in_step", "", "all walk in step at the end: smallest length of the mean phase vector", Band(low=0.999)),
        ("out_of_rank", "m", "ranks at the end: largest rms position error along the march", Band(high=0.02)),
        ("out_of_row", "m", "rows at the end: largest rms position error across the march", Band(high=0.05)),
        ("turned", "rad", "headings at the end: largest rms error", Band(high=0.01)),
    ):
        column = OrderParameters._fields.index(name)
        worst = last[:, column].min() if name == "in_step" else last[:, column].max()
        begun = f"{about}; mean at the start {first[:, column].mean():.2g}"
        yield Claim(f"march-{name.replace('_', '-')}", "M17 §2.5, Fig. 3", text, float(worst), unit, begun, band)
    slip = measure_slip(plane, runs[0].paths)
    about = f"walk of {MARCH_WALK}, 36 walkers, the first start, {SECONDS:g} s"
    yield Claim(
        "march-slip",
        OUR_BAR,
        "slip of heels and balls in contact: 99th percentile",
        slip,
        "m/s",
        about,
        Band(high=0.05),
    )
    yield from _violated(plane)


def _violated(plane: GaitPlane) -> Iterator[Claim]:
    """Violate one condition at a time."""
    about = f"walk of {MARCH_WALK}, 36 walkers, {FEW} seeded starts, {SECONDS:g} s"
    graph = grid_graph(6, 6)
    for name, share, text, band in (
        ("phases-near", 0.8, "k lambda_2 = 0.8 alpha: not certified, still in step", Band(low=0.999)),
        ("phases", 0.004, "k lambda_2 = 0.004 alpha: no synchronisation", Band(high=0.9)),
    ):
        runs = [run_march(plane, "march", seed, coupling=share / graph.connectivity) for seed in range(FEW)]
        ends = [float(run.orders[-1, 0]) for run in runs]
        extreme = np.min(ends) if name == "phases-near" else np.max(ends)
        yield Claim(
            f"violated-{name}", "M17 §2.5, Fig. 3", f"{text}: length of the mean phase vector", extreme, "", about, band
        )
    tail = round(_SETTLED * CROWD_FPS)
    for name, share, text, band in (
        ("steps-near", 1.8, "c v T lambda_N = 1.8, once per stride: ranks settle", Band(high=0.05)),
        ("steps", 4.0, "c v T lambda_N = 4, once per stride: ranks do not settle", Band(low=0.1)),
    ):
        troop = make_march_model(_act("march"), plane)
        step = share / (troop.speed * troop.period * graph.spectral_radius)
        runs = [run_march(plane, "march", seed, stride_step=step) for seed in range(FEW)]
        ends = [float(run.orders[-tail:, 1].mean()) for run in runs]
        extreme = np.max(ends) if name == "steps-near" else np.min(ends)
        conditions = f"{about}; equal phases and frequencies at the start, step sizes limited to 70 %"
        yield Claim(
            f"violated-{name}", "M17 §2.5, Fig. 3", f"{text}: rms position error", extreme, "m", conditions, band
        )


@cache
def load_gaits(data: Path) -> GaitPlane:
    """Return walkers that step as in a recorded walk."""
    return GaitPlane(make_step_prototypes(load_cmu_clip(data, MARCH_WALK), None))


def run_march(
    plane: GaitPlane, scene: str, seed: int, coupling: float | None = None, stride_step: float | None = None
) -> MarchRecord:
    """Simulate a built-in scene, with another phase coupling or with step sizes set once per stride by a gain."""
    act = _act(scene)
    control, start = act.control, act.start
    if coupling is not None:
        control = replace(control, coupling=coupling)
    if stride_step is not None:
        control = replace(control, step=stride_step, step_limit=0.7, stride_updates=True)
        start = replace(start, phases=0.0, frequencies=0.0)
    troop = make_march_model(replace(act, control=control), plane)
    return simulate_march(troop, plane, troop.draw_start(start, seed), SECONDS, CROWD_FPS)


def _act(scene: str) -> MarchAct:
    act = read_scene(library.find(scene)).act
    assert isinstance(act, MarchAct)
    return act


def measure_slip(plane: GaitPlane, ways: CrowdPaths) -> float:
    """Return the 99th percentile of the speed (m/s) of heels and balls in contact, after two seconds."""
    bodies, begin = PoseBlender(plane.prototypes), round(2.0 * CROWD_FPS)
    speeds = []
    for one, motion in enumerate(pose_paths(bodies, ways, 1.0 / CROWD_FPS)):
        contacts = bodies.blend(ways.phases[:, one], ways.blends[:, one]).contacts
        speeds.append(measure_slip_speeds(motion[begin:], contacts[begin:]))
    return percentile_99(np.concatenate(speeds))
