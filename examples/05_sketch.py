"""Sketch a jump with three keys, see what physics makes of it, and raise the arms at take-off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import gambol as gb
from gambol.drawing.strip import save_strip
from gambol.fit.rig import clip_of
from gambol.spacetime import Key, Sketch, Wanted, open_poses, realise

jump = Sketch("jump", 1.8, (Key(0.7), Key(0.93, {"x": 0.5, "z": 0.25}), Key(1.16, {"x": 1.0, "z": 0.0, "turn": 45.0})))
poses = open_poses()
found = realise(jump, poses)
print(found.story)
print(f"peak force {found.verdict.peak:.1f} body weights, friction {found.verdict.friction:.2f}")
print(f"in flight the centre of mass is off free fall by {found.verdict.fall:.1e} m/s²")

higher = replace(jump, poses=(Wanted(0.7, mass={"arms": (0.0, 0.0, 0.25)}),))
raised = realise(higher, poses)

out = Path("demo")
out.mkdir(exist_ok=True)
clips = [clip_of(motion) for motion in (found.plan.rough.motion, found.outcome.motion, raised.outcome.motion)]
save_strip(clips, out / "sketch.png")
print("wrote", out / "sketch.png")
print("wrote", *gb.save(clips[1], out / "jump.bvh"))
