"""Add an answer, solved at its own frame rate, to a motion: interpolated, with its feet where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gambol.contacts.contact import Contact
from gambol.contacts.move import find_shift
from gambol.contacts.views import list_constraints
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.planting import replant_feet
from gambol.spacetime.grounded import GroundedMotion
from gambol.spacetime.recovery.solve_answer import SolvedAnswer
from gambol.spacetime.recovery.window import PINNED


def sample_deviation(base: GroundedMotion, found: SolvedAnswer) -> Array:
    """Return the deviation (frames, dofs) of an answer at the frames of a motion; after the window it stays."""
    from scipy.interpolate import CubicSpline

    window, times = found.window.times, base.motion.times
    curve = CubicSpline(window, found.deviation, bc_type="clamped")
    return np.asarray(curve(np.clip(times, window[0], window[-1])))


def find_shifts(base: GroundedMotion, found: SolvedAnswer) -> dict[Contact, Array]:
    """Return the shift (3,) of every stance of a motion, by those of the window; later ones travel with the body."""
    window, step = found.window, base.motion.frame_time
    travel = found.outcome.motion.placement.positions[-1, 0] - window.reference.motion.placement.positions[-1, 0]
    times, out = window.times, dict[Contact, Array]()
    for stance in base.stances:
        at = stance.first * step
        near = [
            (abs(times[one.first] - at), shift)
            for one, shift in found.shifts.items()
            if one.part == stance.part and abs(times[one.first] - at) < 2.0 * (times[1] - times[0])
        ]
        if at <= times[PINNED - 1]:
            out[stance] = np.zeros(3)
        else:
            out[stance] = min(near, key=lambda pair: pair[0])[1] if near else travel
    return out


def add_answer(base: GroundedMotion, found: SolvedAnswer, shifts: Mapping[Contact, Array]) -> GroundedMotion:
    """Add an answer to a motion, and move feet in contact to where their stances are."""
    moved = base.move(sample_deviation(base, found), shifts)
    contacts = []
    for contact in list_constraints(base.contacts):
        shift = find_shift(contact, shifts)
        if shift is None:
            continue
        joint = base.character.skeleton.index(contact.body)
        frames = range(contact.first, contact.last + 1)
        placed = base.motion.placement
        turned = quat.rotate(placed.rotations[frames, joint, None], contact.points)
        places = placed.positions[frames, joint, None] + turned + shift
        contacts += [
            replace(contact, first=frame, last=frame, places=spot) for frame, spot in zip(frames, places, strict=True)
        ]
    corrected = replant_feet(base.character, moved.motion.q, contacts, base.motion.frame_time)
    return replace(moved, motion=replace(moved.motion, q=corrected))
