"""Read OpenSim's coordinates over time (MOT, STO) with the model they belong to, as a motion.

A joint of the motion is the joint frame of a body, named after the body. Functions of a coordinate that a joint has
beside its own angle, such as the translations of a knee, become coordinates of the motion, so that it moves as in
OpenSim. What a model lacks of a person above the pelvis is that of an average person, fixed to the trunk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gambol.assumptions import LEG_SHARE, TRUNK_SHARE, UPPER_ARM_SHARE
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.opensim import read_table
from gambol.io.osim import GROUND_BODY, Frame, Model, ModelJoint, read_model
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion, Origin
from gambol.motion.recording import Table
from gambol.motion.skeleton import Dof, Skeleton, Vector

_UNEVEN = 0.01
"""Relative difference of two time steps from which a table is resampled."""
_MOST_ADDED = 100
"""Largest number of frames per row of a table that is resampled."""
_LARGEST_ANGLE = 4.0 * np.pi
"""Angle (rad) beyond which a table that states no unit is in degrees."""
_LISTED = 6
"""Most coordinates that a note lists."""
_HALF_WIDTH, _CHIN, _CROWN, _FOREARM = 0.129, 0.052, 0.13, 0.146
"""Shoulders from the middle; chin above the shoulders; top of the head above the chin; elbow to wrist, as shares of
body height (Winter 2009, figure 4.1)."""


@dataclass
class _Node:
    """A joint to be: where it is at rest in its parent's frame, and its movements with their values (frames,)."""

    name: str
    parent: str
    rest: Frame
    moves: list[tuple[str, Array, Array]] = field(default_factory=list)
    """Kind, axis and values."""
    end: bool = False


def find_model(path: Path, given: Path | None = None) -> Path | None:
    """Return the model of a table of coordinates: as given, else the only one beside it that has its columns."""
    if given is not None:
        return given
    near = sorted(p for p in path.parent.glob("*") if p.suffix.lower() == ".osim")
    if not near:
        return None
    labels = read_table(path).labels
    fitting = [model for model in near if _match_columns(labels, read_model(model))]
    named = [model for model in fitting if path.stem.lower().startswith(model.stem.lower())]
    if len(named or fitting) > 1:
        raise InputError(
            f"several models could belong to it: {', '.join(model.name for model in fitting)}",
            file=path,
            fix="pass --osim FILE.osim",
        )
    return next(iter(named or fitting), None)


def read_coordinates(path: Path, model_file: Path) -> list[Motion]:
    """Read a table of coordinates with its model, in the model's axes (y up) and metres."""
    table, model = read_table(path), read_model(model_file)
    times, frame_time, notes = _even_times(table)
    columns = _match_columns(table.labels, model)
    if not columns:
        raise InputError(f"none of its columns is a coordinate of {model_file.name}", file=path)
    values, missing = _fill_coordinates(table, model, columns, times)
    if missing:
        listed = ", ".join(missing[:_LISTED]) + (
            f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
        )
        notes.append(f"not in the file, so at their default: {listed}")
    nodes = _make_nodes(model, values, model_file)
    nodes += (added := _estimate_upper_body(nodes))
    if added:
        parts = "head and arms" if any(node.name.startswith("humerus") for node in added) else "head"
        notes.append(f"the model has no {parts}: estimated from the length of the legs")
    skeleton, q = _to_skeleton(nodes)
    origin = Origin(file=str(path), format="opensim", unit=1.0, axes=np.eye(3))
    return [Motion(skeleton, q, frame_time, path.stem, origin, tuple(notes))]


def _match_columns(labels: tuple[str, ...], model: Model) -> dict[str, int]:
    """Return the column of every coordinate: named as such, or by a path that ends in its name and `value`."""
    found: dict[str, int] = {}
    for column, label in enumerate(labels):
        words = label.strip("/").split("/")
        name = words[-2] if len(words) > 1 and words[-1] == "value" else label
        if name in model.defaults:
            found.setdefault(name, column)
    return found


def _even_times(table: Table) -> tuple[Array, float, list[str]]:
    """Return evenly spaced times (frames,), the frame time, and a note if the file's are not."""
    steps = np.diff(table.times)
    if len(steps) == 0:
        return table.times, 1.0 / 60.0, []
    if (steps <= 0.0).any():
        raise InputError("times must increase", file=table.name)
    mean, usual = float(steps.mean()), float(np.median(steps))
    if np.abs(steps / mean - 1.0).max() <= _UNEVEN:
        return table.times, mean, []
    length = float(table.times[-1] - table.times[0])
    if length > _MOST_ADDED * len(table) * usual:
        raise InputError(f"times are too uneven for frames of {usual:g} s", file=table.name)
    count = int(np.floor(length / usual * (1.0 + 1e-9))) + 1
    note = f"rows are not evenly spaced in time: resampled to {1.0 / usual:.6g} frames per second"
    return table.times[0] + usual * np.arange(count), usual, [note]


def _fill_coordinates(
    table: Table, model: Model, columns: dict[str, int], times: Array
) -> tuple[dict[str, Array], list[str]]:
    """Return every coordinate (frames,) in radians or metres, and those that have their default for want of data."""
    turning = {a.coordinate for joint in model.joints.values() for a in joint.axes if a.kind == "turn"}
    angles = [c for name, c in columns.items() if name in turning]
    stated = next((value.lower() for key, value in table.header.items() if key.lower() == "indegrees"), None)
    if stated is None:
        degrees = bool(np.abs(table.values[:, angles]).max(initial=0.0) > _LARGEST_ANGLE)
    else:
        degrees = stated in ("yes", "true", "1")
    values: dict[str, Array] = {}
    missing = []
    for name, default in model.defaults.items():
        if name in columns and name not in model.couplings:
            scale = np.pi / 180.0 if degrees and name in turning else 1.0
            values[name] = scale * np.interp(times, table.times, table.values[:, columns[name]])
        else:
            values[name] = np.full(len(times), default)
            missing += [name] if name not in model.couplings else []
    for name, (other, function) in model.couplings.items():
        if other in values:
            values[name] = function(values[other])
    return values, missing


