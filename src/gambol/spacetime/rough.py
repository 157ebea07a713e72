"""Make the rough motion of a sketch: linear interpolation of its keys on a standing pose (L05 section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.body.body_names import list_bodies
from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.human import make_human
from gambol.errors import InputError, suggest
from gambol.fit.rig import choose_safe_axes
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.rig_names import split_side
from gambol.motion.skeleton import Skeleton
from gambol.spacetime.drawn_poses import pose_from_drawing
from gambol.spacetime.sketch import ROOT, Body, Key, Sketch


@dataclass(frozen=True, eq=False)
class RoughMotion:
    """The character of a sketch and the motion interpolated from its keys."""

    character: Character
    motion: Motion
    heading: Array
    """(frames,) turn of the root about the vertical (rad)."""
    tilt: Array | None
    """(frames, 2) lean and roll of the root (rad); None if no key sets them."""
    keyed: tuple[int, ...]
    """Columns of joint coordinates that keys set."""

    def speed(self, step: int) -> Array:
        """Return the horizontal velocity (2,) of the root (m/s) on a step between frames."""
        slides = self.motion.skeleton.columns(0, "slide")[:2]
        return np.diff(self.motion.q[step : step + 2, slides], axis=0)[0] / self.motion.frame_time


def make_rough_motion(sketch: Sketch) -> RoughMotion:
    """Interpolate the keys of a sketch."""
    plain = make_body(sketch.body)
    times = np.arange(round(sketch.seconds * sketch.fps) + 1) / sketch.fps
    root = {name: _between(sketch.keys, name, times) for name in ROOT}
    heading = np.radians(_or_zeros(root["turn"], times))
    tilted = root["lean"] is not None or root["roll"] is not None
    tilt = np.radians(np.stack([_or_zeros(root[name], times) for name in ("lean", "roll")], axis=1))
    orientation = root_orientations(heading, tilt)
    character = choose_safe_axes(plain, {plain.skeleton.names[0]: orientation})
    q = np.tile(pose_from_drawing(character, "stand"), (len(times), 1))
    for column, name in zip(character.skeleton.columns(0, "slide"), ROOT[:3], strict=True):
        q[:, column] += _or_zeros(root[name], times)
    q[:, character.skeleton.columns(0, "turn")] = root_angles(character.skeleton, orientation)
    curves = _joint_curves(sketch.keys, character.skeleton)
    for column, curve in curves.items():
        if curve[0][0] > sketch.keys[0].time:
            curve.insert(0, (sketch.keys[0].time, float(np.degrees(q[0, column]))))
        at, degrees = np.transpose(curve)
        q[:, column] = np.radians(np.interp(times, at, degrees))
    motion = Motion(character.skeleton, q, 1.0 / sketch.fps, f"{sketch.name} as sketched")
    return RoughMotion(character, motion, heading, tilt if tilted else None, tuple(curves))


def make_body(body: Body) -> Character:
    """Make the character of a sketch; joints with one degree of freedom bend in one direction only."""
    from gambol.body.child import make_child_build
    from gambol.body.tripod import make_tripod

    if body.kind == "tripod":
        character = make_tripod(body.height, body.mass)
    else:
        build = make_child_build(body.height) if body.kind == "child" else make_average_build(body.height)
        character = make_human(build, body.mass, name=body.kind)
    skeleton = character.skeleton
    dofs = [replace(dof, lower=0.0) if len(skeleton.columns(dof.joint)) == 1 else dof for dof in skeleton.dofs]
    for column in {column for name in body.locked for group in _columns(skeleton, name) for column in group}:
        dofs[column] = replace(dofs[column], lower=0.0, upper=0.0)
    return replace(character, skeleton=replace(skeleton, dofs=tuple(dofs)))


def root_orientations(heading: Array, tilt: Array) -> Array:
    """Return orientations (frames, 4) of the root for headings (frames,) and lean and roll (frames, 2), in radians."""
    turn = quat.from_axis_angle((0.0, 0.0, 1.0), heading)
    lean = quat.from_axis_angle((0.0, 1.0, 0.0), tilt[:, 0])
    return quat.multiply(quat.multiply(turn, lean), quat.from_axis_angle((1.0, 0.0, 0.0), tilt[:, 1]))


def root_angles(skeleton: Skeleton, orientation: Array) -> Array:
    """Return the turns (frames, 3) of the root for its orientations (frames, 4)."""
    axes = np.array([skeleton.dofs[c].axis for c in skeleton.columns(0, "turn")])
    local = quat.multiply(quat.conjugate(skeleton.rests[0]), orientation)
    return angles_about(axes, quat.make_continuous(local))


def find_tilt(skeleton: Skeleton, q: Array) -> tuple[float, float]:
    """Return lean and roll (rad) of a pose (dofs,), for any axes of the root."""
    orientation = place(skeleton, q[None]).rotations[:, 0]
    _, lean, roll = angles_about(np.eye(3)[::-1], orientation)[0]
    return float(lean), float(roll)


def _between(keys: tuple[Key, ...], name: str, times: Array) -> Array | None:
    given = [(key.time, key.root[name]) for key in keys if name in key.root]
    if not given:
        return None
    if name not in keys[0].root:
        given.insert(0, (keys[0].time, 0.0))
    at, values = np.transpose(given)
    return np.interp(times, at, values)


def _or_zeros(values: Array | None, times: Array) -> Array:
    return np.zeros(len(times)) if values is None else values


def joint_turns(skeleton: Skeleton, name: str, angles: tuple[float, ...]) -> dict[int, float]:
    """Return angles by column for a joint; a name without a side stands for the joints of all sides."""
    columns = _columns(skeleton, name)
    if len(angles) > len(columns[0]):
        raise InputError(f"'{name}' has {len(columns[0])} turns, but {len(angles)} angles are given")
    return {column: angle for group in columns for column, angle in zip(group, angles, strict=False)}


def _columns(skeleton: Skeleton, name: str) -> list[list[int]]:
    """Return the columns of turns of a joint, or of the joints of all sides."""
    turning = [joint for j, joint in enumerate(skeleton.names) if j and skeleton.columns(j, "turn")]
    sides = [joint for joint in turning if name and name in (joint, joint.partition("_")[2])]
    sides = sides or [joint for joint in turning if split_side(joint) == split_side(name)]
    if not sides:
        raise InputError(f"no joint '{name}'", fix=suggest(name, (*ROOT, *turning), f"joints: {list_bodies(turning)}"))
    return [skeleton.columns(skeleton.index(side), "turn") for side in sides]


def _joint_curves(keys: tuple[Key, ...], skeleton: Skeleton) -> dict[int, list[tuple[float, float]]]:
    """Return times and degrees of the keys by column."""
    curves: dict[int, list[tuple[float, float]]] = {}
    for key in keys:
        for name, angles in key.joints.items():
            for column, angle in joint_turns(skeleton, name, angles).items():
                curves.setdefault(column, []).append((key.time, angle))
    return curves
