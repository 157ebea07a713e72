"""Find speeds, accelerations, turns and powers that nobody reaches in that kind of motion.

What a body can do depends on what it does. A foot of a walker is hardly faster than twice the walk; one that kicks is,
but then the pelvis turns with it. Who jumps, tumbles or falls moves faster than who is carried by a foot.
Power is that of the whole body: the rate of the energy of its segments. That of joints depends on forces that a motion
does not show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from gambol.assumptions import GRAVITY
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, cross, lengths, unit_vectors
from gambol.judge.curves import average, find_beyond
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.stances import find_support
from gambol.stages.feet import SIDES
from gambol.stages.flight import MASS_SHARES

_RECORDED = "not reached in 67 recordings of walks, runs, jumps, kicks, falls and tumbles"
FAST_LIMB = FindingKind("fast_limb", "moves, seen from the trunk, at", "m/s", 4.2, _RECORDED)
HARD_SWING = FindingKind("hard_swing", "is accelerated for 0.1 s by", "m/s²", 46.0, _RECORDED)
FAST_JOINT = FindingKind("fast_joint", "bends or straightens at", "degrees/s", 1150.0, _RECORDED)
FAST_TURN = FindingKind("fast_turn", "turns at", "degrees/s", 400.0, _RECORDED)
HARD_PUSH = FindingKind("hard_push", "is accelerated for 0.1 s by", "m/s²", 16.0, _RECORDED)
TRUNK_WHIP = FindingKind("trunk_whip", "leans, and is back within half a second, by", "degrees", 10.5, _RECORDED)
TRUNK_TWIST = FindingKind(
    "trunk_twist", "turns, and is back within half a second, by", "degrees", 14.5,
    "67 recordings: beyond it, by a fifth, only somebody who is pulled about and somebody who stalks",
)  # fmt: skip
HIGH_POWER = FindingKind(
    "high_power", "gains energy for 0.1 s at", "W/kg", 11.0,
    "72 recordings: at most 9.6 in bodies that a foot carries, 47 in jumps and 154 in one somersault",
)  # fmt: skip


class _Limit(NamedTuple):
    """Limits of a quantity in two kinds of motion."""

    carried: float
    """While a foot carries an upright body."""
    wild: float
    """Within `_BESIDE` of a flight, a fall or a trunk that is far from upright."""


_LIMBS = {"foot": ("pelvis", _Limit(4.2, 6.0), 1.0), "hand": ("chest", _Limit(6.0, 10.0), 0.0)}
"""Part from which a limb is seen, its speeds (m/s) in a body at rest, and what is added for the speed of travel."""
_PER_TURN, _SLOW_TURN, _FAST_TURN = 0.025, 100.0, 400.0
"""Speed of limbs (m/s) per turning rate (degrees/s) of the pelvis between two rates: kicks and throws turn it."""
_RISE = 11.0
"""Acceleration (m/s²) over `_BRIEF` per limit of speed (m/s): the top speed is not reached in less than 0.09 s."""
_JOINTS = {
    "knee": (("thigh", "shank", "foot"), _Limit(1150.0, 2000.0)),
    "elbow": (("upper_arm", "forearm", "hand"), _Limit(1200.0, 2000.0)),
}
"""Bones above and below a joint, and its rates (degrees/s)."""
_TURNS = {"pelvis": _Limit(400.0, 900.0), "chest": _Limit(400.0, 950.0), "head": _Limit(650.0, 1300.0)}
"""Turning rates (degrees/s) in the world."""
_PUSHES = _Limit(16.0, 45.0)
"""Accelerations (m/s²) of the pelvis."""
_POWER = _Limit(11.0, 50.0)
"""Powers (W/kg) of the whole body; people who jump as high as they can reach 50 to 70 as they push off."""
_LEANS = {"chest": _Limit(10.5, 22.0), "pelvis": _Limit(16.5, 19.0)}
_TWISTS = {"chest": _Limit(14.5, 22.0), "pelvis": _Limit(16.0, 22.0)}
"""Whips (degrees) about horizontal axes and about the vertical."""
_BENT, _PER_TILT = 12.0, 0.9
"""Tilt (degrees) of a trunk from which a body that flies may lean and come back by more, and by how much per degree."""
_WHIPS = (0.15, 0.2, 0.25)
"""Times (s) there, and as long back."""
_ROUNDING = 1e-6
"""Share of a frame."""
_TILTED = 60.0
"""Degrees from upright beyond which a trunk is of a body that tumbles, climbs or lies."""
_BESIDE, _TOGETHER = 0.5, 0.25
"""Seconds before and after such a moment, and before and after a turn of the pelvis."""
_FEWEST = 8
"""Frames of a motion that is looked at."""
_SMOOTH, _BRIEF, _TRAVEL = 0.05, 0.1, 1.0
"""Seconds over which velocities, accelerations and travel are averaged."""


class _Activity(NamedTuple):
    """What a body does in every frame."""

    wild: NDArray[np.bool_]
    """(frames,) whether it flies, falls or tumbles."""
    travel: Array
    """(frames,) speed (m/s) along the floor."""
    turn: Array
    """(frames,) turning rate (degrees/s) of the pelvis."""
    tilt: Array
    """(frames,) degrees from the vertical to the trunk, averaged as the travel is."""

    def choose(self, limit: _Limit) -> Array:
        """Return the limit (frames,) that applies."""
        return np.where(self.wild, limit.wild, limit.carried)


def find_beyond_limits(seen: SeenPerson) -> list[Finding]:
    """Return movements that are faster or harder than those of people."""
    activity = _measure_activity(seen)
    if activity is None:
        return []
    checks = (_check_limbs, _check_joints, _check_turns, _check_trunk, _check_power)
    return [one for check in checks for one in check(seen, activity)]


def _measure_activity(seen: SeenPerson) -> _Activity | None:
    """Return what a body does; None without a neck or head, or in a moment."""
    step = seen.frame_time
    top = next((seen.places[part] for part in ("neck", "head", "chest") if part in seen.places), None)
    if top is None or len(seen) < _FEWEST:
        return None
    trunk = unit_vectors(top - 0.5 * (seen.places["left_thigh"] + seen.places["right_thigh"]))
    tilt = np.degrees(np.arccos(np.clip(trunk[:, 2], -1.0, 1.0)))
    wild = find_support(seen).falling | (tilt > _TILTED)
    travel = average(_find_velocity(seen.places["pelvis"], step)[:, :2], step, _TRAVEL)
    turn = _widen(_measure_rate(seen.rotations["pelvis"], step), step, _TOGETHER)
    return _Activity(_widen(wild, step, _BESIDE), lengths(travel), turn, average(tilt, step, _TRAVEL))


def _check_limbs(seen: SeenPerson, activity: _Activity) -> Iterator[Finding]:
    step = seen.frame_time
    turning = _PER_TURN * (np.clip(activity.turn, _SLOW_TURN, _FAST_TURN) - _SLOW_TURN)
    for limb, (origin, limit, per_travel) in _LIMBS.items():
        fastest = activity.choose(limit) + turning + per_travel * activity.travel
        for part in (f"{side}_{limb}" for side in SIDES):
            if {part, origin} <= seen.places.keys():
                velocity = _find_velocity(seen.places[part] - seen.places[origin], step)
                yield from find_beyond(FAST_LIMB, part, lengths(velocity), fastest, step)
                yield from find_beyond(HARD_SWING, part, _measure_change(velocity, step), _RISE * fastest, step)


def _check_joints(seen: SeenPerson, activity: _Activity) -> Iterator[Finding]:
    step = seen.frame_time
    for joint, (bones, limit) in _JOINTS.items():
        for side in SIDES:
            parts = [f"{side}_{bone}" for bone in bones]
            if set(parts) <= seen.places.keys():
                upper, middle, end = (seen.places[part] for part in parts)
                above, below = middle - upper, end - middle
                bend = np.arctan2(lengths(cross(above, below)), np.sum(above * below, axis=1))
                rate = np.degrees(np.abs(_find_velocity(bend, step)))
                yield from find_beyond(FAST_JOINT, f"{side}_{joint}", rate, activity.choose(limit), step)


def _check_turns(seen: SeenPerson, activity: _Activity) -> Iterator[Finding]:
    for part, limit in _TURNS.items():
        if part in seen.rotations:
            rate = _measure_rate(seen.rotations[part], seen.frame_time)
            yield from find_beyond(FAST_TURN, part, rate, activity.choose(limit), seen.frame_time)


def _check_trunk(seen: SeenPerson, activity: _Activity) -> Iterator[Finding]:
    step = seen.frame_time
    push = _measure_change(_find_velocity(seen.places["pelvis"], step), step)
    yield from find_beyond(HARD_PUSH, "pelvis", push, activity.choose(_PUSHES), step)
    bent = np.where(activity.wild, _PER_TILT * np.maximum(activity.tilt - _BENT, 0.0), 0.0)
    for part in (part for part in _LEANS if part in seen.rotations):
        leans, twists = _measure_whips(seen.rotations[part], step)
        yield from find_beyond(TRUNK_WHIP, part, leans, activity.choose(_LEANS[part]) + bent, step)
        yield from find_beyond(TRUNK_TWIST, part, twists, activity.choose(_TWISTS[part]), step)


def _check_power(seen: SeenPerson, activity: _Activity) -> Iterator[Finding]:
    step = seen.frame_time
    known = [part for part in MASS_SHARES if part in seen.places]
    places = np.stack([seen.places[part] for part in known], axis=1)
    energy = 0.5 * np.sum(_find_velocity(places, step) ** 2, axis=2) + GRAVITY * places[..., 2]
    per_mass = np.average(energy, axis=1, weights=[MASS_SHARES[part] for part in known])
    power = average(np.gradient(per_mass, step), step, _BRIEF)
    yield from find_beyond(HIGH_POWER, "body", _clear_ends(power, step), activity.choose(_POWER), step)


def _measure_whips(rotations: Array, step: float) -> tuple[Array, Array]:
    """Return how far (frames,) in degrees rotations (frames, 4) go out and come back around each frame.

    First about horizontal axes, then about the vertical: the way along the bisector of there and back, and the smaller
    of both. Turns are added up, so that one of more than half a circle does not seem to come back.
    """
    turned = average(np.cumsum(_find_turns(rotations), axis=0), step, _SMOOTH)
    out = np.zeros((2, len(turned)))
    for reach in {max(1, int(seconds / step + _ROUNDING)) for seconds in _WHIPS}:
        if len(turned) > 2 * reach:
            there, back = (turned[reach:-reach] - one for one in (turned[: -2 * reach], turned[2 * reach :]))
            for n, axes in enumerate((1.0 - UP, UP)):
                along = unit_vectors(axes * (there + back))
                way = np.minimum(np.sum(there * along, axis=1), np.sum(back * along, axis=1))
                out[n, reach:-reach] = np.maximum(out[n, reach:-reach], way)
    leans, twists = np.degrees(out)
    return leans, twists


def _measure_change(velocity: Array, step: float) -> Array:
    """Return the acceleration (frames,) of velocities (frames, 3) over `_BRIEF`; zero where that is cut by the ends."""
    return _clear_ends(lengths(average(np.gradient(velocity, step, axis=0), step, _BRIEF)), step)


def _clear_ends(values: Array, step: float) -> Array:
    """Return values (frames,) with zeros where averages over `_BRIEF` are cut by the ends."""
    inner = np.minimum(np.arange(len(values)), np.arange(len(values))[::-1]) >= round(_BRIEF / step)
    return np.where(inner, values, 0.0)


def _measure_rate(rotations: Array, step: float) -> Array:
    """Return how fast (degrees/s) rotations (frames, 4) turn."""
    return np.asarray(np.degrees(lengths(average(_find_turns(rotations), step, _SMOOTH))) / step)


def _find_turns(rotations: Array) -> Array:
    """Return the rotation vectors (frames, 3) from the frame before; zero in the first."""
    turns = quat.log(quat.multiply(rotations[1:], quat.conjugate(rotations[:-1])))
    return np.concatenate((np.zeros((1, 3)), turns))


def _find_velocity(values: Array, step: float) -> Array:
    return average(np.gradient(values, step, axis=0), step, _SMOOTH)


def _widen(values: Array | NDArray[np.bool_], step: float, seconds: float) -> NDArray[Any]:
    """Return the largest value within a time before and after each frame."""
    return np.asarray(maximum_filter1d(values, 2 * round(seconds / step) + 1, mode="nearest"))
