"""Read a robot's description in MuJoCo's format (MJCF): bodies become joints, with the same names in the same order.

MuJoCo itself reads the file, with all its defaults and includes. Without the meshes that a file names, it is read again
without them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np

from gambol.body.character import Character
from gambol.body.urdf import (
    ROOT_DOFS,
    CollisionPoints,
    RobotDescription,
    find_heavy_joints,
    make_inertia_physical,
    sample_box,
    sample_cylinder,
)
from gambol.errors import InputError, MissingExtra
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Dof, Skeleton

_FREE, _SLIDE, _HINGE = 0, 2, 3
"""MuJoCo's kinds of joints."""
_SPHERE, _CAPSULE, _CYLINDER, _BOX, _MESH = 2, 3, 5, 6, 7
"""MuJoCo's kinds of shapes."""


def read_mjcf(path: Path) -> RobotDescription:
    """Read a description."""
    model, notes = _compile(path)
    names = [model.body(n).name or f"body {n}" for n in range(1, model.nbody)]
    parents = [int(model.body_parentid[n]) - 1 for n in range(1, model.nbody)]
    if parents.count(-1) != 1:
        raise InputError(f"{parents.count(-1)} bodies have no parent", file=path, fix="a robot has one root body")
    if not any(model.jnt_type[n] == _FREE for n in range(model.njnt)):
        raise InputError("the base is fixed", file=path, fix="give a robot with a free joint at its root")
    masses = np.array(model.body_mass[1:])
    inertias, changed = [], []
    for n in range(1, model.nbody):
        turn = quat.to_matrix(np.array(model.body_iquat[n]))
        given = turn @ np.diag(model.body_inertia[n]) @ turn.T
        inertias.append(make_inertia_physical(given) if masses[n - 1] > 0.0 else given)
        changed += [names[n - 1]] if inertias[-1] is not given else []
    heavy = find_heavy_joints(parents, masses)
    dofs, speeds, torques = list(ROOT_DOFS), [np.inf] * 6, [0.0] * 6
    for n in range(model.njnt):
        joint = int(model.jnt_bodyid[n]) - 1
        if model.jnt_type[n] not in (_SLIDE, _HINGE) or joint not in heavy:
            continue
        if np.abs(model.jnt_pos[n]).max() > 1e-6 and model.jnt_type[n] == _HINGE:
            raise InputError(
                f"joint '{model.joint(n).name}' turns about a point beside the origin of its body",
                file=path,
                fix="move the body's frame to the joint",
            )
        dofs.append(_make_dof(model, n, joint))
        speeds.append(np.inf)
        torques.append(_find_torque(model, n))
    skeleton = Skeleton(
        tuple(names), tuple(parents), np.array(model.body_pos[1:]), tuple(dofs), np.array(model.body_quat[1:])
    )
    character = Character(skeleton, masses, np.array(model.body_ipos[1:]), np.array(inertias), path.stem)
    notes += [f"inertias that no body can have were corrected: {', '.join(changed)}"] if changed else []
    links = {name: n for n, name in enumerate(names)}
    return RobotDescription(
        character, links, np.array(speeds), np.array(torques), (), tuple(_list_collisions(model)), tuple(notes)
    )


def _compile(path: Path) -> tuple[Any, list[str]]:
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("reading MJCF", "robot") from None
    if not path.is_file():
        raise InputError("no such file", file=path, fix="check the path")
    try:
        return mujoco.MjModel.from_xml_path(str(path)), []
    except ValueError as error:
        try:
            return mujoco.MjModel.from_xml_string(_without_meshes(path)), ["read without its meshes"]
        except (ValueError, Xml.ParseError):
            raise InputError(f"cannot be read by MuJoCo: {error}", file=path, fix="check the MJCF") from None


def _without_meshes(path: Path) -> str:
    root = Xml.parse(path).getroot()
    for parent in root.iter():
        for child in list(parent):
            if child.tag == "mesh" or child.attrib.get("mesh"):
                parent.remove(child)
    return Xml.tostring(root, encoding="unicode")


def _make_dof(model: Any, n: int, joint: int) -> Dof:
    slides = model.jnt_type[n] == _SLIDE
    axis = np.array(model.jnt_axis[n])
    x, y, z = (quat.rotate(np.array(model.body_quat[joint + 1]), axis) if slides else axis).tolist()
    lower, upper = model.jnt_range[n].tolist() if model.jnt_limited[n] else (-np.inf, np.inf)
    return Dof(joint, "slide" if slides else "turn", (x, y, z), lower, upper)


def _find_torque(model: Any, n: int) -> float:
    """Return the largest torque (N m) of a joint, or of the motor that drives it; inf where none is stated."""
    if model.jnt_actfrclimited[n]:
        return float(np.abs(model.jnt_actfrcrange[n]).max())
    driven = [k for k in range(model.nu) if model.actuator_trnid[k, 0] == n and model.actuator_forcelimited[k]]
    return float(np.abs(model.actuator_forcerange[driven[0]]).max()) if driven else np.inf


def _list_collisions(model: Any) -> list[CollisionPoints]:
    found = []
    for n in range(model.ngeom):
        joint = int(model.geom_bodyid[n]) - 1
        if joint < 0 or not (model.geom_contype[n] or model.geom_conaffinity[n]):
            continue
        points = _sample(model, n)
        if len(points):
            turned = quat.rotate(np.array(model.geom_quat[n]), points)
            found.append(CollisionPoints(joint, np.array(model.geom_pos[n]) + turned))
    return found


def _sample(model: Any, n: int) -> Array:
    kind, size = int(model.geom_type[n]), np.array(model.geom_size[n])
    if kind == _BOX:
        return sample_box(size)
    if kind == _SPHERE:
        return sample_cylinder(size[0], size[0])
    if kind in (_CYLINDER, _CAPSULE):
        return sample_cylinder(size[0], size[1] + (size[0] if kind == _CAPSULE else 0.0))
    if kind == _MESH:
        mesh = int(model.geom_dataid[n])
        first = int(model.mesh_vertadr[mesh])
        return np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])], dtype=float)
    return np.zeros((0, 3))
