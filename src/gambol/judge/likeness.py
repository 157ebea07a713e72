"""Find what a motion lost of the clip that it was made of: its tempo, fast movement, the swing of the arms, symmetry.

Whole clips are compared, by directions of bones, so that builds and rigs may differ. A little noise is lost by every
filter and by fewer frames per second; what counts is movement of people, from 4 to 8 Hz.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gambol.body.measure import frames_from_axes
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, lengths, unit_vectors
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.stages.feet import SIDES

TEMPO = FindingKind("tempo", "moves slower or faster than in the source by", "%", 3.0, "our choice")
OVER_SMOOTHED = FindingKind(
    "over_smoothed",
    "has less movement from 4 to 8 Hz than the source has, by a factor of",
    "times",
    1.5,
    "75 recordings: at most 1.14 at 30 frames/s, 1.25 after a low-pass at 6 Hz",
)
LIFELESS_ARMS = FindingKind(
    "lifeless_arms",
    "swings less than in the source, by a factor of",
    "times",
    2.0,
    "arms that swing half as far are seen",
)
ASYMMETRY = FindingKind(
    "asymmetry",
    "point to different sides, more than in the source, by",
    "degrees",
    10.0,
    "nine of ten halves of recorded walks and runs differ by less",
)
UNEVEN_SWING = FindingKind(
    "uneven_swing",
    "swing less evenly than in the source by",
    "degrees",
    5.0,
    "19 of 20 halves of recorded walks and runs differ by less",
)
SIDEWAYS_LEAN = FindingKind(
    "sideways_lean",
    "leans sideways throughout, and more than in the source by",
    "degrees",
    4.0,
    "all halves of recorded walks but two, of one who crouches and one who stumbles, differ by less than 3",
)

_LONGER, _SHORTEST = 0.1, 1.0
"""Largest difference of durations as a share, and shortest duration (s), of clips that are compared."""
_ALIKE = 5.0
"""Median angle (degrees) between bones at the same share of two clips up to which one is the other at another tempo."""
_BAND = (4.0, 8.0)
"""Frequencies (Hz) that people move at, and that smoothing takes away first."""
_COARSEST = 1.0 / 20.0
"""Frame time (s) beyond which such frequencies are not in a clip."""
_LIVELY, _NOISE = 3.0, 2.0
"""Speeds (degrees/s) of bones in that band: from which a source has something to lose, and that are added to both."""
_SWINGS, _RESTS = 4.0, 1.0
"""Swings (degrees) of arms: from which a source has something to lose, and that are added to both."""
_BONES = {
    "upper_arm": ("upper_arm", "forearm"),
    "forearm": ("forearm", "hand"),
    "thigh": ("thigh", "shank"),
    "shank": ("shank", "foot"),
}
"""Joints at both ends of bones."""
_ARMS = ("upper_arm", "forearm")


class _Symmetry(NamedTuple):
    """How unlike the two sides of a person are in a clip, in degrees."""

    angles: dict[str, float]
    """Angles between the mean directions of a bone of the left side and the reflected one of the right."""
    swings: dict[str, float]
    """Differences of their swings."""
    trunk: float
    """Sideways lean of the trunk; zero where it is not known."""


def compare_likeness(seen: SeenPerson, source: SeenPerson) -> list[Finding]:
    """Return what a motion lost of its source, for clips of about the same duration."""
    durations = _measure_duration(seen), _measure_duration(source)
    if min(durations) < _SHORTEST or abs(durations[0] - durations[1]) > _LONGER * durations[1]:
        return []
    compared = (_compare_tempo, _compare_speeds, _compare_arms, _compare_sides)
    pairs = [pair for compare in compared for pair in compare(seen, source)]
    return [Finding(kind, part, 0.0, durations[0], value) for kind, part, value in pairs if value > kind.least]


_Found = Iterator[tuple[FindingKind, str, float]]
"""Kinds, parts and values, large or not."""


def _compare_tempo(seen: SeenPerson, source: SeenPerson) -> _Found:
    """Yield the difference of durations (percent), if the poses at the same shares of both are the same."""
    before, after = _find_bones(source), _find_bones(seen)
    at = np.round(np.linspace(0.0, len(source) - 1.0, len(seen))).astype(int)
    angles = [lengths(after[bone] - before[bone][at]) for bone in before.keys() & after.keys()]
    if angles and np.degrees(np.median(angles)) < _ALIKE:
        yield TEMPO, "body", 100.0 * abs(_measure_duration(seen) / _measure_duration(source) - 1.0)


def _compare_speeds(seen: SeenPerson, source: SeenPerson) -> _Found:
    """Yield the factor by which the middle one of the bones has lost fast movement."""
    step = max(seen.frame_time, source.frame_time)
    bones = sorted(_find_bones(seen).keys() & _find_bones(source).keys())
    if step > _COARSEST or not bones:
        return
    before, after = (_measure_band([_find_bones(one)[bone] for bone in bones], one, step) for one in (source, seen))
    if np.median(before) > _LIVELY:
        yield OVER_SMOOTHED, "body", float(np.median((before + _NOISE) / (after + _NOISE)))


def _compare_arms(seen: SeenPerson, source: SeenPerson) -> _Found:
    """Yield the factor by which each arm swings less against the chest; in a mirrored clip the sides may be swapped."""
    before, after = _measure_arms(source), _measure_arms(seen)
    if before.keys() != after.keys():
        return
    ranked = dict(zip(sorted(after, key=lambda side: after[side]), sorted(before.values()), strict=True))
    for side, swing in after.items():
        least = min(before[side], ranked[side])
        if least > _SWINGS:
            yield LIFELESS_ARMS, f"{side}_upper_arm", (least + _RESTS) / (swing + _RESTS)


def _compare_sides(seen: SeenPerson, source: SeenPerson) -> _Found:
    """Yield by how much more than in the source the sides differ, for the worst pair of bones, and the trunk leans."""
    before, after = _measure_symmetry(source), _measure_symmetry(seen)
    for kind, old, new in (
        (ASYMMETRY, before.angles, after.angles),
        (UNEVEN_SWING, before.swings, after.swings),
    ):
        growth = {bone: new[bone] - old[bone] for bone in _BONES if bone in new and bone in old}
        if growth:
            worst = max(growth, key=lambda bone: growth[bone])
            yield kind, f"left_{worst} and right_{worst}", growth[worst]
    yield SIDEWAYS_LEAN, "trunk", after.trunk - before.trunk


def _measure_band(bones: list[Array], seen: SeenPerson, step: float) -> Array:
    """Return the speeds (bones,) in degrees/s of directions (frames, 3) in the band, seen at a frame time (s)."""
    times = np.arange(len(seen)) * seen.frame_time
    sampled = np.arange(round(times[-1] / step) + 1) * step
    paths = np.stack([[np.interp(sampled, times, axis) for axis in bone.T] for bone in bones])
    speeds = np.diff(paths, axis=2) / step
    window = np.hanning(speeds.shape[2])
    power = np.abs(np.fft.rfft((speeds - speeds.mean(axis=2, keepdims=True)) * window, axis=2)) ** 2
    frequencies = np.fft.rfftfreq(speeds.shape[2], step)
    chosen = (frequencies >= _BAND[0]) & (frequencies <= _BAND[1])
    total = 2.0 * power[..., chosen].sum(axis=(1, 2)) / (speeds.shape[2] * np.sum(window**2))
    return np.asarray(np.degrees(np.sqrt(total)))


def _measure_arms(seen: SeenPerson) -> dict[str, float]:
    """Return how far (degrees, root mean square) the arm of each side swings against the chest."""
    trunk = quat.conjugate(seen.rotations["chest" if "chest" in seen.rotations else "pelvis"])
    bones, out = _find_bones(seen), {}
    for side in SIDES:
        own = [bones[f"{side}_{part}"] for part in _ARMS if f"{side}_{part}" in bones]
        if own:
            out[side] = float(np.mean([_measure_swing(quat.rotate(trunk, bone)) for bone in own]))
    return out


def _measure_symmetry(seen: SeenPerson) -> _Symmetry:
    """Return how unlike the sides are, as seen from hips that are level and look ahead."""
    across = (seen.places["left_thigh"] - seen.places["right_thigh"]) * (1.0 - UP)
    ahead = np.swapaxes(frames_from_axes(across, np.broadcast_to(UP, across.shape)), 1, 2)
    bones = {name: np.einsum("fij,fj->fi", ahead, bone) for name, bone in _find_bones(seen).items()}
    angles, swings = {}, {}
    for part in _BONES:
        if {f"left_{part}", f"right_{part}"} <= bones.keys():
            left, right = bones[f"left_{part}"], bones[f"right_{part}"] * (1.0, -1.0, 1.0)
            apart = unit_vectors(left.mean(axis=0)) @ unit_vectors(right.mean(axis=0))
            angles[part] = float(np.degrees(np.arccos(np.clip(apart, -1.0, 1.0))))
            swings[part] = abs(_measure_swing(left) - _measure_swing(right))
    top = next((seen.places[part] for part in ("head", "neck", "chest") if part in seen.places), None)
    if top is None:
        return _Symmetry(angles, swings, 0.0)
    trunk = unit_vectors(top - 0.5 * (seen.places["left_thigh"] + seen.places["right_thigh"]))
    lean = np.einsum("fj,fj->f", ahead[:, 1], trunk).mean()
    return _Symmetry(angles, swings, float(np.degrees(np.abs(np.arcsin(lean)))))


def _measure_swing(directions: Array) -> float:
    """Return the angle (degrees, root mean square) of directions (frames, 3) from their mean."""
    away = lengths(directions - unit_vectors(directions.mean(axis=0)))
    return float(np.degrees(np.sqrt(np.mean((2.0 * np.arcsin(np.clip(0.5 * away, 0.0, 1.0))) ** 2))))


def _find_bones(seen: SeenPerson) -> dict[str, Array]:
    """Return the directions (frames, 3) of the bones of both sides that the rig has."""
    out = {}
    for side in SIDES:
        for bone, (start, end) in _BONES.items():
            joints = f"{side}_{start}", f"{side}_{end}"
            if set(joints) <= seen.places.keys():
                out[f"{side}_{bone}"] = unit_vectors(seen.places[joints[1]] - seen.places[joints[0]])
    return out


def _measure_duration(seen: SeenPerson) -> float:
    return (len(seen) - 1) * seen.frame_time
