"""Claims about new tasks in a learned style: what leans where (L05 section 5.7.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.cycles import repeat_cycle
from gambol.motion.motion import Motion
from gambol.styles.verb import apply_style
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.recordings import load_cmu_clip
from gambol_evidence.reproduce.style.setting import STYLED_RUN, StyleSetting

_SOURCE = "L05 section 5.7.4"
_NAMES = ("35_01", "16_31")
"""Recordings whose styles are applied to their own footprints, changed."""
_KNEE = {"lock": {"left_shank flexion": 5.0}}


class _Manner(NamedTuple):
    """What is measured of a motion, in the middle of it."""

    ahead: float
    """Degrees by which the trunk leans ahead."""
    left: float
    """Degrees by which it leans to the left."""
    twist: float
    """Root mean square turn (degrees) of the shoulders against the pelvis."""
    swing: float
    """Range (m) of the right hand along the way, relative to the pelvis."""
    bounce: float
    """Range (m) of the height of the pelvis."""


def measure_tasks(setting: StyleSetting) -> Iterator[Claim]:
    """Yield the claims."""
    data = f"styles and footprints of {' and '.join(_NAMES)}, least of both"
    plain = {name: _do(setting, name, {}) for name in _NAMES}

    def change(task: Mapping[str, object], what: str, against: Mapping[str, object] | None = None) -> float:
        values = []
        for name in _NAMES:
            one = _do(setting, name, task)
            other = plain[name] if against is None else _do(setting, name, against)
            values.append(getattr(one, what) - getattr(other, what))
        return float(min(values))

    for row, words, figure in (
        ("curve", "lean into a curve of 60 degrees, from one to the right to one to the left",
         change({"curve": 60.0}, "left", {"curve": -60.0})),
        ("turn", "lean into a turn of 180 degrees, from one to the right to one to the left",
         change({"curve": 180.0}, "left", {"curve": -180.0})),
        ("uphill", "lean ahead more on a slope of 6 degrees up than on one of 6 degrees down",
         change({"slope": 6.0}, "ahead", {"slope": -6.0})),
        ("suitcase", "lean away from a suitcase of 3 kg in the right hand",
         change({"load": {"right_hand": 3.0}}, "left")),
        ("knee", "turn the trunk more with a locked knee", change(_KNEE, "twist")),
    ):  # fmt: skip
        yield Claim(f"task-{row}", _SOURCE, words, figure, "degrees", data, Band(low=0.0))
    swings = [_do(setting, name, {"load": {"right_hand": 3.0}}).swing / plain[name].swing for name in _NAMES]
    yield Claim(
        "task-swing", _SOURCE, "swing of the arm that carries a suitcase, relative to that without, largest",
        float(max(swings)), "1", data, Band(high=1.0),
    )  # fmt: skip
    hard, soft = (_do(setting, STYLED_RUN, task) for task in ({}, {"shoes": 40.0}))
    yield Claim(
        "task-shoes", _SOURCE, "rise and fall of the pelvis in shoes with springs of 40 kN/m, relative to hard soles",
        soft.bounce / hard.bounce, "1", f"style and footprints of the run {STYLED_RUN}", Band(low=1.0),
    )  # fmt: skip
    yield _measure_seams(setting)


def _measure_seams(setting: StyleSetting) -> Claim:
    """How smoothly cycles begin again."""
    names = (*_NAMES, STYLED_RUN)
    ratios = []
    for name in names:
        style, clip = setting.learn(name).model, load_cmu_clip(setting.data, name)
        once = apply_style(style, {"cycle": True}, clip=clip).motion
        bends = np.linalg.norm(np.diff(repeat_cycle(once, 2).placement.positions, 2, axis=0), axis=2).max(axis=1)
        seam = slice(len(once) - 2, len(once))
        ratios.append(bends[seam].max() / np.delete(bends, seam).max())
    return Claim(
        "cycle-seam", "L05 section 2.2.2",
        "change of joint velocities where a cycle begins again, relative to the largest elsewhere, worst clip",
        float(max(ratios)), "1", f"styles and footprints of {', '.join(names)}", Band(high=1.0),
    )  # fmt: skip


def _do(setting: StyleSetting, name: str, task: Mapping[str, object]) -> _Manner:
    style, clip = setting.learn(name).model, load_cmu_clip(setting.data, name)
    start, end = style.part
    try:
        motion = apply_style(style, {**task, "start": start, "end": end}, clip=clip).motion
    except InputError:  # not solved: no figure
        return _Manner(np.nan, np.nan, np.nan, np.nan, np.nan)
    return measure_manner(motion)


def measure_manner(motion: Motion) -> _Manner:
    """Measure the middle of a motion on its own rig."""
    rig, places = motion.rig, motion.placement.positions
    assert rig is not None

    def find(part: str) -> Array:
        return np.asarray(places[:, rig.parts[part]])

    pelvis, chest = find("pelvis"), 0.5 * (find("left_upper_arm") + find("right_upper_arm"))
    across = find("left_thigh") - find("right_thigh")
    shoulders = find("left_upper_arm") - find("right_upper_arm")
    left = across * [1.0, 1.0, 0.0] / np.linalg.norm(across[:, :2], axis=1)[:, None]
    ahead = np.cross(left, [0.0, 0.0, 1.0])
    trunk = chest - pelvis
    lean = [np.degrees(np.arctan2((trunk * axis).sum(axis=1), trunk[:, 2])) for axis in (ahead, left)]
    turn = np.degrees(np.arctan2((shoulders * ahead).sum(axis=1), (shoulders * left).sum(axis=1)))
    reach = ((find("right_hand") - pelvis) * ahead).sum(axis=1)
    middle = slice(len(motion) // 4, 3 * len(motion) // 4)
    return _Manner(
        float(lean[0][middle].mean()),
        float(lean[1][middle].mean()),
        float(np.sqrt(np.mean(turn[middle] ** 2))),
        float(np.ptp(reach[middle])),
        float(np.ptp(pelvis[middle, 2])),
    )