def _make_nodes(model: Model, values: dict[str, Array], file: Path) -> list[_Node]:
    """Return the bodies of the largest tree on the ground, parents first, with an end for every last body."""
    below: dict[str, list[str]] = {}
    for joint in model.joints.values():
        below.setdefault(joint.parent, []).append(joint.child)

    def collect(body: str) -> list[str]:
        found = [body]
        for name in found:
            found += [child for child in below.get(name, []) if child not in found]
        return found

    trees = [collect(body) for body in below.get(GROUND_BODY, [])]
    if not trees:
        raise InputError("no body is joined to the ground", file=file)
    nodes = []
    for body in max(trees, key=len):
        joint = model.joints[body]
        above = model.joints.get(joint.parent)
        nodes.append(_make_node(joint, Frame(np.zeros(3), quat.IDENTITY) if above is None else above.in_child, values))
        center = model.centers.get(body, np.zeros(3))
        if body not in below and center.any():
            tip = joint.in_child.invert().then(Frame(2.0 * center, quat.IDENTITY))
            nodes.append(_Node(f"{body}_end", body, Frame(tip.position, quat.IDENTITY), end=True))
    return nodes


def _make_node(joint: ModelJoint, above: Frame, values: dict[str, Array]) -> _Node:
    """Return a joint relative to the joint frame `above` of its parent body; slides are from the neutral pose."""
    base = above.invert().then(joint.in_parent)
    node = _Node(joint.child, "" if joint.parent == GROUND_BODY else joint.parent, base)
    for move in joint.axes:
        path = move.function(values.get(move.coordinate, np.zeros(len(next(iter(values.values()))))))
        axis, start = move.axis, 0.0
        if move.kind == "slide":
            axis, start = quat.rotate(base.rotation, axis), float(move.function(np.zeros(1))[0])
            node.rest = Frame(node.rest.position + start * axis, base.rotation)
        if joint.parent == GROUND_BODY or np.abs(path - start).max() > 0.0:
            node.moves.append((move.kind, axis, path - start))
    return node


def _estimate_upper_body(nodes: list[_Node]) -> list[_Node]:
    """Return the head and the arms that a model with trunk and legs lacks, fixed to the trunk."""
    names = {node.name for node in nodes}
    if not {"torso", "femur_l", "femur_r", "tibia_l", "talus_l"} <= names or "head" in names:
        return []
    skeleton, _ = _to_skeleton(nodes)
    placed = place(skeleton, np.zeros((1, len(skeleton.dofs))))
    at = {name: placed.positions[0, joint] for joint, name in enumerate(skeleton.names)}
    turned = quat.conjugate(placed.rotations[0, skeleton.index("torso")])
    bones = (("femur_l", "tibia_l"), ("tibia_l", "talus_l"))
    height = sum(float(np.linalg.norm(at[lower] - at[upper])) for upper, lower in bones) / LEG_SHARE
    up, right = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    added: list[_Node] = []

    def add(name: str, parent: str, step: Array, end: bool = False) -> None:
        added.append(_Node(name, parent, Frame(quat.rotate(turned, step), quat.IDENTITY), end=end))

    hips = 0.5 * (at["femur_l"] + at["femur_r"])
    shoulders = np.array([at["torso"][0], hips[1] + TRUNK_SHARE * height, at["torso"][2]])
    if {"humerus_l", "humerus_r"} <= names:
        shoulders = 0.5 * (at["humerus_l"] + at["humerus_r"])
    else:
        for side, sign in (("l", -1.0), ("r", 1.0)):
            add(f"humerus_{side}", "torso", shoulders + sign * _HALF_WIDTH * height * right - at["torso"])
            add(f"ulna_{side}", f"humerus_{side}", -UPPER_ARM_SHARE * height * up)
            add(f"hand_{side}", f"ulna_{side}", -_FOREARM * height * up, end=True)
    add("head", "torso", shoulders + _CHIN * height * up - at["torso"])
    add("head_end", "head", _CROWN * height * up, end=True)
    return added


def _to_skeleton(nodes: list[_Node]) -> tuple[Skeleton, Array]:
    """Return the skeleton of nodes, depth first, and its coordinates (frames, dofs)."""
    below: dict[str, list[_Node]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    ordered: list[_Node] = []
    stack = below[""][:1]
    while stack:
        ordered.append(stack.pop())
        if len(ordered) > len(nodes):
            raise InputError(f"the body '{ordered[-1].name}' is joined twice")
        stack += below.get(ordered[-1].name, [])[::-1]
    names = [node.name for node in ordered]
    moves = [(joint, *move) for joint, node in enumerate(ordered) for move in node.moves]
    skeleton = Skeleton(
        tuple(names),
        tuple(names.index(node.parent) if node.parent else -1 for node in ordered),
        np.array([node.rest.position for node in ordered]),
        tuple(Dof(joint, "turn" if kind == "turn" else "slide", _as_vector(axis)) for joint, kind, axis, _ in moves),
        np.array([node.rest.rotation for node in ordered]),
        frozenset(joint for joint, node in enumerate(ordered) if node.end),
    )
    return skeleton, np.stack([values for *_, values in moves], axis=1)


def _as_vector(axis: Array) -> Vector:
    x, y, z = (float(number) for number in axis)
    return x, y, z
