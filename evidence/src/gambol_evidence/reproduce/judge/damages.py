"""Damage recordings at one place, by root and joint angles: slides, floats, pops, knees, arms, frames, tempo.

Each is as large as people notice, at a time at which it can be seen, and says where it is. A damage returns None for a
clip that has no such time, such as a slide where nobody stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.filters import low_pass, smoothstep
from gambol.geometry.vectors import lengths, unit_vectors
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import Placement, local_frames, place_local
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.judge.moments import (
    Window,
    draw_window,
    find_standing,
    list_level_stances,
    measure_knee_flexion,
    measure_speeds,
    measure_swing,
    name_standing_legs,
    track_joint,
)

SIZE = 0.04
"""Metres that a foot slides, floats or sinks."""
POP_SIZE = 0.05
"""Metres that a hand or foot is beside its place, in one frame."""
_MARGIN = 0.2
"""Seconds at both ends of a clip without damages."""
_BLEND = 0.15
"""Seconds in which the body rises or sinks before a stance, and comes back after."""
_STANCE, _LONGEST = 0.2, 0.6
"""Seconds of the shortest stance that floats, and of the longest part of one."""
_BENT = 25.0
"""Flexion (degrees) from which a knee that is flipped is seen."""
_FLIPPED = (0.1, 0.4)
"""Seconds that a knee is flipped."""
_INTO, _INSIDE = 0.25, 0.2
"""Seconds in which an arm moves into the trunk, or out of it, and in which it stays."""
_MOVING = 0.5
"""Speed (m/s) of the pelvis from which a missing frame is seen."""
_SWINGING = 0.2
"""Metres that a hand moves before the chest in clips in which frozen arms are seen."""
_CUTOFF = 3.0
"""Hz above which nothing is left of a smoothed clip."""
_SLOWER = 1.05
_LIMBS = {"hand": ("arm", "upper_arm"), "foot": ("leg", "thigh")}
"""Limb of each end, and the part at whose joint it is turned."""


class Damaged(NamedTuple):
    """A damaged clip, and where the damage is."""

    motion: Motion
    limbs: frozenset[str]
    """Limbs of which one is at fault, such as left_leg; empty for the whole body."""
    start: float
    end: float
    """Seconds."""


LocalDamage = Callable[[Motion, np.random.Generator], Damaged | None]


def slide_stance(motion: Motion, random: np.random.Generator, seconds: float) -> Damaged | None:
    """Carry the body 4 cm along the floor, in a random direction, while a foot stands; it stays there."""
    count = round(seconds / motion.frame_time) + 1
    standing = find_standing(motion)
    windows = (draw_window(standing[str(side)], count, random) for side in random.permutation(SIDES))
    window = next((one for one in windows if one is not None), None)
    if window is None:
        return None
    angle = random.uniform(0.0, 2.0 * np.pi)
    way = smoothstep(np.clip((np.arange(len(motion)) - window.first) / (count - 1), 0.0, 1.0))
    moved = shift_root(motion, np.outer(SIZE * way, [np.cos(angle), np.sin(angle), 0.0]))
    return locate_damage(moved, name_standing_legs(motion, window), window)


def lift_stance(motion: Motion, random: np.random.Generator, height: float = SIZE) -> Damaged | None:
    """Raise the body by 4 cm for a stance on level ground; with a negative height, sink it."""
    stances = list_level_stances(motion, _STANCE)
    if not stances:
        return None
    stance = stances[int(random.integers(len(stances)))]
    spare = stance.last - stance.first - round(_LONGEST / motion.frame_time)
    if spare > 0:
        first = stance.first + int(random.integers(spare + 1))
        stance = Window(first, first + round(_LONGEST / motion.frame_time))
    frames, reach = np.arange(len(motion)), round(_BLEND / motion.frame_time)
    away = np.maximum(np.maximum(stance.first - frames, frames - stance.last), 0)
    raised = shift_root(motion, np.outer(height * smoothstep(np.clip(1.0 - away / reach, 0.0, 1.0)), [0.0, 0.0, 1.0]))
    return locate_damage(raised, name_standing_legs(motion, stance), stance)


def lift_clip(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Raise the whole clip by 4 cm."""
    return damage_all(shift_root(motion, np.outer(np.full(len(motion), SIZE), [0.0, 0.0, 1.0])))


