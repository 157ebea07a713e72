"""One clip that runs into another on the same rig: two jumps become one clip with two jumps.

The seam is where poses and velocities agree best, between the last flight of the first clip and the first flight of the
second where they have any, with both feet down and without standing up if that costs little. The second clip is turned
and shifted so that the feet that are down in both meet. Around the seam both clips are blended; before it and after it
nothing changes, but for the turn and the shift.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gambol.clips.result import Result
from gambol.errors import InputError
from gambol.fit.load import Source, motion_from
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, angles_near
from gambol.geometry.arrays import Array
from gambol.motion.ensemble import as_ensemble
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.spacetime.repairs import at_times
from gambol.stages.contacts import foot_contacts
from gambol.stages.feet import SIDES, BodyPoint, foot_points, track
from gambol.stages.flight import stages_of, without_carried

Frames = NDArray[np.intp]

BLEND = 0.3
"""Seconds over which one clip goes over into the other, where both have as many."""
_SAME = 0.001
"""Metres by which the bones of one rig may differ."""
_AHEAD = 0.1
"""Seconds of movement that a pose is compared with besides its own shape."""
_RISE = 1.0
"""Metres of difference that a seam may have more for each metre that the body stands up less."""
_LIFTED = 0.05
"""Metres of difference that a foot is worth that is not down in both clips."""
_MOST = 800
"""Frames of a clip that are tried as a seam: every second, third, ... frame of longer stretches."""


@dataclass(frozen=True, eq=False)
class JoinedMotion:
    """One clip that runs into another, and how well they met."""

    motion: Motion
    leave: int
    """Frame of the first clip at the seam, and of the result."""
    enter: int
    """Frame of the second clip, at the rate of the first, at the seam."""
    reach: int
    """Frames on each side of the seam that are blended."""
    distance: float
    """Metres between the joints of both clips at the seam, on the average."""
    slide: float
    """Metres that the worst heel, ball or toe that is down in both slides over the seam; 0 where none is down."""


@dataclass(frozen=True, eq=False)
class _Clip:
    """A clip and what is compared of it."""

    motion: Motion
    points: tuple[BodyPoint, ...]
    tracks: Array
    """(frames, points, 3) where heels, balls and toes are."""
    down: NDArray[np.bool_]
    """(frames, points) whether they touch."""
    ground: Array
    """(frames, points) metres: the height at which each of them rests in its contact."""
    stage: tuple[int, int]
    """First and last frame that the seam and its blend may use."""
    flies: bool
    """Whether a flight bounds that stage."""


@dataclass(frozen=True, eq=False, kw_only=True)
class JoinResult(Result):
    """Two clips joined into one."""

    join_motions: JoinedMotion


def join(first: Source, second: Source, *, leave: float | None = None, enter: float | None = None) -> JoinResult:
    """Run one clip into another on the same rig.

    `leave` is when the first clip is left and `enter` when the second is entered (s); by default where they agree best.
    """
    found = join_motions(motion_from(first), motion_from(second), leave, enter)
    return JoinResult(
        motions=as_ensemble(found.motion),
        figures={"distance_m": found.distance, "foot_slide_m": found.slide},
        notes=found.motion.notes[-1:],
        joined=found,
    )


def join_motions(first: Motion, second: Motion, leave: float | None = None, enter: float | None = None) -> JoinedMotion:
    """The first clip, left at a time (seconds), run into the second, entered at a time; else where they agree best."""
    _check_rigs(first, second)
    second = _at_rate(second, first.frame_time)
    points = foot_points(first)
    a, b = _clip(first, points, last=True), _clip(second, points, last=False)
    fixed = [_frame(clip.motion, time) for clip, time in ((a, leave), (b, enter))]
    wish = round(0.5 * BLEND / first.frame_time)
    out, into = _seam(a, b, _candidates(a, fixed[0], wish), _candidates(b, fixed[1], wish))
    reach = min(wish, out, len(first) - 1 - out, into, len(second) - 1 - into)
    if reach < 1:
        raise InputError(
            f"{out * first.frame_time:.2f} s of '{first.name}' and {into * first.frame_time:.2f} s of '{second.name}' "
            "leave nothing to blend",
            fix=f"stay {0.5 * BLEND:g} s away from the ends of both clips",
        )
    both = np.flatnonzero(a.down[out] & b.down[into])
    moved = _moved(a, b, out, into, both)
    q = np.concatenate(
        (first.q[: out - reach], _blended(a, moved, out, into, reach, both), moved.q[into + reach + 1 :])
    )
    apart = np.linalg.norm(first.placement.positions[out] - moved.placement.positions[into], axis=1)
    feet = [np.linalg.norm(track(first, points[n])[out] - track(moved, points[n])[into]) for n in both]
    result = JoinedMotion(first, out, into, reach, float(apart.mean()), float(max(feet, default=0.0)))
    return replace(result, motion=_told(first, second, q, result))


def _told(first: Motion, second: Motion, q: Array, result: JoinedMotion) -> Motion:
    """The joined clip, with a note of what was joined where."""
    leave, enter = result.leave * first.frame_time, result.enter * first.frame_time
    note = (
        f"'{first.name}' up to {leave:.2f} s runs into '{second.name}' from {enter:.2f} s: at the seam joints are "
        f"{100.0 * result.distance:.1f} cm apart on the average, feet slide by {100.0 * result.slide:.1f} cm"
    )
    made = {
        "verb": "join",
        "first": first.name,
        "second": second.name,
        "leave_s": round(leave, 4),
        "enter_s": round(enter, 4),
        "blend_s": round(2.0 * result.reach * first.frame_time, 4),
        "distance_m": round(result.distance, 4),
    }
    return replace(first, q=q, name=f"{first.name}+{second.name}", notes=(*first.notes, note), made=made)


def _check_rigs(first: Motion, second: Motion) -> None:
    """Refuse clips on different rigs."""
    one, other = first.skeleton, second.skeleton
    fix = "retarget one onto the other first"
    if one.names != other.names or one.parents != other.parents:
        raise InputError(f"'{first.name}' and '{second.name}' have different joints", fix=fix)
    off = np.abs(np.linalg.norm(one.offsets[1:], axis=1) - np.linalg.norm(other.offsets[1:], axis=1))
    if off.max(initial=0.0) > _SAME:
        bone = one.names[1 + int(np.argmax(off))]
        raise InputError(f"the bone to '{bone}' differs by {1e3 * off.max():.1f} mm between the clips", fix=fix)
    same = [(dof.joint, dof.kind) for dof in one.dofs] == [(dof.joint, dof.kind) for dof in other.dofs]
    axes = [np.array([dof.axis for dof in skeleton.dofs]) for skeleton in (one, other)]
    if not same or not np.allclose(axes[0], axes[1], atol=1e-6) or not np.allclose(one.rests, other.rests, atol=1e-6):
        raise InputError(f"the joints of '{first.name}' and '{second.name}' turn about different axes", fix=fix)
    if not np.allclose(one.offsets[1:], other.offsets[1:], atol=_SAME):
        raise InputError(f"the bones of '{first.name}' and '{second.name}' point elsewhere at rest", fix=fix)
    if any(len(one.columns(0, kind)) != 3 for kind in ("slide", "turn")):
        raise InputError("the root does not move freely", file=first.name, fix="a clip is moved by its root")


def _at_rate(motion: Motion, frame_time: float) -> Motion:
    """The motion at another rate: every new frame between the two old ones around it."""
    if abs(motion.frame_time / frame_time - 1.0) < 1e-3:
        return motion
    times = np.arange(int(motion.duration / frame_time + 1e-9) + 1) * frame_time
    return replace(at_times(motion, times), frame_time=frame_time)


def _clip(motion: Motion, points: tuple[BodyPoint, ...], last: bool) -> _Clip:
    """A clip with its feet, and the stretch at its end (`last`) or at its beginning where it may be joined."""
    contacts = foot_contacts(motion, points)
    tracks = np.stack([track(motion, point) for point in points], axis=1)
    down, ground = np.zeros(tracks.shape[:2], dtype=bool), tracks[..., 2].copy()
    for n, point in enumerate(points):
        for contact in (item for item in contacts.items if item.name == point.name):
            down[contact.first : contact.last + 1, n] = True
            ground[contact.first : contact.last + 1, n] = contact.location[2]
    stages = without_carried(motion, stages_of(contacts))
    end = stages[-1 if last else 0]
    flies = len(stages) > 1 and end.kind == "ground"
    half = len(motion) // 2
    halves = (half, len(motion) - 1) if last else (0, half)
    return _Clip(motion, points, tracks, down, ground, (end.first, end.last) if flies else halves, flies)


def _frame(motion: Motion, time: float | None) -> int | None:
    """The frame of a time that a person gave."""
    if time is None:
        return None
    frame = round(time / motion.frame_time)
    if not 0 <= frame < len(motion):
        raise InputError(f"there is no {time:g} s: it lasts {motion.duration:.2f} s", file=motion.name)
    return frame


def _candidates(clip: _Clip, fixed: int | None, reach: int) -> Frames:
    """The frames that are tried as a seam: those of its stage around which there is room to blend."""
    if fixed is not None:
        return np.array([fixed])
    first, last = clip.stage
    room = min(reach, (last - first) // 2)
    return np.arange(first + room, last - room + 1)[:: 1 + (last - first) // _MOST]


def _seam(a: _Clip, b: _Clip, leave: Frames, enter: Frames) -> tuple[int, int]:
    """The pair of frames at which one clip goes over into the other best."""
    one, other = _shape(a)[leave], _shape(b)[enter]
    squares = np.sum(one**2, axis=1)[:, None] + np.sum(other**2, axis=1) - 2.0 * one @ other.T
    cost = np.sqrt(np.maximum(squares, 0.0))
    cost += _RISE * (_rise(a, leave)[:, None] + _rise(b, enter))
    for side in SIDES:
        own = [n for n, point in enumerate(a.points) if point.name.startswith(side)]
        shared = a.down[leave][:, own].astype(float) @ b.down[enter][:, own].T
        cost += _LIFTED * (shared == 0.0)
    n, m = np.unravel_index(int(np.argmin(cost)), cost.shape)
    return int(leave[n]), int(enter[m])


def _rise(clip: _Clip, frames: Frames) -> Array:
    """Metres by which the root is above its lowest in the stage; 0 where no flight bounds it."""
    heights = clip.motion.placement.positions[:, 0, 2]
    return (heights[frames] - heights[clip.stage[0] : clip.stage[1] + 1].min()) * float(clip.flies)


def _shape(clip: _Clip) -> Array:
    """(frames, numbers) metres: joints seen from the root and its heading, where they move, and how the feet stand."""
    motion = clip.motion
    back = quat.from_axis_angle((0.0, 0.0, 1.0), -_heading(motion))[:, None]
    positions = motion.placement.positions
    joints = quat.rotate(back, positions - positions[:, :1] * [1.0, 1.0, 0.0])
    feet = quat.rotate(back, clip.tracks - clip.tracks.mean(axis=1, keepdims=True))
    travel = quat.rotate(back, np.gradient(positions[:, :1], motion.frame_time, axis=0) * [1.0, 1.0, 0.0])
    moving = _AHEAD * (np.gradient(joints, motion.frame_time, axis=0) + travel)
    parts = [part.reshape(len(motion), -1) / np.sqrt(part.shape[1]) for part in (joints, moving, feet)]
    return np.hstack(parts)


def _hips(motion: Motion) -> Array:
    """(frames, 2, 3) where the hips are, left and right."""
    if motion.rig is None:
        raise InputError("it is not known which joints are the hips", file=motion.name, fix="pass a rig mapping")
    return motion.placement.positions[:, [motion.rig.parts[f"{side}_thigh"] for side in SIDES]]


def _heading(motion: Motion) -> Array:
    """Angle (frames,) about the vertical in which the hips face."""
    across = np.diff(_hips(motion)[:, ::-1], axis=1)[:, 0]
    return np.arctan2(-across[:, 0], across[:, 1])


def _moved(a: _Clip, b: _Clip, leave: int, enter: int, both: Frames) -> Motion:
    """The second clip turned about the vertical and shifted, so that hips and the feet that are down in both meet."""
    here = np.vstack((a.tracks[leave, both], _hips(a.motion)[leave]))
    there = np.vstack((b.tracks[enter, both], _hips(b.motion)[enter]))
    x, y = (here - here.mean(axis=0))[:, :2].T
    u, v = (there - there.mean(axis=0))[:, :2].T
    turn = quat.from_axis_angle((0.0, 0.0, 1.0), np.arctan2(np.sum(u * y - v * x), np.sum(u * x + v * y)))
    meeting = slice(0, len(both) or None)
    shift = here[meeting].mean(axis=0) - quat.rotate(turn, there[meeting]).mean(axis=0)
    # Heels that are about to rise say nothing of the floor: the height at which the feet rest does.
    shift[2] = np.median(a.ground[leave, both] - b.ground[enter, both]) if len(both) else 0.0
    skeleton, placed = a.motion.skeleton, b.motion.placement
    q = b.motion.q.copy()
    slides, turns = skeleton.columns(0, "slide"), skeleton.columns(0, "turn")
    q[:, slides] = (quat.rotate(turn, placed.positions[:, 0]) + shift - skeleton.offsets[0]) @ _axes(skeleton, slides).T
    rotations = quat.multiply(turn, placed.rotations[:, 0])
    q[:, turns] = angles_about(_axes(skeleton, turns), quat.multiply(quat.conjugate(skeleton.rests[0]), rotations))
    return replace(b.motion, skeleton=skeleton, q=_running_on(skeleton, q, enter, a.motion.q[leave]))


def _running_on(skeleton: Skeleton, q: Array, frame: int, pose: Array) -> Array:
    """The same motion by the angles that are nearest to a pose (dofs,) at a frame: no turns of 360 degrees between."""
    out = q.copy()
    for columns in _turns(skeleton):
        ways = [q[:, columns]] + ([q[:, columns] * [1.0, -1.0, 1.0] + np.pi] if len(columns) == 3 else [])
        near = [way + 2.0 * np.pi * np.round((pose[columns] - way[frame]) / (2.0 * np.pi)) for way in ways]
        out[:, columns] = min(near, key=lambda way: float(np.sum((way[frame] - pose[columns]) ** 2)))
    return out


def _blended(a: _Clip, moved: Motion, leave: int, enter: int, reach: int, both: Frames) -> Array:
    """(frames, dofs) around the seam: from one clip to the other, with the feet that are down on their way between."""
    share = np.linspace(0.0, 1.0, 2 * reach + 1)
    share = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    skeleton = a.motion.skeleton
    old, new = slice(leave - reach, leave + reach + 1), slice(enter - reach, enter + reach + 1)
    q = _between(skeleton, a.motion.q[old], moved.q[new], share)
    if len(both):
        points = [a.points[n] for n in both]
        blend = replace(moved, q=q)
        starts, ends, ways = (
            np.mean([track(motion, point)[frames] for point in points], axis=0)
            for motion, frames in ((a.motion, old), (moved, new), (blend, slice(None)))
        )
        slides = skeleton.columns(0, "slide")
        q[:, slides] += (starts + share[:, None] * (ends - starts) - ways) @ _axes(skeleton, slides).T
    q[0], q[-1] = a.motion.q[leave - reach], moved.q[enter + reach]
    return q


def _between(skeleton: Skeleton, left: Array, right: Array, share: Array) -> Array:
    """Coordinates (frames, dofs) a share (frames,) of the way: joints that turn freely by the shortest turn."""
    gap = right - left
    turning = np.array([dof.kind == "turn" for dof in skeleton.dofs])
    out = left + share[:, None] * (gap - 2.0 * np.pi * np.round(gap / (2.0 * np.pi)) * turning)
    rests = quat.conjugate(skeleton.rests)
    ends = [quat.multiply(rests, local_frames(skeleton, q).rotations) for q in (left, right)]
    for columns in _turns(skeleton):
        if len(columns) == 3:
            joint = skeleton.dofs[columns[0]].joint
            turned = quat.slerp(ends[0][:, joint], ends[1][:, joint], share[:, None])
            out[:, columns] = angles_near(_axes(skeleton, columns), turned, out[:, columns])
    return out


def _turns(skeleton: Skeleton) -> list[list[int]]:
    """The columns that turn each joint."""
    found = [skeleton.columns(joint, "turn") for joint in range(len(skeleton.names))]
    return [columns for columns in found if columns]


def _axes(skeleton: Skeleton, columns: list[int]) -> Array:
    return np.array([skeleton.dofs[column].axis for column in columns])
