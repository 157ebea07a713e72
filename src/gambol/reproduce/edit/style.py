"""Does an edited clip look like the clip: joints turned and figures of `check`, beside editing without physics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.metrics.check import Check, check
from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim
from gambol.reproduce.edit.clips import joints_apart, jump, solved
from gambol.reproduce.edit.physics import RATE
from gambol.reproduce.edit.warp import warped
from gambol.reproduce.fix import lost_bands
from gambol.reproduce.judged import ASKED
from gambol.spacetime.edits.to_rig import return_to_rig

CLIPS = ("13_11", "13_13", "118_01")
EDITS: dict[str, dict[str, float]] = {
    "farther": {"forward": 0.5},
    "turn": {"turn": 90.0},
    "left": {"left": 0.5},
    "higher": {"higher": 0.2},
}
_MOST = 10.0
"""Degrees."""


def run(data: Path) -> Iterator[Claim]:
    """Four edits of three clips."""
    for name in CLIPS:
        clip = jump(data, name)
        before = check(clip.clip.fitted.source)
        for word, numbers in EDITS.items():
            found = solved(data, name, clip.edit(word, **numbers), RATE)
            draft, q = found.draft, found.outcome.motion.q
            bent = warped(draft)
            turned = [joints_apart(draft.character, draft.reference.q, way) for way in (q, bent)]
            ours, naive, warp = (check(return_to_rig(draft, way)) for way in (q, draft.reference.q, bent))
            yield from rows(f"{name}-{word}", turned, before, ours, naive, warp)


def rows(row: str, turned: list[float], before: Check, ours: Check, naive: Check, warp: Check) -> Iterator[Claim]:
    """Of a clip before and after an edit by ours, by lines and by motion warping.

    `turned` are degrees, ours and those of motion warping; lines leave joints as they are until feet are placed.
    """
    text = "stylistically similar: joints turned from those of the clip, root mean square"
    told = f"{row}; motion warping {turned[1]:.2f} degrees"
    yield Claim(f"{row}-change", "L05", text, turned[0], "deg", told, Band(high=_MOST))
    lost = lost_bands(before, ours)
    told = f"{row}; lost: {', '.join(lost) or 'none'}"
    text = "figures of check that the clip had in their bands and its edit has not"
    yield Claim(f"{row}-lost", ASKED, text, float(len(lost)), "figures", told, Band(high=0.0))
    for word, means, other in (("lines", "going in lines", naive), ("warp", "motion warping", warp)):
        told = f"{row}; ours: {_out(ours)}; {word}: {_out(other)}"
        text = f"figures out of their bands: those of {means} less ours"
        less = len(_names(other)) - len(_names(ours))
        yield Claim(f"{row}-against-{word}", ASKED, text, float(less), "figures", told, Band(low=0.0))


def _names(found: Check) -> list[str]:
    return [f"{figure.name} {figure.formatted}" for figure in found.measures if not figure.passes]


def _out(found: Check) -> str:
    return ", ".join(_names(found)) or "none"
