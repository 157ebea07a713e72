"""Let a simulated humanoid walk to a place; with an argument, up to a drawer of that height, which it opens."""

from __future__ import annotations

import sys
from pathlib import Path

import gambol as gb

out = Path("demo")
out.mkdir(exist_ok=True)
height = float(sys.argv[1]) if len(sys.argv) > 1 else None
result = gb.walk_humanoid((0.5, 0.1), height)
for name, value in result.figures.items():
    print(f"{name:<26}{value:8.3g}")
for time, foot in result.run.footprints:
    print(f"{time:5.2f} s: {('left', 'right')[foot.side]} foot at {foot.x:.2f}, {foot.y:.2f} m")
print("wrote", *result.save(out / "humanoid.glb"))
print("wrote", *result.save(out / "humanoid.npz"))
