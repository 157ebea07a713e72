"""How physical edited jumps are at and between their frames, beside the form that is printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.edit.clips import Jump, load_jump, solve_jump_edit
from gambol.reproduce.physical import AT_FRAMES, BETWEEN
from gambol.reproduce.physical import make_claims as rows_of
from gambol.spacetime.contact_plan import find_contact_points
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.solving import SolvedEdit, solve_edit
from gambol.spacetime.evaluate import BetweenErrors, evaluate_between
from gambol.stages.feet import track_point

MEASURED_RATE = 60.0
JUMP_CLIPS = ("13_11", "13_13")
_PEAK = 1.3
"""Times the largest force of the clip itself."""
_TIMES = 4


def make_jump_edits(clip: Jump) -> list[Edit]:
    """What is judged."""
    return [
        clip.edit("farther", forward=0.5),
        clip.edit("turn", turn=90.0),
        clip.edit("spin", turn=360.0),
        clip.backward,
    ]


def run(data: Path) -> Iterator[Claim]:
    """Four edits of two jumps, and two in the printed form."""
    for name in JUMP_CLIPS:
        own = solve_jump_edit(data, name, Edit("none"), MEASURED_RATE)
        for edit in make_jump_edits(load_jump(data, name)):
            found = solve_jump_edit(data, name, edit, MEASURED_RATE)
            yield from physics_claims(f"{name}-{edit.name}", found, own, f"{name} at {MEASURED_RATE:g} Hz, {edit}")
    yield from _printed(data, JUMP_CLIPS[0])


def physics_claims(row: str, found: SolvedEdit, own: SolvedEdit, data: str) -> Iterator[Claim]:
    """An edited clip beside the clip itself, solved with nothing changed."""
    yield from _at_frames(row, found, own, data)
    was, now = evaluate_between_frames(own), evaluate_between_frames(found)
    for asked in BETWEEN:
        told = f"{data}; with nothing changed {asked.scale * getattr(was, asked.field):.3g}"
        yield from rows_of(f"{row}-between", now, [asked], told)


def evaluate_between_frames(found: SolvedEdit) -> BetweenErrors:
    """How physical it is between its frames; the floor may tilt, so that heels and balls each have their own."""
    draft, motion = found.draft, found.outcome.motion
    stands, root = draft.contact_plan, motion.placement.positions[:, 0]
    verdict = evaluate_between(
        draft.character,
        motion,
        stands.constraints,
        stands.floor.at(root),
        _TIMES,
        force_contacts=stands.force_contacts,
        gravity=draft.gravity,
    )
    return replace(verdict, penetration=_below(found))


def _below(found: SolvedEdit) -> float:
    """Metres of heels and balls below the floor."""
    from scipy.interpolate import CubicSpline

    motion, floor = found.outcome.motion, found.draft.contact_plan.floor
    frames = np.arange((len(motion) - 1) * _TIMES + 1) / _TIMES
    fine = replace(motion, q=CubicSpline(np.arange(len(motion)), motion.q)(frames))
    feet = [point for point in find_contact_points(found.draft.clip.fitted) if not point.name.endswith("hand")]
    ways = [track_point(fine, point) for point in feet]
    return max(0.0, *(float((floor.at(way) - way[:, 2]).max()) for way in ways))


def _printed(data: Path, name: str) -> Iterator[Claim]:
    """As printed, momentum on the ground follows splines and knows no forces: what the ground would have to give."""
    own, clip = solve_jump_edit(data, name, Edit("none"), MEASURED_RATE), load_jump(data, name)
    for edit in make_jump_edits(clip)[:2]:
        found = solve_edit(clip.clip, edit, rate=MEASURED_RATE, printed=True)
        ours = solve_jump_edit(data, name, edit, MEASURED_RATE).verdict
        row = f"{name}-{edit.name}-printed"
        told = f"{name} at {MEASURED_RATE:g} Hz, {edit}, printed form; default: friction {ours.friction:.2f}, "
        told += f"peak {ours.peak:.2f} body weights"
        yield from _at_frames(row, found, own, told)


def _at_frames(row: str, found: SolvedEdit, own: SolvedEdit, data: str) -> Iterator[Claim]:
    solution = found.outcome.solution
    count = float(solution.iterations) if solution.converged else float("inf")
    yield Claim(f"{row}-iterations", OUR_BAR, "converges: iterations", count, "", data, Band(high=60.0))
    yield from rows_of(row, found.verdict, [asked for asked in AT_FRAMES if asked.field != "peak"], data)
    share = found.verdict.peak / own.verdict.peak
    text = "largest vertical force, over that of the clip with nothing changed"
    yield Claim(f"{row}-peak", OUR_BAR, text, share, "times", data, Band(high=_PEAK))
