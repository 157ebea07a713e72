"""A small family of jumps: solve four, play one between them, and bring a hand to a point in the air."""

from __future__ import annotations

from pathlib import Path

import gambol as gb

jump = gb.load("jump")[40:130]
plan = {
    "fps": 20,
    "axes": [
        {"stage": "ground 2", "forward": [-0.3, 0.3], "count": 2},
        {"stage": "ground 2", "left": [-0.3, 0.3], "count": 2},
    ],
}
jumps = gb.family(jump, plan, progress=lambda what, done, total: print(what, done, "of", total))
between = gb.play_family(jumps.model, [0.2, -0.1])

hand, frame = between.motion.rig.parts["right_hand"], len(between.motion) // 2
ball = between.motion.placement.positions[frame, hand]
hit = gb.reach_family(jumps.model, "right hand", ball, frame * between.motion.frame_time)
values = [round(value, 2) for value in hit.reached.values]
print(f"values {values} bring the finger tips {1e3 * hit.reached.miss:.0f} mm from the ball")

out = Path("demo")
out.mkdir(exist_ok=True)
print("wrote", *jumps.save(out / "jumps.npz"))
print("wrote", gb.render([jump, between.motion, hit.motion], out / "family.png"))
