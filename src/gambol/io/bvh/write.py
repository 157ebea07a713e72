"""Write BVH: a joint's own coordinates where BVH can express them, else three rotations that avoid gimbal lock."""

from __future__ import annotations

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, find_safest_order
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import CYCLIC, Motion, Origin
from gambol.motion.skeleton import Skeleton

_DECIMALS = 9


def format_bvh(motion: Motion) -> str:
    """Return a motion as BVH text, in the unit and axes of the BVH file it came from; else centimetres, y up."""
    target = motion.origin if motion.origin.format == "bvh" else Origin(axes=CYCLIC)
    skeleton = motion.skeleton.change_axes(target.axes.T, 1.0 / target.unit)
    q = np.where(skeleton.turning, motion.q, motion.q / target.unit)

    header: list[str] = ["HIERARCHY"]
    columns: list[Array] = []
    local = local_frames(skeleton, q)
    depths: list[int] = []
    for joint, name in enumerate(skeleton.names):
        parent = skeleton.parents[joint]
        depth = depths[parent] + 1 if parent >= 0 else 0
        header += _closing(depths, depth)
        depths.append(depth)
        tab = "\t" * depth
        offset = " ".join(_text(x) for x in np.round(skeleton.offsets[joint], _DECIMALS))
        if joint in skeleton.ends:
            header += [f"{tab}End Site", f"{tab}{{", f"{tab}\tOFFSET {offset}"]
            continue
        names, values = _joint_channels(skeleton, joint, q, local.rotations[:, joint])
        columns += values
        header += [f"{tab}{'JOINT' if depth else 'ROOT'} {name}", f"{tab}{{", f"{tab}\tOFFSET {offset}",
                   f"{tab}\tCHANNELS {len(names)} {' '.join(names)}".rstrip()]  # fmt: skip
        if not skeleton.children[joint]:
            header += [f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET 0 0 0", f"{tab}\t}}"]
    header += _closing(depths, 0)
    header += ["MOTION", f"Frames: {len(motion)}", f"Frame Time: {motion.frame_time!r}"]
    table = np.round(np.stack(columns, axis=1), _DECIMALS)
    return "\n".join(header + [" ".join(map(repr, row)) for row in table.tolist()]) + "\n"


def _closing(depths: list[int], depth: int) -> list[str]:
    """Return the closing braces before a joint at this depth."""
    return ["\t" * d + "}" for d in range(depths[-1], depth - 1, -1)] if depths else []


def _joint_channels(skeleton: Skeleton, joint: int, q: Array, rotations: Array) -> tuple[list[str], list[Array]]:
    """Return channel names and values (file unit, degrees): the joint's own coordinates where BVH can express them."""
    names: list[str] = []
    values: list[Array] = []
    dofs = [(c, skeleton.dofs[c]) for c in skeleton.columns(joint)]
    slides = [(c, d) for c, d in dofs if d.kind == "slide"]
    plain_slides = all(np.abs(d.axis).max() == 1.0 for _, d in slides)
    plain_turns = all(np.abs(d.axis).max() == 1.0 for _, d in dofs if d.kind == "turn")
    plain_turns &= bool((skeleton.rests[joint] == quat.IDENTITY).all())
    if slides and not plain_slides:
        moved = skeleton.offsets[joint] + sum(q[:, c, None] * np.array(d.axis) for c, d in slides)
        names += ["Xposition", "Yposition", "Zposition"]
        values += list(moved.T)
    for column, dof in dofs:
        axis = int(np.argmax(np.abs(dof.axis)))
        if dof.kind == "slide" and plain_slides:
            names.append(f"{'XYZ'[axis]}position")
            values.append(dof.axis[axis] * q[:, column] + skeleton.offsets[joint, axis])
        elif dof.kind == "turn" and plain_turns:
            names.append(f"{'XYZ'[axis]}rotation")
            values.append(np.degrees(dof.axis[axis] * q[:, column]))
    if not plain_turns:
        order = find_safest_order(rotations)
        names += [f"{'XYZ'[axis]}rotation" for axis in order]
        values += list(np.degrees(angles_about(np.eye(3)[list(order)], rotations)).T)
    return names, values


def _text(number: float) -> str:
    return repr(float(number) + 0.0)
