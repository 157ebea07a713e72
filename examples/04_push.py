"""Push a walking character at the chest, measure its deviation and recovery, and save it on its own rig."""

from __future__ import annotations

import sys
from pathlib import Path

import gambol as gb

clip = gb.load(sys.argv[1] if len(sys.argv) > 1 else "walk")
travel = clip.placement.positions[-1, 0] - clip.placement.positions[0, 0]
x, y = -travel[:2] / max(float((travel[:2] ** 2).sum() ** 0.5), 0.1)  # against the direction of travel
start = 0.4 * clip.duration
blow = gb.Push("chest", force=(350 * x, 350 * y, 0), start=start, duration=0.2)
tap = gb.Push("right_forearm", force=(0, 0, 60), start=start + 0.2, duration=0.1)

pushed = gb.push(clip, [blow, tap], mass=75)
print(pushed.summary)
print({name: round(value, 3) for name, value in pushed.figures.items()})

out = Path("demo")
out.mkdir(exist_ok=True)
shown = slice(int((start - 0.2) / clip.frame_time), int((start + 1.4) / clip.frame_time))
print("wrote", gb.render([clip[shown], pushed.motion[shown]], out / "push.png"))
print("wrote", *pushed.save(out / "pushed.bvh"))
