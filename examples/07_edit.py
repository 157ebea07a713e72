"""Edit a jump three ways, and see how far from the clip each had to go."""

from __future__ import annotations

from pathlib import Path

import gambol as gb
from gambol.drawing.strip import save_strip
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.edited import edited
from gambol.spacetime.edits.home import taken_home
from gambol.spacetime.edits.parts import clip_of

motion = samples.jump()
clip = clip_of(fit(gb.Character.from_motion(motion), motion))
for part in clip.parts:
    print(f"{part.name:<14} {part.first * clip.frame_time:.2f} s  {part.about}")

edits = (
    Edit("farther", (Change("ground 2", forward=0.4, turn=45.0), Change("flight 1", higher=0.1))),
    Edit("spin", (Change("ground 2", turn=360.0),)),
    Edit("moon", gravity=1.62, keep="height"),
)
out = Path("demo")
out.mkdir(exist_ok=True)
strips = [motion]
for edit in edits:
    found = edited(clip, edit, rate=30.0)
    strips.append(taken_home(found.draft, found.outcome.motion.q))
    print(f"{found.story}; joints turned by {found.change:.1f} degrees, friction {found.verdict.friction:.2f}")
    print("wrote", *gb.save(strips[-1], out / f"{edit.name}.bvh"))
save_strip(strips, out / "edits.png")
print("wrote", out / "edits.png")
