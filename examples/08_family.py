"""A small family of jumps: solve six, blend what lies between, and put a hand on a point in the air."""

from __future__ import annotations

from pathlib import Path

import gambol as gb
from gambol.drawing.strip import save_strip
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.spacetime.edits.home import taken_home
from gambol.spacetime.edits.parts import clip_of
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.inverse import point_of, reach
from gambol.spacetime.families.plan import plan_of
from gambol.spacetime.families.populate import populate
from gambol.spacetime.families.store import save_family

motion = samples.jump()[40:130]
clip = clip_of(fit(gb.Character.from_motion(motion), motion))
plan = plan_of(
    {
        "rate": 20,
        "axes": [
            {"stage": "ground 2", "forward": [-0.3, 0.3], "count": 3},
            {"stage": "ground 2", "left": [-0.3, 0.3], "count": 2},
        ],
    },
    "jumps",
)
family: Family = populate(clip, plan, progress=lambda p: print(f"{p.done} of {p.total}: {p.iterations} iterations"))

hand, tip = point_of(family.character, "right hand")
draft, between = family.motion([0.2, -0.1])
frame = len(between) // 2
joint = family.character.skeleton.index(hand)
placed = between.placement
ball = placed.positions[frame, joint] + gb.geometry.quaternions.rotate(placed.rotations[frame, joint], tip)
answer = reach(family, hand, tip, tuple(ball), frame / plan.rate)
print(f"the ball is hit at {[round(v, 2) for v in answer.values]}, {1e3 * answer.miss:.1f} mm beside it")

out = Path("demo")
out.mkdir(exist_ok=True)
save_family(family, out / "jumps.npz")
save_strip([motion, taken_home(draft, between.q)], out / "family.png")
print("wrote", out / "jumps.npz")
print("wrote", out / "family.png")
