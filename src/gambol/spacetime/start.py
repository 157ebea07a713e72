"""Where the search for a sketched motion begins: poses joined smoothly, soles on their places, flights on parabolas.

The solver finds the same motion from starts that are 0.1 radians apart, and fails from starts 0.4 radians off: a start
has to be plausible, no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place, world_axes
from gambol.motion.skeleton import Skeleton
from gambol.spacetime.drawn_poses import can_take_pose, pose_from_drawing, drawn_tilt
from gambol.spacetime.rough import RoughMotion, root_orientations, root_angles, find_tilt
from gambol.spacetime.supports import SupportSpan
from gambol.terms.contacts import ContactConstraint
from gambol.terms.momentum import group_frames

_DEEP, _SOFT = 0.62, 0.13
"""Where in a stand before a jump the body is lowest (share of the stand), and how long after landing (s)."""
_STILL = 0.3
"""Metres a second: a rough motion that travels less fast at an end stands still there."""
_LONG = 0.35
"""Seconds: stands that are shorter leave no time to crouch."""
_HIGH = 0.2
"""Seconds: flights that are shorter leave no time to tuck."""
_FULL = 0.5
"""Seconds of flight for which a body crouches as deep as drawn."""
_LOW = 0.2
"""What low poses count: L05's momentum curve dips before it rises, forces alone would not make a body swing back before
a jump, nor keep hands out of the knees after it."""
_ROUNDS, _NEAR, _STRIDE = 12, 1e-4, 0.3
"""Most steps of a start's inverse kinematics, metres from the places at which it ends, the longest step (rad, m)."""
_DAMPING, _UPRIGHT = 1e-6, 0.1
"""Square metres that keep those steps steady, and how easily they tilt the root."""


class FramePose(NamedTuple):
    """A pose at a frame."""

    frame: int
    q: Array
    """(dofs,); the root's place and turns do not count"""
    tilt: tuple[float, float]
    """Lean and roll, radians."""
    weight: float = 0.0
    """How much it counts in the motion that is sought, 1 for a transition pose; most only help to begin the search."""


def usual_poses(rough: RoughMotion, spans: Sequence[SupportSpan]) -> list[FramePose]:
    """Low before and after jumps, tucked in long flights, as drawn by hand.

    None for a body that cannot crouch, nor where keys tell of legs: half a crouch is none.
    """
    names, dofs = rough.motion.skeleton.names, rough.motion.skeleton.dofs
    told = any(names[dofs[column].joint].endswith(("thigh", "shank", "foot")) for column in rough.keyed)
    able = can_take_pose(rough.character, "crouch") and not told
    return [pose for n in range(len(spans) if able else 0) for pose in _usual(rough, spans, n)]


