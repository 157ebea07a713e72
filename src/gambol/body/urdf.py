"""Read a robot's description (URDF) as a character: links become segments, joints degrees of freedom with limits.

The root gets six degrees of freedom: slides along x, y and z, then turns about z, y and x. Joints that mimic others, or
move nothing that has mass, are kept at zero. Joints that are fixed mark points, such as sensors; a mass without inertia
on one is a small ball. Inertias that no body can have are made the nearest that one can, and noted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Dof, Skeleton

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ROOT_DOFS = (*(Dof(0, "slide", axis) for axis in (_X, _Y, _Z)), *(Dof(0, "turn", axis) for axis in (_Z, _Y, _X)))
"""Degrees of freedom of a free base."""
JOINTS = slice(len(ROOT_DOFS), None)
"""Columns of coordinates after those of the base."""
_MOVING = ("revolute", "continuous", "prismatic")
_BALL = 0.01
"""Radius (m) of a mass without inertia."""
_BALL_INERTIA = 1e-7
"""Least principal value (kg m²) of an inertia that is corrected."""


@dataclass(frozen=True, eq=False)
class Visual:
    """A mesh that shows a link, in the frame of its joint."""

    joint: int
    file: Path
    position: Array
    """(3,) metres."""
    rotation: Array
    """(4,) quaternion."""
    scale: Array
    """(3,) factors."""
    color: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class CollisionPoints:
    """Points on the surface of a shape that touches things."""

    joint: int
    points: Array
    """(n, 3) in the frame of the joint (m)."""


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot: its body, the limits of its joints, and its looks."""

    character: Character
    """Its joints have the names of the description's joints, the root that of the root link."""
    links: dict[str, int]
    """Joint of every link."""
    speeds: Array
    """(dofs,) largest speeds (rad/s); inf for the root."""
    torques: Array
    """(dofs,) largest torques (N m); 0 for the root."""
    visuals: tuple[Visual, ...]
    collisions: tuple[CollisionPoints | Visual, ...] = ()
    """Simple shapes and meshes that touch things."""
    notes: tuple[str, ...] = ()
    """What was corrected."""


def read_urdf(path: Path) -> RobotDescription:
    """Read a description."""
    try:
        robot = Xml.fromstring(path.read_bytes())
    except OSError as error:
        raise InputError("cannot be read", file=path, fix=str(error.strerror)) from None
    except Xml.ParseError as error:
        raise InputError(f"not XML: {error}", file=path, fix="give a URDF file") from None
    if robot.tag != "robot":
        raise InputError(f"the outermost element is '{robot.tag}', not 'robot'", file=path, fix="give a URDF file")
    try:
        return _read_robot(robot, path)
    except (ValueError, KeyError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"an element is missing or not a number ({error})", file=path, fix="check the URDF") from None


def _read_robot(robot: Xml.Element, path: Path) -> RobotDescription:
    elements = {link.attrib["name"]: link for link in robot.findall("link")}
    tree = list(_walk(robot, elements, path))
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
            speeds.append(np.inf if limit is None else _parse_number(limit.attrib["velocity"]))
            torques.append(np.inf if limit is None else _parse_number(limit.attrib["effort"]))
    inertias = [make_inertia_physical(one) if mass > 0.0 else one for mass, one in zip(masses, given, strict=True)]
    changed = [tree[n][0] for n, (new, old) in enumerate(zip(inertias, given, strict=True)) if new is not old]
    notes = (f"inertias that no body can have were corrected: {', '.join(changed)}",) if changed else ()
    skeleton = Skeleton(tuple(names), tuple(parents), np.array(offsets), tuple(dofs), np.array(rests))
    character = Character(
        skeleton, np.array(masses), np.array(centers), np.array(inertias), robot.attrib.get("name", path.stem)
    )
    colors = {
        material.attrib["name"]: color
        for material in robot.iter("material")
        if (color := material.find("color")) is not None
    }
    visuals = tuple(
        found
        for link, number in links.items()
        for visual in elements[link].findall("visual")
        if (found := _read_visual(visual, number, colors, path)) is not None
    )
    collisions = tuple(
        shape
        for link, number in links.items()
        for collision in elements[link].findall("collision")
        if (shape := _read_collision(collision, number, path)) is not None
    )
    return RobotDescription(character, links, np.array(speeds), np.array(torques), visuals, collisions, notes)


def find_heavy_joints(parents: Sequence[int], masses: Array) -> set[int]:
    """Return the joints that carry mass, or have a joint below them that does."""
    found: set[int] = set()
    for joint in reversed(range(len(parents))):
        if joint in found or masses[joint] > 0.0:
            found |= {joint, parents[joint]}
    return found


def make_inertia_physical(inertia: Array) -> Array:
    """Return an inertia (3, 3) itself, or the nearest with principal values that a body can have."""
    values, axes = np.linalg.eigh(inertia)
    least = _BALL_INERTIA
    if values[0] > 0.0 and values[2] <= values[0] + values[1]:
        return inertia
    values = np.maximum(values, least)
    values[:2] += max(0.0, 0.5 * (values[2] - values[0] - values[1]))
    return np.asarray(axes @ np.diag(values * [1.0 + 1e-6, 1.0 + 1e-6, 1.0]) @ axes.T)


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
    # Slides act before the rest orientation.
    x, y, z = (quat.rotate(rotation, axis) if slides else axis).tolist()
    return Dof(number, "slide" if slides else "turn", (x, y, z), *bounds)


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


def _read_collision(collision: Xml.Element, number: int, path: Path) -> CollisionPoints | Visual | None:
    shape = next(iter(collision.find("geometry") or ()), None)
    if shape is None or shape.tag == "mesh":
        return _read_visual(collision, number, {}, path)
    position, rotation = _read_origin(collision)
    if shape.tag == "box":
        points = sample_box(0.5 * _read_numbers(shape, "size", "0 0 0"))
    else:
        radius = _parse_number(shape.attrib["radius"])
        points = sample_cylinder(radius, 0.5 * _parse_number(shape.attrib.get("length", str(2.0 * radius))))
    return CollisionPoints(number, position + quat.rotate(rotation, points))


def sample_box(half: Array) -> Array:
    """Return the corners (8, 3) of a box."""
    return half * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def sample_cylinder(radius: float, half: float) -> Array:
    """Return points (32, 3) on the rims of a cylinder along z, which also stand for a sphere or a capsule."""
    around = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    rim = np.stack((radius * np.cos(around), radius * np.sin(around), np.full(16, half)), axis=1)
    return np.concatenate((rim, rim * [1.0, 1.0, -1.0]))


def _read_visual(visual: Xml.Element, number: int, colors: dict[str, Xml.Element], path: Path) -> Visual | None:
    mesh = visual.find("geometry/mesh")
    if mesh is None:
        return None
    position, rotation = _read_origin(visual)
    material = visual.find("material")
    color = None if material is None else material.find("color")
    if color is None and material is not None:
        color = colors.get(material.attrib.get("name", ""))
    r, g, b, _ = _read_numbers(color, "rgba", "0.7 0.7 0.7 1")
    file = _find_mesh(mesh.attrib["filename"], path)
    return Visual(number, file, position, rotation, _read_numbers(mesh, "scale", "1 1 1"), (r, g, b))


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
        quat.from_axis_angle(np.array(axis), angle)
        for axis, angle in zip((_X, _Y, _Z), _read_numbers(origin, "rpy", "0 0 0"), strict=True)
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
