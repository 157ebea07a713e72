"""Two people walk hand in hand: footsteps, and the force between their hands, are found.

A scene is a mapping, the same as a YAML file; `gambol compose --list` names those that come with gambol.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import gambol as gb

out = Path("demo")
out.mkdir(exist_ok=True)
clip = sys.argv[1] if len(sys.argv) > 1 else "walk"

scene = {
    "people": {
        "anna": {"clip": clip, "steps": 3, "heading": 0},
        "ben": {"clip": clip, "steps": 3, "heading": 0, "at": [0.0, -0.75], "delay": 0.2},
    },
    "conditions": [{"hold": ["anna right_hand", "ben left_hand"]}],
}

result = gb.compose(scene)
for condition, force in result.take.forces.items():
    size = np.linalg.norm(force[:, 0], axis=1)
    print(f"{' and '.join(condition.people)} pull with {np.median(size):.0f} N, at most {size.max():.0f} N")
print("wrote", *result.save(out / "pair.glb"))
print("wrote", gb.render(result.motions, out / "pair.png", moments=4))
