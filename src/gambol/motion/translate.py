"""Move a body through the world by the position channels of its rig."""

from __future__ import annotations

from collections.abc import Sequence

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place, world_axes
from gambol.motion.skeleton import Skeleton


def translate(skeleton: Skeleton, q: Array, joints: Sequence[int], steps: Array, name: str) -> Array:
    """Return coordinates (frames, dofs) with a joint and all below it moved by steps (frames, 3) in metres, world.

    Of `joints` the one with most position channels moves, the first if several; `name` is the clip's, for errors.
    """
    carrier = max(joints, key=lambda joint: len(skeleton.columns(joint, "slide")))
    columns = skeleton.columns(carrier, "slide")
    if not columns:
        raise InputError(
            f"neither '{skeleton.names[joints[0]]}' nor a joint above it has position channels: the body cannot move",
            file=name,
            fix="export the clip with position channels on the root",
        )
    axes = world_axes(skeleton, q, place(skeleton, q))
    out = q.copy()
    for column in columns:
        out[:, column] += (steps * axes[:, column]).sum(axis=1)
    return out
