"""Convert a motion as read from its file to gambol's conventions: metres, z up, x forward, rig recognised.

Readers return a motion in its file's own axes, with `origin.unit` as the file states it (NaN where it states none).
Unit, axes, rig and an artificial first frame are detected here; each decision that matters is noted in the motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gambol.errors import InputError, RigError
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import unit_vectors
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.rig import Rig, describe_other_body, lacks_thorax, match_by_name, recognise_rig
from gambol.motion.rig_names import REQUIRED_PARTS
from gambol.motion.rig_shape import stands_on_hands
from gambol.motion.skeleton import Skeleton

UNITS = {
    "metres": 1.0,
    "feet": 0.3048,
    "CMU units (1/0.45 inch)": 0.0254 / 0.45,
    "inches": 0.0254,
    "centimetres": 0.01,
    "millimetres": 0.001,
}
_NO_THORAX = (
    "the thorax bone is missing (the CMU conversion to BVH dropped it): neck and shoulders sit on the spine, "
    "the trunk is about 0.12 m short"
)
_FASTEST, _SLOWEST = 1e-5, 100.0
_LARGEST = 1e9
_STATURE = 1.7
_TALLEST, _SHORTEST = 2.3, 0.5
_SMALLEST, _LARGEST_BODY = 0.1, 5.0
"""Heights (m) of giants, of small figures and of animals."""
_AXES = {
    sign + letter: direction * np.eye(3)[i]
    for i, letter in enumerate("xyz")
    for sign, direction in (("+", 1.0), ("-", -1.0))
}


def normalise_motion(
    motion: Motion, *, scale: float | None = None, up: str | None = None, rig: Rig | None = None
) -> Motion:
    """Return the motion in metres and world axes with its rig; `scale`, `up` and `rig` override the detection.

    A rig that the file itself describes is kept.
    """
    _check_sizes(motion)
    rig = rig or motion.rig
    sample = motion.q[:: max(1, len(motion) // 100)]
    placed = place(motion.skeleton, sample).positions
    at_rest = place(motion.skeleton, np.zeros((1, motion.q.shape[1]))).positions[0]
    parts = match_by_name(motion.skeleton)[1] if rig is None else rig.parts
    upward = _find_up(parts, placed, at_rest) if up is None else _named_axis(up)
    other = "" if rig else describe_other_body(motion.skeleton, at_rest, upward)
    rig = rig or (None if other else _find_rig(motion.skeleton, (at_rest, placed[0], placed[len(placed) // 2]), upward))
    unit, notes = (scale, ()) if scale is not None else _find_unit(motion, placed, rig, other, upward)
    if not (np.isfinite(unit) and unit > 0):
        raise InputError(f"the scale must be a positive number of metres, got {scale}")
    forward = _find_forward(at_rest, rig, upward)
    axes = np.stack((forward, np.cross(upward, forward), upward))
    if upward[1] != 1.0:
        notes += (f"{_axis_name(upward)} points up, {_axis_name(forward)} forward: turned to z up, x forward",)
    if rig is not None and lacks_thorax(motion.skeleton, rig):
        notes += (_NO_THORAX,)
    return replace(
        motion,
        skeleton=motion.skeleton.change_axes(axes, unit),
        q=np.where(motion.skeleton.turning, motion.q, motion.q * unit),
        origin=replace(motion.origin, unit=unit, axes=axes),
        rig=rig,
        notes=motion.notes + notes,
    )


def _check_sizes(motion: Motion) -> None:
    """Reject values outside plausible ranges, which would overflow in later computations."""
    if not _FASTEST <= motion.frame_time <= _SLOWEST:
        raise InputError(
            f"frame time {motion.frame_time:g} s is outside {_FASTEST:g} to {_SLOWEST:g} s",
            file=motion.origin.file,
            fix="pass the frames per second as --fps",
        )
    largest = max(np.abs(motion.q).max(), np.abs(motion.skeleton.offsets).max())
    if largest > _LARGEST:
        raise InputError(f"value {largest:.3g} is larger than {_LARGEST:g}", file=motion.origin.file)


def drop_artificial_pose(motion: Motion) -> Motion:
    """Drop a first frame (rarely two) that is a T-pose placed before the recording, and add a note."""
    count = 0
    while len(motion) - count > 2 and _starts_with_t_pose(motion[count:]):
        count += 1
    if count == 0:
        return motion
    which = "frame" if count == 1 else f"{count} frames"
    return motion[count:].add_notes(f"dropped the first {which}: a T-pose that is not part of the movement")


def _starts_with_t_pose(motion: Motion) -> bool:
    first = place(motion.skeleton, motion.q[:12]).positions
    moved = np.diff(first[:, motion.body_joints] - first[:, [motion.mover]], axis=0)
    steps = np.sqrt((moved**2).sum(axis=2).mean(axis=1))
    if steps[0] < 0.03 or steps[0] < 5.0 * np.median(steps[1:]):
        return False
    if motion.rig is None:
        turns = [d.kind == "turn" and d.joint > 0 for d in motion.skeleton.dofs]
        return bool(np.abs(motion.q[0, turns]).max() < 1e-3)
    parts, pose = motion.rig.parts, first[0]
    arms = [pose[parts[f"{s}_forearm"]] - pose[parts[f"{s}_upper_arm"]] for s in ("left", "right")]
    level = [abs(arm[2]) < 0.35 * np.linalg.norm(arm) for arm in arms]
    apart = arms[0] @ arms[1] < -0.7 * np.linalg.norm(arms[0]) * np.linalg.norm(arms[1])
    return bool(all(level) and apart)


def _find_rig(skeleton: Skeleton, poses: Sequence[Array], up: Array) -> Rig | None:
    """Return the rig of the first pose (joints, 3) in which a person is upright, else of the first with a person."""
    found = []
    for pose in poses:
        try:
            found.append((recognise_rig(skeleton, pose, up), pose))
        except RigError:
            continue
    upright = (rig for rig, pose in found if _is_upright(rig.parts, pose, up))
    return next(upright, found[0][0] if found else None)


def _is_upright(parts: Mapping[str, int], pose: Array, up: Array) -> bool:
    """Return whether the head is above the hips and these above the feet, in a pose (joints, 3)."""
    hips, feet = (0.5 * (pose[parts[f"left_{part}"]] + pose[parts[f"right_{part}"]]) for part in ("thigh", "foot"))
    return all(line @ up > 0.7 * np.linalg.norm(line) for line in (pose[parts["head"]] - hips, hips - feet))


def _find_up(parts: Mapping[str, int], placed: Array, at_rest: Array) -> Array:
    """Return the axis along which the head is above the feet; y by default, unless the body never stands along y.

    The head of an animal is in front of its feet: it stands on all fours in its rest pose.
    """
    if set(REQUIRED_PARTS) <= parts.keys():
        for name in ("+y", "+z"):
            if stands_on_hands(parts, at_rest, _AXES[name]):
                return _AXES[name]
    if not {"head", "left_foot", "right_foot"} <= parts.keys():
        return _AXES["+y"]
    feet = 0.5 * (placed[:, parts["left_foot"]] + placed[:, parts["right_foot"]])
    body = unit_vectors(placed[:, parts["head"]] - feet)
    standing = {name: float(np.mean(body @ axis > 0.8)) for name, axis in _AXES.items()}
    best = max(standing, key=lambda name: standing[name])
    return _AXES[best if standing["+y"] < 0.03 and standing[best] > 0.5 else "+y"]


def _find_forward(at_rest: Array, rig: Rig | None, up: Array) -> Array:
    """Return the axis the body faces in its rest pose, if it stands upright there; else the usual axis for that up."""
    usual = _AXES[{0: "+y", 1: "+z", 2: "+x"}[int(np.argmax(np.abs(up)))]]
    if rig is None:
        return usual
    joints = rig.parts
    tall = at_rest[joints["head"]] - at_rest[joints["left_foot"]]
    across = at_rest[joints["left_thigh"]] - at_rest[joints["right_thigh"]]
    facing = np.cross(across, up)
    if (
        tall @ up < 0.8 * np.linalg.norm(tall)
        or np.linalg.norm(facing) < 0.5 * np.linalg.norm(across)
        or not across.any()
    ):
        return usual
    return max(_AXES.values(), key=lambda axis: float(axis @ facing))


def _find_unit(motion: Motion, placed: Array, rig: Rig | None, other: str, up: Array) -> tuple[float, tuple[str, ...]]:
    """Return the unit that the file states, if it gives a plausible height; else the one nearest to an adult.

    A body that is not a person (`other`) may be smaller or larger, and says less about its unit.
    """
    size = _body_size(motion.skeleton, rig, placed[0]) or float(np.ptp(placed @ up, axis=1).max())
    stated = motion.origin.unit
    if size <= 0.0:
        raise InputError("all joints are at the same position", file=motion.origin.file)
    if np.isfinite(stated) and _SHORTEST <= size * stated <= _TALLEST:
        return stated, ()
    if other:
        return _find_unit_of_other(size, stated)
    fitting = {name: unit for name, unit in UNITS.items() if _SHORTEST <= size * unit <= _TALLEST}
    if fitting:
        name = min(fitting, key=lambda n: abs(np.log(size * fitting[n] / _STATURE)))
        return fitting[name], (f"lengths are in {name}: the body is {size * fitting[name]:.2f} m from head to foot",)
    note = f"the body measures {size:.4g} units, not a person in any known unit: "
    if rig is None or _SMALLEST <= size * stated <= _LARGEST_BODY:
        return (stated if np.isfinite(stated) else 1.0), (f"{note}pass metres per unit as --scale",)
    note += f"taken as {_STATURE:g} m from head to foot; pass metres per unit as --scale"
    return _STATURE / size, (note,)


def _find_unit_of_other(size: float, stated: float) -> tuple[float, tuple[str, ...]]:
    """Return the unit of a body that is not a person: as stated, else the first of a few that is plausible."""
    if _SMALLEST <= size * stated <= _LARGEST_BODY:
        return stated, ()
    for name in ("metres", "centimetres", "inches", "millimetres"):
        if _SMALLEST <= size * UNITS[name] <= _LARGEST_BODY:
            return UNITS[name], (f"lengths are in {name}: the body is {size * UNITS[name]:.2f} m high",)
    note = f"the body measures {size:.4g} units, not an animal in any known unit: pass metres per unit as --scale"
    return (stated if np.isfinite(stated) else 1.0), (note,)


def _body_size(skeleton: Skeleton, rig: Rig | None, pose: Array) -> float:
    """Return the length along the bones from the top of the head to the foot, which is the same in every pose."""
    if rig is None:
        return 0.0
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    head, foot = rig.parts["head"], rig.parts["left_foot"]
    crown = max([head, *skeleton.children[head]], key=lambda j: lengths[j] if j != head else 0.0)
    apart = rig.parts["left_shank"] not in skeleton.path_to_root(foot)
    up, down = skeleton.path_to_root(crown), skeleton.path_to_root(rig.parts["left_shank"] if apart else foot)
    last = float(np.linalg.norm(pose[foot] - pose[rig.parts["left_shank"]])) if apart else 0.0
    return float(sum(lengths[j] for j in set(up) ^ set(down))) + last


def _named_axis(name: str) -> Array:
    key = name.lower() if name[:1] in ("+", "-") else f"+{name.lower()}"
    if key not in _AXES:
        raise InputError(f"unknown axis '{name}'", fix="up is one of x, y, z, -x, -y, -z")
    return _AXES[key]


def _axis_name(axis: Array) -> str:
    return next(name for name, vector in _AXES.items() if (vector == axis).all())
