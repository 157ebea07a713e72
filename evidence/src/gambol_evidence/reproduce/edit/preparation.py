"""Measure how people prepare jumps of different heights, and whether edited jumps are prepared in the same way.

The truth is a line through the jumps of CMU subject 13, by least squares; edits of jumps by other people are compared
with its slope. Rise, dip and swing are measured on the centre of mass and the arms alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.spacetime.edits.anticipation import BACK_SLOPE, DIP_SLOPE, FORTH_SLOPE
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.solve_edit import SolvedEdit, solve_edit
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.edit.bars import BAR_RATE
from gambol_evidence.reproduce.edit.clips import Jump, find_jump, load_jump
from gambol_evidence.reproduce.recordings import load_cmu_clip

TREND_JUMPS = ("13_11", "13_13", "13_32", "13_39", "13_42")
"""All jumps of subject 13 in the recordings; subject 16, of whom CMU has more jumps, has none there."""
PREPARED_JUMPS = ("13_11", "02_04", "118_01", "118_03", "75_09", "124_05")
"""Jumps from both feet by five people."""
HEIGHT_EDITS = {"half": -0.5, "twice": 1.0}
"""Metres of rise that are added, per metre of the recording."""
_BEFORE = 1.5
"""Seconds before the take-off in which the preparation is measured."""
_NEAR = Band(0.75, 1.25)
"""Growth per growth of the line, chosen before the run: within 25 %."""
_SAME = Band(0.9, 1.1)
_SOURCE = "measured: CMU subject 13"


class Preparation(NamedTuple):
    """How a jump is prepared."""

    rise: float
    """Metres that the centre of mass rises above the line from take-off to landing."""
    dip: float
    """Metres that it is lowered before."""
    swing: float
    """Degrees that the arms swing forward against the trunk, from farthest back to farthest forward, per leg length."""


def measure_preparation(character: Character, motion: Motion, leave: float, land: float) -> Preparation:
    """Measure a jump that leaves the ground at a time (s) and lands at another."""
    heights = Dynamics(character).center_of_mass(motion.q)[:, 2]
    first, last = int(np.ceil(leave / motion.frame_time)), int(land / motion.frame_time)
    begin = max(first - round(_BEFORE / motion.frame_time), 0)
    low = begin + int(np.argmin(heights[begin:first]))
    arms = _measure_arms(character, motion)
    back = begin + int(np.argmin(arms[begin:first]))
    swing = arms[back : (first + last) // 2 + 1].max() - arms[back]
    rise = GRAVITY * (land - leave) ** 2 / 8.0
    return Preparation(rise, float(heights[begin : low + 1].max() - heights[low]), float(swing))


def _measure_arms(character: Character, motion: Motion) -> Array:
    """Return the mean angle (frames,) of the arms to the trunk, forward, in degrees per leg length of one metre."""
    skeleton, placed = character.skeleton, motion.placement
    trunk, angles = placed.rotations[:, skeleton.index("chest")], []
    for side in SIDES:
        shoulder, wrist = (placed.positions[:, skeleton.index(f"{side}_{part}")] for part in ("upper_arm", "hand"))
        arm = quat.rotate(quat.conjugate(trunk), wrist - shoulder)
        angles.append(np.unwrap(np.arctan2(arm[:, 0], -arm[:, 2])))
    leg = sum(np.linalg.norm(skeleton.offsets[skeleton.index(f"left_{part}")]) for part in ("shank", "foot"))
    return np.asarray(np.degrees(np.mean(angles, axis=0)) * leg)


def measure_anticipation(data: Path) -> Iterator[Claim]:
    """Fit the lines, then measure edits of half and twice the height."""
    recorded = [_measure_recording(find_jump(load_cmu_clip(data, name))) for name in TREND_JUMPS]
    yield from trend_claims(recorded)
    for word, share in HEIGHT_EDITS.items():
        growth = {}
        for name in PREPARED_JUMPS:
            jump = load_jump(data, name, _BEFORE)
            before = measure_edit(solve_edit(jump.clip, Edit("none"), fps=BAR_RATE), jump)
            edit = jump.edit(word, higher=share * before.rise)
            growth[name] = compare_growth(before, measure_edit(solve_edit(jump.clip, edit, fps=BAR_RATE), jump))
        yield from growth_claims(word, growth)


def _measure_recording(jump: Jump) -> Preparation:
    clip, flight = jump.clip, jump.clip.part(jump.flight)
    times = clip.frame_time * np.array([flight.first, flight.last + 1])
    return measure_preparation(clip.fitted.character, clip.fitted.motion, *times)


def measure_edit(found: SolvedEdit, jump: Jump) -> Preparation:
    """Measure the jump of a solved edit."""
    clock, stages = found.draft.time_map, [part.name for part in jump.clip.stages]
    leave, land = clock.times[stages.index(jump.flight) :][:2]
    return measure_preparation(found.draft.character, found.outcome.motion, leave, land)


def compare_growth(before: Preparation, after: Preparation) -> tuple[float, float]:
    """Return how much dip and swing of the arms grow with the rise, relative to the slopes of an edit."""
    rise = after.rise - before.rise
    arms = FORTH_SLOPE - BACK_SLOPE
    return (after.dip - before.dip) / (DIP_SLOPE * rise), (after.swing - before.swing) / (arms * rise)


def trend_claims(recorded: list[Preparation]) -> Iterator[Claim]:
    """Yield claims that the slopes of an edit are those of recorded jumps."""
    rises, dips, swings = np.array(recorded).T
    used = (("dip", dips, DIP_SLOPE, "m/m"), ("swing", swings, FORTH_SLOPE - BACK_SLOPE, "deg per leg length"))
    for word, values, slope, unit in used:
        (found, _), covariance = np.polyfit(rises, values, 1, cov=True)
        about = f"CMU {', '.join(TREND_JUMPS)}; line {found:.3g} {unit}, standard error {np.sqrt(covariance[0, 0]):.2g}"
        text = f"slope of the {word} by the rise of recorded jumps, relative to that of edits"
        yield Claim(f"prepared-slope-{word}", _SOURCE, text, found / slope, "times", about, _SAME)


def growth_claims(word: str, growth: dict[str, tuple[float, float]]) -> Iterator[Claim]:
    """Yield claims about the growth of dip and swing in edits of several jumps."""
    for column, part in enumerate(("dip", "swing")):
        values = {name: both[column] for name, both in growth.items()}
        about = "CMU " + ", ".join(f"{name} {value:.2f}" for name, value in values.items())
        for limit, value in (("least", min(values.values())), ("most", max(values.values()))):
            text = f"jumps of {word} the height: change of the {part} relative to the line of recorded jumps, {limit}"
            yield Claim(f"prepared-{word}-{part}-{limit}", _SOURCE, text, value, "times", about, _NEAR)
