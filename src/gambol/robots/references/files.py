"""Read reference motions: files of gambol, and those with the fields or tables that others write.

An .npz file has `joint_pos`, `fps`, and the base as `root_pos` and `root_rot` or as a body of `body_pos_w` and
`body_quat_w`: the one with the name of the base, else the first; or it has the fields of another layout (`layouts`).
Joints are matched by `joint_names` where there are any. A .csv file has rows of base position, quaternion (x, y, z, w)
and joint angles. The robot carries the loads of a member of a family. Without contacts in the file, a sole that is low
and slow rests; the ground is then at a height of zero, where trackers have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError, missing_file_error
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.io.archive import read_arrays
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.references.disturbances import add_variation_loads
from gambol.robots.references.layouts import rename_fields, say_what_is_wrong
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.references.slabs import add_slabs
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.sole_shapes import locate_soles

REFERENCE_EXTENSIONS = (".npz", ".csv")
"""Extensions of files with reference motions."""
_TABLE_RATE = 30.0
"""Frames per second of a table, which does not say."""
_EXPANSION = 20.0
"""Size of arrays relative to that of a compressed file: others compress theirs."""
_FARTHEST = 1e4
"""Largest coordinate (m, rad)."""
_LOW, _SLOW = 0.04, 0.4
"""Height (m) and speed (m/s) below which a corner of a sole rests."""
_KNOWN = "give an .npz file with joint_pos, root_pos, root_rot and fps, or with qpos and fps, or a .csv file"

_Rests = tuple[NDArray[np.bool_], NDArray[np.bool_], Array]
"""When soles rest, when they do so flat (frames, 2), and the ground below corners (frames, 2, 4)."""


def read_reference(path: Path, biped: Biped, fps: float | None = None) -> ReferenceMotion:
    """Read a reference motion of a robot; `fps` is that of a table, 30 if it is not given."""
    try:
        fields = (
            _read_table(path, fps or _TABLE_RATE)
            if path.suffix.lower() == ".csv"
            else rename_fields(read_arrays(path, _EXPANSION))
        )
        base, angles, step = _find_fields(fields, biped)
        rests = _read_rests(fields, len(angles))
        load, hand_load = (float(np.ravel(fields.get(name, 0.0))[0]) for name in ("axis_load", "axis_hand_load"))
        biped = add_variation_loads(biped, ReferenceVariation(load=load, hand_load=hand_load))
    except FileNotFoundError:
        raise missing_file_error(path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    except (ValueError, LookupError, ArithmeticError) as error:
        raise InputError(
            f"not a reference motion of this robot: {say_what_is_wrong(error)}", file=path, fix=_KNOWN
        ) from None
    motion = Motion(biped.skeleton, np.hstack((base, angles)), step, path.stem)
    return add_slabs(ReferenceMotion(biped, motion, *(rests or _find_rests(biped, motion))))


def _read_rests(fields: Mapping[str, NDArray[Any]], count: int) -> _Rests | None:
    """Return when soles rest, when they do so flat, and the ground, if a file has all three."""
    rests = [np.asarray(fields[name]) for name in ("contacts", "flat_contacts", "ground") if name in fields]
    if [each.shape for each in rests] != [(count, 2), (count, 2), (count, 2, 4)]:
        return None
    touching, flat, ground = rests
    if not np.abs(ground.astype(float)).max() <= _FARTHEST:
        raise ValueError(f"a height of the ground that is not finite, or beyond {_FARTHEST:g} m")
    return touching.astype(bool), flat.astype(bool), ground.astype(float)


def _read_table(path: Path, fps: float) -> dict[str, NDArray[Any]]:
    rows = np.loadtxt(path, delimiter=",", ndmin=2)
    return {
        "root_pos": rows[:, :3],
        "root_rot": np.roll(rows[:, 3:7], 1, axis=1),
        "joint_pos": rows[:, 7:],
        "fps": np.array(fps),
    }


def _find_fields(fields: Mapping[str, NDArray[Any]], biped: Biped) -> tuple[Array, Array, float]:
    """Return coordinates (frames, 6) of the base, joint angles (frames, joints) and seconds per frame."""
    if "root_pos" in fields:
        place, turned = (np.asarray(fields[name], dtype=float) for name in ("root_pos", "root_rot"))
    else:
        bodies = [str(name) for name in fields.get("body_names", ())]
        name = next(iter(biped.description.links))
        base = bodies.index(name) if name in bodies else 0
        place, turned = (np.asarray(fields[each], dtype=float)[:, base] for each in ("body_pos_w", "body_quat_w"))
    angles = np.asarray(fields["joint_pos"], dtype=float)
    fps = float(np.ravel(fields["fps"])[0])
    joints = biped.description.joint_names
    if "joint_names" in fields:
        named = {str(name): n for n, name in enumerate(fields["joint_names"])}
        missing = [name for name in joints if name not in named]
        if missing:
            raise ValueError(f"it has no joint '{missing[0]}'")
        angles = angles[:, [named[name] for name in joints]]
    if place.shape != (len(angles), 3) or turned.shape != (len(angles), 4) or angles.shape[1] != len(joints):
        raise ValueError(f"{angles.shape[1]} joints, but the robot has {len(joints)}")
    if len(angles) < 3 or not 1.0 <= fps <= 10_000.0:
        raise ValueError("fewer than three frames, or no frame rate")
    if not np.abs(np.hstack((place, turned, angles))).max() <= _FARTHEST:
        raise ValueError(f"a number that is not finite, or larger than {_FARTHEST:g} m or rad")
    sizes = np.linalg.norm(turned, axis=1, keepdims=True)
    if not (sizes > 0.0).all():
        raise ValueError("a quaternion of the base is zero")
    turned = quat.make_continuous(turned / sizes)
    return np.hstack((place - biped.skeleton.offsets[0], angles_about(np.eye(3)[::-1], turned))), angles, 1.0 / fps


def _find_rests(biped: Biped, motion: Motion) -> _Rests:
    """Return when soles rest, when they do so flat (frames, 2), and the ground below corners (frames, 2, 4)."""
    corners = locate_soles(biped, motion.placement)
    speeds = np.linalg.norm(np.gradient(corners, motion.frame_time, axis=0), axis=3)
    rests = (corners[..., 2] < _LOW) & (speeds < _SLOW)
    return rests.any(axis=2), rests.all(axis=2), np.zeros(rests.shape)
