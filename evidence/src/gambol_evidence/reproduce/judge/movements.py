"""Damage how a recording moves, by root and joint angles: flung limbs, leans, hard landings, shuffles, turns.

Each is as large as people notice, at a time at which it can be seen, as those of `damages`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP, cross, lengths, unit_vectors
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.judge.damages import (
    Damaged,
    damage_all,
    find_inner_frames,
    locate_damage,
    shift_root,
    turn_parts,
)
from gambol_evidence.reproduce.judge.moments import Window, draw_window, find_standing, measure_speeds, track_joint

_FLUNG, _FLING = 8.0, 0.3
"""Speed (m/s) of a hand or foot that is flung, beside its own, and seconds there and back."""
_WHIP, _WHIPPED = 16.0, 0.45
"""Degrees that a trunk leans, and seconds there and back."""
_SWAY, _SWAYED = 15.0, 0.8
"""Degrees that a body leans sideways over feet that stand, and seconds there and back."""
_LEAN, _LASTS = 12.0, 2.0
"""Degrees that a body leans sideways throughout, and seconds of the shortest clip in which it is seen to."""
_STOP, _LATE = 3.3, 0.1
"""Speed (m/s) at which a foot comes down until it lands, and seconds for which it does."""
_GLIDE, _GLIDING = 2.5, 0.6
"""Speed (m/s) at which a body that stands glides, and seconds."""
_BESIDE, _INWARD, _THROUGH = 0.06, 0.15, 0.25
"""Metres beyond the other ankle to which a leg is turned, seconds in which it is, and from the pass to both ends."""
_SHUFFLE, _SHUFFLED = 0.25, 1.2
"""Mean speed (m/s) of a foot that shuffles, and seconds."""
_SPIN, _SPUN = 70.0, 0.8
"""Degrees that a body turns on feet that do not step, and seconds."""
_BENT = 35.0
"""Degrees that an elbow bends sideways."""
_SHUFFLES_PER_SECOND = 1.5
_RUNS, _STRIDES, _RESTS = 2.0, 1.4, 0.15
"""Speeds (m/s) of the pelvis from which a body runs, from which it strides, and below which it stays."""
_WALKS = 0.5
"""Speed (m/s) of the pelvis from which feet are one after the other, not wide apart."""
_PASSING, _SWINGING = 0.1, 0.8
"""Metres ahead of the other ankle, and speed (m/s), of one that swings past it."""


def fling_limb(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Swing an arm or leg ahead and back so that its end is faster by 8 m/s, in somebody who stands or walks."""
    side, (end, top, limb) = (
        random.choice(SIDES),
        (("hand", "upper_arm", "arm"), ("foot", "thigh", "leg"))[int(random.integers(2))],
    )
    window = draw_window(_find_carried(motion), _count(motion, _FLING), random)
    if window is None:
        return None
    reach = lengths(track_joint(motion, f"{side}_{end}") - track_joint(motion, f"{side}_{top}"))[window.frames].mean()
    angle = -_FLUNG * _FLING / (np.pi * reach) * _bump(window)
    flung = turn_parts(
        motion, window, {f"{side}_{top}": quat.from_axis_angle(_find_left(motion)[window.frames], angle)}
    )
    return locate_damage(flung, frozenset([f"{side}_{limb}"]), window)


