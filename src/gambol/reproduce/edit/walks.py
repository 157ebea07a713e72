"""Walks and runs: a step set aside, and a corner."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.metrics.check import check
from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim
from gambol.reproduce.edit.clips import make_editable
from gambol.reproduce.edit.physics import MEASURED_RATE
from gambol.reproduce.fix import find_lost_bands
from gambol.reproduce.recordings import load_cmu_clip
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.solving import solve_edit
from gambol.spacetime.edits.to_rig import return_to_rig

WALK_CLIPS = ("91_29", "16_35")
_SECONDS = 5.0
_ASIDE, _TURN = 0.15, 20.0
"""Metres, and degrees a step of two."""


def run(data: Path) -> Iterator[Claim]:
    """Two edits each."""
    for name in WALK_CLIPS:
        motion = load_cmu_clip(data, name)
        clip = make_editable(motion[: round(_SECONDS / motion.frame_time)])
        before = check(clip.fitted.source)
        for edit in make_step_edits(clip):
            found = solve_edit(clip, edit, rate=MEASURED_RATE)
            solution = found.outcome.solution
            told = f"{name}, {len(found.outcome.motion)} frames, {edit}"
            count = float(solution.iterations) if solution.converged else float("inf")
            row = f"{name}-{edit.name}"
            yield Claim(f"{row}-iterations", "gambol", "converges: iterations", count, "", told, Band(high=60.0))
            lost = find_lost_bands(before, check(return_to_rig(found.draft, found.outcome.motion.q)))
            text = "figures of check that the clip had in their bands and its edit has not"
            told = f"{told}; lost: {', '.join(lost) or 'none'}"
            yield Claim(f"{row}-lost", "gambol", text, float(len(lost)), "figures", told, Band(high=0.0))


def make_step_edits(clip: EditableClip) -> list[Edit]:
    """A step in the middle of the clip set aside, and a turn over it and the next."""
    steps = sorted((part for part in clip.parts if part.kind == "step"), key=lambda part: part.first)
    one, next_ = (steps[len(steps) // 2 + n].name for n in (-1, 0))
    side = 1.0 if one.startswith("left") else -1.0
    return [
        Edit("aside", (Change(one, left=side * _ASIDE, alone=True),)),
        Edit("corner", (Change(one, turn=_TURN), Change(next_, turn=_TURN))),
    ]
