"""Change clips in every way, ask every function again, and print by how much the answers differ.

`python -m tests.metamorphic [recordings] [VERB ...] [FILE]`. Differences are in metres, of figures as a share. An
answer that differs by more than a bar where only the world changed ends with code 1. The clip is the built-in walk and
for edits the built-in jump, at 30 frames per second, or the first seconds of a file; with `recordings`, each of a few
of those in the folder GAMBOL_DATA, with the 120 frames per second of their files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import gambol as gb
from gambol.io import samples
from gambol.motion.motion import Motion
from tests.metamorphic import verbs
from tests.metamorphic.changes import FRAMES, OTHERS, SAME, WORLD, Change

WALK, JUMP = samples.walk()[40:260:2], samples.jump()[::2]
VERBS = (
    "push", "push_replan", "fix", "edit", "loop", "join",
    "retarget", "retarget_onto", "primitives", "crowd", "check",
)  # fmt: skip
BAR, CHECK_BAR = 1e-6, 1e-5
"""Largest difference where only the world changes. Forces are solved to 1e-6 of the body weight."""
ONE_SIDED = ("primitives", "crowd")
"""Strides are counted from the left foot: the mirror image begins with the other step."""
WHOLE = ("push", "push_replan", "fix", "check")
"""Functions whose answer has the frames of the clip, so that it may be resampled and cut."""
CHANGED = ("push", "push_replan", "fix")
"""Functions that change the clip: a difference is compared with the largest change of any joint."""
FRAMES_OF_FILE = 401
RECORDED_WALKS = ("walk/12_01", "walk/35_01", "walk/16_31", "walk/05_01")
RECORDED_JUMPS = ("jump_hop_leap/13_11", "jump_hop_leap/02_04")


def main() -> None:
    """Print a line for every function, clip and change."""
    words = sys.argv[1:]
    files = [gb.load(word)[:FRAMES_OF_FILE] for word in words if Path(word).is_file()]
    failed = False
    for name in [word for word in words if word != "recordings" and not Path(word).is_file()] or VERBS:
        if "recordings" in words:
            for clip in _load_recordings(name):
                failed |= _compare(name, clip, WORLD[:-1] if name in ONE_SIDED else WORLD)
        else:
            others = () if name in ONE_SIDED else OTHERS if name in WHOLE else OTHERS[:1]
            clip = files[0] if files else JUMP if name == "edit" else WALK
            failed |= _compare(name, clip, (SAME, *FRAMES, *others))
    raise SystemExit(failed)


def _load_recordings(name: str) -> list[Motion]:
    """Return the recordings that a function is asked about."""
    folder = Path(os.environ["GAMBOL_DATA"]) / "cmu_bvh"
    chosen = RECORDED_JUMPS if name == "edit" else RECORDED_WALKS
    return [gb.load(folder / f"{one}.bvh")[:FRAMES_OF_FILE] for one in chosen]


def _compare(name: str, clip: Motion, changes: Sequence[Change]) -> bool:
    """Print a line for every change; return whether an answer depends on the world."""
    verb, failed = getattr(verbs, name), False
    same = verb(clip, SAME)
    for change in changes:
        found = verbs.measure_change(same, verb(clip, change), change, clip.frame_time)
        share = f"{found / verbs.measure_size(same, clip):8.1%} of the change" if name in CHANGED else ""
        print(f"{name:<15} {clip.name:<10} {change.name:<30} {found:.1e} {share}", flush=True)
        failed |= change in (SAME, *FRAMES, *WORLD) and found > (CHECK_BAR if name == "check" else BAR)
    return failed


if __name__ == "__main__":
    main()
