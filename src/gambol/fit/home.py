"""The way home: what a method changed on the character, played on the rig that the clip came on.

Every body's change is a turn in the world; the joint of the rig that plays the body makes the same turn. In frames in
which a joint's orientation in its parent's frame did not change it keeps its channels bit for bit, unless it turned
right round in between; and so do all joints that no body plays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol.body.measure import known_rig
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.channels import angles_of
from gambol.motion.kinematics import local_frames, place
from gambol.motion.motion import Motion

_JUMP = 1.0
"""Radians from a frame to the next that channels may go more than those of the source did."""
_UNCHANGED = 1e-9
"""Radians below which a joint counts as not turned, metres below which the root counts as not moved."""


def to_rig(fitted: Fit, q: Array) -> Motion:
    """The source motion with the character's coordinates changed from those of the fit to `q` (frames, dofs)."""
    if q.shape != fitted.motion.q.shape:
        raise InputError(f"the changed motion has shape {q.shape}, the fitted one {fitted.motion.q.shape}")
    source, names = fitted.source, fitted.character.skeleton.names
    before, after = fitted.motion.placement, place(fitted.character.skeleton, q)
    turns = quat.multiply(after.rotations, quat.conjugate(before.rotations))
    played = _played_by(source, names)
    local = local_frames(source.skeleton, source.q)
    world: list[Array] = []
    out = source.q.copy()
    for joint, parent in enumerate(source.skeleton.parents):
        base = world[parent] if parent >= 0 else np.broadcast_to(quat.IDENTITY, (len(q), 4))
        if joint in played:
            wanted = quat.multiply(turns[:, played[joint]], source.placement.rotations[:, joint])
            rotation = quat.multiply(quat.conjugate(base), wanted)
            changed = _angles(rotation, local.rotations[:, joint]) > _UNCHANGED
            if changed.any():
                columns = source.skeleton.columns(joint, "turn")
                out[:, columns] = _channels(source, joint, rotation, changed)
            world.append(wanted)
        else:
            world.append(quat.multiply(base, local.rotations[:, joint]))
    arm = source.placement.positions[:, 0] - before.positions[:, 0]
    root = after.positions[:, 0] + quat.rotate(turns[:, 0], arm)
    moved = root - source.placement.positions[:, 0]
    moved[np.abs(moved).max(axis=1) <= _UNCHANGED] = 0.0
    for column in source.skeleton.columns(0, "slide"):
        out[:, column] += moved @ np.array(source.skeleton.dofs[column].axis)
    return replace(source, q=out)


def _played_by(source: Motion, names: tuple[str, ...]) -> dict[int, int]:
    """Which body of the character each joint of the rig follows; the head's turn is the neck's."""
    parts = known_rig(source).parts
    bodies = {name: body for body, name in enumerate(names)}
    played = {joint: bodies[part] for part, joint in parts.items() if part in bodies}
    if "neck" in parts:
        played.pop(parts["head"], None)
        played[parts["neck"]] = bodies["head"]
    played[0] = bodies["pelvis"]
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
    near = np.where(changed[:, None], angles_of(skeleton, joint, rotation, were), were)
    if len(columns) == 3 and _longest_step(near) > _longest_step(were) + _JUMP:
        return angles_of(skeleton, joint, rotation, were[0])
    return near


def _longest_step(angles: Array) -> float:
    """Radians from a frame to the next."""
    return float(np.abs(np.diff(angles, axis=0)).max(initial=0.0))
