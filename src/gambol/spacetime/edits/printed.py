"""The form of an edit that L05 prints in section 4.4: momentum on the ground runs on splines whose knots stay.

What is sought are coordinates and control points; E_s keeps coordinates near those of the draft, each in units of its
range, and E_b keeps the centre of mass from leaning out: where the first and the last ground stage begin they end, and
stages between are in their middle where the draft is. No foot pushes: friction and pressure come out as they may.

The slope of a spline towards a flight is that flight's own gravity. A stage of one frame at either end of a clip has no
spline, as no force acts between two steps of it.
"""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft, sample_curves
from gambol.spacetime.edits.prefit import prefit_stage
from gambol.stages.speed import runs
from gambol.terms.balance import Near, Unmoved
from gambol.terms.holds import Held, Hold
from gambol.terms.likeness import Angles
from gambol.terms.momentum import Laws
from gambol.terms.space import Term

_SLIDE, _TURN = 1.0, np.pi
"""Metres and radians that count as the range of a coordinate without bounds: those of the root."""
_PRICE = 1000.0
"""Of a squared range over a second; in one frame that counts as much as a square metre of the centre of mass: E_s is
printed as a sum over frames and added to E_b. Where E_b counts more, the body jerks in the last frame."""
_CUTOFF = 10.0
"""Hz: what is faster in a recording is noise, and no spline should follow it."""


def printed_terms(draft: Draft) -> list[Term]:
    """What frames like a draft keep to, and what they like, as printed."""
    character, like, stands = draft.character, draft.reference.q, draft.contact_plan
    ground = list(runs(~stands.flight))
    root, origin = character.skeleton.names[0], np.zeros((1, 3))
    return [
        Angles(like, _PRICE / coordinate_ranges(character) ** 2),
        *_balance(character, like, ground, _PRICE * draft.reference.frame_time),
        Laws(tuple(Hold(root, origin, origin, a, b) for a, b in ground), draft.gravity, pushes=False),
        *_splines(draft, ground),
        Held(stands.holds),
        *stands.clear,
    ]


def coordinate_ranges(character: Character) -> Array:
    """(dofs,) radians and metres between the natural bounds of coordinates."""
    usual = {"slide": _SLIDE, "turn": _TURN}
    wide = [(dof.upper - dof.lower, usual[dof.kind]) for dof in character.skeleton.dofs]
    return np.array([width if 0.0 < width < np.inf else other for width, other in wide])


def _balance(character: Character, like: Array, ground: list[tuple[int, int]], price: float) -> list[Term]:
    """E_b; a clip of one stage has no flight and is left alone in its middle."""
    centre, end = Dynamics(character).center_of_mass(like), len(like) - 1
    out: list[Term] = []
    for first, last in ground:
        if (first == 0) != (last == end):
            out.append(Unmoved(first, last, price))
        else:
            middle = (first + last) // 2
            out.append(Near(middle, centre[middle], price))
    return out


def _splines(draft: Draft, ground: list[tuple[int, int]]) -> list[Term]:
    """Momentum of the recording on the clock of the edit, a spline a stage."""
    recorded, end = draft.clip.fitted.motion, len(draft.reference) - 1
    q = sample_curves(recorded, low_pass(recorded.q, recorded.frame_time, _CUTOFF), draft.time_map.to_source(draft.reference.times))
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
