"""Load a clip, measure its feet, draw it, and save it as BVH, GLB and CSV."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import gambol as gb

clip = gb.load(sys.argv[1] if len(sys.argv) > 1 else "walk")
for note in clip.notes:
    print("note:", note)

foot = clip.placement.positions[:, clip.rig.parts["left_foot"]]
speed = np.linalg.norm(np.diff(foot, axis=0), axis=1) / clip.frame_time
print(f"{clip.name}: {len(clip)} frames, {clip.duration:.2f} s, a {clip.rig.kind} rig")
print(f"the left foot rests {np.mean(speed < 0.2):.0%} of the time and moves at up to {speed.max():.1f} m/s")

out = Path("demo")
out.mkdir(exist_ok=True)
print("wrote", gb.render(clip, out / f"{clip.name}.png"))
for suffix in (".bvh", ".glb", ".csv"):
    print("wrote", *gb.save(clip, out / f"{clip.name}{suffix}"))
