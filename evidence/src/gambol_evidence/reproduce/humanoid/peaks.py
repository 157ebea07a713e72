"""Claims about peak forces and torques, as in M17's figure 11: the generator alone, naive learning, and ours.

Naive learning interpolates whole trajectories of joint commands that are feasible: those of closed-loop runs to drawers
at different distances, as mixtures of sources whose weights are linear in the distance. They are executed as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array
from gambol.learn.anechoic import AnechoicMixture
from gambol.metrics.figures import Band
from gambol.robots.actions.model import learn_actions
from gambol.robots.biped import Biped
from gambol.robots.drawer import Drawer
from gambol.robots.execution import Run
from gambol.robots.pattern import Gait
from gambol.robots.simulation import Simulation
from gambol.robots.verb import make_robot_trials
from gambol.robots.walker import TICK
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.humanoid.gaits import walk_steadily
from gambol_evidence.reproduce.humanoid.setting import HumanoidSetting, resample

_SOURCE = "M17 Fig. 11: 800 N for 58 kg"
_BAND = Band(high=1.41)
_SOURCES = {1: (1, 0), 3: (2, 1), 5: (3, 2), 7: (4, 3), 9: (5, 4)}
"""Sources of WALKING, and more of APPROACHING, by their number."""
_TRAINED, _NEW = (1.25, 1.3, 1.35, 1.4, 1.45, 1.5), (1.28, 1.38, 1.48)
"""Distances of drawers (m): all take as many steps."""
_STEPS = (0.2, 0.24, 0.28)
"""Lengths (m) of steps of the generator alone."""
_PHASES, _HARMONICS = 256, 60


class _Peak(NamedTuple):
    """What happened in a run."""

    force: float
    """Body weights."""
    torque: float
    """N m."""
    fallen: bool


def measure_peaks(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    gaits = [Gait(np.array([length / 0.7, 0.0]), samples=7) for length in _STEPS]
    yield from _claim(
        "generator", "the generator alone", [_find_peak(walk_steadily(setting.walker, gait)) for gait in gaits]
    )
    trials = make_robot_trials(setting.robot, setting.walks)
    for count, sources in _SOURCES.items():
        model = learn_actions(trials, sources)
        runs = [setting.open_drawer(_place_drawer(distance), model=model).run for distance in _NEW]
        yield from _claim(f"sources-{count}", f"ours with {count} sources", [_find_peak(run) for run in runs])
    feasible = [setting.open_drawer(_place_drawer(distance)).run for distance in _TRAINED]
    for count in _SOURCES:
        played = [_play(setting.robot, poses) for poses in _interpolate(feasible, count, (*_TRAINED, *_NEW))]
        for name, what, peaks in (
            ("naive", "reconstructed", played[: len(_TRAINED)]),
            ("naive-new", "new distances", played[len(_TRAINED) :]),
        ):
            yield Claim(
                f"{name}-{count}", "M17 section 3.5", f"naive learning with {count} sources falls, {what}",
                sum(peak.fallen for peak in peaks), f"of {len(peaks)}",
                f"{len(peaks)} drawers, force to {max(peak.force for peak in peaks):.2f} body weights", Band(low=1.0),
            )  # fmt: skip


def _claim(name: str, words: str, peaks: Sequence[_Peak]) -> Iterator[Claim]:
    """Yield the largest force, with the falls, and the largest torque."""
    data = f"{len(peaks)} runs, {sum(peak.fallen for peak in peaks)} falls"
    force = max(peak.force for peak in peaks)
    yield Claim(f"force-{name}", _SOURCE, f"largest force on a foot, {words}", force, "body weights", data, _BAND)
    yield Claim(
        f"torque-{name}", "M17 section 3.5", f"largest torque of a joint, {words}",
        max(peak.torque for peak in peaks), "N m", data, Band(high=250.0),
        by_construction="the joints' controllers keep to the limits of the description",
    )  # fmt: skip


def _place_drawer(distance: float) -> Drawer:
    return Drawer(np.array([distance, 0.12, 0.95]), np.array([distance - 0.07, -0.1, 0.9]))


def _find_peak(run: Run) -> _Peak:
    return _Peak(run.peak_force, run.peak_torque, run.fallen)


def _interpolate(runs: Sequence[Run], sources: int, distances: Sequence[float]) -> list[Array]:
    """Return commands (ticks, dofs) to drawers at distances (m)."""
    phases = np.linspace(0.0, 1.0, _PHASES, endpoint=False)
    curves = np.stack([resample(run.commands, phases) for run in runs])  # (runs, phases, dofs)
    ends = np.stack([run.commands[-1] - run.commands[0] for run in runs])
    ramps = phases[:, None] * ends[:, None]
    means = (curves - ramps).mean(axis=1, keepdims=True)
    mixture = AnechoicMixture(sources, delays="tied", harmonics=_HARMONICS, restarts=1)
    mixing = mixture.fit_transform(np.moveaxis(curves - ramps - means, 1, 2))
    smooth = np.moveaxis(mixture.inverse_transform(mixing), 2, 1) + means
    commands = []
    for distance in distances:
        design = np.stack([np.ones(len(_TRAINED)), np.array(_TRAINED)], axis=1)
        weights = np.linalg.lstsq(design.T, np.array([1.0, distance]), rcond=None)[0]
        curve, end = np.tensordot(weights, smooth, 1), weights @ ends
        ticks = round(float(weights @ [len(run.times) for run in runs]))
        share = np.arange(ticks) / ticks
        closed = np.vstack([curve, curve[:1]])
        commands.append(resample(closed, share) + share[:, None] * end)
    return commands


def _play(robot: Biped, poses: Array) -> _Peak:
    """Execute commands (ticks, dofs) as they are."""
    simulation = Simulation(robot, poses[0])
    height, weight = simulation.q[2], robot.character.mass * GRAVITY
    force = torque = 0.0
    for q in poses:
        simulation.advance(q, TICK)
        force = max(force, float(simulation.measure_wrenches()[:, 2].max()) / weight)
        torque = max(torque, float(np.abs(simulation.torques).max()))
        if simulation.q[2] < 0.7 * height:
            return _Peak(force, torque, True)
    return _Peak(force, torque, False)