def _usual(rough: RoughMotion, spans: Sequence[SupportSpan], n: int) -> list[FramePose]:
    """The usual pose of a span: a low one counts where keys leave the body upright on more than one foot."""
    span, step = spans[n], rough.motion.frame_time
    seconds = (span.last - span.first + 1) * step
    leaves, landed = n + 1 < len(spans) and spans[n + 1].air, n > 0 and spans[n - 1].air
    weight = _LOW if rough.tilt is None and len(span.carried.on) > 1 else 0.0
    if span.air:
        return [_drawn(rough, (span.first + span.last) // 2, "tuck")] if seconds > _HIGH else []
    if not _on_feet(span) or seconds < _LONG:
        return []
    if leaves:
        depth = min(1.0, (spans[n + 1].last - spans[n + 1].first + 2) * step / _FULL)
        lowest = span.first + round((0.5 if landed else _DEEP) * (span.last - span.first))
        return [_drawn(rough, lowest, "crouch", depth, weight)]
    return [_drawn(rough, span.first + round(_SOFT / step), "absorb", 1.0, weight)] if landed else []


def _drawn(rough: RoughMotion, frame: int, name: str, depth: float = 1.0, weight: float = 0.0) -> FramePose:
    """A drawn pose, or one between it and standing."""
    stand, pose, (lean, roll) = pose_from_drawing(rough.character, "stand"), pose_from_drawing(rough.character, name), drawn_tilt(name)
    return FramePose(frame, stand + depth * (pose - stand), (depth * lean, depth * roll), weight)


def resting_ends(rough: RoughMotion, spans: Sequence[SupportSpan]) -> list[int]:
    """The first and the last frame, where the body stands still on its feet there."""
    last = len(rough.motion) - 1
    ends = ((spans[0], 0, 0), (spans[-1], last, last - 1))
    return [end for span, end, step in ends if _on_feet(span) and np.linalg.norm(rough.speed(step)) < _STILL]


def _on_feet(span: SupportSpan) -> bool:
    return not span.air and all(sole.endswith("foot") for sole in span.carried.on)


def make_start(rough: RoughMotion, spans: Sequence[SupportSpan], contacts: Sequence[ContactConstraint], poses: Sequence[FramePose]) -> Array:
    """Coordinates (frames, dofs) of the rough motion, led through the poses."""
    skeleton, frames = rough.character.skeleton, len(rough.motion)
    ends = [FramePose(n, rough.motion.q[n], find_tilt(skeleton, rough.motion.q[n])) for n in (0, frames - 1)]
    ordered = sorted({pose.frame: pose for pose in (*ends, *poses)}.values(), key=lambda pose: pose.frame)
    q = rough.motion.q + _through(ordered, [pose.q - rough.motion.q[pose.frame] for pose in ordered], frames)
    tilt = rough.tilt if rough.tilt is not None else _through(ordered, [np.array(p.tilt) for p in ordered], frames)
    turns, slides = skeleton.columns(0, "turn"), skeleton.columns(0, "slide")
    q[:, turns] = root_angles(skeleton, root_orientations(rough.heading, tilt))
    q[:, slides] = rough.motion.q[:, slides]
    for span in spans:
        if not span.air:
            _set_down(rough.character, q, span, contacts)
    for group, held in group_frames(tuple(contacts), frames):
        q[group] = _treading(rough.character, q[group], held)
    for span in spans:
        if span.air:
            _throw(rough.character, q, span, rough.motion.frame_time)
    return q


def _through(poses: Sequence[FramePose], values: Sequence[Array], frames: int) -> Array:
    """Values that run smoothly, at rest in each pose."""
    from scipy.interpolate import PchipInterpolator

    return np.asarray(PchipInterpolator([pose.frame for pose in poses], np.array(values))(np.arange(frames)))


def _set_down(character: Character, q: Array, span: SupportSpan, contacts: Sequence[ContactConstraint]) -> None:
    """Move the root so that what is held is, in the middle, where it is held."""
    skeleton, slides = character.skeleton, character.skeleton.columns(0, "slide")
    placed = place(skeleton, q[span.first : span.last + 1])
    for frame in range(span.first, span.last + 1):
        off = []
        for contact in contacts:
            if contact.is_active(frame):
                joint = skeleton.index(contact.body)
                n = frame - span.first
                where = placed.positions[n, joint] + quat.rotate(placed.rotations[n, joint], contact.points)
                away = (contact.places - where).mean(axis=0)
                if contact.slide is not None:
                    away = away - (away @ contact.slide) * contact.slide
                off.append(away)
        q[frame, slides] += np.mean(off, axis=0)


def _treading(character: Character, q: Array, contacts: Sequence[ContactConstraint]) -> Array:
    """Poses (frames, dofs) with what is held in its places, as near to the given ones as the joints' limits allow."""
    skeleton = character.skeleton
    lower, upper = (np.array([getattr(dof, end) for dof in skeleton.dofs]) for end in ("lower", "upper"))
    ease = np.array([1.0 if dof.joint or dof.kind == "slide" else _UPRIGHT for dof in skeleton.dofs])
    q = np.clip(q, lower, upper)
    for _ in range(_ROUNDS if contacts else 0):
        off, jacobian = _missed(skeleton, q, contacts)
        if np.abs(off).max() < _NEAR:
            break
        eased = jacobian * ease
        matrix = eased @ jacobian.transpose(0, 2, 1) + _DAMPING * np.eye(off.shape[1])
        step = (eased.transpose(0, 2, 1) @ np.linalg.solve(matrix, off[..., None]))[..., 0]
        step *= np.minimum(1.0, _STRIDE / np.abs(step).max(axis=1, keepdims=True).clip(1e-9))
        q = np.clip(q - step, lower, upper)
    return q


def _missed(skeleton: Skeleton, q: Array, contacts: Sequence[ContactConstraint]) -> tuple[Array, Array]:
    """How far (frames, rows) held points are from their places, and the Jacobian (frames, rows, dofs) of that."""
    rows = [(skeleton.index(contact.body), contact, point, contact.axes[axis]) for contact in contacts for point, axis in contact.constrained_axes]
    joints, ways = [joint for joint, *_ in rows], np.array([way for *_, way in rows])
    placed = place(skeleton, q)
    points, places = (np.array([getattr(h, what)[n] for _, h, n, _ in rows]) for what in ("points", "places"))
    where = placed.positions[:, joints] + quat.rotate(placed.rotations[:, joints], points)
    moved = np.array([[dof.joint in skeleton.path_to_root(joint) for dof in skeleton.dofs] for joint in joints])
    turning = np.array([dof.kind == "turn" for dof in skeleton.dofs])
    arms = where[:, :, None] - placed.positions[:, None, [dof.joint for dof in skeleton.dofs]]
    # The way of a point that turns about an axis, axis x arm, along a direction is axis . (arm x direction).
    levers = np.where(turning[:, None], np.cross(arms, ways[:, None]), ways[:, None])
    jacobian = moved * np.einsum("fdk,frdk->frd", world_axes(skeleton, q, placed), levers)
    return np.einsum("frk,rk->fr", where - places, ways), jacobian


def _throw(character: Character, q: Array, span: SupportSpan, frame_time: float) -> None:
    """Move the root so that the centre of mass flies from where it leaves the ground to where it lands."""
    before, after = span.first - 1, span.last + 1
    if before < 0 or after >= len(q):
        return
    slides = character.skeleton.columns(0, "slide")
    centre = Dynamics(character).center_of_mass(q[before : after + 1])
    share = np.linspace(0.0, 1.0, after - before + 1)[:, None]
    line = (1.0 - share) * centre[0] + share * centre[-1]
    flown = (after - before) * frame_time
    line[:, 2] += 0.5 * GRAVITY * flown**2 * (share * (1.0 - share))[:, 0]
    q[before + 1 : after, slides] += (line - centre)[1:-1]
