"""Read BVH: channels in any order, position channels on any joint, several roots.

A position channel is the joint's position in its parent's frame and replaces OFFSET. Some files add it to OFFSET
instead; they are recognised by position channels that stay near zero while OFFSET does not.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion, Origin
from gambol.motion.skeleton import MAX_JOINTS, Dof, Skeleton

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_CHANNEL = re.compile(r"([xyz])(position|rotation)", re.IGNORECASE)


@dataclass
class _Joint:
    name: str
    parent: int
    line: int
    offset: tuple[float, ...] | None = None
    channels: list[str] = field(default_factory=list)
    end: bool = False


def read_bvh(path: Path) -> list[Motion]:
    """Read every character of a BVH file, in the file's own axes and unit (which BVH does not state)."""
    raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in raw:
        raw = raw.replace(b"\r", b"\n")
    if b"HIERARCHY" not in raw[:4096].upper():
        raise InputError("not a BVH file: it does not begin with HIERARCHY", file=path)
    start = re.search(rb"^[ \t]*MOTION\b", raw, re.IGNORECASE | re.MULTILINE)
    if start is None:
        raise InputError("no MOTION block", file=path, fix="the file may be truncated: export it again")
    joints = _parse_hierarchy(raw[: start.start()].decode("utf-8", "replace"), path)
    header_lines = raw[: start.start()].count(b"\n")
    frames, frame_time, data, first_line = _parse_motion_header(raw[start.start() :], header_lines, path)
    width = sum(len(j.channels) for j in joints)
    values, notes = _parse_frames(data, frames, width, first_line, path)

    roots = [i for i, j in enumerate(joints) if j.parent < 0]
    motions, column = [], 0
    for n, first in enumerate(roots):
        own = joints[first : roots[n + 1] if n + 1 < len(roots) else None]
        count = sum(len(j.channels) for j in own)
        skeleton, q = _to_skeleton(own, first, values[:, column : column + count], path)
        column += count
        name = path.stem if len(roots) == 1 else f"{path.stem}_{n + 1}"
        origin = Origin(file=str(path), format="bvh", unit=float("nan"), axes=np.eye(3))
        motions.append(Motion(skeleton, q, frame_time, name, origin, notes))
    return motions


def _parse_hierarchy(text: str, path: Path) -> list[_Joint]:
    joints: list[_Joint] = []
    stack: list[int] = []
    pending = -1
    for number, line in enumerate(text.splitlines(), start=1):
        for statement in re.split(r"([{}])", line):
            words = statement.split()
            if not words or words[0].upper() == "HIERARCHY":
                continue
            key = words[0].upper()
            if key in ("ROOT", "JOINT", "END"):
                end = key == "END"
                parent = stack[-1] if stack else -1
                if (parent < 0) != (key == "ROOT"):
                    raise InputError(f"{words[0]} is not allowed here", file=path, line=number)
                name = f"{joints[parent].name}_end" if end else " ".join(words[1:]) or f"joint{len(joints)}"
                joints.append(_Joint(name, parent, number, end=end))
                pending = len(joints) - 1
                if len(joints) > MAX_JOINTS:
                    raise InputError(f"more than {MAX_JOINTS} joints", file=path, line=number)
            elif key == "{" and pending >= 0:
                stack.append(pending)
                pending = -1
            elif key == "}" and stack:
                stack.pop()
            elif key == "OFFSET" and stack:
                joints[stack[-1]].offset = _numbers(words[1:], 3, path, number)
            elif key == "CHANNELS" and stack:
                joints[stack[-1]].channels = _channels(words[1:], path, number)
            else:
                raise InputError(f"'{' '.join(words)[:60]}' is not valid here", file=path, line=number)
    if stack:
        raise InputError(
            f"joint '{joints[stack[-1]].name}' has no closing brace", file=path, line=joints[stack[-1]].line
        )
    if not joints:
        raise InputError("no ROOT joint", file=path)
    return _with_unique_names(joints)


def _with_unique_names(joints: list[_Joint]) -> list[_Joint]:
    seen: set[str] = set()
    for joint in joints:
        name, count = joint.name, 2
        while joint.name in seen:
            joint.name, count = f"{name}_{count}", count + 1
        seen.add(joint.name)
    return joints


def _numbers(words: list[str], count: int, path: Path, line: int) -> tuple[float, ...]:
    try:
        numbers = tuple(float(w) for w in words)
    except ValueError:
        numbers = ()
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise InputError(f"expected {count} finite numbers, got '{' '.join(words)[:60]}'", file=path, line=line)
    return numbers


def _channels(words: list[str], path: Path, line: int) -> list[str]:
    named = [w.lower() for w in words[1:]]
    if not words or words[0] != str(len(named)) or len(named) > 6:
        raise InputError(f"CHANNELS needs a count up to 6 and as many names, got '{' '.join(words)[:60]}'",
                         file=path, line=line)  # fmt: skip
    for word in named:
        if not _CHANNEL.fullmatch(word):
            raise InputError(
                f"unknown channel '{word[:40]}'", file=path, line=line, fix="channels are Xposition to Zrotation"
            )
    return named


