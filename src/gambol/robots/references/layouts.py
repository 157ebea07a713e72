"""Fields of reference motions under the names, and in the order, that other programs have them.

`qpos` and `qvel` are MuJoCo's: position and quaternion (w, x, y, z) of the base, joint angles; velocity of the base in
the world, its angular velocity in its own axes, joint velocities. Layouts:

- isaaclab: what the motion loader of Isaac Lab's AMP humanoids reads.
- gmr: the fields of GMR's pickled dictionaries, whose quaternions are x, y, z, w. PHC's and ASAP's are read as well.
- loco-mujoco: what LocoMuJoCo's `Trajectory.load` reads; the joint of the base is called root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.io.archive import read_arrays
from gambol.io.output import atomic_write
from gambol.robots.mjcf_joints import FREE, HINGE

Fields = Mapping[str, NDArray[Any]]

_ISAACLAB = {
    "dof_names": "joint_names",
    "body_names": "body_names",
    "dof_positions": "joint_pos",
    "dof_velocities": "joint_vel",
    "body_positions": "body_pos_w",
    "body_rotations": "body_quat_w",
    "body_linear_velocities": "body_lin_vel_w",
    "body_angular_velocities": "body_ang_vel_w",
}
"""Names of Isaac Lab and ours."""
_OTHER_NAMES = {**_ISAACLAB, "dof_pos": "joint_pos", "dof": "joint_pos", "root_trans_offset": "root_pos"}
_OTHER_NAMES |= {"frequency": "fps"}
_W_LAST = ("dof_pos", "dof")
"""Joint angles beside quaternions x, y, z, w."""
_BASE = 7
"""Numbers of the base in `qpos`."""


def convert_reference(source: Path, output: Path, layout: str) -> Path:
    """Write a reference motion (.npz) in a layout of `LAYOUTS`."""
    if output.suffix.lower() != ".npz":
        raise InputError(f"layouts are of .npz files, not '{output.suffix}'", file=output, fix="give a name.npz")
    try:
        fields = LAYOUTS[layout](read_arrays(source))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=source) from None
    except (ValueError, LookupError) as error:
        fix = "give an .npz file that 'gambol retarget --to ROBOT' wrote"
        raise InputError(f"not a reference motion: {say_what_is_wrong(error)}", file=source, fix=fix) from None
    with atomic_write(output) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **fields)
    return output


def say_what_is_wrong(error: Exception) -> str:
    """Return the message of an error that was raised while fields were read."""
    return f"no field {error}" if isinstance(error, KeyError) else str(error)


def rename_fields(fields: Fields) -> dict[str, NDArray[Any]]:
    """Return `joint_pos`, `root_pos`, `root_rot`, `fps` and further fields of any layout under our names."""
    renamed = {_OTHER_NAMES.get(name, name): values for name, values in fields.items()}
    for name in ("joint_names", "body_names"):
        if name in renamed and renamed[name].ndim != 1:
            raise ValueError(f"{name} is not a list")
    if any(name in fields for name in _W_LAST) and "root_rot" in fields:
        renamed["root_rot"] = np.roll(fields["root_rot"], 1, axis=1)
    names = renamed.get("joint_names", np.array([]))
    if "joint_pos" in fields and len(names) == fields["joint_pos"].shape[1] - _BASE:
        renamed["qpos"] = renamed.pop("joint_pos")
    if "qpos" in renamed and "joint_pos" not in renamed:
        base, angles = np.split(np.asarray(renamed["qpos"], dtype=float), [_BASE], axis=1)
        renamed |= {"root_pos": base[:, :3], "root_rot": base[:, 3:], "joint_pos": angles}
        if len(names) > angles.shape[1]:
            renamed["joint_names"] = names[-angles.shape[1] :]
    return renamed


def _as_isaaclab(fields: Fields) -> dict[str, NDArray[Any]]:
    return {"fps": np.array(fields["fps"]).reshape(()), **{name: fields[ours] for name, ours in _ISAACLAB.items()}}


def _as_gmr(fields: Fields) -> dict[str, NDArray[Any]]:
    from_base = quat.conjugate(fields["root_rot"])[:, None]
    return {
        "fps": np.array(fields["fps"]).reshape(()),
        "root_pos": fields["root_pos"],
        "root_rot": np.roll(fields["root_rot"], -1, axis=1),
        "dof_pos": fields["joint_pos"],
        "local_body_pos": quat.rotate(from_base, fields["body_pos_w"] - fields["root_pos"][:, None]),
        "link_body_list": fields["body_names"],
        "joint_names": fields["joint_names"],
    }


def _as_loco_mujoco(fields: Fields) -> dict[str, NDArray[Any]]:
    names = ["root", *fields["joint_names"]]
    return {
        "frequency": np.array(fields["fps"]).reshape(()),
        "qpos": fields["qpos"],
        "qvel": fields["qvel"],
        "split_points": np.array([0, len(fields["qpos"])]),
        "joint_names": np.array(names),
        "njnt": np.array(len(names)),
        "jnt_type": np.array([FREE] + [HINGE] * (len(names) - 1)),
    }


LAYOUTS: Mapping[str, Callable[[Fields], dict[str, NDArray[Any]]]] = {
    "isaaclab": _as_isaaclab,
    "gmr": _as_gmr,
    "loco-mujoco": _as_loco_mujoco,
}
"""Fields of our files as other programs have them."""
