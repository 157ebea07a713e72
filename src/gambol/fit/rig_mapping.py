"""Map changes made on a character back to the rig of the source clip.

The change of every body is a rotation in the world; the joint of the rig that corresponds to the body makes the same
rotation. In frames in which a joint's local orientation did not change, its channels are kept bit for bit, unless it
made a full turn in between. Joints without a corresponding body are kept too. If a joint has fewer than three rotation
channels, its children compensate for what it cannot rotate: their world orientations are those of the character.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol.body.measure import require_rig
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.channels import compute_joint_angles
from gambol.motion.kinematics import local_frames, place
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.motion.translate import translate

_JUMP = 1.0
"""Largest change (rad) of a channel between two frames, beyond the largest of the source."""
_UNCHANGED = 1e-9
"""Angle (rad) below which a joint counts as not rotated, distance (m) below which the root counts as not moved."""


def map_to_rig(fitted: Fit, q: Array) -> Motion:
    """Return the source motion changed as the character's coordinates change from the fit to `q` (frames, dofs)."""
    if q.shape != fitted.motion.q.shape:
        raise InputError(f"q has shape {q.shape}, expected that of the fitted motion, {fitted.motion.q.shape}")
    source, names = fitted.source, fitted.character.skeleton.names
    before, after = fitted.motion.placement, place(fitted.character.skeleton, q)
    turns = quat.multiply(after.rotations, quat.conjugate(before.rotations))
    carrier = _turning_from(source.skeleton, _common(source, "pelvis", "left_thigh", "right_thigh"))
    followed = _followed_bodies(source, carrier, names)
    local = local_frames(source.skeleton, source.q)
    world: list[Array] = []
    out = source.q.copy()
    for joint, parent in enumerate(source.skeleton.parents):
        base = world[parent] if parent >= 0 else np.broadcast_to(quat.IDENTITY, (len(q), 4))
        rotation = local.rotations[:, joint]
        if joint in followed:
            goal = quat.multiply(turns[:, followed[joint]], source.placement.rotations[:, joint])
            target = quat.multiply(quat.conjugate(base), goal)
            changed = _angles(target, rotation) > _UNCHANGED
            if changed.any():
                columns = source.skeleton.columns(joint, "turn")
                out[:, columns] = _channels(source, joint, target, changed)
                rotation = target if len(columns) == 3 else local_frames(source.skeleton, out).rotations[:, joint]
        world.append(quat.multiply(base, rotation))
    arm = source.placement.positions[:, carrier] - before.positions[:, 0]
    goal = after.positions[:, 0] + quat.rotate(turns[:, 0], arm)
    apart = _feet_apart(source)
    attached = [part for part in require_rig(source).parts if not part.endswith(("_foot", "_toes")) or not apart]
    out = _move_to(source, out, carrier, goal, _common(source, *attached))
    for part, joint in apart.items():
        body = names.index(part)
        arm = source.placement.positions[:, joint] - before.positions[:, body]
        goal = after.positions[:, body] + quat.rotate(turns[:, body], arm)
        out = _move_to(source, out, joint, goal, joint)
    return replace(source, q=out)


def _feet_apart(source: Motion) -> dict[str, int]:
    """Return the feet that are not below their shanks, as of rigs whose feet were IK targets."""
    parts = require_rig(source).parts
    return {
        foot: parts[foot]
        for side in ("left", "right")
        if parts[f"{side}_shank"] not in source.skeleton.path_to_root(parts[foot := f"{side}_foot"])
    }


def _move_to(source: Motion, q: Array, joint: int, goal: Array, lowest: int) -> Array:
    """Translate the rig so that a joint is at its goal (frames, 3), by `lowest` or by a joint above it."""
    skeleton = source.skeleton
    step: Array = goal - place(skeleton, q).positions[:, joint]
    step[np.abs(step).max(axis=1) <= _UNCHANGED] = 0.0
    if not step.any():
        return q
    above = skeleton.path_to_root(lowest)
    if lowest in _feet_apart(source).values():
        above = above[:1]  # A joint above an apart foot moves the body too.
    return translate(skeleton, q, above, step, source.name)


def _common(source: Motion, *parts: str) -> int:
    """Return the lowest joint that is at or above all the given parts."""
    joints = require_rig(source).parts
    paths = [source.skeleton.path_to_root(joints[part]) for part in parts]
    return next(joint for joint in paths[0] if all(joint in path for path in paths))


def _turning_from(skeleton: Skeleton, joint: int) -> int:
    """Return the joint, or the nearest joint above it that has rotation channels."""
    return next((j for j in skeleton.path_to_root(joint) if skeleton.columns(j, "turn")), joint)


def _followed_bodies(source: Motion, carrier: int, names: tuple[str, ...]) -> dict[int, int]:
    """Return the body that each joint with rotation channels follows; `carrier` follows the pelvis.

    The neck follows the head. A single back joint follows the chest, because arms and head are attached to it.
    """
    parts = {part: j for part, j in require_rig(source).parts.items() if source.skeleton.columns(j, "turn")}
    bodies = {name: body for body, name in enumerate(names)}
    followed = {joint: bodies[part] for part, joint in parts.items() if part in bodies}
    if "neck" in parts:
        followed.pop(parts.get("head", -1), None)
        followed[parts["neck"]] = bodies["head"]
    if "spine" in parts and "chest" not in parts:
        followed[parts["spine"]] = bodies["chest"]
    followed.pop(parts.get("pelvis", -1), None)
    if source.skeleton.columns(carrier, "turn"):
        followed[carrier] = bodies["pelvis"]
    return followed


def _angles(one: Array, other: Array) -> Array:
    """Return the angles (frames,) between two sequences of rotations."""
    return 2.0 * np.linalg.norm(quat.multiply(quat.conjugate(one), other)[..., 1:], axis=-1)


def _channels(source: Motion, joint: int, rotation: Array, changed: NDArray[np.bool_]) -> Array:
    """Return the joint's angles for a new local rotation: unchanged where nothing changed, else near the old ones.

    If these jump, because a body makes a full turn, return angles that are continuous from the first frame on.
    """
    skeleton, columns = source.skeleton, source.skeleton.columns(joint, "turn")
    old = source.q[:, columns]
    near = np.where(changed[:, None], compute_joint_angles(skeleton, joint, rotation, old), old)
    if len(columns) == 3 and _longest_step(near) > _longest_step(old) + _JUMP:
        return compute_joint_angles(skeleton, joint, rotation, old[0])
    return near


def _longest_step(angles: Array) -> float:
    """Return the largest change (rad) between two frames."""
    return float(np.abs(np.diff(angles, axis=0)).max(initial=0.0))
