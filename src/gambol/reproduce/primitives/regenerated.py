"""Walks that come back from four sources, generated online; and that they do so from any state of the oscillators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

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
from gambol.primitives.prototypes import close_stride
from gambol.primitives.sources import fit_source_maps
from gambol.reproduce.claims import Claim
from gambol.reproduce.recordings import load_cmu_clip

REGENERATED_CLIPS = ("02_01", "12_01", "16_15", "35_01", "91_29")
"""Walks of five people; the last one also turns around."""
_STRAIGHT = np.radians(20.0)
"""A stride that turns more is not one of a straight walk."""
_KINDS: tuple[DelayMode, ...] = ("tied", "free")
_STATES, _NEAR, _PATIENCE = 100, 0.01, 10.0
"""Random states, the share of the radius that counts as back, and the seconds waited."""
_FREQUENCY = 2.0 * np.pi
"""Radians a second: a stride a second."""


def run(data: Path) -> Iterator[Claim]:
    """Rows of every clip's straight strides, and of one clip's strides that turn around."""
    for name in REGENERATED_CLIPS:
        motion = load_cmu_clip(data, name)
        found = find_strides(motion)
        straight = [stride for stride in found if abs(2.0 * np.pi * stride.root[0, TURN]) < _STRAIGHT]
        layout = layout_of(motion, straight)
        for kind in _KINDS:
            model, off = _each(layout, straight, kind)
            yield _claim(f"{name}-{kind}", off, f"{name}, {len(straight)} straight strides, {kind} delays")
            if kind == "tied":
                even = np.full(len(straight), 1.0 / len(straight))
                mean = np.mean([close_stride(layout.channels(stride)) for stride in straight], axis=0)
                off = [measure_angle_error(layout, regenerate_online(model, even), mean)]
                yield _claim(f"{name}-mean", off, f"{name}, the mean of its straight strides, {kind} delays")
    yield _regression(np.stack([close_stride(layout.channels(stride)) for stride in straight]))
    told = f"{REGENERATED_CLIPS[-1]}, all {len(found)} strides, of which two turn by over 150 degrees, tied delays"
    yield _claim(f"{REGENERATED_CLIPS[-1]}-turning", _each(layout_of(motion, found), found, "tied")[1], told)
    yield from _recovery(model)


def _each(layout: Layout, found: Sequence[Stride], delays: DelayMode) -> tuple[Primitives, list[float]]:
    """Every stride as a style of its own, so that what strides differ by is no error; degrees that each is off."""
    model = learn_from_strides(layout, {f"stride {n}": [stride] for n, stride in enumerate(found)}, 4, delays)
    shares = np.eye(len(found))
    curves = [close_stride(layout.channels(stride)) for stride in found]
    return model, [
        measure_angle_error(layout, regenerate_online(model, shares[n]), one) for n, one in enumerate(curves)
    ]


def _claim(row: str, off: Sequence[float], told: str) -> Claim:
    text = "regenerated online by regressions of 4 sources, each stride with its weights: joints off, root mean square"
    value = float(np.sqrt(np.mean(np.square(off))))
    told = f"{told}; worst stride {max(off):.2f}"
    return Claim(f"regenerated-{row}", "asked of gambol", text, value, "degrees", told, Band(high=2.0))


def _regression(curves: Array) -> Claim:
    """How well regressions tell sources between the phases that they were learned from."""
    mixture = AnechoicMixture(4, delays="tied", restarts=0).fit(curves.transpose(0, 2, 1))
    phases = np.arange(1000) / 1000.0
    wanted = mixture.sources_at(phases).T
    found = fit_source_maps(mixture.sources_at(np.arange(SAMPLES) / SAMPLES))
    off = found.evaluate(np.repeat(states_on_cycle(2.0 * np.pi * phases)[:, None], 4, axis=1)) - wanted
    value = 100.0 * float((np.sqrt(np.mean(off**2, axis=0)) / wanted.std(axis=0)).max())
    told = f"sources of {REGENERATED_CLIPS[-1]} at 1,000 phases, learned from {SAMPLES}; {len(found.supports)} vectors"
    text = "support-vector regression of sources: root mean square off, the worst source"
    return Claim("regression", "M17", text, value, "% of the source", told, Band(high=1.0))


def regenerate_online(model: Primitives, share: Array, live: bool = True) -> Array:
    """(SAMPLES, channels' rotations) of the second turn that a player makes, from 0 on, feet as they come."""
    player = Player(model, live=live, lock_feet=False)
    state, step, poses = player.begin(), float(share @ model.periods) / SAMPLES, []
    for _ in range(2 * SAMPLES):
        state, pose = player.step(state, share, step)
        upright = quat.from_axis_angle((0.0, 0.0, 1.0), -state.walker.headings[0])
        poses.append(np.concatenate((quat.multiply(upright, pose.rotations[0, :1]), pose.rotations[0, 1:])))
    return np.roll(np.stack(poses[SAMPLES:]), 1, axis=0)


def measure_angle_error(layout: Layout, rotations: Array, channels: Array) -> float:
    """Degrees between rotations (phases, joints, 4) and channels (phases, C), root mean square of joints that move."""
    apart = quat.multiply(quat.conjugate(layout.rotations(channels)), rotations)[:, list(layout.joints)]
    return float(np.degrees(np.sqrt(np.mean(quat.angle(apart) ** 2))))


def measure_recovery_times(player: Player, states: Array) -> Array:
    """Seconds (starts,) until all of states (starts, sources, 2) are within 1 % of one point of the cycle."""
    return np.array([_until_back(player, start) for start in states])


def _until_back(player: Player, states: Array) -> float:
    step = 0.02
    for n in range(round(_PATIENCE / step)):
        together = states_on_cycle(phase_of(states.mean(axis=0)))
        if np.linalg.norm(states - together, axis=1).max() <= _NEAR:
            return n * step
        states = advance_oscillators(states, _FREQUENCY, step, player.couplings)
    return float("inf")


def _recovery(model: Primitives) -> Iterator[Claim]:
    rng = np.random.default_rng(0)
    shape = (_STATES, model.maps.count, 2)
    states = 10.0 ** rng.uniform(-3.0, 2.0, (*shape[:2], 1)) * states_on_cycle(rng.uniform(0.0, 2.0 * np.pi, shape[:2]))
    seconds = measure_recovery_times(Player(model), states)
    told = f"{_STATES} seeded states, radii 0.001 to 100, any phases; back: all within 1 % of one point of the cycle"
    back = 100.0 * float(np.mean(np.isfinite(seconds)))
    yield Claim("recovers", "asked of gambol", "starts that come back", back, "%", told, Band(low=100.0))
    text = "time that it takes: median"
    yield Claim("recovers-median", "asked of gambol", text, float(np.median(seconds)), "s", told, Band(high=2.0))
    text = "time that it takes: worst"
    yield Claim("recovers-worst", "asked of gambol", text, float(seconds.max()), "s", told, Band(high=5.0))
