"""A robot that follows a person over lines of JSON, for trackers: a frame of the person in, one of the robot out.

The first line out is a header: joints, fps, delay, and what a frame in consists of. Then every line in gets exactly
one line out: a frame of the robot, how many frames are still to come before the first one, or an error that leaves the
state unchanged.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from gambol.body.robot_description import JOINTS
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.io.json_lines import check_keys, parse_numbers, parse_object
from gambol.judge.recent import RecentFrames
from gambol.motion.channels import compute_joint_angles
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Vector
from gambol.robots.references.live import LiveFrame, LiveReference
from gambol.robots.references.seen import judge_robot
from gambol.version import __version__

_EXAMPLE = '{"channels": [...]} with a row of the BVH file, or {"root": [x, y, z], "rotations": {"Hips": [w, x, y, z]}}'
_KEYS = ("time", "root", "rotations", "channels")
_FARTHEST = 1e4
"""Largest coordinate (m, rad) of a frame."""
_SHORTEST, _LONGEST = 1e-3, 1e3
"""Lengths of a quaternion between which it is taken for a rotation."""


class ReferenceStream:
    """Answers lines of JSON with the frames of a robot."""

    def __init__(self, live: LiveReference) -> None:
        self._live = live
        self._times: deque[float] = deque()
        """Of frames that were not answered yet, and the last one."""
        rig, still = live.rig, np.zeros((1, len(live.biped.skeleton.dofs)))
        self._recent = RecentFrames(Motion(live.biped.skeleton, still, 1.0 / live.fps))
        self._usual = local_frames(rig.skeleton, rig.q[:1]).rotations
        self._alike: dict[tuple[Vector, ...], list[int]] = {}
        """Joints that turn, by their axes: those with the same are converted at once."""
        for joint in range(len(rig.skeleton.names)):
            axes = tuple(rig.skeleton.dofs[column].axis for column in rig.skeleton.columns(joint, "turn"))
            if axes:
                self._alike.setdefault(axes, []).append(joint)
        # Bones keep their lengths: positions below the root are those of the rig.
        self._fixed = [n for n, dof in enumerate(rig.skeleton.dofs) if dof.kind == "slide" and dof.joint > 0]

    @property
    def header(self) -> dict[str, Any]:
        """The first line out."""
        live, rig, robot = self._live, self._live.rig, self._live.biped.description
        return {
            "gambol": __version__,
            "robot": robot.character.name,
            "fps": live.fps,
            "delay": live.delay / live.fps,
            "units": "m, rad, s; z up; quaternions w, x, y, z",
            "joint_names": list(robot.joint_names),
            "contacts": ["left", "right"],
            "rig_joints": [name for n, name in enumerate(rig.skeleton.names) if rig.skeleton.columns(n, "turn")],
            "rig_channels": len(rig.skeleton.dofs) if rig.origin.format == "bvh" else 0,
            "rig_unit": rig.origin.unit,
        }

    def answer(self, line: str | bytes) -> dict[str, Any]:
        """Answer a line with the robot's frame, or with an error."""
        try:
            asked = parse_object(line, _EXAMPLE)
            check_keys(asked, _KEYS, "a frame")
            time, row = self._parse_time(asked), self._parse_row(asked)
        except InputError as error:
            return {"error": str(error)}
        self._times.append(time)
        frame = self._live.step(row)
        return {"waiting": self._live.delay - len(self._times) + 1} if frame is None else self._describe(frame)

    def finish(self) -> list[dict[str, Any]]:
        """Return the answers that are left after the last line."""
        return [self._describe(frame) for frame in self._live.finish()]

    def judge(self) -> dict[str, Any]:
        """Return the last line out: what a viewer would see of the robot in the last minute."""
        return {"judgement": judge_robot(self._live.biped, self._recent.motion).facts()}

    def _parse_time(self, asked: dict[str, Any]) -> float:
        last = self._times[-1] if self._times else -1.0 / self._live.fps
        if asked.get("time") is None:
            return last + 1.0 / self._live.fps
        (time,) = parse_numbers([asked["time"]], "a time")
        if self._times and time <= last:
            raise InputError(f"the time {time:g} s is not after the last, {last:g} s", fix="send frames in order")
        return time

    def _parse_row(self, asked: dict[str, Any]) -> Array:
        """Return the coordinates (dofs,) of the rig."""
        if ("channels" in asked) == ("rotations" in asked):
            raise InputError("a frame has channels or rotations", fix=_EXAMPLE)
        row = self._parse_channels(asked["channels"]) if "channels" in asked else self._parse_rotations(asked)
        if np.abs(row).max() > _FARTHEST:
            raise InputError(f"a frame goes beyond {_FARTHEST:g} m", fix="send lengths in the unit of the rig's file")
        row[self._fixed] = self._live.rig.q[0, self._fixed]
        return row

    def _parse_channels(self, channels: Any) -> Array:
        rig = self._live.rig
        numbers = parse_numbers(channels, "channels")
        if rig.origin.format != "bvh":
            raise InputError("the rig's file has no channels: it is not BVH", fix="send root and rotations")
        if len(numbers) != len(rig.skeleton.dofs):
            raise InputError(f"{len(numbers)} channels, but the rig has {len(rig.skeleton.dofs)}")
        row = np.radians(numbers)
        for column in rig.skeleton.columns(0, "slide"):
            shift = float(np.dot(rig.skeleton.dofs[column].axis, rig.skeleton.offsets[0]))
            row[column] = numbers[column] * rig.origin.unit - shift
        return row

    def _parse_rotations(self, asked: dict[str, Any]) -> Array:
        rig, given = self._live.rig, asked["rotations"]
        axes = rig.origin.axes
        root = np.array(parse_numbers(asked.get("root"), "a root"))
        if root.shape != (3,) or not isinstance(given, dict):
            raise InputError("a root has three numbers, and rotations are by joint", fix=_EXAMPLE)
        local = self._usual.copy()
        for name, values in given.items():
            turn = np.array(parse_numbers(values, f"the rotation of '{name[:40]}'"))
            if name not in rig.skeleton.names:
                raise InputError(f"the rig has no joint '{name[:40]}'", fix="the header lists them as rig_joints")
            if turn.shape != (4,) or not _SHORTEST <= np.linalg.norm(turn) <= _LONGEST:
                raise InputError(f"the rotation of '{name[:40]}' is not a quaternion", fix="send [w, x, y, z]")
            turn /= np.linalg.norm(turn)
            local[0, rig.skeleton.names.index(name)] = [turn[0], *(axes @ turn[1:])]
        row = np.zeros(len(rig.skeleton.dofs))
        for column in rig.skeleton.columns(0, "slide"):
            row[column] = (rig.origin.unit * axes @ root - rig.skeleton.offsets[0]) @ rig.skeleton.dofs[column].axis
        for turns, joints in self._alike.items():
            columns = [rig.skeleton.columns(joint, "turn") for joint in joints]
            if len(turns) == 3:
                turned = quat.multiply(quat.conjugate(rig.skeleton.rests[joints]), local[0, joints])
                row[columns] = angles_about(turns, turned)
            else:
                for joint, own in zip(joints, columns, strict=True):
                    row[own] = compute_joint_angles(rig.skeleton, joint, local[:, joint], np.zeros(len(own)))[0]
        return row

    def _describe(self, frame: LiveFrame) -> dict[str, Any]:
        time = self._times[0]
        self._recent.add(frame.q)
        if len(self._times) > 1:
            self._times.popleft()
        turned = quat.IDENTITY
        for axis, angle in zip(np.eye(3)[::-1], frame.q[3:6], strict=True):
            turned = quat.multiply(turned, quat.from_axis_angle(axis, angle))
        return {
            "time": round(time, 6),
            "root_pos": (self._live.biped.skeleton.offsets[0] + frame.q[:3]).tolist(),
            "root_rot": turned.tolist(),
            "joint_pos": frame.q[JOINTS].tolist(),
            "contacts": frame.contacts.tolist(),
        }
