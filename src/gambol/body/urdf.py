"""Read a robot's description (URDF) as a character: links become segments, joints degrees of freedom with limits.

The root gets six degrees of freedom: slides along x, y and z, then turns about z, y and x. Joints that mimic others, or
move nothing that has mass, are kept at zero. Joints that are fixed mark points, such as sensors; a mass without inertia
on one is a small ball. Inertias that no body can have are made the nearest that one can, and noted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np

from gambol.body.character import Character
from gambol.body.link_shapes import GREY, LinkShape, MeshFile, SimpleShape, note_missing_meshes, settle_up_axis
from gambol.body.robot_description import (
    JOINTS,
    ROOT_DOFS,
    RobotDescription,
    find_heavy_joints,
    make_inertia_physical,
    note_corrected_inertias,
)
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Dof, Skeleton

_AXES = np.eye(3)
_MOVING = ("revolute", "continuous", "prismatic")
_BALL = 0.01
"""Radius (m) of a mass without inertia."""
_XACRO = "ros.org/wiki/xacro}"
"""End of the namespace of macros."""
EXPAND_XACRO = "expand it: 'xacro robot.urdf.xacro > robot.urdf'"
NOT_XML = (Xml.ParseError, ValueError, LookupError)
"""Exceptions of the parser; the last two are those of encodings with several bytes per letter, or unknown ones."""
_WORLD = "world"
"""Name of a link that simulators do not move."""


def read_urdf(path: Path) -> RobotDescription:
    """Read a description."""
    try:
        robot = Xml.fromstring(path.read_bytes())
    except OSError as error:
        raise InputError("cannot be read", file=path, fix=str(error.strerror)) from None
    except NOT_XML as error:
        raise InputError(f"not XML: {error}", file=path, fix="give a URDF file, in UTF-8") from None
    if robot.tag != "robot":
        raise InputError(f"the outermost element is '{robot.tag}', not 'robot'", file=path, fix="give a URDF file")
    try:
        return _read_robot(robot, path)
    except InputError as error:
        raise error if error.file else InputError(error.problem, file=path, fix=error.fix) from None
    except (ValueError, KeyError, AttributeError) as error:
        raise InputError(f"an element is missing or not a number ({error})", file=path, fix="check the URDF") from None


def _read_robot(robot: Xml.Element, path: Path) -> RobotDescription:
    if any(_XACRO in element.tag for element in robot.iter()):
        raise InputError("it has macros of xacro", fix=EXPAND_XACRO)
    elements = _list_links(robot)
    tree = list(_walk(robot, elements, path))
    apart = ", ".join(f"'{link}'" for link in sorted(elements.keys() - {link for link, _, _ in tree}))
    if apart:
        raise InputError(f"no joints lead from the root link '{tree[0][0]}' to {apart}", fix="connect or remove them")
    numbers = {link: number for number, (link, _, _) in enumerate(tree)}
    masses, centers, given = zip(*(_read_inertia(elements[link], joint) for link, _, joint in tree), strict=True)
    heavy = find_heavy_joints([numbers.get(parent, -1) for _, parent, _ in tree], np.array(masses))
    names, parents, offsets, rests, dofs = [], [], [], [], list(ROOT_DOFS)
    speeds, torques = [np.inf] * len(ROOT_DOFS), [0.0] * len(ROOT_DOFS)
    links: dict[str, int] = {}
    for number, (link, parent, joint) in enumerate(tree):
        links[link] = number
        position, rotation = _read_origin(joint)
        names.append(link if joint is None else joint.attrib["name"])
        parents.append(-1 if joint is None else links[parent])
        offsets.append(position)
        rests.append(rotation)
        if joint is not None and joint.attrib["type"] in _MOVING and joint.find("mimic") is None and number in heavy:
            dofs.append(_read_dof(joint, number, rotation))
            limit = joint.find("limit")
            speeds.append(_read_largest(limit, "velocity"))
            torques.append(_read_largest(limit, "effort"))
    inertias = [make_inertia_physical(one) if mass > 0.0 else one for mass, one in zip(masses, given, strict=True)]
    changed = [tree[n][0] for n, (new, old) in enumerate(zip(inertias, given, strict=True)) if new is not old]
    skeleton = Skeleton(tuple(names), tuple(parents), np.array(offsets), tuple(dofs), np.array(rests))
    character = Character(
        skeleton, np.array(masses), np.array(centers), np.array(inertias), robot.attrib.get("name", path.stem)
    )
    visuals, collisions = (_read_shapes(robot, elements, links, kind, path) for kind in ("visual", "collision"))
    shapes = settle_up_axis([*visuals, *collisions], character)
    return RobotDescription(
        character,
        links,
        tuple(names[dof.joint] for dof in dofs[JOINTS]),
        np.array(speeds),
        np.array(torques),
        shapes[: len(visuals)],
        shapes[len(visuals) :],
        (*note_corrected_inertias(changed), *note_missing_meshes(shapes)),
    )


def _list_links(robot: Xml.Element) -> dict[str, Xml.Element]:
    found: dict[str, Xml.Element] = {}
    for link in robot.findall("link"):
        if found.setdefault(link.attrib["name"], link) is not link:
            raise InputError(f"link '{link.attrib['name']}' is described twice", fix="remove or rename one")
    return found


def _walk(
    robot: Xml.Element, elements: dict[str, Xml.Element], path: Path
) -> Iterator[tuple[str, str, Xml.Element | None]]:
    """Yield links depth first: name, name of the parent, joint between them."""
    below: dict[str, list[Xml.Element]] = {name: [] for name in elements}
    children = set()
    for joint in robot.findall("joint"):
        parent, child = joint.find("parent").attrib["link"], _find_child(joint)  # type: ignore[union-attr]
        for name in (parent, child):
            if name not in elements:
                raise InputError(f"joint '{joint.attrib['name']}' names the link '{name}', which is missing", file=path)
        if child in children:
            raise InputError(f"link '{child}' has two parents", file=path, fix="give a robot without closed chains")
        below[parent].append(joint)
        children.add(child)
    roots = [name for name in elements if name not in children]
    if len(roots) != 1:
        raise InputError(f"{len(roots)} links have no parent", file=path, fix="a robot has one root link")
    if roots[0] == _WORLD and all(joint.attrib["type"] == "fixed" for joint in below[_WORLD]):
        raise InputError(f"the base is fixed to '{_WORLD}'", file=path, fix="remove that link and its joint")
    waiting: list[tuple[str, str, Xml.Element | None]] = [(roots[0], "", None)]
    while waiting:
        link, parent, above = waiting.pop()
        yield link, parent, above
        waiting += [(_find_child(under), link, under) for under in reversed(below[link])]


def _find_child(joint: Xml.Element) -> str:
    return joint.find("child").attrib["link"]  # type: ignore[union-attr]


def _read_dof(joint: Xml.Element, number: int, rotation: Array) -> Dof:
    axis = _read_numbers(joint.find("axis"), "xyz", "1 0 0")
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise InputError(f"the axis of joint '{joint.attrib['name']}' is zero")
    axis = axis / size
    slides = joint.attrib["type"] == "prismatic"
    limit = joint.find("limit")
    bounds = (
        (-np.inf, np.inf)
        if limit is None or joint.attrib["type"] == "continuous"
        else (_parse_number(limit.attrib.get("lower", "0")), _parse_number(limit.attrib.get("upper", "0")))
    )
    if bounds[0] > bounds[1]:
        raise InputError(
            f"the lower limit of joint '{joint.attrib['name']}' is above the upper one", fix="exchange them"
        )
    # Slides act before the rest orientation.
    x, y, z = (quat.rotate(rotation, axis) if slides else axis).tolist()
    return Dof(number, "slide" if slides else "turn", (x, y, z), *bounds)


def _read_largest(limit: Xml.Element | None, name: str) -> float:
    """Return the largest speed or torque of a joint; inf where it is missing or not positive: exporters write zeros."""
    given = 0.0 if limit is None else _parse_number(limit.attrib.get(name, "0"))
    return given if given > 0.0 else np.inf


def _read_inertia(link: Xml.Element, joint: Xml.Element | None) -> tuple[float, Array, Array]:
    """Return mass (kg), centre of mass (m) and inertia about it (kg m²), in the frame of the link."""
    inertial = link.find("inertial")
    if inertial is None:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    center, rotation = _read_origin(inertial)
    mass = _parse_number(inertial.find("mass").attrib["value"])  # type: ignore[union-attr]
    found = inertial.find("inertia").attrib  # type: ignore[union-attr]
    xx, xy, xz, yy, yz, zz = (
        _parse_number(found.get(name, "0")) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    if joint is not None and joint.attrib["type"] == "fixed" and xx == yy == zz == 0.0:
        xx = yy = zz = 0.4 * mass * _BALL**2
    turn = quat.to_matrix(rotation)
    return mass, center, turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T


def _read_shapes(
    robot: Xml.Element, elements: dict[str, Xml.Element], links: dict[str, int], kind: str, path: Path
) -> list[LinkShape]:
    """Return the shapes of all links that are drawn ("visual") or touch things ("collision")."""
    colors = {
        material.attrib["name"]: color
        for material in robot.iter("material")
        if (color := material.find("color")) is not None
    }
    found = []
    for link, number in links.items():
        for element in elements[link].findall(kind):
            geometry = _read_geometry(element.find("geometry"), path)
            if geometry is not None:
                found.append(LinkShape(number, geometry, *_read_origin(element), _read_color(element, colors)))
    return found


def _read_geometry(outer: Xml.Element | None, path: Path) -> SimpleShape | MeshFile | None:
    """Return a shape; None of one that is not known."""
    for shape in () if outer is None else outer:
        if shape.tag == "mesh":
            return MeshFile(_find_mesh(shape.attrib["filename"], path), _read_numbers(shape, "scale", "1 1 1"))
        if shape.tag == "box":
            return SimpleShape("box", 0.5 * _read_numbers(shape, "size", "0 0 0"))
        if shape.tag in ("sphere", "cylinder", "capsule"):
            radius, height = _parse_number(shape.attrib["radius"]), 0.5 * _parse_number(shape.attrib.get("length", "0"))
            if shape.tag == "cylinder":
                return SimpleShape("cylinder", np.array([radius, radius, height]))
            return SimpleShape("capsule", np.array([radius, radius, height + radius]))
    return None


def _read_color(element: Xml.Element, colors: dict[str, Xml.Element]) -> tuple[float, float, float]:
    material = element.find("material")
    if material is None:
        return GREY
    color = material.find("color")
    color = colors.get(material.attrib.get("name", "")) if color is None else color
    if color is None:
        return GREY
    r, g, b, _ = (_parse_number(share) for share in color.attrib["rgba"].split())
    return r, g, b


def _find_mesh(name: str, path: Path) -> Path:
    """Return the file that a URDF in a package means: package://robot/meshes/leg.dae is near the description."""
    relative = Path(name.split("://", 1)[-1])
    if "://" not in name:
        return path.parent / relative
    inside = Path(*relative.parts[1:])
    return next((folder / inside for folder in path.parents if (folder / inside).is_file()), path.parent / inside)


def _read_origin(element: Xml.Element | None) -> tuple[Array, Array]:
    """Return position (m) and rotation (quaternion)."""
    origin = None if element is None else element.find("origin")
    position = _read_numbers(origin, "xyz", "0 0 0")
    roll, pitch, yaw = (
        quat.from_axis_angle(axis, angle)
        for axis, angle in zip(_AXES, _read_numbers(origin, "rpy", "0 0 0"), strict=True)
    )
    return position, quat.multiply(yaw, quat.multiply(pitch, roll))


def _read_numbers(element: Xml.Element | None, name: str, default: str) -> Array:
    text = default if element is None else element.attrib.get(name, default)
    return np.array([_parse_number(number) for number in text.split()])


def _parse_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"'{text}' is not finite")
    return number
