"""Measure edits of a walk and a run: a step set aside, and a turn over two steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.metrics.check import check
from gambol.metrics.figures import Band
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.solve_edit import solve_edit
from gambol.spacetime.edits.to_rig import return_to_rig
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.edit.clips import make_editable
from gambol_evidence.reproduce.edit.physics import ITERATIONS_TEXT, MEASURED_RATE, MOST_ITERATIONS
from gambol_evidence.reproduce.fix import LOST_TEXT, find_lost_bands
from gambol_evidence.reproduce.recordings import load_cmu_clip

WALK_CLIPS = ("91_29", "16_35")
_SECONDS = 5.0
"""Length of a clip that is edited."""
_ASIDE, _TURN = 0.15, 20.0
"""Displacement of a step (m), and turn (degrees) of each of two steps."""


def measure_steps(data: Path) -> Iterator[Claim]:
    """Measure two edits of each clip."""
    for name in WALK_CLIPS:
        motion = load_cmu_clip(data, name)
        clip = make_editable(motion[: round(_SECONDS / motion.frame_time)])
        before = check(clip.fitted.source)
        for edit in make_step_edits(clip):
            solved = solve_edit(clip, edit, fps=MEASURED_RATE)
            solution = solved.outcome.solution
            about = f"CMU {name}, {len(solved.outcome.motion)} frames, {edit}"
            count = float(solution.iterations) if solution.converged else float("inf")
            row = f"{name}-{edit.name}"
            yield Claim(f"{row}-iterations", OUR_BAR, ITERATIONS_TEXT, count, "", about, Band(high=MOST_ITERATIONS))
            edited = return_to_rig(solved.draft, solved.outcome.motion.q)
            lost = find_lost_bands(before, check(edited))
            about = f"{about}; lost: {', '.join(lost) or 'none'}"
            number = float(len(lost))
            yield Claim(f"{row}-lost", OUR_BAR, LOST_TEXT, number, "figures", about, Band(high=0.0), motion=edited)


def make_step_edits(clip: EditableClip) -> list[Edit]:
    """Return two edits: a step in the middle of the clip set aside, and a turn over it and the next."""
    steps = sorted((part for part in clip.parts if part.kind == "step"), key=lambda part: part.first)
    one, next_ = (steps[len(steps) // 2 + n].name for n in (-1, 0))
    side = 1.0 if one.startswith("left") else -1.0
    return [
        Edit("aside", (Change(one, left=side * _ASIDE, alone=True),)),
        Edit("corner", (Change(one, turn=_TURN), Change(next_, turn=_TURN))),
    ]
