"""Join two clips on the same rig: two jumps become one clip with two jumps.

The seam is where poses and velocities agree best, between the last flight of the first clip and the first flight of the
second if there are any; seams with both feet down and with the body low are preferred. The second clip is turned and
shifted so that the feet that are down in both clips coincide. Around the seam both clips are blended; elsewhere nothing
changes except for the turn and the shift.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gambol.clips.result import Result
from gambol.contacts.contact import BodyPoint
from gambol.errors import InputError
from gambol.fit.load import Source, as_motion
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, angles_near, whole_turns
from gambol.geometry.arrays import Array, summarise_fields
from gambol.geometry.filters import follow_minimum_jerk
from gambol.motion.cycles import POSE_AHEAD
from gambol.motion.ensemble import as_ensemble
from gambol.motion.free_joints import share_skeleton
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.spacetime.resampling import resample_at
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES, find_foot_points, track_point
from gambol.stages.flight import drop_supported_flights, find_stages

Frames = NDArray[np.intp]
SeamTime = float | tuple[float, float]
"""When a clip is left or entered (s), or the earliest and the latest time."""

BLEND = 0.3
"""Seconds over which the clips are blended, where both have as many."""
FARTHEST = 0.25
"""Largest mean distance (m) of the joints at a seam that is joined. Of 34 joins of recorded jumps (CMU subjects 13 and
75), 32 are within it, and none moves joints with larger accelerations than the clips have themselves."""
_FIX = "retarget one onto the other first"
_BONE_TOLERANCE = 0.001
"""Metres by which the bones of one rig may differ."""
_RISE_COST = 1.0
"""Cost in metres of pose difference per metre that the body is above its lowest."""
_LIFTED_COST = 0.05
"""Cost in metres of pose difference of a foot that is not down in both clips."""
_ALIKE = 1e-4
"""Metres of cost by which seams may differ and count as alike: rounding does not choose among equal cycles."""
_MOST = 800
"""Most frames of a clip that are tried as a seam; longer ranges are subsampled."""


@dataclass(frozen=True, eq=False)
class JoinedMotion:
    """Two clips joined into one, and how well they match at the seam."""

    __repr__ = summarise_fields

    motion: Motion
    leave: int
    """Frame of the seam in the first clip, and in the result."""
    enter: int
    """Frame of the seam in the second clip, at the rate of the first."""
    half_blend: int
    """Frames on each side of the seam that are blended."""
    distance: float
    """Mean distance of the joints of both clips at the seam, in metres."""
    slide: float
    """Largest slide of a heel, ball or toe that is down in both clips, in metres; 0 where none is down."""


@dataclass(frozen=True, eq=False)
class _JoinClip:
    """A clip and the features that are compared."""

    motion: Motion
    points: tuple[BodyPoint, ...]
    tracks: Array
    """(frames, points, 3) positions of heels, balls and toes."""
    down: NDArray[np.bool_]
    """(frames, points) whether they are in contact."""
    ground: Array
    """(frames, points) height of each point in its contact, metres."""
    stage: tuple[int, int]
    """First and last frame that the seam and its blend may use."""
    flies: bool
    """Whether a flight bounds that range."""


@dataclass(frozen=True, eq=False, kw_only=True)
class JoinResult(Result):
    """Two clips joined into one."""

    joined: JoinedMotion


def join(first: Source, second: Source, *, leave: float | None = None, enter: float | None = None) -> JoinResult:
    """Join two clips on the same rig.

    `leave` is the time at which the first clip is left and `enter` the time at which the second is entered (s); by
    default the times at which the clips agree best. Times at which a person could not get from one clip to the other
    are refused with others at which one could.

    >>> joined = gb.join("jump", "walk")
    >>> round(joined.figures["distance_m"], 2)
    0.08
    >>> gb.join("leap.bvh", "hop.bvh", leave=2.1).save("both.bvh")  # doctest: +SKIP
    """
    one, other = as_motion(first), as_motion(second)
    found = join_motions(one, other, leave, enter)
    notes: tuple[str, ...] = ()
    if found.distance > FARTHEST:
        notes = (f"with the body low at the seam, joints would be {100.0 * found.distance:.0f} cm apart",)
        found = _join_nearer(one, other, leave, enter, found)
    return JoinResult(
        motions=as_ensemble(found.motion),
        figures={"distance_m": found.distance, "foot_slide_m": found.slide},
        notes=(*found.motion.notes[-1:], *notes),
        joined=found,
        sources=(one, other),
    )


def _join_nearer(
    first: Motion, second: Motion, leave: float | None, enter: float | None, far: JoinedMotion
) -> JoinedMotion:
    """Return the clips joined wherever the body is low or not; refuse given times, naming the nearest that join."""
    problem = f"joints are {100.0 * far.distance:.0f} cm apart at the seam, more than {100.0 * FARTHEST:.0f} cm"
    for times in dict.fromkeys(((leave, enter), (leave, None), (None, enter), (None, None))):
        found = join_motions(first, second, *times, low=False)
        if found.distance > FARTHEST:
            continue
        if times == (leave, enter):
            return found
        left, entered = (frame * first.frame_time for frame in (found.leave, found.enter))
        near = f"--leave {left:.2f} --enter {entered:.2f} are {100.0 * found.distance:.0f} cm apart"
        raise InputError(problem, file=f"{first.name}+{second.name}", fix=near)
    fix = f"no moments are nearer than {100.0 * found.distance:.0f} cm: join both to a clip in between"
    raise InputError(problem, file=f"{first.name}+{second.name}", fix=fix)


def join_motions(
    first: Motion,
    second: Motion,
    leave: SeamTime | None = None,
    enter: SeamTime | None = None,
    *,
    low: bool = True,
) -> JoinedMotion:
    """Join two motions; `leave` and `enter` (s) fix the seam, or where it may be; it is where the clips agree best.

    `low` prefers seams at which the body is low, between flights.
    """
    first, second = _put_on_one_skeleton(first, second)
    second = _at_rate(second, first.frame_time)
    points = find_foot_points(first)
    a, b = _clip(first, points, last=True), _clip(second, points, last=False)
    default = round(0.5 * BLEND / first.frame_time)
    out, into = _seam(a, b, _candidates(a, leave, default), _candidates(b, enter, default), low)
    half_blend = min(default, out, len(first) - 1 - out, into, len(second) - 1 - into)
    if half_blend < 1:
        raise InputError(
            f"{out * first.frame_time:.2f} s of '{first.name}' and {into * first.frame_time:.2f} s of '{second.name}' "
            "leave no frames to blend",
            fix=f"stay {0.5 * BLEND:g} s away from the ends of both clips",
        )
    both = np.flatnonzero(a.down[out] & b.down[into])
    moved = _align(a, b, out, into, both)
    q = np.concatenate(
        (first.q[: out - half_blend], _blend(a, moved, out, into, half_blend, both), moved.q[into + half_blend + 1 :])
    )
    apart = np.linalg.norm(first.placement.positions[out] - moved.placement.positions[into], axis=1)
    feet = [np.linalg.norm(track_point(first, points[n])[out] - track_point(moved, points[n])[into]) for n in both]
    result = JoinedMotion(first, out, into, half_blend, float(apart.mean()), float(max(feet, default=0.0)))
    return replace(result, motion=_with_note(first, second, q, result))


def _with_note(first: Motion, second: Motion, q: Array, result: JoinedMotion) -> Motion:
    """Return the joined clip with a note of what was joined where."""
    leave, enter = result.leave * first.frame_time, result.enter * first.frame_time
    note = (
        f"joined '{first.name}' up to {leave:.2f} s and '{second.name}' from {enter:.2f} s: at the seam joints are "
        f"{100.0 * result.distance:.1f} cm apart on average, feet slide by {100.0 * result.slide:.1f} cm"
    )
    made = {
        "verb": "join",
        "first": first.name,
        "second": second.name,
        "leave_s": round(leave, 4),
        "enter_s": round(enter, 4),
        "blend_s": round(2.0 * result.half_blend * first.frame_time, 4),
        "distance_m": round(result.distance, 4),
    }
    return replace(first, q=q, name=f"{first.name}+{second.name}", notes=(*first.notes, note), made=made)


def _put_on_one_skeleton(first: Motion, second: Motion) -> tuple[Motion, Motion]:
    """Return both clips with the same coordinates; raise an error for clips on different rigs.

    glTF's joints turn freely: each clip of a file has the axes and the sliding joints that suit it.
    """
    one, other = first.skeleton, second.skeleton
    if one.names != other.names or one.parents != other.parents:
        raise InputError(f"'{first.name}' and '{second.name}' have different joints", fix=_FIX)
    free = first.origin.format == second.origin.format == "gltf"
    if not free or first.origin.file != second.origin.file:
        _check_bones(first, second)
    if free and np.allclose(one.rests, other.rests, atol=1e-6):
        first, second = share_skeleton((first, second))
    _check_axes(first, second)
    return first, second


def _check_bones(first: Motion, second: Motion) -> None:
    """Raise an error for bodies with bones of different lengths."""
    bones = [joint for joint in first.body_joints if joint]
    one, other = (np.linalg.norm(motion.skeleton.offsets[bones], axis=1) for motion in (first, second))
    difference = np.abs(one - other)
    if difference.max(initial=0.0) > _BONE_TOLERANCE:
        bone = first.skeleton.names[bones[int(np.argmax(difference))]]
        raise InputError(f"the bone to '{bone}' differs by {1e3 * difference.max():.1f} mm between the clips", fix=_FIX)


def _check_axes(first: Motion, second: Motion) -> None:
    """Raise an error for clips whose joints turn about different axes, or whose root cannot move freely."""
    one, other = first.skeleton, second.skeleton
    same = [(dof.joint, dof.kind) for dof in one.dofs] == [(dof.joint, dof.kind) for dof in other.dofs]
    axes = [np.array([dof.axis for dof in skeleton.dofs]) for skeleton in (one, other)]
    if not same or not np.allclose(axes[0], axes[1], atol=1e-6) or not np.allclose(one.rests, other.rests, atol=1e-6):
        raise InputError(f"the joints of '{first.name}' and '{second.name}' turn about different axes", fix=_FIX)
    if not np.allclose(one.offsets[1:], other.offsets[1:], atol=_BONE_TOLERANCE):
        raise InputError(
            f"the bones of '{first.name}' and '{second.name}' have different directions in the rest pose", fix=_FIX
        )
    if any(len(one.columns(0, kind)) != 3 for kind in ("slide", "turn")):
        raise InputError(
            "the root cannot move freely", file=first.name, fix="join needs a root with 3 translations and 3 rotations"
        )


def _at_rate(motion: Motion, frame_time: float) -> Motion:
    """Resample a motion by interpolation between neighbouring frames."""
    if abs(motion.frame_time / frame_time - 1.0) < 1e-3:
        return motion
    times = np.arange(int(motion.duration / frame_time + 1e-9) + 1) * frame_time
    return replace(resample_at(motion, times), frame_time=frame_time)


def _clip(motion: Motion, points: tuple[BodyPoint, ...], last: bool) -> _JoinClip:
    """Describe a clip, and the range at its end (`last`) or at its beginning where it may be joined."""
    contacts = find_foot_contacts(motion, points)
    tracks = np.stack([track_point(motion, point) for point in points], axis=1)
    down, ground = np.zeros(tracks.shape[:2], dtype=bool), tracks[..., 2].copy()
    for n, point in enumerate(points):
        for contact in (item for item in contacts.items if item.part == point.name):
            down[contact.first : contact.last + 1, n] = True
            ground[contact.first : contact.last + 1, n] = contact.place[2]
    stages = drop_supported_flights(motion, find_stages(contacts))
    end = stages[-1 if last else 0]
    flies = len(stages) > 1 and end.kind == "ground"
    half = len(motion) // 2
    halves = (half, len(motion) - 1) if last else (0, half)
    return _JoinClip(motion, points, tracks, down, ground, (end.first, end.last) if flies else halves, flies)


def _frame(motion: Motion, time: float) -> int:
    """Return the frame of a time given by the user."""
    frame = round(time / motion.frame_time)
    if not 0 <= frame < len(motion):
        raise InputError(f"{time:g} s is outside the clip, which lasts {motion.duration:.2f} s", file=motion.name)
    return frame


def _candidates(clip: _JoinClip, given: SeamTime | None, half_blend: int) -> Frames:
    """Return the candidate frames of a seam: those with room for the blend."""
    if isinstance(given, tuple):
        first, last = (_frame(clip.motion, time) for time in given)
        return np.arange(first, last + 1)
    if given is not None:
        return np.array([_frame(clip.motion, given)])
    first, last = clip.stage
    room = min(half_blend, (last - first) // 2)
    return np.arange(first + room, last - room + 1)[:: 1 + (last - first) // _MOST]


def _seam(a: _JoinClip, b: _JoinClip, leave: Frames, enter: Frames, low: bool) -> tuple[int, int]:
    """Return the pair of frames at which the clips agree best; of several alike, that which keeps most frames."""
    one, other = _shape(a)[leave], _shape(b)[enter]
    squares = np.sum(one**2, axis=1)[:, None] + np.sum(other**2, axis=1) - 2.0 * one @ other.T
    cost = np.sqrt(np.maximum(squares, 0.0))
    cost += _RISE_COST * low * (_rise(a, leave)[:, None] + _rise(b, enter))
    for side in SIDES:
        own = [n for n, point in enumerate(a.points) if point.name.startswith(side)]
        shared = a.down[leave][:, own].astype(float) @ b.down[enter][:, own].T
        cost += _LIFTED_COST * (shared == 0.0)
    kept = np.where(cost <= cost.min() + _ALIKE, leave[:, None] - enter, -np.inf)
    n, m = np.unravel_index(int(np.argmax(kept)), cost.shape)
    return int(leave[n]), int(enter[m])


def _rise(clip: _JoinClip, frames: Frames) -> Array:
    """Return the height of the root above its lowest in the range (m); 0 where no flight bounds it."""
    heights = clip.motion.placement.positions[:, 0, 2]
    return (heights[frames] - heights[clip.stage[0] : clip.stage[1] + 1].min()) * float(clip.flies)


def _shape(clip: _JoinClip) -> Array:
    """Return features (frames, numbers) in metres: joints relative to root and heading, their velocities, the feet."""
    motion = clip.motion
    back = quat.from_axis_angle((0.0, 0.0, 1.0), -_heading(motion))[:, None]
    positions = motion.placement.positions
    joints = quat.rotate(back, positions - positions[:, :1] * [1.0, 1.0, 0.0])
    feet = quat.rotate(back, clip.tracks - clip.tracks.mean(axis=1, keepdims=True))
    travel = quat.rotate(back, np.gradient(positions[:, :1], motion.frame_time, axis=0) * [1.0, 1.0, 0.0])
    moving = POSE_AHEAD * (np.gradient(joints, motion.frame_time, axis=0) + travel)
    parts = [part.reshape(len(motion), -1) / np.sqrt(part.shape[1]) for part in (joints, moving, feet)]
    return np.hstack(parts)


def _hip_positions(motion: Motion) -> Array:
    """Return the hip positions (frames, 2, 3), left and right."""
    if motion.rig is None:
        raise InputError("the hip joints are unknown", file=motion.name, fix="pass a rig mapping")
    return motion.placement.positions[:, [motion.rig.parts[f"{side}_thigh"] for side in SIDES]]


def _heading(motion: Motion) -> Array:
    """Return the heading (frames,) of the hips, an angle about the vertical."""
    across = np.diff(_hip_positions(motion)[:, ::-1], axis=1)[:, 0]
    return np.arctan2(-across[:, 0], across[:, 1])


def _align(a: _JoinClip, b: _JoinClip, leave: int, enter: int, both: Frames) -> Motion:
    """Turn and shift the second clip so that the hips, and the feet that are down in both clips, coincide."""
    here = np.vstack((a.tracks[leave, both], _hip_positions(a.motion)[leave]))
    there = np.vstack((b.tracks[enter, both], _hip_positions(b.motion)[enter]))
    x, y = (here - here.mean(axis=0))[:, :2].T
    u, v = (there - there.mean(axis=0))[:, :2].T
    turn = quat.from_axis_angle((0.0, 0.0, 1.0), np.arctan2(np.sum(u * y - v * x), np.sum(u * x + v * y)))
    meeting = slice(0, len(both) or None)
    shift = here[meeting].mean(axis=0) - quat.rotate(turn, there[meeting]).mean(axis=0)
    # Use the height of the contacts: heels that are about to rise are already above the floor.
    shift[2] = np.median(a.ground[leave, both] - b.ground[enter, both]) if len(both) else 0.0
    skeleton, placed = a.motion.skeleton, b.motion.placement
    q = b.motion.q.copy()
    slides, turns = skeleton.columns(0, "slide"), skeleton.columns(0, "turn")
    q[:, slides] = (quat.rotate(turn, placed.positions[:, 0]) + shift - skeleton.offsets[0]) @ _axes(skeleton, slides).T
    rotations = quat.multiply(turn, placed.rotations[:, 0])
    q[:, turns] = angles_about(_axes(skeleton, turns), quat.multiply(quat.conjugate(skeleton.rests[0]), rotations))
    return replace(b.motion, skeleton=skeleton, q=_unwrap_near(skeleton, q, enter, a.motion.q[leave]))


def _unwrap_near(skeleton: Skeleton, q: Array, frame: int, pose: Array) -> Array:
    """Return the same motion with the equivalent angles nearest to a pose (dofs,) at a frame: no 360-degree jumps."""
    out = q.copy()
    for columns in _turns(skeleton):
        options = [q[:, columns]] + ([q[:, columns] * [1.0, -1.0, 1.0] + np.pi] if len(columns) == 3 else [])
        near = [angles + whole_turns(pose[columns] - angles[frame]) for angles in options]
        out[:, columns] = min(near, key=lambda angles: float(np.sum((angles[frame] - pose[columns]) ** 2)))
    return out


def _blend(a: _JoinClip, moved: Motion, leave: int, enter: int, half_blend: int, both: Frames) -> Array:
    """Blend the clips around the seam (frames, dofs); shift the root so that the feet that are down are blended too."""
    share = follow_minimum_jerk(np.linspace(0.0, 1.0, 2 * half_blend + 1))
    skeleton = a.motion.skeleton
    old, new = slice(leave - half_blend, leave + half_blend + 1), slice(enter - half_blend, enter + half_blend + 1)
    q = _between(skeleton, a.motion.q[old], moved.q[new], share)
    if len(both):
        points = [a.points[n] for n in both]
        blend = replace(moved, q=q)
        starts, ends, blended = (
            np.mean([track_point(motion, point)[frames] for point in points], axis=0)
            for motion, frames in ((a.motion, old), (moved, new), (blend, slice(None)))
        )
        slides = skeleton.columns(0, "slide")
        q[:, slides] += (starts + share[:, None] * (ends - starts) - blended) @ _axes(skeleton, slides).T
    q[0], q[-1] = a.motion.q[leave - half_blend], moved.q[enter + half_blend]
    return q


def _between(skeleton: Skeleton, left: Array, right: Array, share: Array) -> Array:
    """Interpolate coordinates (frames, dofs) by weights (frames,); free joints along the shortest rotation."""
    gap = right - left
    out = left + share[:, None] * (gap - whole_turns(gap) * skeleton.turning)
    rests = quat.conjugate(skeleton.rests)
    ends = [quat.multiply(rests, local_frames(skeleton, q).rotations) for q in (left, right)]
    for columns in _turns(skeleton):
        if len(columns) == 3:
            joint = skeleton.dofs[columns[0]].joint
            turned = quat.slerp(ends[0][:, joint], ends[1][:, joint], share[:, None])
            out[:, columns] = angles_near(_axes(skeleton, columns), turned, out[:, columns])
    return out


def _turns(skeleton: Skeleton) -> list[list[int]]:
    """Return the rotation columns of each joint."""
    found = [skeleton.columns(joint, "turn") for joint in range(len(skeleton.names))]
    return [columns for columns in found if columns]


def _axes(skeleton: Skeleton, columns: list[int]) -> Array:
    return np.array([skeleton.dofs[column].axis for column in columns])
