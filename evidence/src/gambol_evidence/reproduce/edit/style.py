"""Measure whether edited clips keep joint angles and figures of `check`, compared with edits without physics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.metrics.check import check
from gambol.metrics.figures import Band, Check
from gambol.spacetime.edits.to_rig import return_to_rig
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.edit.clips import load_jump, measure_joint_difference, solve_jump_edit
from gambol_evidence.reproduce.edit.physics import MEASURED_RATE
from gambol_evidence.reproduce.edit.warp import warp_clip
from gambol_evidence.reproduce.fix import LOST_TEXT, find_lost_bands

STYLE_CLIPS = ("13_11", "13_13", "118_01")
STYLE_EDITS: dict[str, dict[str, float]] = {
    "farther": {"forward": 0.5},
    "turn": {"turn": 90.0},
    "left": {"left": 0.5},
    "higher": {"higher": 0.2},
}
_MOST_CHANGE = 10.0
"""Degrees, root mean square."""


def measure_style(data: Path) -> Iterator[Claim]:
    """Measure four edits of three clips."""
    better = 0
    for name in STYLE_CLIPS:
        clip = load_jump(data, name)
        before = check(clip.clip.fitted.source)
        for word, numbers in STYLE_EDITS.items():
            solved = solve_jump_edit(data, name, clip.edit(word, **numbers), MEASURED_RATE)
            draft, q = solved.draft, solved.outcome.motion.q
            warped = warp_clip(draft)
            changes = [measure_joint_difference(draft.character, draft.reference.q, other) for other in (q, warped)]
            edited, lines, warp = (check(return_to_rig(draft, other)) for other in (q, draft.reference.q, warped))
            better += len(_failing(lines)) > len(_failing(edited))
            yield from style_claims(f"{name}-{word}", changes, before, edited, lines, warp)
    count = len(STYLE_CLIPS) * len(STYLE_EDITS)
    text = f"edits of {count} that have fewer figures of check outside their bands than linear interpolation"
    about = f"CMU {', '.join(STYLE_CLIPS)}, edits {', '.join(STYLE_EDITS)}"
    yield Claim("style-better-than-lines", OUR_BAR, text, float(better), "edits", about, Band(low=1.0))


def style_claims(
    row: str, changes: list[float], before: Check, edited: Check, lines: Check, warp: Check
) -> Iterator[Claim]:
    """Yield claims about a clip before and after an edit, and after the same edit by lines and by motion warping.

    `changes` are the changes of joint angles (degrees) by the edit and by motion warping; linear interpolation of the
    root changes none until feet are placed.
    """
    text = "the edit stays stylistically similar: root mean square change of joint angles"
    clip = f"CMU {row.replace('-', ', ')}"
    about = f"{clip}; motion warping changes them by {changes[1]:.2f} degrees"
    source = f"L05 §4.5.1; {OUR_BAR}"
    motion = edited.motion
    yield Claim(f"{row}-change", source, text, changes[0], "deg", about, Band(high=_MOST_CHANGE), motion=motion)
    lost = find_lost_bands(before, edited)
    about = f"{clip}; lost: {', '.join(lost) or 'none'}"
    yield Claim(f"{row}-lost", OUR_BAR, LOST_TEXT, float(len(lost)), "figures", about, Band(high=0.0))
    for word, method, other in (("lines", "linear interpolation", lines), ("warp", "motion warping", warp)):
        about = f"{clip}; edit: {_list_failing(edited)}; {method}: {_list_failing(other)}"
        text = f"figures of check outside their bands: number after {method} minus number after the edit"
        less = len(_failing(other)) - len(_failing(edited))
        yield Claim(f"{row}-against-{word}", OUR_BAR, text, float(less), "figures", about, Band(low=0.0))


def _failing(result: Check) -> list[str]:
    return [f"{figure.name} {figure.formatted}" for figure in result.measures if not figure.passes]


def _list_failing(result: Check) -> str:
    return ", ".join(_failing(result)) or "none"
