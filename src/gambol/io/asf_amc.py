"""Read ASF skeletons and AMC motions (Acclaim), as in the CMU database.

A joint lies at the start of its bone. Its angles rotate about the bone's own axes C, given at rest in world axes, so
that its rotation is C Rz Ry Rx inverse(C): three rotations about the columns of C.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion, Origin
from gambol.motion.skeleton import MAX_JOINTS, Dof, Skeleton

_FRAME_TIME = 1.0 / 120.0
_INCH = 0.0254
_DOFS = ("tx", "ty", "tz", "rx", "ry", "rz")


@dataclass
class _Bone:
    name: str
    line: int
    vector: Array = field(default_factory=lambda: np.zeros(3))
    axes: Array = field(default_factory=lambda: np.eye(3))
    order: list[str] = field(default_factory=list)
    limits: list[tuple[float, float]] = field(default_factory=list)


@dataclass
class _Asf:
    bones: dict[str, _Bone]
    children: dict[str, list[str]]
    unit: float
    radians: float
    """Radians per unit of angle in the file."""


def read_amc(path: Path, skeleton_file: Path | None = None) -> list[Motion]:
    """Read an AMC with its ASF (given, or found beside it), in the file's own axes (y up) and unit."""
    asf_path = skeleton_file or _find_skeleton(path)
    asf = _parse_asf(asf_path)
    skeleton, layout = _to_skeleton(asf, asf_path)
    values, angle = _parse_amc(path, layout, asf.radians)
    columns = [(bone, i) for bone, names in layout for i, _ in _in_turning_order(names)]
    start = {bone: sum(len(n) for _, n in layout[:k]) for k, (bone, _) in enumerate(layout)}
    q = values[:, [start[bone] + i for bone, i in columns]] * np.where(skeleton.turning, angle, 1.0)
    origin = Origin(file=str(path), format="amc", unit=asf.unit, axes=np.eye(3))
    note = "AMC states no frame rate: 120 frames per second assumed (--fps overrides)"
    return [Motion(skeleton, q, _FRAME_TIME, path.stem, origin, (note,))]


def _in_turning_order(names: list[str]) -> list[tuple[int, str]]:
    """Return slides as listed, then turns reversed: the first listed is applied first, as the rightmost factor."""
    indexed = list(enumerate(names))
    return [x for x in indexed if x[1][0] == "t"] + [x for x in indexed if x[1][0] == "r"][::-1]


def _find_skeleton(path: Path) -> Path:
    near = sorted(p for p in path.parent.glob("*") if p.suffix.lower() == ".asf")
    named = [p for p in near if path.stem.lower().startswith(p.stem.lower())]
    if len(named or near) == 0:
        raise InputError(
            "no ASF skeleton in the same folder", file=path, fix="put it there or pass --skeleton FILE.asf"
        )
    if not named and len(near) > 1:
        raise InputError(
            f"several skeletons could belong to it: {', '.join(p.name for p in near)}",
            file=path,
            fix="pass --skeleton FILE.asf",
        )
    return max(named or near, key=lambda p: len(p.stem))


def _parse_asf(path: Path) -> _Asf:
    bones = {"root": _Bone("root", 1, order=list(_DOFS))}
    children: dict[str, list[str]] = {}
    asf = _Asf(bones, children, _INCH, np.pi / 180.0)
    section, bone = "", bones["root"]
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1):
        words = line.split("#")[0].replace("(", " ").replace(")", " ").split()
        if not words:
            continue
        try:
            if words[0].startswith(":"):
                section = words[0].lower()
                bone = bones["root"]
            elif section == ":units":
                _parse_unit(asf, words)
            elif section in (":root", ":bonedata"):
                if words[0] == "begin":
                    bone = _Bone("", number)
                elif words[0] == "end":
                    bones[bone.name] = bone
                else:
                    _parse_bone_line(bone, words, asf.radians)
            elif section == ":hierarchy" and words[0] not in ("begin", "end"):
                children.setdefault(words[0], []).extend(words[1:])
        except (ValueError, IndexError, ZeroDivisionError):
            raise InputError(f"'{line.strip()[:60]}' is not understood", file=path, line=number) from None
        if len(bones) > MAX_JOINTS:
            raise InputError(f"more than {MAX_JOINTS} bones", file=path, line=number)
    if len(bones) == 1 or not children:
        raise InputError("not an ASF skeleton: no bones or no hierarchy", file=path)
    return asf


def _parse_unit(asf: _Asf, words: list[str]) -> None:
    if words[0] == "length":
        asf.unit = _INCH / float(words[1])
        if not (np.isfinite(asf.unit) and asf.unit > 0):
            raise ValueError
    elif words[0] == "angle":
        asf.radians = 1.0 if words[1].startswith("rad") else np.pi / 180.0


