"""Read OpenSim models (.osim): the tree of bodies, and how coordinates turn and move each joint.

A joint connects a frame fixed in its parent body with one fixed in its child body. In between it moves along up to
three axes, then turns about up to three, each by a function of a coordinate. Up to version 3 a joint stands inside its
child body; since version 4 joints have a set of their own and name their frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple
from xml.etree import ElementTree

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array

GROUND_BODY = "ground"
Function = Callable[[Array], Array]
"""A curve: values (n,) of a coordinate to metres or radians."""

_X, _Y, _Z = np.eye(3)
_SIMPLE: dict[str, tuple[tuple[Literal["turn", "slide"], Array], ...]] = {
    "WeldJoint": (),
    "PinJoint": (("turn", _Z),),
    "SliderJoint": (("slide", _X),),
    "UniversalJoint": (("turn", _X), ("turn", _Y)),
    "PlanarJoint": (("turn", _Z), ("slide", _X), ("slide", _Y)),
    "BallJoint": (("turn", _X), ("turn", _Y), ("turn", _Z)),
    "GimbalJoint": (("turn", _X), ("turn", _Y), ("turn", _Z)),
    "FreeJoint": (("turn", _X), ("turn", _Y), ("turn", _Z), ("slide", _X), ("slide", _Y), ("slide", _Z)),
}
"""What the coordinates of a joint without a spatial transform do, in their order."""


class Frame(NamedTuple):
    """A frame relative to another: position (3,) in metres and orientation (4,)."""

    position: Array
    rotation: Array

    def then(self, other: Frame) -> Frame:
        """Return a frame given in this one, relative to what this one is given in."""
        return Frame(
            self.position + quat.rotate(self.rotation, other.position), quat.multiply(self.rotation, other.rotation)
        )

    def invert(self) -> Frame:
        """Return what this frame is given in, relative to this frame."""
        back = quat.conjugate(self.rotation)
        return Frame(-quat.rotate(back, self.position), back)


class TransformAxis(NamedTuple):
    """One movement of a joint: along or about an axis (3,), by a function of a coordinate ("" for none)."""

    kind: Literal["turn", "slide"]
    axis: Array
    coordinate: str
    function: Function


@dataclass(frozen=True, eq=False)
class ModelJoint:
    """The joint between two bodies: its frame in each, slides, and turns in their order."""

    parent: str
    child: str
    in_parent: Frame
    in_child: Frame
    axes: tuple[TransformAxis, ...]


@dataclass(frozen=True, eq=False)
class Model:
    """Joints by child body, centres of mass of the bodies, and the coordinates with what is known about them."""

    joints: Mapping[str, ModelJoint]
    centers: Mapping[str, Array]
    """(3,) metres in the body's frame."""
    defaults: Mapping[str, float]
    """Value of every coordinate where nothing else is given, in radians and metres."""
    couplings: Mapping[str, tuple[str, Function]]
    """Coordinates that are functions of others: the other, and the function."""


def read_model(path: Path) -> Model:
    """Read the bodies, joints, coordinates and couplings of a model."""
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the last two: encodings it does not know
        raise InputError(f"not an OpenSim model: {error}", file=path) from None
    try:
        found = {joint.child: joint for joint in _read_joints(root)}
        bodies = {body.get("name", ""): _vector(body.findtext("mass_center")) for body in root.iter("Body")}
        defaults = {c.get("name", ""): float(c.findtext("default_value") or 0.0) for c in root.iter("Coordinate")}
        couplings = dict(_read_couplings(root))
    except (ValueError, IndexError) as error:
        raise InputError(f"a part of the model is not understood ({error})", file=path) from None
    if not found or not defaults:
        raise InputError("not an OpenSim model: no joints with coordinates", file=path)
    return Model(found, bodies, defaults, couplings)


def _read_joints(root: ElementTree.Element) -> Iterator[ModelJoint]:
    for joint in root.iterfind(".//JointSet/objects/*"):
        frames = {frame.get("name", ""): frame for frame in joint.iterfind("frames/*")}
        parent, in_parent = _resolve(_socket(joint, "socket_parent_frame"), frames)
        child, in_child = _resolve(_socket(joint, "socket_child_frame"), frames)
        yield ModelJoint(parent, child, in_parent, in_child, _read_axes(joint))
    for body in root.iterfind(".//BodySet/objects/Body"):
        for joint in body.iterfind("Joint/*"):
            in_parent, in_child = (
                _frame(joint.findtext(f"location{end}"), joint.findtext(f"orientation{end}"))
                for end in ("_in_parent", "")
            )
            parent = (joint.findtext("parent_body") or GROUND_BODY).strip()
            yield ModelJoint(parent, body.get("name", ""), in_parent, in_child, _read_axes(joint))


def _socket(element: ElementTree.Element, name: str) -> str:
    """Return the last word of the path to what an element is connected to."""
    text = next((child.text for child in element if child.tag.startswith(name)), "")
    return (text or "").strip().rsplit("/", 1)[-1]


