"""Measure strides regenerated online from four sources, learned and held out, and the recovery of the oscillators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.features.layout import TURN, Layout, layout_of
from gambol.features.strides import SAMPLES, Stride, find_strides
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.learn.anechoic import AnechoicMixture
from gambol.metrics.figures import Band
from gambol.primitives.learning import DelayMode, learn_from_strides
from gambol.primitives.model import Primitives
from gambol.primitives.oscillator import advance_oscillators, phase_of, states_on_cycle
from gambol.primitives.player import Player
from gambol.primitives.prototypes import close_stride, match_travel_to_feet
from gambol.primitives.sources import fit_source_maps
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.recordings import load_cmu_clip

REGENERATED_CLIPS = ("02_01", "12_01", "16_15", "35_01", "91_29")
"""Walks of five people; in the last one the walker also turns around."""
_STRAIGHT = np.radians(20.0)
"""Radians: a stride that turns more does not belong to a straight walk."""
_KINDS: tuple[DelayMode, ...] = ("tied", "free")
_STATES, _NEAR, _PATIENCE = 100, 0.01, 10.0
"""Random states, distance from the cycle that counts as recovered, and longest time (s)."""
_FREQUENCY = 2.0 * np.pi
"""Radians per second: one stride per second."""


_TEXT = "strides regenerated online by regressions of 4 sources: root mean square error of joint angles"


class Walk(NamedTuple):
    """The strides of a recording."""

    name: str
    straight: list[Stride]
    every: list[Stride]
    """Straight strides and those that turn."""
    layout: Layout
    """Channels about the mean pose of the straight strides."""
    turning_layout: Layout
    """Channels about the mean pose of all strides."""


@cache
def load_walk_strides(data: Path, name: str) -> Walk:
    """Load a recording and find its strides."""
    motion = load_cmu_clip(data, name)
    every = find_strides(motion)
    straight = [stride for stride in every if abs(2.0 * np.pi * stride.root[0, TURN]) < _STRAIGHT]
    return Walk(name, straight, every, layout_of(motion, straight), layout_of(motion, every))


def measure_learned(data: Path) -> Iterator[Claim]:
    """Regenerate the strides that a model was learned from, and their mean."""
    for name in REGENERATED_CLIPS:
        walk = load_walk_strides(data, name)
        about = f"CMU {name}, {len(walk.straight)} straight strides, in-sample: learned from the same strides"
        for kind in _KINDS:
            model, errors = regenerate_each(walk.layout, walk.straight, kind)
            yield _claim(f"{name}-{kind}", errors, f"{about}, {kind} delays")
            if kind == "tied":
                even = np.full(len(walk.straight), 1.0 / len(walk.straight))
                mean = np.mean([close_stride(walk.layout.channels(stride)) for stride in walk.straight], axis=0)
                errors = [measure_angle_error(walk.layout, regenerate_online(model, even), mean)]
                yield _claim(f"{name}-mean", errors, f"{about}, their mean, {kind} delays")
    about = f"CMU {name}, all {len(walk.every)} strides, of which two turn by over 150 degrees, in-sample, tied delays"
    errors = regenerate_each(walk.turning_layout, walk.every, "tied")[1]
    yield _claim(f"{name}-turning", errors, about)


def measure_held_out(data: Path) -> Iterator[Claim]:
    """Regenerate the last straight stride of every clip with sources and delays learned from the others."""
    for name in REGENERATED_CLIPS:
        walk = load_walk_strides(data, name)
        *learned, new = walk.straight
        model = refit_style(learn_strides(walk.layout, learned, "tied"), new)
        error = measure_angle_error(
            walk.layout, regenerate_online(model, np.ones(1)), close_stride(walk.layout.channels(new))
        )
        about = f"CMU {name}, last straight stride held out: sources and tied delays from {len(learned)} others"
        yield _claim(f"{name}-held-out", [error], f"{about}, only its means and weights fitted")


def _claim(row: str, errors: Sequence[float], about: str) -> Claim:
    value = float(np.sqrt(np.mean(np.square(errors))))
    about = f"{about}; worst stride {max(errors):.2f}"
    return Claim(f"regenerated-{row}", OUR_BAR, _TEXT, value, "degrees", about, Band(high=2.0))


def learn_strides(layout: Layout, strides: Sequence[Stride], delays: DelayMode) -> Primitives:
    """Learn four sources with every stride as a style of its own, so that differences of strides are no error."""
    return learn_from_strides(layout, {f"stride {n}": [stride] for n, stride in enumerate(strides)}, 4, delays)


def regenerate_each(layout: Layout, strides: Sequence[Stride], delays: DelayMode) -> tuple[Primitives, list[float]]:
    """Learn a model of strides; return it and the error (degrees) of every stride that it regenerates."""
    model, blends = learn_strides(layout, strides, delays), np.eye(len(strides))
    curves = [close_stride(layout.channels(stride)) for stride in strides]
    return model, [
        measure_angle_error(layout, regenerate_online(model, blends[n]), one) for n, one in enumerate(curves)
    ]


def refit_style(model: Primitives, stride: Stride) -> Primitives:
    """Return a model of one new stride: means and weights by least squares, sources and tied delays as learned."""
    curve = close_stride(match_travel_to_feet(model.layout, stride))
    states = states_on_cycle(2.0 * np.pi * np.arange(len(curve)) / len(curve))
    sources = np.stack(
        [model.maps.evaluate_delayed(np.tile(x, (model.maps.count, 1)), model.delays[0]) for x in states]
    )
    fitted = [
        np.linalg.lstsq(np.column_stack((np.ones(len(curve)), sources[:, n])), values, rcond=None)[0]
        for n, values in enumerate(curve.T)
    ]
    mixed = np.array(fitted)[None]
    return replace(
        model,
        styles=("new",),
        means=mixed[..., 0],
        weights=mixed[..., 1:],
        ramps=model.ramps[:1],
        delays=model.delays[:1],
        contacts=model.contacts[:1],
        periods=np.array([stride.period]),
        counts=(1,),
    )


def measure_regression(data: Path) -> Iterator[Claim]:
    """Measure how well regressions reproduce sources between the phases that they were learned from."""
    walk = load_walk_strides(data, REGENERATED_CLIPS[-1])
    curves = np.stack([close_stride(walk.layout.channels(stride)).T for stride in walk.straight])
    mixture = AnechoicMixture(4, delays="tied", restarts=0).fit(curves)
    phases = np.arange(1000) / 1000.0
    truth = mixture.sources_at(phases).T
    maps = fit_source_maps(mixture.sources_at(np.arange(SAMPLES) / SAMPLES))
    error = maps.evaluate(np.repeat(states_on_cycle(2.0 * np.pi * phases)[:, None], 4, axis=1)) - truth
    value = 100.0 * float((np.sqrt(np.mean(error**2, axis=0)) / truth.std(axis=0)).max())
    about = f"4 sources of CMU {walk.name} at 1,000 phases, learned from {SAMPLES}; {len(maps.supports)} vectors"
    text = "support-vector regression of sources: root mean square error of the worst source"
    yield Claim("regression", f"M17 p. 6; {OUR_BAR}", text, value, "% of the source", about, Band(high=1.0))


def regenerate_online(model: Primitives, blend: Array, live: bool = True) -> Array:
    """Return rotations (SAMPLES, joints, 4) of the second cycle that a player generates, without locked feet."""
    player = Player(model, live=live, lock_feet=False)
    state, step, poses = player.begin(), float(blend @ model.periods) / SAMPLES, []
    for _ in range(2 * SAMPLES):
        state, pose = player.step(state, blend, step)
        upright = quat.from_axis_angle((0.0, 0.0, 1.0), -state.walker.headings[0])
        poses.append(np.concatenate((quat.multiply(upright, pose.rotations[0, :1]), pose.rotations[0, 1:])))
    return np.roll(np.stack(poses[SAMPLES:]), 1, axis=0)


def measure_angle_error(layout: Layout, rotations: Array, channels: Array) -> float:
    """Return the root mean square angle (degrees) between rotations (phases, joints, 4) and channels (phases, C)."""
    apart = quat.multiply(quat.conjugate(layout.rotations(channels)), rotations)[:, list(layout.joints)]
    return float(np.degrees(np.sqrt(np.mean(quat.angle(apart) ** 2))))


def measure_recovery_times(player: Player, states: Array) -> Array:
    """Return seconds (starts,) until all of states (starts, sources, 2) are within 1 % of one point of the cycle."""
    return np.array([_recover(player, start) for start in states])


def _recover(player: Player, states: Array) -> float:
    step = 0.02
    for n in range(round(_PATIENCE / step)):
        target = states_on_cycle(phase_of(states.mean(axis=0)))
        if np.linalg.norm(states - target, axis=1).max() <= _NEAR:
            return n * step
        states = advance_oscillators(states, _FREQUENCY, step, player.couplings)
    return float("inf")


def measure_oscillators(data: Path) -> Iterator[Claim]:
    """Measure how long the coupled oscillators of a player take to the limit cycle from random states."""
    walk, rng = load_walk_strides(data, REGENERATED_CLIPS[0]), np.random.default_rng(0)
    player = Player(learn_strides(walk.layout, walk.straight[:1], "free"))
    shape = (_STATES, player.model.maps.count)
    radii = 10.0 ** rng.uniform(-3.0, 2.0, (*shape, 1))
    seconds = measure_recovery_times(player, radii * states_on_cycle(rng.uniform(0.0, 2.0 * np.pi, shape)))
    about = (
        f"4 oscillators, {_STATES} random states, radii 0.001 to 100, any phases; recovered: all within 1 % of a point"
    )
    source, recovered = f"M17 p. 5 (attractor); {OUR_BAR}", 100.0 * float(np.mean(np.isfinite(seconds)))
    text = "share of states from which the oscillators recover within 10 s"
    yield Claim("recovers", source, text, recovered, "%", about, Band(low=100.0))
    for row, text, value, most in (
        ("recovers-median", "median time to recover", np.median(seconds), 2.0),
        ("recovers-worst", "longest time to recover", seconds.max(), 5.0),
    ):
        yield Claim(row, source, text, float(value), "s", about, Band(high=most))
