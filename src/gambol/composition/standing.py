"""Let a walk begin from standing, or end in it: where a foot passes the other, it stays beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.contacts.contact import Contact, touch
from gambol.contacts.views import find_side, list_constraints
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.poses.feet import restore_feet
from gambol.solve.problem import Index
from gambol.spacetime.drawn_poses import pose_from_drawing
from gambol.spacetime.grounded import GroundedMotion
from gambol.stages.feet import SIDES, track_point

_HOLD, _EASE, _SWING = 0.5, 0.7, 0.2
"""Seconds of standing, over which the clip gets to its speed, and between standing and where the foot passes."""
_UPRIGHT = 0.985
"""Height of the pelvis of somebody who stands, relative to straight legs."""


def begin_standing(clip: GroundedMotion, times: Array) -> tuple[GroundedMotion, Array]:
    """Return a motion that begins standing, and the times (s) of the clip it shows, given those of its frames."""
    passing, swing = _find_passings(clip)[0]
    return _stand(clip, times, passing, swing, begins=True)


def end_standing(clip: GroundedMotion, times: Array) -> tuple[GroundedMotion, Array]:
    """Return a motion that ends standing, and the times (s) of the clip it shows, given those of its frames."""
    passing, swing = _find_passings(clip)[-1]
    return _stand(clip, times, passing, swing, begins=False)


def _find_passings(clip: GroundedMotion) -> list[tuple[int, str]]:
    """Return the frames in which a foot passes the other, and its side."""
    motion = clip.motion
    index, places = motion.skeleton.index, motion.placement.positions
    across = places[:, index("left_thigh")] - places[:, index("right_thigh")]
    ahead = np.stack([across[:, 1], -across[:, 0]], axis=-1)
    lead = np.sum((places[:, index("left_foot")] - places[:, index("right_foot")])[:, :2] * ahead, axis=1)
    found = []
    for frame in np.flatnonzero(np.diff(np.sign(lead)) != 0):
        down = {find_side(one) for one in clip.stances if one.first <= frame <= one.last}
        if len(down) == 1:
            found.append((int(frame), SIDES[1 - SIDES.index(down.pop())]))
    if not found:
        raise InputError(
            "no foot passes the other, so nobody can begin or end standing there",
            file=motion.name,
            fix="give more steps of a walk or a run, or leave out 'begins' and 'ends'",
        )
    return found


def _stand(clip: GroundedMotion, times: Array, passing: int, swing: str, begins: bool) -> tuple[GroundedMotion, Array]:
    step = clip.motion.frame_time
    hold, ease = round(_HOLD / step), round(_EASE / step)
    # Frames of the clip that are shown: it gets to its speed over `ease` frames, in which it gains half of them.
    eased = 0.5 * np.arange(ease) ** 2 / ease
    if begins:
        rest = np.arange(passing + 0.5 * ease, len(clip.motion) - 1 + 1e-6)
        frames = np.concatenate((np.full(hold, float(passing)), passing + eased, rest))
        still = np.arange(hold)
    else:
        rest = np.arange(passing - 0.5 * ease, -1e-6, -1.0)[::-1]
        frames = np.concatenate((rest, (passing - eased)[::-1], np.full(hold, float(passing))))
        still = np.arange(len(frames) - hold, len(frames))
    sampled = clip.sample(frames * step, step)
    contacts = _keep_feet(clip, sampled, passing, swing, still, begins)
    grounded = sampled.replan(sampled.motion, contacts)
    q = _pose(grounded, still, begins, round(_SWING / step))
    constraints = [one for one in list_constraints(grounded.contacts) if one.body.endswith("foot")]
    q = restore_feet(grounded.character, q, constraints)
    shown = np.interp(frames, np.arange(len(times)), times)
    return grounded.replan(replace(grounded.motion, q=q), contacts), shown


def _keep_feet(
    clip: GroundedMotion, sampled: GroundedMotion, passing: int, swing: str, still: Index, begins: bool
) -> list[Contact]:
    """Return the contacts with both feet on the ground while the person stands, the swinging one beside the other."""
    step, frames = clip.motion.frame_time, len(sampled.motion)
    stance = SIDES[1 - SIDES.index(swing)]
    edge = round(_SWING / step)
    span = (0, int(still[-1]) - edge) if begins else (int(still[0]) + edge, frames - 1)
    whole = (0, int(still[-1])) if begins else (int(still[0]), frames - 1)
    out = [
        one
        for one in sampled.contacts.items
        if one.part not in (f"{stance}_heel", f"{stance}_ball") or one.first > whole[1] or one.last < whole[0]
    ]
    floor = clip.contacts.floor
    for side, (first, last) in ((stance, whole), (swing, span)):
        ends = {point.name.rpartition("_")[2]: point for point in clip.contacts.points if point.name.startswith(side)}
        tracks = {end: track_point(clip.motion, ends[end])[passing] for end in ("heel", "ball")}
        forward = (tracks["ball"] - tracks["heel"]) * [1.0, 1.0, 0.0]
        forward /= np.linalg.norm(forward)
        length = float(np.linalg.norm(ends["ball"].point - ends["heel"].point))
        kept = [one for one in sampled.contacts.items if one.part == f"{side}_ball"]
        near = [one for one in kept if one.first <= whole[1] and one.last >= whole[0]]
        ball = near[0].place if side == stance and near else tracks["ball"]
        heel = ball - length * forward
        for end, place in (("heel", heel), ("ball", ball)):
            later = [one for one in sampled.contacts.items if one.part == f"{side}_{end}"]
            reach = [one for one in later if side == stance and one.first <= last and one.last >= first]
            begin = min([first, *(one.first for one in reach)])
            until = max([last, *(one.last for one in reach)])
            on_floor = np.append(place[:2], floor.at(place))
            out.append(touch(ends[end], on_floor, begin, until, forward=forward))
    return sorted(out, key=lambda one: one.first)


def _pose(clip: GroundedMotion, still: Index, begins: bool, swing: int) -> Array:
    """Return coordinates (frames, dofs) that pass smoothly from standing to the motion, or back."""
    q = clip.motion.q
    stand = _standing_pose(clip, still)
    away = (still[-1] - np.arange(len(q))) if begins else (np.arange(len(q)) - still[0])
    share = smoothstep(np.clip((away + 0.5 * swing) / (1.5 * swing), 0.0, 1.0))
    return np.asarray(q + share[:, None] * (stand - q))


def _standing_pose(clip: GroundedMotion, still: Index) -> Array:
    """Return the coordinates (dofs,) of standing on both feet: the mean upper body of the clip on straight legs."""
    character, motion = clip.character, clip.motion
    skeleton = character.skeleton
    drawn = pose_from_drawing(character, "stand")
    q = np.median(motion.q, axis=0)
    legs = [n for n, dof in enumerate(skeleton.dofs) if skeleton.names[dof.joint].endswith(("thigh", "shank", "foot"))]
    q[legs] = drawn[legs]
    slides, turns = skeleton.columns(0, "slide"), skeleton.columns(0, "turn")
    q[turns] = motion.q[still[0], turns]
    feet = [one.place for one in clip.contacts.items if one.first <= still[0] <= one.last]
    feet += [one.place for one in clip.contacts.items if one.first <= still[-1] <= one.last]
    middle = np.mean(feet, axis=0)
    height = drawn[slides[2]] * _UPRIGHT + middle[2]
    axes = np.array([skeleton.dofs[column].axis for column in slides])
    q[slides] = (np.append(middle[:2], height) - skeleton.offsets[0]) @ axes.T
    return q
