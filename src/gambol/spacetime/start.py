"""Make the start of the search for a sketched motion: interpolated poses, soles in place, flights on parabolas.

The solver finds the same motion from starts that are 0.1 radians apart, and fails from starts that are 0.4 radians off:
a start must be plausible, but need not be accurate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.poses.projection import project_poses
from gambol.poses.targets import list_contact_targets, measure_targets
from gambol.spacetime.rough import RoughMotion, find_tilt, root_angles, root_orientations
from gambol.spacetime.supports import SupportSpan
from gambol.terms.momentum import group_frames

_STILL = 0.3
"""Speed (m/s) of the rough motion below which the body is at rest at an end."""
_MARGIN = 1e-3
"""Distance (rad, m) of an exact pose from joint limits: at a limit it would have no interior."""
_EXACT = 1e-10
"""Distance (m) of contact points from their places in an exact pose."""


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
    contacts: Sequence[Contact],
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
        q[group] = project_poses(skeleton, list_contact_targets(skeleton, active), q[group])
    for span in spans:
        if span.air:
            _throw(rough.character, q, span, rough.motion.frame_time)
    return q


def _through(poses: Sequence[FramePose], values: Sequence[Array], frames: int) -> Array:
    """Interpolate values through poses without overshoot (PCHIP)."""
    from scipy.interpolate import PchipInterpolator

    return np.asarray(PchipInterpolator([pose.frame for pose in poses], np.array(values))(np.arange(frames)))


def _set_down(character: Character, q: Array, span: SupportSpan, contacts: Sequence[Contact]) -> None:
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


def fix_pose(character: Character, q: Array, contacts: Sequence[Contact]) -> tuple[Array, NDArray[np.bool_]]:
    """Return the pose (dofs,) near `q` with contact points in place, and coordinates (dofs,) that determine it.

    The other coordinates follow from the contacts. Coordinates that are locked are in neither set.
    """
    from scipy.linalg import qr

    skeleton = character.skeleton
    lower, upper, targets = skeleton.lower, skeleton.upper, list_contact_targets(skeleton, contacts)
    movable = upper > lower
    inset = np.minimum(_MARGIN, 0.4 * (upper - lower))
    q = project_poses(skeleton, targets, np.clip(q, lower + inset, upper - inset)[None], _EXACT)
    given = movable.copy()
    if targets:
        jacobian = measure_targets(skeleton, targets, q)[1][0]
        _, triangle, order = qr(jacobian * movable, mode="economic", pivoting=True)
        sizes = np.abs(np.diag(triangle))
        given[order[: int((sizes > 1e-6 * sizes[0]).sum())]] = False
    return q[0], given


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
