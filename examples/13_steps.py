"""Push a walk hard: the whole body answers, with steps."""

from __future__ import annotations

import sys
from pathlib import Path

import gambol as gb

clip = gb.load(sys.argv[1] if len(sys.argv) > 1 else "walk")
travel = clip.placement.positions[-1, 0] - clip.placement.positions[0, 0]
ahead = travel[:2] / max(float((travel[:2] ** 2).sum() ** 0.5), 0.1)
shove = gb.Push("chest", force=(-180 * ahead[1], 180 * ahead[0], 0), start=1.1, duration=0.2)  # to the left

kept = gb.push(clip, [shove], loop=4.0)
stepped = gb.push(clip, [shove], loop=4.0, method=gb.Replan())
print("feet keep their path:", kept.summary)
print("feet step:", stepped.summary)

out = Path("demo")
out.mkdir(exist_ok=True)
shown = slice(int(1.0 / clip.frame_time), int(2.6 / clip.frame_time))
print("wrote", gb.render([kept.motion[shown], stepped.motion[shown]], out / "steps.png", shot=gb.Shot(view="front")))
print("wrote", *stepped.save(out / "stepped.bvh"))