def _parse_motion_header(raw: bytes, lines_before: int, path: Path) -> tuple[int, float, bytes, int]:
    match = re.match(
        rb"\s*MOTION\s+Frames\s*:\s*(\S+)\s+Frame\s*Time\s*:\s*(\S+)[^\n]*(\n|$)", raw[:4096], re.IGNORECASE
    )
    line = lines_before + 1
    if match is None:
        raise InputError("MOTION is not followed by 'Frames:' and 'Frame Time:'", file=path, line=line)
    try:
        frames, frame_time = int(match[1]), float(match[2])
    except ValueError:
        raise InputError("'Frames:' and 'Frame Time:' need numbers", file=path, line=line + 1) from None
    if frames < 1:
        raise InputError(
            f"the number of frames is {frames}", file=path, line=line + 1, fix="a motion needs at least two frames"
        )
    if not (np.isfinite(frame_time) and frame_time > 0):
        raise InputError(f"the frame time is {frame_time}", file=path, line=line + 2,
                         fix="give the seconds per frame, such as 0.0333333")  # fmt: skip
    return frames, frame_time, raw[match.end() :], line + match[0].count(b"\n")


def _parse_frames(data: bytes, frames: int, width: int, line: int, path: Path) -> tuple[Array, tuple[str, ...]]:
    """Return the values (frames, width), and notes. The size is checked first: a value takes at least two bytes."""
    if width == 0:
        raise InputError("no joint has channels", file=path)
    if frames * width * 2 > len(data) + 1:
        raise _truncated(frames, sum(1 for row in data.splitlines() if row.strip()), line, path)
    values: Array
    try:
        values = np.loadtxt(io.BytesIO(data), comments=None, ndmin=2)
    except ValueError:
        values = _parse_wrapped(data, frames, width, line, path)
    if values.shape[1] != width:
        raise _wrong_width(values.shape[1], width, line, path)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        fix = "delete that frame or repair the value"
        raise InputError("a channel is not a finite number", file=path, line=line + row, fix=fix)
    if len(values) < frames:
        raise _truncated(frames, len(values), line, path)
    surplus = (
        (f"the file declares {frames} frames but holds {len(values)}: all were kept",) if len(values) > frames else ()
    )
    return values, surplus


def _truncated(frames: int, found: int, line: int, path: Path) -> InputError:
    fix = f"the file is truncated: export it again, or write 'Frames: {found}' to keep what is there"
    return InputError(
        f"{frames} frames are declared but the file ends after {found}", file=path, line=line - 2, fix=fix
    )


def _wrong_width(found: int, width: int, line: int, path: Path) -> InputError:
    return InputError(f"{found} values, but the hierarchy has {width} channels", file=path, line=line)


def _parse_wrapped(data: bytes, frames: int, width: int, line: int, path: Path) -> Array:
    """Parse frames that span several lines; otherwise raise an error at the first line of wrong length."""
    words = data.split()
    try:
        if len(words) == frames * width:
            return np.array(words, dtype=float).reshape(frames, width)
    except ValueError:
        pass
    for number, row in enumerate(data.decode("utf-8", "replace").splitlines(), start=line):
        if found := row.split():
            if len(found) != width:
                raise _wrong_width(len(found), width, number, path)
            _numbers(found, width, path, number)
    raise InputError(f"the frames could not be read as {width} numbers each", file=path, line=line)


def _to_skeleton(joints: list[_Joint], first: int, values: Array, path: Path) -> tuple[Skeleton, Array]:
    dofs: list[Dof] = []
    q = np.radians(values)
    for index, joint in enumerate(joints):
        if joint.offset is None:
            raise InputError(f"joint '{joint.name}' has no OFFSET", file=path, line=joint.line)
        columns = range(len(dofs), len(dofs) + len(joint.channels))
        slides = [c for c, name in zip(columns, joint.channels, strict=True) if name.endswith("position")]
        # Positions added to OFFSET stay around zero; positions that replace it stay around OFFSET.
        away = np.abs(values[:, slides]).mean(axis=0).sum() if slides else 0.0
        additive = joint.parent >= first and bool(slides) and away < 0.1 * np.abs(joint.offset).sum()
        for column, name in zip(columns, joint.channels, strict=True):
            axis = _AXES[name[0]]
            if column in slides:
                shift = 0.0 if additive else float(np.dot(axis, joint.offset))
                q[:, column] = values[:, column] - shift
            dofs.append(Dof(index, "slide" if column in slides else "turn", axis))
    skeleton = Skeleton(
        names=tuple(j.name for j in joints),
        parents=tuple(j.parent - first if j.parent >= 0 else -1 for j in joints),
        offsets=np.array([j.offset for j in joints]),
        dofs=tuple(dofs),
        ends=frozenset(i for i, j in enumerate(joints) if j.end),
    )
    return skeleton, q
