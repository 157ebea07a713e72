"""Find jumps: parts of the body whose velocity or rotation changes in one frame, dead stops, and missing frames.

A part is compared with where the frames before and after put it: with the cubic through two frames on either side,
1/60 s apart at any frame rate. Movement of people is smooth over so short a time, except where a foot lands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter, minimum_filter1d

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.judge.finding import SLACK, Finding, FindingKind, group_findings
from gambol.judge.seen import SeenPerson
from gambol.stages.feet import SIDES

_RECORDED = "largest in 77 recorded clips of the CMU database without faults that are seen, at 30 to 120 frames/s"
POP = FindingKind("pop", "changes its velocity in 1/60 s by", "m/s", 1.5, _RECORDED)
KNEE_POP = FindingKind(
    "pop", POP.words, "m/s", 3.3, "knees that snap straight in recorded walks, at 60 to 120 frames/s"
)
HARD_LANDING = FindingKind(
    "hard_landing", "stops dead as it lands, by", "m/s²", 150.0,
    "72 recordings: at most 120 at 60 frames/s, 100 at 30, and 189 at 120 but for one somersault",
)  # fmt: skip
"""At 60 frames/s; in one shorter frame a foot brakes harder, by the square root of the rate."""
TURN_POP = FindingKind("turn_pop", "is turned, unlike in the frames around, by", "degrees", 10.0, _RECORDED)
MISSING_FRAME = FindingKind("missing_frame", "leaves out or repeats", "frames", 0.6, _RECORDED)

_STEP = 1.0 / 60.0
"""Time (s) between the frames that are compared; one frame, where frames are longer."""
_LEVEL = 2.5
"""How many times the median of the frames around is subtracted before a value is compared with its limit."""
_AROUND = 7
"""Steps before, and as many after, in which these frames are."""
_LOW = 0.04
"""Height (m) of a foot above its lowest place within 0.15 s from which it does not land."""
_STOPPED, _MOVING = 0.25, 0.5
"""Speeds after and two frames before a landing, as shares of that before it: a foot stops that did move."""
_MOVED = 0.15
"""Speed (m/s) of a part from which a missing frame is seen in it."""
_STEADY = 0.8
"""Difference of what the nearest and the next steps predict, as a share, from which the movement is not steady."""
_MOST, _ALIKE = 0.7, 0.7
"""Share of parts that move, and of those of them whose steps are too long or too short by this share of the limit."""
_UNLIKE = 0.6
"""Share of an excess step that is not along the movement, from which no frame is missing."""
_PARTS = (
    *("pelvis", "chest", "head"),
    *(f"{side}_{part}" for side in SIDES for part in ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")),
)
_JOINTS = {
    f"{side}_{part}": f"{side}_{joint}" for side in SIDES for part, joint in (("forearm", "elbow"), ("shank", "knee"))
}
_BODY = 3
"""Limbs and trunk that jump at one time where the whole body does."""
_AT_TRUNK = ("upper_arm", "thigh")
"""Parts whose joints move with the trunk: only their rotations are looked at."""


def find_pops(seen: SeenPerson) -> list[Finding]:
    """Return pops, hard landings, rotations that jump, and frames that are missing or repeated."""
    return [] if len(seen) < 8 else _join_limbs(_merge(_find_all(seen)))


def _find_all(seen: SeenPerson) -> list[Finding]:
    """Return what is found before findings of one jump are merged."""
    frame_time, stride = seen.frame_time, max(1, round(_STEP / seen.frame_time))
    parts = [part for part in _PARTS if part in seen.places]
    placed = [part for part in parts if not part.endswith(_AT_TRUNK)]
    places = np.stack([seen.places[part] for part in placed], axis=1)
    rotations = np.stack([seen.rotations[part] for part in parts], axis=1)
    factor, missing = _measure_skips(places, frame_time)
    excused = _widen(missing, 2 * stride)
    brake, stops = _measure_landings(places, frame_time)
    found = group_findings(MISSING_FRAME, ("body",), factor[:, None], missing[:, None], frame_time)
    free = np.repeat(excused[:, None], len(placed), axis=1)
    for foot in (n for n, part in enumerate(placed) if part.endswith("foot")):
        hard = replace(HARD_LANDING, limit=HARD_LANDING.limit * (_STEP / frame_time) ** 0.5)
        bad = stops[:, foot] & (brake[:, foot] > hard.least) & ~excused
        found += group_findings(hard, (placed[foot],), brake[:, [foot]], bad[:, None], frame_time)
        free[:, foot - 1 : foot + 1] |= _widen(stops[:, foot], 2 * stride)[:, None]  # it may brake, and the knee above
    found += _find_jumps(POP, placed, _measure_changes(places, stride) / _STEP, free, frame_time)
    turns = np.degrees(_measure_turns(rotations, stride))
    return found + _find_jumps(TURN_POP, parts, turns, np.repeat(excused[:, None], len(parts), axis=1), frame_time)


def _find_jumps(
    kind: FindingKind, parts: list[str], values: Array, free: NDArray[np.bool_], frame_time: float
) -> list[Finding]:
    """Return where values (frames, parts) are beyond their limits and unlike around, except in frames that are free."""
    found = []
    kinds = [_find_kind(kind, part, frame_time) for part in parts]
    usual = _LEVEL * max(1.0, frame_time / _STEP) ** 0.25
    size = 2 * _AROUND * max(1, round(_STEP / frame_time)) + 1
    for column in np.flatnonzero((values > [own.least for own in kinds]).any(axis=0)):
        own, part = kinds[column], parts[column]
        excess = values[:, column] - usual * median_filter(values[:, column], size, mode="nearest")
        bad = (excess > own.least) & ~free[:, column]
        name = _JOINTS.get(part, part) if kind is POP else part
        found += group_findings(own, (name,), excess[:, None], bad[:, None], frame_time)
    return found


def _find_kind(kind: FindingKind, part: str, frame_time: float) -> FindingKind:
    """Return a kind with the limit of a part: knees snap, and feet land within a frame that is longer than a step."""
    if kind is not POP or not part.endswith(("foot", "shank")):
        return kind
    own = KNEE_POP if part.endswith("shank") else POP
    return replace(own, limit=own.limit * max(1.0, frame_time / _STEP))


def _measure_changes(places: Array, stride: int) -> Array:
    """Return by how much steps (m) of parts (frames, parts, 3) differ before and after, unlike in the frames around."""
    out = np.zeros(places.shape[:2])
    if len(places) > 4 * stride:
        before, after = (
            places[stride : -3 * stride] + places[3 * stride : -stride],
            places[: -4 * stride] + places[4 * stride :],
        )
        out[2 * stride : -2 * stride] = lengths(6.0 * places[2 * stride : -2 * stride] - 4.0 * before + after) / 3.0
    return out


def _measure_turns(rotations: Array, stride: int) -> Array:
    """Return by how much (rad) parts (frames, parts, 4) are turned away from where the frames around put them."""
    out = np.zeros(rotations.shape[:2])
    if len(rotations) > 4 * stride:
        steps = quat.log(quat.multiply(rotations[stride:], quat.conjugate(rotations[:-stride])))
        one, two, three, four = (steps[n * stride : len(steps) - (3 - n) * stride] for n in range(4))
        out[2 * stride : -2 * stride] = lengths(four - 3.0 * three + 3.0 * two - one) / 6.0
    return out


def _measure_skips(places: Array, frame_time: float) -> tuple[Array, NDArray[np.bool_]]:
    """Return how many frames too many or too few each step of the body has, and whether frames are missing there.

    The steps of all parts to the next frame are compared with those that the steps around predict: they are longer by
    one factor.
    """
    steps = np.diff(places, axis=0)
    n = len(steps) - 6
    pairs = [steps[3 - k : 3 - k + n] + steps[3 + k : 3 + k + n] for k in range(4)]
    usual, wider = (4.0 * pairs[1] - pairs[2]) / 6.0, 0.9 * pairs[2] - 0.4 * pairs[3]
    steps = steps[3:-3]
    sizes = np.einsum("npi,npi->np", usual, usual)
    along = np.einsum("npi,npi->np", steps, usual)
    size = sizes.sum(axis=1)
    factor = along.sum(axis=1) / np.maximum(size, 1e-12) - 1.0
    unlike = steps - (1.0 + factor)[:, None, None] * usual
    rest = np.einsum("npi,npi->n", unlike, unlike)
    skip = (np.abs(factor) > MISSING_FRAME.limit) & (factor > -1.5) & (rest < _UNLIKE**2 * factor**2 * size)
    moved = sizes > (_MOVED * frame_time) ** 2
    alike = moved & (np.sign(factor)[:, None] * (along / np.maximum(sizes, 1e-12) - 1.0) > _ALIKE * MISSING_FRAME.limit)
    apart = usual - wider
    shift = steps - usual
    shift -= shift.mean(axis=1, keepdims=True)
    skip &= (rest < np.einsum("npi,npi->n", shift, shift)) & (np.einsum("npi,npi->n", apart, apart) < _STEADY**2 * size)
    missing = skip & (moved.sum(axis=1) >= _MOST * places.shape[1]) & (alike.sum(axis=1) >= _MOST * moved.sum(axis=1))
    pad = (4, len(places) - len(steps) - 4)
    return np.pad(np.abs(factor), pad), np.pad(missing, pad)


def _measure_landings(places: Array, frame_time: float) -> tuple[Array, NDArray[np.bool_]]:
    """Return how fast parts brake (m/s^2), and where they do so to stop near the lowest place; both (frames, parts)."""
    steps = np.diff(places, axis=0) / frame_time
    speeds, brake = lengths(steps), lengths(np.diff(steps, axis=0)) / frame_time
    around = 2 * round(0.15 / frame_time) + 1
    low = places[..., 2] < minimum_filter1d(places[..., 2], around, axis=0, mode="nearest") + _LOW
    toward = np.einsum("npi,npi->np", steps[:-2], steps[1:-1])
    stops = (speeds[2:] < _STOPPED * speeds[1:-1]) & (toward > _MOVING * speeds[1:-1] ** 2) & low[2:-1]
    return np.pad(brake, ((1, 1), (0, 0))), np.pad(stops, ((2, 1), (0, 0)))


def _widen(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return a mask (frames,) that is True from `reach` frames before to as many after."""
    return np.convolve(mask, np.ones(2 * reach + 1), mode="same") > 0.5


def _merge(found: list[Finding]) -> list[Finding]:
    """Return findings with those of one limb at one time as one, of the limb's worst part."""
    out: list[Finding] = []
    for new in found:
        for n, old in enumerate(out):
            if _is_same(new, old) and new.limbs == old.limbs and new.part != "body" != old.part:
                worse = new if new.value > SLACK * old.value else old
                out[n] = replace(worse, start=min(new.start, old.start), end=max(new.end, old.end))
                break
        else:
            out.append(new)
    return out


def _join_limbs(found: list[Finding]) -> list[Finding]:
    """Return findings with those of the trunk and of several limbs at one time as one of the body."""
    left, out = list(found), []
    while left:
        new = left.pop(0)
        same = [one for one in left if _is_same(one, new)]
        chains = {one.limbs for one in (new, *same)}
        if frozenset() in chains and len(chains) >= _BODY:
            left = [one for one in left if one not in same]
            every = [new, *same]
            start, end = min(one.start for one in every), max(one.end for one in every)
            new = replace(new, part="body", start=start, end=end, value=max(one.value for one in every))
        out.append(new)
    return out


def _is_same(one: Finding, other: Finding) -> bool:
    return one.kind.name == other.kind.name and one.is_near(other, _STEP)
