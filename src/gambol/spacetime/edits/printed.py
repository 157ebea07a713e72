"""The form of an edit printed in L05 section 4.4: momentum on the ground follows splines with fixed knots.

The unknowns are coordinates and control points. E_s keeps coordinates near those of the draft, each in units of its
range. E_b is the pseudo balance objective: in the first and the last ground stage the centre of mass ends where it
began, in stages between it is at its draft position at mid-stage. There are no contact forces, so friction and pressure
are not constrained.

The slope of a spline at a flight is the gravity of that flight. A stage of one frame at either end of a clip has no
spline, because no force acts between two of its steps.
"""

from __future__ import annotations

import numpy as np

from gambol.assumptions import POSE_CUTOFF
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact
from gambol.contacts.views import list_constraints
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.filters import low_pass
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft
from gambol.spacetime.edits.prefit import prefit_stage
from gambol.spacetime.resampling import sample_curves
from gambol.terms.balance import CenterReturnCost, CenterTarget
from gambol.terms.contacts import FixedContacts, list_clearances
from gambol.terms.deviation import PoseDeviation
from gambol.terms.momentum import NewtonEuler
from gambol.terms.space import Term

_SLIDE, _TURN = 1.0, np.pi
"""Range (metres, radians) of coordinates without bounds: those of the root."""
_WEIGHT = 1000.0
"""Weight per squared range and second. In one frame it equals the weight of a squared metre of the centre of mass: E_s
is printed as a sum over frames and added to E_b. With more weight on E_b the body jerks in the last frame.
"""


def printed_terms(draft: Draft) -> list[Term]:
    """Return the constraints and costs of a draft as printed."""
    character, reference, plan = draft.character, draft.reference.q, draft.contacts
    ground = list(find_runs(~plan.flight))
    root, origin = character.skeleton.names[0], np.zeros((1, 3))
    return [
        PoseDeviation(reference, _WEIGHT / coordinate_ranges(character) ** 2),
        *_balance(character, reference, ground, _WEIGHT * draft.reference.frame_time),
        NewtonEuler(tuple(Contact(root, origin, origin, a, b) for a, b in ground), draft.gravity, contact_forces=False),
        *_splines(draft, ground),
        FixedContacts(list_constraints(plan)),
        *list_clearances(plan),
    ]


def coordinate_ranges(character: Character) -> Array:
    """Return the ranges (dofs,) of coordinates between their bounds, in radians and metres."""
    default = {"slide": _SLIDE, "turn": _TURN}
    wide = [(dof.upper - dof.lower, default[dof.kind]) for dof in character.skeleton.dofs]
    return np.array([width if 0.0 < width < np.inf else other for width, other in wide])


def _balance(character: Character, reference: Array, ground: list[tuple[int, int]], weight: float) -> list[Term]:
    """Return E_b; in a clip of one stage it only acts at mid-stage."""
    centre, end = Dynamics(character).center_of_mass(reference), len(reference) - 1
    out: list[Term] = []
    for first, last in ground:
        if (first == 0) != (last == end):
            out.append(CenterReturnCost(first, last, weight))
        else:
            middle = (first + last) // 2
            out.append(CenterTarget(middle, centre[middle], weight))
    return out


def _splines(draft: Draft, ground: list[tuple[int, int]]) -> list[Term]:
    """Fit a momentum spline to each ground stage of the recording, at the times of the edit."""
    recorded, end = draft.clip.fitted.motion, len(draft.reference) - 1
    smooth = low_pass(recorded.q, recorded.frame_time, POSE_CUTOFF)
    q = sample_curves(recorded, smooth, draft.time_map.to_source(draft.reference.times))
    motion = Motion(recorded.skeleton, q, draft.reference.frame_time)
    return [
        prefit_stage(
            draft.clip.fitted.character,
            motion,
            first,
            last,
            landed=first > 0,
            leaves=last < end,
            gravity=float(draft.gravity[min(last + 1, end)]),
        ).term
        for first, last in ground
        if last > first or 0 < first < end
    ]
