"""Measure how physical edited jumps are at and between their frames, and those of the printed form (L05 4.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.contacts.views import list_constraints, list_loads
from gambol.fit.contacts import find_contact_points
from gambol.metrics.figures import Band
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.solve_edit import SolvedEdit, solve_edit
from gambol.spacetime.evaluate import BetweenErrors, evaluate_between
from gambol.stages.feet import track_point
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.edit.clips import Jump, load_jump, solve_jump_edit
from gambol_evidence.reproduce.physical import AT_FRAMES, BETWEEN, make_claims

MEASURED_RATE = 60.0
"""Frames per second."""
JUMP_CLIPS = ("13_11", "13_13")
_PEAK = 1.3
"""Largest force relative to the unedited clip."""
_TIMES = 4
"""Frames per frame when a motion is re-sampled."""
MOST_ITERATIONS = 50.0
"""One and a half times the iterations (34) of the hardest such edit of the built-in jump; the solver stops at 60."""


ITERATIONS_TEXT = "solver converges: number of iterations, infinite where it does not"


def make_jump_edits(clip: Jump) -> list[Edit]:
    """Return the edits that are evaluated."""
    return [
        clip.edit("farther", forward=0.5),
        clip.edit("turn", turn=90.0),
        clip.edit("spin", turn=360.0),
        clip.backward,
    ]


def measure_edits(data: Path) -> Iterator[Claim]:
    """Measure four edits of two jumps."""
    for name in JUMP_CLIPS:
        own = solve_jump_edit(data, name, Edit("none"), MEASURED_RATE)
        for edit in make_jump_edits(load_jump(data, name)):
            found = solve_jump_edit(data, name, edit, MEASURED_RATE)
            about = f"CMU {name} at {MEASURED_RATE:g} frames per second, {edit}"
            yield from physics_claims(f"{name}-{edit.name}", found, own, about)


def physics_claims(row: str, found: SolvedEdit, own: SolvedEdit, data: str) -> Iterator[Claim]:
    """Yield claims about an edited clip; `own` is the clip solved without changes."""
    yield from _frame_claims(row, found, own, data)
    was, now = evaluate_between_frames(own), evaluate_between_frames(found)
    for criterion in BETWEEN:
        about = f"{data}; without changes {criterion.scale * getattr(was, criterion.field):.3g}"
        yield from make_claims(f"{row}-between", now, [criterion], about)


def evaluate_between_frames(found: SolvedEdit) -> BetweenErrors:
    """Evaluate an edit between its frames; the floor may tilt, so its height is taken under every heel and ball."""
    draft, motion = found.draft, found.outcome.motion
    stands, root = draft.contacts, motion.placement.positions[:, 0]
    verdict = evaluate_between(
        draft.character,
        motion,
        list_constraints(stands),
        stands.floor.at(root),
        _TIMES,
        loads=list_loads(stands, draft.character),
        gravity=draft.gravity,
    )
    return replace(verdict, penetration=_below(found))


def _below(found: SolvedEdit) -> float:
    """Return the largest depth (m) of heels and balls below the floor."""
    from scipy.interpolate import CubicSpline

    motion, floor = found.outcome.motion, found.draft.contacts.floor
    frames = np.arange((len(motion) - 1) * _TIMES + 1) / _TIMES
    fine = replace(motion, q=CubicSpline(np.arange(len(motion)), motion.q)(frames))
    feet = [point for point in find_contact_points(found.draft.clip.fitted) if not point.name.endswith("hand")]
    tracks = [track_point(fine, point) for point in feet]
    return float(np.max([0.0, *((floor.at(track) - track[:, 2]).max() for track in tracks)]))


def measure_printed_edits(data: Path) -> Iterator[Claim]:
    """Measure the force that the ground would have to give in the printed form, whose momentum splines know none."""
    name = JUMP_CLIPS[0]
    own, clip = solve_jump_edit(data, name, Edit("none"), MEASURED_RATE), load_jump(data, name)
    for edit in make_jump_edits(clip)[:2]:
        found = solve_edit(clip.clip, edit, fps=MEASURED_RATE, printed=True)
        ours = solve_jump_edit(data, name, edit, MEASURED_RATE).verdict
        row = f"{name}-{edit.name}-printed"
        about = f"CMU {name} at {MEASURED_RATE:g} frames per second, {edit}, printed form; default form: "
        about += f"friction {ours.friction:.2f}, peak {ours.peak:.2f} body weights"
        yield from _frame_claims(row, found, own, about)


def _frame_claims(row: str, found: SolvedEdit, own: SolvedEdit, data: str) -> Iterator[Claim]:
    solution = found.outcome.solution
    count = float(solution.iterations) if solution.converged else float("inf")
    yield Claim(f"{row}-iterations", OUR_BAR, ITERATIONS_TEXT, count, "", data, Band(high=MOST_ITERATIONS))
    yield from make_claims(row, found.verdict, [one for one in AT_FRAMES if one.field != "peak"], data)
    share = found.verdict.peak / own.verdict.peak
    text = "largest vertical force, relative to the clip solved without changes"
    yield Claim(f"{row}-peak", OUR_BAR, text, share, "times", data, Band(high=_PEAK))