def _parse_bone_line(bone: _Bone, words: list[str], radians: float) -> None:
    key = words[0].lower()
    if key == "name":
        bone.name = words[1]
    elif key == "direction":
        bone.vector = _vector(words[1:4]) * (np.linalg.norm(bone.vector) or 1.0)
    elif key == "length":
        direction = bone.vector if bone.vector.any() else np.array([1.0, 0.0, 0.0])
        bone.vector = direction / np.linalg.norm(direction) * float(words[1])
    elif key == "axis" and len(words) == 5:
        bone.axes = _axes(_vector(words[1:4]) * radians, words[4])
    elif key in ("dof", "order"):
        bone.order = [w.lower() for w in words[1:]]
        if not set(bone.order) <= set(_DOFS):
            raise ValueError
    elif key in ("position", "orientation") and _vector(words[1:4]).any():
        raise ValueError
    elif key == "limits" or re.match(r"[-+.\d]|inf", words[0]):
        low, high = (float(w) for w in words[-2:])
        bone.limits.append((low * radians, high * radians))


def _vector(words: list[str]) -> Array:
    vector = np.array([float(w) for w in words])
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError
    return vector


def _axes(angles: Array, order: str) -> Array:
    """Return the bone's rest axes as columns, from rotations about the world axes in the given order."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler(order.lower(), angles).as_matrix()


def _to_skeleton(asf: _Asf, path: Path) -> tuple[Skeleton, list[tuple[str, list[str]]]]:
    names, parents, ends = ["root"], [-1], set()
    offsets: list[Array] = [np.zeros(3)]
    stack = [(child, 0) for child in reversed(asf.children.get("root", []))]
    while stack:
        name, parent = stack.pop()
        if name not in asf.bones or name in names:
            raise InputError(f"the hierarchy names '{name}', which is not a bone or is repeated", file=path)
        names.append(name)
        parents.append(parent)
        offsets.append(asf.bones[names[parent]].vector)
        me = len(names) - 1
        below = asf.children.get(name, [])
        stack += [(child, me) for child in reversed(below)]
        if not below:
            names.append(f"{name}_end")
            parents.append(me)
            offsets.append(asf.bones[name].vector)
            ends.add(me + 1)
    dofs: list[Dof] = []
    for joint, name in enumerate(names):
        bone = asf.bones.get(name)
        if bone is None:
            continue
        limits = bone.limits if len(bone.limits) == len(bone.order) else [(-np.inf, np.inf)] * len(bone.order)
        for i, dof in _in_turning_order(bone.order):
            axis = bone.axes[:, "xyz".index(dof[1])]
            x, y, z = (float(a) for a in axis)
            dofs.append(Dof(joint, "slide" if dof[0] == "t" else "turn", (x, y, z), *limits[i]))
    skeleton = Skeleton(tuple(names), tuple(parents), np.array(offsets), tuple(dofs), ends=frozenset(ends))
    return skeleton, [(n, asf.bones[n].order) for n in names if n in asf.bones and asf.bones[n].order]


def _parse_amc(path: Path, layout: list[tuple[str, list[str]]], radians: float) -> tuple[Array, float]:
    """Return values (frames, sum of the layout's widths) in the layout's order, and radians per unit of angle."""
    text = path.read_text("utf-8", "replace")
    lines = [(i, line.split()) for i, line in enumerate(text.splitlines(), start=1)]
    body = [(i, w) for i, w in lines if w and w[0][0] not in "#:"]
    flags = {w[0].upper() for _, w in lines if w and w[0][0] == ":"}
    radians = 1.0 if ":RADIANS" in flags else np.pi / 180.0 if ":DEGREES" in flags else radians
    widths = {bone: len(names) for bone, names in layout}
    frames = [k for k, (_, w) in enumerate(body) if len(w) == 1 and w[0].isdigit()]
    if not frames:
        raise InputError("no frames", file=path)
    out = np.empty((len(frames), sum(widths.values())))
    for n, (start, stop) in enumerate(zip(frames, [*frames[1:], len(body)], strict=True)):
        row = {w[0]: (i, w[1:]) for i, w in body[start + 1 : stop]}
        column = 0
        for bone, width in widths.items():
            line, words = row.get(bone, (body[start][0], []))
            if len(words) != width:
                raise InputError(f"bone '{bone}' needs {width} numbers, got {len(words)}", file=path, line=line)
            try:
                out[n, column : column + width] = words
            except ValueError:
                raise InputError(f"'{' '.join(words)[:60]}' are not {width} numbers", file=path, line=line) from None
            column += width
    if not np.isfinite(out).all():
        bad = int(np.argwhere(~np.isfinite(out))[0, 0])
        raise InputError("a value is not a finite number", file=path, line=body[frames[bad]][0])
    return out, radians