def pop_limb(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Turn an arm or leg for one frame, so that its end is 5 cm beside its place, which it leaves slowly enough."""
    end = str(random.choice(list(_LIMBS)))
    side = str(random.choice(SIDES))
    limb, top = _LIMBS[end]
    tip = track_joint(motion, f"{side}_{end}")
    slow = measure_speeds(tip, motion.frame_time) * motion.frame_time < 0.5 * POP_SIZE
    window = draw_window(slow & find_inner_frames(motion), 1, random)
    if window is None:
        return None
    bone = (tip - track_joint(motion, f"{side}_{top}"))[window.frames]
    across = unit_vectors(np.cross(bone, random.standard_normal(3)))
    turn = 2.0 * np.arcsin(0.5 * POP_SIZE / lengths(bone))
    popped = turn_parts(motion, window, {f"{side}_{top}": quat.from_axis_angle(across, turn)})
    return locate_damage(popped, frozenset([f"{side}_{limb}"]), window)


def flip_knee(motion: Motion, random: np.random.Generator, backward: bool) -> Damaged | None:
    """Put a bent knee on the other side of the line from hip to ankle, for some frames; the foot keeps its place.

    The thigh either bends the knee backward about its hinge, or is turned by half a turn.
    """
    side = str(random.choice(SIDES))
    bent = (measure_knee_flexion(motion, side) > _BENT) & find_inner_frames(motion)
    longest = max((last - first + 1 for first, last in find_runs(bent)), default=0)
    count = min(longest, round(random.uniform(*_FLIPPED) / motion.frame_time))
    if count * motion.frame_time < _FLIPPED[0] or (window := draw_window(bent, count, random)) is None:
        return None
    hip, knee, ankle = (track_joint(motion, f"{side}_{part}")[window.frames] for part in ("thigh", "shank", "foot"))
    line = unit_vectors(ankle - hip)
    if backward:
        turns = [quat.shortest_arc(bone, _reflect(bone, line)) for bone in (knee - hip, ankle - knee)]
    else:
        turns = [quat.from_axis_angle(line, np.full(len(line), np.pi))] * 2
    upright = np.broadcast_to(quat.IDENTITY, turns[0].shape)
    names = (f"{side}_thigh", f"{side}_shank", f"{side}_foot")
    flipped = turn_parts(motion, window, dict(zip(names, (*turns, upright), strict=True)))
    return locate_damage(flipped, frozenset([f"{side}_leg"]), window)


def push_arm_into_trunk(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Swing an arm at the shoulder until the middle of its forearm is on the axis of the trunk, and back."""
    side = str(random.choice(SIDES))
    into, count = round(_INTO / motion.frame_time), round((2.0 * _INTO + _INSIDE) / motion.frame_time)
    bone, goal, reached = _aim_at_trunk(motion, side)
    window = draw_window(reached, count, random)
    if window is None:
        return None
    frames = np.arange(count)
    share = smoothstep(np.clip(np.minimum(frames, count - 1 - frames) / into, 0.0, 1.0))
    arc = quat.log(quat.shortest_arc(bone[window.frames], goal[window.frames]))
    moved = turn_parts(motion, window, {f"{side}_upper_arm": quat.exp(share[:, None] * arc)})
    return locate_damage(moved, frozenset([f"{side}_arm"]), Window(window.first + into, window.last - into))


def lose_frame(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Leave out one frame while the body moves."""
    moving = measure_speeds(track_joint(motion, "pelvis"), motion.frame_time) > _MOVING
    window = draw_window(moving & find_inner_frames(motion), 1, random)
    if window is None:
        return None
    cut = replace(motion, q=np.delete(motion.q, window.first, axis=0))
    return locate_damage(cut, frozenset(), Window(window.first - 1, window.first))


def freeze_arms(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Keep both arms, hands included, as they are in a random frame."""
    if min(measure_swing(motion, side) for side in SIDES) < _SWINGING:
        return None
    skeleton, parts = motion.skeleton, require_rig(motion).parts
    frozen = {parts[f"{side}_upper_arm"] for side in SIDES}
    for joint, parent in enumerate(skeleton.parents):
        if parent in frozen:
            frozen.add(joint)
    columns = [column for column, dof in enumerate(skeleton.dofs) if dof.joint in frozen]
    q = motion.q.copy()
    q[:, columns] = q[int(random.integers(len(q))), columns]
    return damage_all(replace(motion, q=q), frozenset(f"{side}_arm" for side in SIDES))


def smooth_clip(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Remove everything above 3 Hz from root and joints."""
    local = quat.make_continuous(local_frames(motion.skeleton, motion.q).rotations)
    rotations = quat.normalise(low_pass(local, motion.frame_time, _CUTOFF))
    root = low_pass(motion.placement.positions[:, 0], motion.frame_time, _CUTOFF)
    return damage_all(replace_rotations(motion, rotations, root))


def slow_down(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Play the clip in 5 % more time."""
    return damage_all(replace(motion, frame_time=_SLOWER * motion.frame_time))


def _aim_at_trunk(motion: Motion, side: str) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return from a shoulder to the middle of the forearm, and to the axis of the trunk at that distance (frames, 3).

    The third is whether (frames,) the axis has such a place between hips and shoulders.
    """
    shoulder, elbow, hand = (track_joint(motion, f"{side}_{part}") for part in ("upper_arm", "forearm", "hand"))
    hips, top = (
        0.5 * (track_joint(motion, f"left_{part}") + track_joint(motion, f"right_{part}"))
        for part in ("thigh", "upper_arm")
    )
    bone, down = 0.5 * (elbow + hand) - shoulder, unit_vectors(hips - top)
    across = top - shoulder
    level = across - np.sum(across * down, axis=1, keepdims=True) * down
    deep = np.sum(bone**2, axis=1) - np.sum(level**2, axis=1)
    below = np.sqrt(np.maximum(deep, 0.0)) + np.sum((shoulder - top) * down, axis=1)
    reached = (deep > 0.0) & (below > 0.0) & (below < lengths(hips - top))
    return bone, level + np.sqrt(np.maximum(deep, 0.0))[:, None] * down, reached


def _reflect(bones: Array, line: Array) -> Array:
    return np.asarray(2.0 * np.sum(bones * line, axis=1, keepdims=True) * line - bones)


def find_inner_frames(motion: Motion) -> NDArray[np.bool_]:
    """Return (frames,) whether frames are away from the ends of a clip."""
    return np.asarray((motion.times > _MARGIN) & (motion.times < motion.duration - _MARGIN))


def turn_parts(motion: Motion, window: Window, turns: Mapping[str, Array]) -> Motion:
    """Turn the joints of parts by rotations (frames of the window, 4) of the world; what hangs on them follows.

    The rotation of each of these joints in the world is what it was, turned so: joints above do not add to it.
    """
    skeleton, parts = motion.skeleton, require_rig(motion).parts
    before = motion.placement.rotations
    local = local_frames(skeleton, motion.q)
    rotations = local.rotations.copy()
    for joint, turn in sorted((parts[part], turn) for part, turn in turns.items()):
        turned = quat.multiply(turn, before[window.frames, joint])
        if (parent := skeleton.parents[joint]) >= 0:
            above = place_local(skeleton, Placement(local.positions, rotations)).rotations[window.frames, parent]
            turned = quat.multiply(quat.conjugate(above), turned)
        rotations[window.frames, joint] = turned
    return replace_rotations(motion, rotations)


def shift_root(motion: Motion, offset: Array) -> Motion:
    """Move the root by offsets (frames, 3) in metres."""
    return replace_rotations(motion, None, motion.placement.positions[:, 0] + offset)


def locate_damage(motion: Motion, limbs: frozenset[str], window: Window) -> Damaged:
    return Damaged(motion, limbs, window.first * motion.frame_time, window.last * motion.frame_time)


def damage_all(motion: Motion, limbs: frozenset[str] = frozenset()) -> Damaged:
    return Damaged(motion, limbs, 0.0, motion.duration)
