"""Read a robot's description in MuJoCo's format (MJCF): bodies become joints, with the same names in the same order.

MuJoCo itself reads the file, with all its defaults and includes. A file whose meshes or textures are missing is read
without any. In a scene, the robot is what has a free base and joints.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gambol.body.character import Character
from gambol.body.link_shapes import LinkShape, MeshArrays, SimpleShape
from gambol.body.robot_description import (
    ROOT_DOFS,
    RobotDescription,
    find_heavy_joints,
    make_inertia_physical,
    note_corrected_inertias,
)
from gambol.errors import InputError, missing_file_error
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.skeleton import Dof, Skeleton
from gambol.robots.mjcf_joints import SLIDE, find_robot_bodies, list_mjcf_joints, place_mjcf_joints
from gambol.robots.mjcf_model import compile_mjcf

_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = 2, 3, 4, 5, 6, 7
"""MuJoCo's kinds of shapes."""
_JOINT, _MOTOR = 0, (0, 0)
"""MuJoCo's kind of actuators that drive a joint, and kinds of gain and bias of motors, whose force is their control."""
_NUMBERS = (
    *("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis"),
    *("jnt_range", "geom_pos", "geom_quat", "geom_size", "geom_rgba", "mat_rgba", "mesh_vert"),
)
"""What is read of MuJoCo's model."""


def read_mjcf(path: Path) -> RobotDescription:
    """Read a description."""
    if not path.is_file():
        raise missing_file_error(path)
    model, notes = compile_mjcf(path)
    for name in _NUMBERS:
        if not np.isfinite(getattr(model, name)).all():
            raise InputError(f"a number in MuJoCo's '{name}' is not finite", file=path, fix="check the MJCF")
    try:
        return _read_model(model, path, notes)
    except InputError as error:
        raise error if error.file else InputError(error.problem, file=path, fix=error.fix) from None
    except ValueError as error:
        raise InputError(f"not a robot: {error}", file=path, fix="check the MJCF") from None


def _read_model(model: Any, path: Path, notes: tuple[str, ...]) -> RobotDescription:
    joints, carriers, origins = list_mjcf_joints(model, find_robot_bodies(model))
    parents, names = [joint.parent for joint in joints], [joint.name for joint in joints]
    bodies, anchors = [joint.body for joint in joints], np.array([joint.anchor for joint in joints])
    masses = np.array([model.body_mass[b] if carriers[b] == n else 0.0 for n, b in enumerate(bodies)])
    turns = quat.to_matrix(np.array(model.body_iquat[bodies]))
    given = (turns * model.body_inertia[bodies, None] @ turns.swapaxes(1, 2)) * (masses > 0.0)[:, None, None]
    inertias = [make_inertia_physical(one) if mass > 0.0 else one for mass, one in zip(masses, given, strict=True)]
    changed = [name for name, new, old in zip(names, inertias, given, strict=True) if not np.array_equal(new, old)]
    heavy = find_heavy_joints(parents, masses)
    columns = [(n, column) for n, joint in enumerate(joints) if n in heavy for column in joint.columns]
    offsets, rests = place_mjcf_joints(model, joints)
    up = quat.rotate(quat.conjugate(rests[0]), UP)
    offsets[0], rests[0] = 0.0, quat.IDENTITY  # a free base has no place of its own, only one at which it begins
    dofs = (*ROOT_DOFS, *(_make_dof(model, column, n, rests[n]) for n, column in columns))
    skeleton = Skeleton(tuple(names), tuple(parents), offsets, dofs, rests)
    visuals, collisions = _list_shapes(model, carriers, anchors)
    return RobotDescription(
        Character(skeleton, masses, np.array(model.body_ipos[bodies]) - anchors, np.array(inertias), path.stem),
        {joints[carriers[body]].name: origin for body, origin in origins.items()},
        tuple(model.joint(column).name or f"{names[n]} joint {column}" for n, column in columns),
        np.full(len(skeleton.dofs), np.inf),
        np.array([0.0] * len(ROOT_DOFS) + [_find_torque(model, column) for _, column in columns]),
        visuals,
        collisions,
        (*notes, *note_corrected_inertias(changed), *_note_constraints(model)),
        up,
    )