def whip_trunk(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Lean the trunk by 16 degrees in some direction and back, within half a second."""
    window = draw_window(_find_carried(motion), _count(motion, _WHIPPED), random)
    if window is None:
        return None
    angle = random.uniform(0.0, 2.0 * np.pi)
    axis = np.array([np.cos(angle), np.sin(angle), 0.0])
    whipped = turn_parts(motion, window, {"spine": quat.from_axis_angle(axis, np.radians(_WHIP) * _bump(window))})
    return locate_damage(whipped, frozenset(), window)


def sway_body(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Lean the body sideways by 15 degrees about its ankles and back; feet do what they did."""
    window = draw_window(_find_carried(motion), _count(motion, _SWAYED), random)
    if window is None:
        return None
    return locate_damage(
        _lean(motion, window, float(random.choice([-1.0, 1.0])) * _SWAY * _bump(window)), frozenset(), window
    )


def lean_throughout(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Lean the body sideways by 12 degrees about its ankles, from the first frame to the last."""
    walks = measure_speeds(track_joint(motion, "pelvis"), motion.frame_time) > _WALKS
    if motion.duration < _LASTS or walks.mean() < 0.5:
        return None
    whole = Window(0, len(motion) - 1)
    return damage_all(_lean(motion, whole, np.full(len(motion), float(random.choice([-1.0, 1.0])) * _LEAN)))


def stop_dead(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Bring a foot down late: it comes back from ahead at 3.3 m/s, and stops in the frame in which it lands."""
    side, late = str(random.choice(SIDES)), _count(motion, _LATE)
    standing = find_standing(motion)[side]
    landings = np.flatnonzero(standing[1:] & ~standing[:-1]) + 1
    landings = landings[(landings > 4 * late) & (landings < len(motion) - late)]
    if not len(landings):
        return None
    frame = int(random.choice(landings))
    window = Window(frame - 3 * late, frame)
    left = (frame - np.arange(window.first, frame + 1)) * motion.frame_time
    ahead = (
        _STOP
        * np.minimum(left, late * motion.frame_time)
        * smoothstep(np.clip((left[0] - left) / (left[0] / 3.0), 0, 1))
    )
    leg = lengths(track_joint(motion, f"{side}_foot") - track_joint(motion, f"{side}_thigh"))[window.frames]
    turns = {f"{side}_thigh": quat.from_axis_angle(_find_left(motion)[window.frames], -ahead / leg)}
    return locate_damage(turn_parts(motion, window, turns), frozenset([f"{side}_leg"]), Window(frame - 1, frame))


def glide(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Carry a body that stands or walks over the floor at 2.5 m/s for 0.6 s, in some direction."""
    window = draw_window(_find_carried(motion), _count(motion, _GLIDING), random)
    if window is None:
        return None
    angle = random.uniform(0.0, 2.0 * np.pi)
    share = np.clip((np.arange(len(motion)) - window.first) * motion.frame_time, 0.0, _GLIDING)
    carried = shift_root(motion, np.outer(_GLIDE * share, [np.cos(angle), np.sin(angle), 0.0]))
    return locate_damage(carried, frozenset(), window)


def swing_through_leg(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Turn a leg that swings past the other inward, so that it goes through the one that stands."""
    side, other = (str(one) for one in random.permutation(SIDES))
    ankle, beside = track_joint(motion, f"{side}_foot"), track_joint(motion, f"{other}_foot")
    left = _find_left(motion)
    apart = np.sum((ankle - beside) * left, axis=1)
    ahead = np.sum((ankle - beside) * cross(left, np.broadcast_to(UP, left.shape)), axis=1)
    passing = (np.abs(ahead) < _PASSING) & (measure_speeds(ankle, motion.frame_time) > _SWINGING)
    outside = apart * (1.0 if side == "left" else -1.0) > 0.0
    middle = draw_window(passing & outside & find_standing(motion)[other] & find_inner_frames(motion), 1, random)
    if middle is None:
        return None
    half, edge = _count(motion, _THROUGH), _count(motion, _INWARD)
    window = Window(max(middle.first - half, 0), min(middle.first + half, len(motion) - 1))
    hip = track_joint(motion, f"{side}_thigh")[middle.first]
    way = np.abs(apart[middle.first]) + _BESIDE
    angle = np.arcsin(np.clip(way / np.linalg.norm(ankle[middle.first] - hip), 0.0, 0.9))
    sign = -1.0 if side == "left" else 1.0
    forward = cross(left, np.broadcast_to(UP, left.shape))[window.frames]
    near = np.minimum(
        np.arange(window.first, window.last + 1) - window.first, window.last - np.arange(window.first, window.last + 1)
    )
    turns = quat.from_axis_angle(forward, sign * angle * smoothstep(np.clip(near / edge, 0.0, 1.0)))
    return locate_damage(turn_parts(motion, window, {f"{side}_thigh": turns}), frozenset([f"{side}_leg"]), window)


def shuffle_foot(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Swing one leg of somebody who waits to and fro at the hip, with the foot on the floor."""
    side = str(random.choice(SIDES))
    window = draw_window(_find_waiting(motion), _count(motion, _SHUFFLED), random)
    if window is None:
        return None
    t = (np.arange(window.first, window.last + 1) - window.first) * motion.frame_time
    leg = lengths(track_joint(motion, f"{side}_foot") - track_joint(motion, f"{side}_thigh"))[window.frames]
    way = _SHUFFLE / (4.0 * _SHUFFLES_PER_SECOND) * np.sin(2.0 * np.pi * _SHUFFLES_PER_SECOND * t)
    turns = quat.from_axis_angle(_find_left(motion)[window.frames], way / leg)
    upright = np.broadcast_to(quat.IDENTITY, turns.shape)
    shuffled = turn_parts(motion, window, {f"{side}_thigh": turns, f"{side}_foot": upright})
    return locate_damage(shuffled, frozenset([f"{side}_leg"]), window)


def spin_on_spot(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Turn somebody who waits by 70 degrees about the pelvis, with the feet as they stand; it stays so."""
    window = draw_window(_find_waiting(motion), _count(motion, _SPUN), random)
    if window is None:
        return None
    share = np.clip((np.arange(len(motion)) - window.first) / (window.last - window.first), 0.0, 1.0)
    angle = float(random.choice([-1.0, 1.0])) * np.radians(_SPIN) * smoothstep(share)
    turns = quat.from_axis_angle(np.broadcast_to(UP, (len(motion), 3)), angle)
    about = np.repeat(track_joint(motion, "pelvis")[[window.first]], len(motion), axis=0)
    return locate_damage(turn_about(motion, Window(0, len(motion) - 1), turns, about), frozenset(), window)


def bend_elbow_sideways(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Turn a forearm sideways by 35 degrees, out of the plane in which the arm bends, and back."""
    side = str(random.choice(SIDES))
    shoulder, elbow, wrist = (track_joint(motion, f"{side}_{part}") for part in ("upper_arm", "forearm", "hand"))
    hinge = cross(unit_vectors(elbow - shoulder), unit_vectors(wrist - elbow))
    window = draw_window((lengths(hinge) > 0.35) & find_inner_frames(motion), _count(motion, 0.4), random)
    if window is None:
        return None
    about = unit_vectors(cross(hinge, wrist - elbow))[window.frames]
    turns = {f"{side}_forearm": quat.from_axis_angle(about, np.radians(_BENT) * _bump(window))}
    return locate_damage(turn_parts(motion, window, turns), frozenset([f"{side}_arm"]), window)


def hurry(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Play half a second of somebody who travels at twice its speed."""
    fast = measure_speeds(track_joint(motion, "pelvis"), motion.frame_time) > _STRIDES
    window = draw_window(fast & find_inner_frames(motion), 2 * _count(motion, 0.25), random)
    if window is None:
        return None
    kept = np.r_[: window.first, window.first : window.last : 2, window.last : len(motion)]
    skipped = (window.last - window.first) // 2
    return locate_damage(replace(motion, q=motion.q[kept]), frozenset(), Window(window.first, window.last - skipped))


def _lean(motion: Motion, window: Window, degrees: Array) -> Motion:
    """Lean a body to the right by angles (frames of the window,) about the middle of the ankles; feet stay level."""
    left = _find_left(motion)[window.frames]
    turns = quat.from_axis_angle(cross(left, np.broadcast_to(UP, left.shape)), np.radians(degrees))
    middle = 0.5 * (track_joint(motion, "left_foot") + track_joint(motion, "right_foot"))
    upright = np.broadcast_to(quat.IDENTITY, turns.shape)
    return turn_about(motion, window, turns, middle[window.frames], {f"{side}_foot": upright for side in SIDES})


def turn_about(
    motion: Motion, window: Window, turns: Array, about: Array, others: dict[str, Array] | None = None
) -> Motion:
    """Turn the body about places (frames of the window, 3); other parts as given."""
    turned = turn_parts(motion, window, {"pelvis": turns, **(others or {})})
    offset = np.zeros((len(motion), 3))
    arm = motion.placement.positions[window.frames, 0] - about
    offset[window.frames] = quat.rotate(turns, arm) - arm
    return shift_root(turned, offset)


def _find_carried(motion: Motion) -> NDArray[np.bool_]:
    """Return (frames,) whether a foot stands, or is about to, of a body that does not run."""
    speed = measure_speeds(track_joint(motion, "pelvis"), motion.frame_time)
    standing = np.any(list(find_standing(motion).values()), axis=0)
    return np.asarray(find_inner_frames(motion) & (speed < _RUNS) & (standing | (speed < _RESTS)))


def _find_waiting(motion: Motion) -> NDArray[np.bool_]:
    """Return (frames,) whether both feet stand and the pelvis stays."""
    speed = measure_speeds(track_joint(motion, "pelvis"), motion.frame_time)
    return np.asarray(
        np.all(list(find_standing(motion).values()), axis=0) & (speed < _RESTS) & find_inner_frames(motion)
    )


def _find_left(motion: Motion) -> Array:
    """Return the horizontal unit vectors (frames, 3) from the right to the left hip."""
    return unit_vectors((track_joint(motion, "left_thigh") - track_joint(motion, "right_thigh")) * (1.0 - UP))


def _count(motion: Motion, seconds: float) -> int:
    return max(2, round(seconds / motion.frame_time))


def _bump(window: Window) -> Array:
    """Return a curve (frames of the window,) from 0 to 1 and back."""
    return np.asarray(np.sin(np.pi * np.linspace(0.0, 1.0, window.last - window.first + 1)) ** 2)
