"""Make the start of the search for a sketched motion: interpolated poses, soles in place, flights on parabolas.

The solver finds the same motion from starts that are 0.1 radians apart, and fails from starts that are 0.4 radians off:
a start must be plausible, but need not be accurate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place, world_axes
from gambol.motion.skeleton import Skeleton
from gambol.spacetime.rough import RoughMotion, find_tilt, root_angles, root_orientations
from gambol.spacetime.supports import SupportSpan
from gambol.terms.contacts import ContactConstraint
from gambol.terms.momentum import group_frames

_STILL = 0.3
"""Speed (m/s) of the rough motion below which the body is at rest at an end."""
_ROUNDS, _NEAR, _STRIDE = 12, 1e-4, 0.3
"""Inverse kinematics: maximum number of steps, tolerance (m), longest step (rad, m)."""
_MARGIN = 1e-3
"""Distance (rad, m) of an exact pose from joint limits: at a limit it would have no interior."""
_DAMPING, _UPRIGHT = 1e-6, 0.1
"""Inverse kinematics: damping (m²), and relative freedom of the root to tilt."""


class FramePose(NamedTuple):
    """A pose in one frame."""

    frame: int
    q: Array
    """(dofs,); position and turns of the root are ignored"""
    tilt: tuple[float, float]
    """Lean and roll (rad)."""


def resting_ends(rough: RoughMotion, spans: Sequence[SupportSpan]) -> list[int]:
    """Return those of the first and the last frame in which the body stands still on its feet."""
    last = len(rough.motion) - 1
    ends = ((spans[0], 0, 0), (spans[-1], last, last - 1))
    return [end for span, end, step in ends if _on_feet(span) and np.linalg.norm(rough.speed(step)) < _STILL]


def _on_feet(span: SupportSpan) -> bool:
    return not span.air and all(sole.endswith("foot") for sole in span.spec.on)


def make_start(
    rough: RoughMotion,
    spans: Sequence[SupportSpan],
    contacts: Sequence[ContactConstraint],
    poses: Sequence[FramePose],
) -> Array:
    """Return coordinates (frames, dofs): the rough motion through the poses, with contacts and flights corrected."""
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
    for group, active in group_frames(tuple(contacts), frames):
        q[group] = _fix_contacts(rough.character, q[group], active)
    for span in spans:
        if span.air:
            _throw(rough.character, q, span, rough.motion.frame_time)
    return q


def _through(poses: Sequence[FramePose], values: Sequence[Array], frames: int) -> Array:
    """Interpolate values through poses without overshoot (PCHIP)."""
    from scipy.interpolate import PchipInterpolator

    return np.asarray(PchipInterpolator([pose.frame for pose in poses], np.array(values))(np.arange(frames)))


def _set_down(character: Character, q: Array, span: SupportSpan, contacts: Sequence[ContactConstraint]) -> None:
    """Move the root so that contact points are on average at their places."""
    skeleton, slides = character.skeleton, character.skeleton.columns(0, "slide")
    placed = place(skeleton, q[span.first : span.last + 1])
    for frame in range(span.first, span.last + 1):
        offsets = []
        for contact in contacts:
            if contact.is_active(frame):
                joint = skeleton.index(contact.body)
                n = frame - span.first
                where = placed.positions[n, joint] + quat.rotate(placed.rotations[n, joint], contact.points)
                away = (contact.places - where).mean(axis=0)
                if contact.slide is not None:
                    away = away - (away @ contact.slide) * contact.slide
                offsets.append(away)
        q[frame, slides] += np.mean(offsets, axis=0)


def fix_pose(character: Character, q: Array, contacts: Sequence[ContactConstraint]) -> tuple[Array, NDArray[np.bool_]]:
    """Return the pose (dofs,) near `q` with contact points in place, and coordinates (dofs,) that determine it.

    The other coordinates follow from the contacts. Coordinates that are locked are in neither set.
    """
    from scipy.linalg import qr

    lower, upper = (np.array([getattr(dof, end) for dof in character.skeleton.dofs]) for end in ("lower", "upper"))
    movable = upper > lower
    inset = np.minimum(_MARGIN, 0.4 * (upper - lower))
    q = _fix_contacts(character, np.clip(q, lower + inset, upper - inset)[None], contacts, 1e-10)
    given = movable.copy()
    if contacts:
        jacobian = _contact_residual(character.skeleton, q, contacts)[1][0]
        _, triangle, order = qr(jacobian * movable, mode="economic", pivoting=True)
        sizes = np.abs(np.diag(triangle))
        given[order[: int((sizes > 1e-6 * sizes[0]).sum())]] = False
    return q[0], given


def _fix_contacts(
    character: Character, q: Array, contacts: Sequence[ContactConstraint], tolerance: float = _NEAR
) -> Array:
    """Return the poses (frames, dofs) nearest to the given ones with contact points in place, within joint limits."""
    skeleton = character.skeleton
    lower, upper = (np.array([getattr(dof, end) for dof in skeleton.dofs]) for end in ("lower", "upper"))
    ease = np.array([1.0 if dof.joint or dof.kind == "slide" else _UPRIGHT for dof in skeleton.dofs])
    q = np.clip(q, lower, upper)
    for _ in range(_ROUNDS if contacts else 0):
        residual, jacobian = _contact_residual(skeleton, q, contacts)
        if np.abs(residual).max() < tolerance:
            break
        eased = jacobian * ease
        matrix = eased @ jacobian.transpose(0, 2, 1) + _DAMPING * np.eye(residual.shape[1])
        step = (eased.transpose(0, 2, 1) @ np.linalg.solve(matrix, residual[..., None]))[..., 0]
        step *= np.minimum(1.0, _STRIDE / np.abs(step).max(axis=1, keepdims=True).clip(1e-9))
        q = np.clip(q - step, lower, upper)
    return q


def _contact_residual(skeleton: Skeleton, q: Array, contacts: Sequence[ContactConstraint]) -> tuple[Array, Array]:
    """Return the distances (frames, m) of contact points from their places, and their Jacobian (frames, m, dofs)."""
    fixed = [
        (skeleton.index(contact.body), contact, point, contact.axes[axis])
        for contact in contacts
        for point, axis in contact.constrained_axes
    ]
    joints, directions = [joint for joint, *_ in fixed], np.array([direction for *_, direction in fixed])
    placed = place(skeleton, q)
    points, places = (np.array([getattr(c, what)[n] for _, c, n, _ in fixed]) for what in ("points", "places"))
    where = placed.positions[:, joints] + quat.rotate(placed.rotations[:, joints], points)
    moved = np.array([[dof.joint in skeleton.path_to_root(joint) for dof in skeleton.dofs] for joint in joints])
    turning = np.array([dof.kind == "turn" for dof in skeleton.dofs])
    arms = where[:, :, None] - placed.positions[:, None, [dof.joint for dof in skeleton.dofs]]
    # The velocity axis x arm of a point that turns about an axis has the component axis . (arm x direction).
    levers = np.where(turning[:, None], np.cross(arms, directions[:, None]), directions[:, None])
    jacobian = moved * np.einsum("fdk,frdk->frd", world_axes(skeleton, q, placed), levers)
    return np.einsum("frk,rk->fr", where - places, directions), jacobian


def _throw(character: Character, q: Array, span: SupportSpan, frame_time: float) -> None:
    """Move the root so that the centre of mass follows the parabola from take-off to landing."""
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
