"""The way home: what a method changed on the character, played on the rig that the clip came on.

Every body's change is a turn in the world; the joint of the rig that plays the body makes the same turn. In frames in
which a joint's orientation in its parent's frame did not change it keeps its channels bit for bit, unless it turned
right round in between; and so do all joints that no body plays. What a joint cannot turn, because it has fewer than
three turn channels or none, its children make up for: their orientations in the world are those of the character.
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
from gambol.motion.kinematics import local_frames, place, world_axes
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton

_JUMP = 1.0
"""Radians from a frame to the next that channels may go more than those of the source did."""
_UNCHANGED = 1e-9
"""Radians below which a joint counts as not turned, metres below which the root counts as not moved."""


def map_to_rig(fitted: Fit, q: Array) -> Motion:
    """The source motion with the character's coordinates changed from those of the fit to `q` (frames, dofs)."""
    if q.shape != fitted.motion.q.shape:
        raise InputError(f"the changed motion has shape {q.shape}, the fitted one {fitted.motion.q.shape}")
    source, names = fitted.source, fitted.character.skeleton.names
    before, after = fitted.motion.placement, place(fitted.character.skeleton, q)
    turns = quat.multiply(after.rotations, quat.conjugate(before.rotations))
    carrier = _turning_from(source.skeleton, _common(source, "pelvis", "left_thigh", "right_thigh"))
    played = _played_by(source, carrier, names)
    local = local_frames(source.skeleton, source.q)
    world: list[Array] = []
    out = source.q.copy()
    for joint, parent in enumerate(source.skeleton.parents):
        base = world[parent] if parent >= 0 else np.broadcast_to(quat.IDENTITY, (len(q), 4))
        rotation = local.rotations[:, joint]
        if joint in played:
            goal = quat.multiply(turns[:, played[joint]], source.placement.rotations[:, joint])
            wanted = quat.multiply(quat.conjugate(base), goal)
            changed = _angles(wanted, rotation) > _UNCHANGED
            if changed.any():
                columns = source.skeleton.columns(joint, "turn")
                out[:, columns] = _channels(source, joint, wanted, changed)
                rotation = wanted if len(columns) == 3 else local_frames(source.skeleton, out).rotations[:, joint]
        world.append(quat.multiply(base, rotation))
    arm = source.placement.positions[:, carrier] - before.positions[:, 0]
    goal = after.positions[:, 0] + quat.rotate(turns[:, 0], arm)
    return replace(source, q=_moved(source, out, carrier, goal))


def _moved(source: Motion, q: Array, joint: int, goal: Array) -> Array:
    """Coordinates that also bring a joint to its goal (frames, 3), by the slides of a joint that moves all parts."""
    skeleton = source.skeleton
    placed = place(skeleton, q)
    step: Array = goal - placed.positions[:, joint]
    step[np.abs(step).max(axis=1) <= _UNCHANGED] = 0.0
    if not step.any():
        return q
    above = skeleton.path_to_root(_common(source, *require_rig(source).parts))
    mover = next((j for j in above if skeleton.columns(j, "slide")), None)
    if mover is None:
        raise InputError(
            f"neither '{skeleton.names[above[0]]}' nor a joint above it has position channels: the body cannot move",
            file=source.name,
            fix="export the clip with position channels of its root",
        )
    axes = world_axes(skeleton, q, placed)
    out = q.copy()
    for column in skeleton.columns(mover, "slide"):
        out[:, column] += np.sum(step * axes[:, column], axis=1)
    return out


def _common(source: Motion, *parts: str) -> int:
    """The lowest joint that all the given parts hang from, itself one of them or above."""
    joints = require_rig(source).parts
    paths = [source.skeleton.path_to_root(joints[part]) for part in parts]
    return next(joint for joint in paths[0] if all(joint in path for path in paths))


def _turning_from(skeleton: Skeleton, joint: int) -> int:
    """The joint, or where it does not turn the nearest above it that does."""
    return next((j for j in skeleton.path_to_root(joint) if skeleton.columns(j, "turn")), joint)


def _played_by(source: Motion, carrier: int, names: tuple[str, ...]) -> dict[int, int]:
    """Which body of the character each joint of the rig follows, of the joints that turn; `carrier` has the pelvis.

    The head's turn is the neck's. A back of one joint follows the chest: arms and head hang from it.
    """
    parts = {part: j for part, j in require_rig(source).parts.items() if source.skeleton.columns(j, "turn")}
    bodies = {name: body for body, name in enumerate(names)}
    played = {joint: bodies[part] for part, joint in parts.items() if part in bodies}
    if "neck" in parts:
        played.pop(parts.get("head", -1), None)
        played[parts["neck"]] = bodies["head"]
    if "spine" in parts and "chest" not in parts:
        played[parts["spine"]] = bodies["chest"]
    played.pop(parts.get("pelvis", -1), None)
    if source.skeleton.columns(carrier, "turn"):
        played[carrier] = bodies["pelvis"]
    return played


def _angles(one: Array, other: Array) -> Array:
    """(frames,) angles between two curves of rotations."""
    return 2.0 * np.linalg.norm(quat.multiply(quat.conjugate(one), other)[..., 1:], axis=-1)


def _channels(source: Motion, joint: int, rotation: Array, changed: NDArray[np.bool_]) -> Array:
    """The joint's own angles for a new local rotation: as they were where nothing changed, else near what they were.

    A body that turns right round leaves them behind; then they run on, by a full turn where it comes round again.
    """
    skeleton, columns = source.skeleton, source.skeleton.columns(joint, "turn")
    were = source.q[:, columns]
    near = np.where(changed[:, None], compute_joint_angles(skeleton, joint, rotation, were), were)
    if len(columns) == 3 and _longest_step(near) > _longest_step(were) + _JUMP:
        return compute_joint_angles(skeleton, joint, rotation, were[0])
    return near


def _longest_step(angles: Array) -> float:
    """Radians from a frame to the next."""
    return float(np.abs(np.diff(angles, axis=0)).max(initial=0.0))
