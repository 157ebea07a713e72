"""M17 Fig. 3: thirty-six walkers fall into step and into a formation where the conditions hold, and do not elsewhere.

Order parameters are taken over seeded starts: any phases, places up to 0.6 m off, headings up to 0.5 rad, step
frequencies within 10 %. The bodies are looked at too: what their feet do while they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from gambol.contraction.graphs import grid_graph
from gambol.features.strides import find_strides
from gambol.metrics.figures import Band
from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd import library
from gambol.primitives.crowd.gaits import BASE_WALK, GaitPlane, make_walker_prototypes
from gambol.primitives.crowd.march import MarchRecord, OrderParameters, simulate_march
from gambol.primitives.crowd.paths import CrowdPaths, pose_paths
from gambol.primitives.crowd.performance import FRAME_RATE, make_march_model
from gambol.primitives.crowd.scene import MarchAct, read_scene
from gambol.primitives.prototypes import prototypes_of
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.recordings import load_cmu_clip
from gambol.reproduce.slip_speeds import measure_slip_speeds, percentile_99

SEEDS, SECONDS, FEW = 20, 40.0, 5
MARCH_WALK = "35_01"
_SETTLED = 10.0
"""Seconds at the end over which a crowd that does not settle is measured."""


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    plane, told = load_gaits(data), f"walk of {MARCH_WALK}, 36 walkers, {SEEDS} seeded starts, {SECONDS:g} s"
    runs = [run_march(plane, "march", seed) for seed in range(SEEDS)]
    last = np.array([run.orders[-1] for run in runs])
    first = np.array([run.orders[0] for run in runs])
    for name, unit, text, band in (
        ("in_step", "", "all walk in step in the end: length of the mean phase, the worst", Band(low=0.999)),
        ("out_of_rank", "m", "all are in their ranks in the end: root mean square, the worst", Band(high=0.02)),
        ("out_of_row", "m", "all are in their rows in the end: root mean square, the worst", Band(high=0.05)),
        ("turned", "rad", "all look ahead in the end: root mean square, the worst", Band(high=0.01)),
    ):
        column = OrderParameters._fields.index(name)
        worst = last[:, column].min() if name == "in_step" else last[:, column].max()
        begun = f"{told}; at first {first[:, column].mean():.2g} on the average"
        yield Claim(f"march-{name.replace('_', '-')}", OUR_BAR, text, float(worst), unit, begun, band)
    slip = measure_slip(plane, runs[0].paths)
    told = f"walk of {MARCH_WALK}, 36 walkers, the first start, {SECONDS:g} s"
    yield Claim("march-slip", OUR_BAR, "held heels and balls stay: 99 in 100", slip, "m/s", told, Band(high=0.05))
    yield from _violated(plane)


def _violated(plane: GaitPlane) -> Iterator[Claim]:
    """One condition after the other, with the rest of the crowd as it is."""
    told = f"walk of {MARCH_WALK}, 36 walkers, {FEW} seeded starts, {SECONDS:g} s"
    graph = grid_graph(6, 6)
    for name, share, text, band in (
        ("phases-near", 0.8, "k lambda_2 = 0.8 alpha: not certified, and in step all the same", Band(low=0.999)),
        ("phases", 0.004, "k lambda_2 = 0.004 alpha: nobody falls into step", Band(high=0.9)),
    ):
        runs = [run_march(plane, "march", seed, coupling=share / graph.connectivity) for seed in range(FEW)]
        ends = [float(run.orders[-1, 0]) for run in runs]
        extreme = min(ends) if name == "phases-near" else max(ends)
        yield Claim(f"violated-{name}", "M17", f"{text}: length of the mean phase", extreme, "", told, band)
    tail = round(_SETTLED * FRAME_RATE)
    for name, share, text, band in (
        ("steps-near", 1.8, "c v T lambda_N = 1.8, once a stride: ranks settle", Band(high=0.05)),
        ("steps", 4.0, "c v T lambda_N = 4, once a stride: ranks never settle", Band(low=0.1)),
    ):
        troop = make_march_model(_act("march"), plane)
        step = share / (troop.speed * troop.period * graph.spectral_radius)
        runs = [run_march(plane, "march", seed, stride_step=step) for seed in range(FEW)]
        ends = [float(run.orders[-tail:, 1].mean()) for run in runs]
        extreme = max(ends) if name == "steps-near" else min(ends)
        told_here = f"{told}; phases and frequencies agree from the start, steps change by 70 % at most"
        yield Claim(f"violated-{name}", "M17", f"{text}: metres out of rank", extreme, "m", told_here, band)


@cache
def load_gaits(data: Path) -> GaitPlane:
    """Walkers with the steps of a recorded walk."""
    clip = load_cmu_clip(data, MARCH_WALK)
    return GaitPlane(make_walker_prototypes(prototypes_of(clip, {BASE_WALK: find_strides(clip)})))


def run_march(
    plane: GaitPlane, scene: str, seed: int, coupling: float | None = None, stride_step: float | None = None
) -> MarchRecord:
    """A scene that comes with gambol; with another coupling of phases, or steps that change once a stride by a gain."""
    act = _act(scene)
    control, start = act.control, act.start
    if coupling is not None:
        control = replace(control, coupling=coupling)
    if stride_step is not None:
        control = replace(control, step=stride_step, step_limit=0.7, stride_updates=True)
        start = replace(start, phases=0.0, frequencies=0.0)
    troop = make_march_model(replace(act, control=control), plane)
    return simulate_march(troop, plane, troop.draw_start(start, seed), SECONDS, FRAME_RATE)


def _act(scene: str) -> MarchAct:
    act = read_scene(library.find(scene)).act
    assert isinstance(act, MarchAct)
    return act


def measure_slip(plane: GaitPlane, ways: CrowdPaths) -> float:
    """Metres a second that 99 in 100 moments of heels and balls stay below while they are held, after two seconds."""
    bodies, begin = PoseBlender(plane.prototypes), round(2.0 * FRAME_RATE)
    speeds = []
    for one, motion in enumerate(pose_paths(bodies, ways, 1.0 / FRAME_RATE)):
        contacts = bodies.blend(ways.phases[:, one], ways.blends[:, one]).contacts
        speeds.append(measure_slip_speeds(motion[begin:], contacts[begin:]))
    return percentile_99(np.concatenate(speeds))