def _note_constraints(model: Any) -> tuple[str, ...]:
    return (f"equality constraints, such as closed chains, are not kept: {model.neq}",) if model.neq else ()


def _make_dof(model: Any, column: int, joint: int, rest: Array) -> Dof:
    slides, axis = model.jnt_type[column] == SLIDE, np.array(model.jnt_axis[column])
    x, y, z = (quat.rotate(rest, axis) if slides else axis).tolist()
    lower, upper = model.jnt_range[column].tolist() if model.jnt_limited[column] else (-np.inf, np.inf)
    return Dof(joint, "slide" if slides else "turn", (x, y, z), lower, upper)


def _find_torque(model: Any, n: int) -> float:
    """Return the largest torque (N m) of a joint, or of the motors that drive it; inf where none is stated."""
    if model.jnt_actfrclimited[n]:
        return float(np.abs(model.jnt_actfrcrange[n]).max())
    driving = [k for k in range(model.nu) if model.actuator_trntype[k] == _JOINT and model.actuator_trnid[k, 0] == n]
    return sum(_find_force(model, k) * abs(float(model.actuator_gear[k, 0])) for k in driving) if driving else np.inf


def _find_force(model: Any, k: int) -> float:
    """Return the largest force of an actuator before its gear: its limit, or that of the control of a motor."""
    if model.actuator_forcelimited[k]:
        return float(np.abs(model.actuator_forcerange[k]).max())
    if model.actuator_ctrllimited[k] and (model.actuator_gaintype[k], model.actuator_biastype[k]) == _MOTOR:
        return float(np.abs(model.actuator_ctrlrange[k]).max() * abs(model.actuator_gainprm[k, 0]))
    return np.inf


def _list_shapes(
    model: Any, carriers: dict[int, int], anchors: Array
) -> tuple[tuple[LinkShape, ...], tuple[LinkShape, ...]]:
    """Return the shapes that are only drawn, and those that touch things."""
    shown, touching = [], []
    for n in range(model.ngeom):
        joint, geometry = carriers.get(int(model.geom_bodyid[n])), _make_geometry(model, n)
        if joint is not None and geometry is not None:
            color = model.geom_rgba[n] if model.geom_matid[n] < 0 else model.mat_rgba[model.geom_matid[n]]
            r, g, b, alpha = color.tolist()
            place = np.array(model.geom_pos[n]) - anchors[joint], np.array(model.geom_quat[n])
            shape = LinkShape(joint, geometry, *place, (r, g, b))
            if model.geom_contype[n] or model.geom_conaffinity[n]:
                touching.append(shape)
            elif alpha > 0.0:
                shown.append(shape)
    return tuple(shown), tuple(touching)


def _make_geometry(model: Any, n: int) -> SimpleShape | MeshArrays | None:
    """Return a shape; None of a plane or a field of heights."""
    kind, (x, y, z) = int(model.geom_type[n]), model.geom_size[n].tolist()
    if kind == _BOX:
        return SimpleShape("box", np.array([x, y, z]))
    if kind == _ELLIPSOID:
        return SimpleShape("ellipsoid", np.array([x, y, z]))
    if kind == _SPHERE:
        return SimpleShape("ellipsoid", np.array([x, x, x]))
    if kind == _CYLINDER:
        return SimpleShape("cylinder", np.array([x, x, y]))
    if kind == _CAPSULE:
        return SimpleShape("capsule", np.array([x, x, y + x]))
    if kind != _MESH:
        return None
    mesh = int(model.geom_dataid[n])
    vertices, faces = (
        np.array(values[first : first + count])
        for values, first, count in (
            (model.mesh_vert, model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]),
            (model.mesh_face, model.mesh_faceadr[mesh], model.mesh_facenum[mesh]),
        )
    )
    return MeshArrays(vertices.astype(float), faces)
