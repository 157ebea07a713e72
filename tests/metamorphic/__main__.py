"""Change clips in every way, ask every function again, and print by how much the answers differ.

`python -m tests.metamorphic [VERB ...] [FILE]`. Differences are in metres, of figures as a share. An answer that
differs by more than 1e-6 where only the world changed ends with code 1, except where solvers stop by axes. The
clip is the built-in walk and for edits the built-in jump, at 30 frames per second, or the first seconds of a file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gambol as gb
from gambol.io import samples
from tests.metamorphic import verbs
from tests.metamorphic.changes import FRAMES, OTHERS, SAME

WALK, JUMP = samples.walk()[40:260:2], samples.jump()[::2]
EXACT = ("push", "fix", "edit", "loop", "join", "retarget", "retarget_onto", "primitives", "crowd", "check")
"""Functions whose answers go along with the world to 1e-6."""
TOLERANT = ("push_spacetime",)
"""The same to 1e-9, except at 10 km: its windows are solved in the world."""
ONE_SIDED = ("primitives", "crowd")
"""Strides are counted from the left foot: the mirror image begins with the other step."""
WHOLE = ("push", "push_spacetime", "fix", "check")
"""Functions whose answer has the frames of the clip, so that it may be resampled and cut."""
CHANGED = ("push", "push_spacetime", "fix")
"""Functions that change the clip: a difference is compared with the largest change of any joint."""
FRAMES_OF_FILE = 401


def main() -> None:
    """Print a line for every function and change."""
    failed = False
    given = next((gb.load(word)[:FRAMES_OF_FILE] for word in sys.argv[1:] if Path(word).is_file()), None)
    for name in [word for word in sys.argv[1:] if not Path(word).is_file()] or (*EXACT, *TOLERANT):
        verb, clip = getattr(verbs, name), given or (JUMP if name == "edit" else WALK)
        same = verb(clip, SAME)
        others = () if name in ONE_SIDED else OTHERS if name in WHOLE else OTHERS[:1]
        for change in (SAME, *FRAMES, *others):
            found = verbs.measure_change(same, verb(clip, change), change, clip.frame_time)
            share = f"{found / verbs.measure_size(same, clip):8.1%} of the change" if name in CHANGED else ""
            print(f"{name:<15} {change.name:<30} {found:.1e} {share}", flush=True)
            failed |= name in EXACT and change in (SAME, *FRAMES) and found > 1e-6
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
