"""Claims about `--fast`: steps of the base, how high feet swing beside the person's, and how flights fall."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gambol.geometry.arrays import Array, find_runs
from gambol.metrics.figures import Band, Figure
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.references.judgement import judge_base, judge_flights
from gambol.robots.references.verb import ReferenceResult, make_reference
from gambol.robots.sole_shapes import locate_soles
from gambol.spacetime.resampling import resample_at
from gambol.stages.feet import SIDES, find_foot_points, track_point
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.robots.setting import RobotsSetting

_WALKS, _FLIGHTS = ("walk", "styled_walk", "turn", "backward_sideways"), ("run", "jump_hop_leap")
"""Kinds whose swings, and whose flights, are measured."""
_SHORTEST = 0.15
"""Seconds of the shortest swing."""
_LOW, _REST = 0.005, 10.0
"""Height (m) of a swing that skims the floor; percentile of the heights of a point of a foot in a stance."""


def measure_fast(setting: RobotsSetting) -> Iterator[Claim]:
    """Yield the claims of every robot: of all clips, of walks, and of runs and jumps that keep their time."""
    walks, flights = ([clip for kind in kinds for clip in setting.list_clips(kind)] for kinds in (_WALKS, _FLIGHTS))
    for robot, biped in setting.robots.items():
        made = {clip: one for clip in setting.clips if (one := setting.attempt(robot, clip, fast=True).result)}
        steps = [judge_base(one.reference) for one in made.values()]
        yield _claim_share(f"{robot}-fast-base-steps", f"{robot}: --fast, steps of the base", steps)
        swings = [
            swing for clip in walks if clip in made for swing in compare_swings(made[clip], setting.load_middle(clip))
        ]
        low = [own > _LOW and ours < _LOW for ours, own in swings]
        yield Claim(
            f"{robot}-fast-swings", OUR_BAR,
            f"{robot}: --fast, feet below 5 mm in the middle third of a swing where the person's, scaled, is higher",
            100.0 * float(np.mean(low)), "%",
            f"{len(swings)} swings of {', '.join(walks)}; medians "
            "{:.3g} mm, the person's {:.3g}".format(*1000.0 * np.median(swings, axis=0)), Band(high=5.0),
        )  # fmt: skip
        falls = [_judge_fall(setting.load_middle(clip), biped) for clip in flights]
        found = [fall for fall in falls if fall.measured]
        yield _claim_share(f"{robot}-fast-fall", f"{robot}: --fast --keep-time, fall in flight", found)


def _judge_fall(clip: Motion, biped: Biped) -> Figure:
    return judge_flights(make_reference(clip, biped, fast=True, keep_time=True).reference)


def _claim_share(row: str, words: str, figures: list[Figure]) -> Claim:
    values = [figure.value for figure in figures]
    return Claim(
        row, OUR_BAR, f"{words}: share of clips with {figures[0].band} {figures[0].unit}",
        100.0 * float(np.mean([figure.passes for figure in figures])), "%",
        f"{len(figures)} clips, {min(values):.3g} to {max(values):.3g}, median {np.median(values):.3g}", Band(low=95.0),
    )  # fmt: skip


def compare_swings(result: ReferenceResult, clip: Motion) -> list[tuple[float, float]]:
    """Return how high (m) a robot's sole and the person's foot, scaled, are in the middle third of swings, at least.

    Swings are those of a foot while the other rests. Points of the person's foot are seen from where they rest before
    and after.
    """
    reference, scale = result.reference, result.figures["scale_ratio"]
    rig = resample_at(clip, reference.motion.times / scale**0.5)
    above = (locate_soles(reference.biped, reference.motion.placement)[..., 2] - reference.ground).min(axis=2)
    found = []
    for n, side in enumerate(SIDES):
        points = [point for point in find_foot_points(rig) if point.name.startswith(side)]
        heights = scale * np.stack([track_point(rig, point)[:, 2] for point in points], axis=1)
        for before, after in pairwise(find_runs(reference.touching[:, n])):
            first, last = before[1] + 1, after[0] - 1
            long = (last - first + 1) * reference.motion.frame_time >= _SHORTEST
            if long and reference.touching[first : last + 1, 1 - n].all():
                third = (last - first + 1) // 3
                middle = np.arange(first + third, last - third + 1)
                share = ((middle - before[1]) / (after[0] - before[1]))[:, None]
                low, next_low = (_find_rest(heights[a : b + 1]) for a, b in (before, after))
                own = heights[middle] - (1.0 - share) * low - share * next_low
                found.append((float(above[middle, n].min()), float(own.min())))
    return found


def _find_rest(heights: Array) -> Array:
    return np.asarray(np.percentile(heights, _REST, axis=0))
