"""Does an edited clip look like the clip: joints turned and figures of `check`, beside editing without physics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.metrics.check import Check, check
from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.edit.clips import load_jump, measure_joint_difference, solve_jump_edit
from gambol.reproduce.edit.physics import MEASURED_RATE
from gambol.reproduce.edit.warp import warp_clip
from gambol.reproduce.fix import find_lost_bands
from gambol.spacetime.edits.to_rig import return_to_rig

STYLE_CLIPS = ("13_11", "13_13", "118_01")
STYLE_EDITS: dict[str, dict[str, float]] = {
    "farther": {"forward": 0.5},
    "turn": {"turn": 90.0},
    "left": {"left": 0.5},
    "higher": {"higher": 0.2},
}
_MOST = 10.0
"""Degrees."""


def run(data: Path) -> Iterator[Claim]:
    """Four edits of three clips."""
    for name in STYLE_CLIPS:
        clip = load_jump(data, name)
        before = check(clip.clip.fitted.source)
        for word, numbers in STYLE_EDITS.items():
            found = solve_jump_edit(data, name, clip.edit(word, **numbers), MEASURED_RATE)
            draft, q = found.draft, found.outcome.motion.q
            bent = warp_clip(draft)
            turned = [measure_joint_difference(draft.character, draft.reference.q, way) for way in (q, bent)]
            ours, naive, warp = (check(return_to_rig(draft, way)) for way in (q, draft.reference.q, bent))
            yield from style_claims(f"{name}-{word}", turned, before, ours, naive, warp)


def style_claims(
    row: str, turned: list[float], before: Check, ours: Check, naive: Check, warp: Check
) -> Iterator[Claim]:
    """Of a clip before and after an edit by ours, by lines and by motion warping.

    `turned` are degrees, ours and those of motion warping; lines leave joints as they are until feet are placed.
    """
    text = "stylistically similar: joints turned from those of the clip, root mean square"
    told = f"{row}; motion warping {turned[1]:.2f} degrees"
    yield Claim(f"{row}-change", "L05", text, turned[0], "deg", told, Band(high=_MOST))
    lost = find_lost_bands(before, ours)
    told = f"{row}; lost: {', '.join(lost) or 'none'}"
    text = "figures of check that the clip had in their bands and its edit has not"
    yield Claim(f"{row}-lost", OUR_BAR, text, float(len(lost)), "figures", told, Band(high=0.0))
    for word, means, other in (("lines", "going in lines", naive), ("warp", "motion warping", warp)):
        told = f"{row}; ours: {_out(ours)}; {word}: {_out(other)}"
        text = f"figures out of their bands: those of {means} less ours"
        less = len(_names(other)) - len(_names(ours))
        yield Claim(f"{row}-against-{word}", OUR_BAR, text, float(less), "figures", told, Band(low=0.0))


def _names(found: Check) -> list[str]:
    return [f"{figure.name} {figure.formatted}" for figure in found.measures if not figure.passes]


def _out(found: Check) -> str:
    return ", ".join(_names(found)) or "none"
