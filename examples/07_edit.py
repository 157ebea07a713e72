"""Edit a jump in three ways, and measure how far each is from the clip."""

from __future__ import annotations

from pathlib import Path

import gambol as gb

edits = {
    "farther": {
        "changes": [{"stage": "ground 2", "forward": 0.4, "turn": 45}, {"stage": "flight 1", "higher": 0.1}],
    },
    "spin": {"changes": [{"stage": "ground 2", "turn": 360}]},
    "moon": {"gravity": 1.62, "keep": "height"},
}
jump = gb.load("jump")[40:130]
out = Path("demo")
out.mkdir(exist_ok=True)
strips = [jump]
for name, edit in edits.items():
    result = gb.edit(jump, edit, solve_fps=20)
    print(f"{result.edited.summary}; joint angles changed by {result.figures['change_deg']:.1f} degrees")
    print("wrote", *result.save(out / f"{name}.bvh"))
    strips.append(result.motion)
print("wrote", gb.render(strips, out / "edits.png"))