def _resolve(name: str, frames: Mapping[str, ElementTree.Element]) -> tuple[str, Frame]:
    """Return the body that a frame is fixed in, and the frame in the body."""
    inside = Frame(np.zeros(3), quat.IDENTITY)
    for _ in range(len(frames) + 1):
        if name not in frames:
            return name, inside
        frame = frames[name]
        inside = _frame(frame.findtext("translation"), frame.findtext("orientation")).then(inside)
        name = _socket(frame, "socket_parent")
    raise ValueError(f"frame '{name}' is fixed in itself")


def _frame(position: str | None, angles: str | None) -> Frame:
    x, y, z = (quat.from_axis_angle(axis, angle) for axis, angle in zip(np.eye(3), _vector(angles), strict=True))
    return Frame(_vector(position), quat.multiply(quat.multiply(x, y), z))


def _read_axes(joint: ElementTree.Element) -> tuple[TransformAxis, ...]:
    """Return the movements of a joint: slides, then turns in the order in which they are applied."""
    coordinates = [c.get("name", "") for c in joint.iter("Coordinate")]
    moves = joint.find("SpatialTransform")
    if moves is None:
        if joint.tag not in _SIMPLE or len(coordinates) < len(_SIMPLE[joint.tag]):
            raise ValueError(f"joint '{joint.get('name')}' of type {joint.tag}")
        pairs = zip(_SIMPLE[joint.tag], coordinates, strict=False)
        return tuple(TransformAxis(kind, axis, name, _identity) for (kind, axis), name in pairs)
    named = {axis.get("name", ""): axis for axis in moves.iter("TransformAxis")}
    slides = [_read_axis("slide", named[key]) for key in sorted(named) if key.startswith("translation")]
    turns = [_read_axis("turn", named[key]) for key in sorted(named) if key.startswith("rotation")]
    return (*slides, *turns)


def _read_axis(kind: Literal["turn", "slide"], element: ElementTree.Element) -> TransformAxis:
    names = (element.findtext("coordinates") or "").split()
    if len(names) > 1:
        raise ValueError(f"axis '{element.get('name')}' of {len(names)} coordinates")
    axis = _vector(element.findtext("axis"))
    length = float(np.linalg.norm(axis))
    function = _read_function(element)
    if function is None or not length:
        function = _identity if names and length else _constant(0.0)
    return TransformAxis(kind, axis / (length or 1.0), names[0] if names else "", function)


def _read_couplings(root: ElementTree.Element) -> Iterator[tuple[str, tuple[str, Function]]]:
    for element in root.iter("CoordinateCouplerConstraint"):
        names = (element.findtext("independent_coordinate_names") or "").split()
        inside = element.find("coupled_coordinates_function")
        function = None if inside is None else _read_function(inside)
        scale = float(element.findtext("scale_factor") or 1.0)
        if len(names) == 1 and function is not None:
            dependent = (element.findtext("dependent_coordinate_name") or "").strip()
            yield dependent, (names[0], _scaled(function, scale))


def _read_function(element: ElementTree.Element) -> Function | None:
    """Return the function that is a child of an element, or that its child `function` holds."""
    for child in element:
        if child.tag == "function":
            return _read_function(child)
        if child.tag == "Constant":
            return _constant(float(child.findtext("value") or 0.0))
        if child.tag in ("LinearFunction", "PolynomialFunction"):
            return _polynomial(_numbers(child, "coefficients"))
        if child.tag == "MultiplierFunction":
            inner = _read_function(child)
            return None if inner is None else _scaled(inner, float(child.findtext("scale") or 1.0))
        if child.tag in ("SimmSpline", "NaturalCubicSpline", "GCVSpline", "PiecewiseLinearFunction"):
            return _curve(child.tag, _numbers(child, "x"), _numbers(child, "y"))
        if child.tag.endswith(("Function", "Spline")):
            raise ValueError(f"function {child.tag}")
    return None


def _identity(values: Array) -> Array:
    return values


def _constant(value: float) -> Function:
    return lambda values: np.full(np.shape(values), value)


def _polynomial(coefficients: Array) -> Function:
    return lambda values: np.polyval(coefficients, values)


def _scaled(function: Function, scale: float) -> Function:
    return lambda values: scale * function(values)


def _curve(kind: str, x: Array, y: Array) -> Function:
    """Return a curve through points, continued beyond them in a straight line."""
    from scipy.interpolate import CubicSpline, make_interp_spline

    if len(x) != len(y) or len(x) < 2 or (np.diff(x) <= 0.0).any():
        raise ValueError(f"{kind} with {len(x)} and {len(y)} values")
    if kind == "PiecewiseLinearFunction" or len(x) == 2:
        curve = make_interp_spline(x, y, k=1)
    else:
        curve = CubicSpline(x, y, bc_type="natural" if kind == "NaturalCubicSpline" else "not-a-knot")
    slopes = curve(x[0], 1), curve(x[-1], 1)

    def evaluate(values: Array) -> Array:
        inside = curve(np.clip(values, x[0], x[-1]))
        return inside + slopes[0] * np.minimum(values - x[0], 0.0) + slopes[1] * np.maximum(values - x[-1], 0.0)

    return evaluate


def _numbers(element: ElementTree.Element, name: str) -> Array:
    return np.array([float(word) for word in (element.findtext(name) or "").split()])


def _vector(text: str | None) -> Array:
    vector = np.array([float(word) for word in (text or "0 0 0").split()])
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError(f"'{text}' where three numbers are expected")
    return vector
