"""Let the root of a rig carry the body: joints between it and the pelvis keep their place.

Exporters put joints above the pelvis that stay at the origin, lie on the ground below the body, or share its travel.
Methods that blend, repeat and steer a motion move its root; after this, that moves the body.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.channels import compute_joint_angles
from gambol.motion.kinematics import local_frames, place
from gambol.motion.motion import Motion


def gather_at_root(motion: Motion) -> Motion:
    """Return the motion with the movement of its pelvis in the root; the body is where it was.

    A root that cannot turn and move in all directions leaves the motion as it is.
    """
    skeleton = motion.skeleton
    path = skeleton.path_to_root(motion.mover)[::-1]
    if len(path) == 1 or len(skeleton.columns(0, "slide")) < 3 or len(skeleton.columns(0, "turn")) < 3:
        return motion
    local = local_frames(skeleton, motion.q).rotations
    q = motion.q.copy()
    turned, offset = quat.IDENTITY, np.zeros(3)
    for joint in path[1:]:
        mean = quat.mean(local[:, joint])
        _set_frame(motion, q, joint, np.broadcast_to(mean, (len(q), 4)), np.zeros((len(q), 3)))
        offset = offset + quat.rotate(turned, skeleton.offsets[joint])
        turned = quat.multiply(turned, mean)
    body = motion.placement
    root = quat.multiply(body.rotations[:, motion.mover], quat.conjugate(turned))
    _set_frame(motion, q, 0, root, body.positions[:, motion.mover] - quat.rotate(root, offset) - skeleton.offsets[0])
    moved = place(skeleton, q)
    for joint, parent in enumerate(skeleton.parents):
        if parent in path and joint not in path:
            back = quat.conjugate(moved.rotations[:, parent])
            step = quat.rotate(back, body.positions[:, joint] - moved.positions[:, parent]) - skeleton.offsets[joint]
            _set_frame(motion, q, joint, quat.multiply(back, body.rotations[:, joint]), step)
    return replace(motion, q=q)


def _set_frame(motion: Motion, q: Array, joint: int, rotations: Array, steps: Array) -> None:
    """Write a joint's rotation (frames, 4) and step from its offset (frames, 3) into `q`, as far as it has channels."""
    skeleton = motion.skeleton
    turns = skeleton.columns(joint, "turn")
    if turns:
        q[:, turns] = compute_joint_angles(skeleton, joint, rotations, motion.q[0, turns])
    for column in skeleton.columns(joint, "slide"):
        q[:, column] = steps @ np.array(skeleton.dofs[column].axis)
