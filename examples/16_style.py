"""Learn how somebody walks, and let them walk uphill with a suitcase.

One step of learning from a second and a half is a first look; 25, the default of `learn_style`, take a minute or two.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gambol as gb

out = Path("demo")
out.mkdir(exist_ok=True)
clip = sys.argv[1] if len(sys.argv) > 1 else "walk"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1

learned = gb.learn_style(clip, start=1.0, end=2.5, steps=steps)
print(f"{learned.figures['error_deg']:.1f} degrees from the clip, on the joints of its rig")
print("wrote", *learned.save(out / "style.json"))

done = gb.apply_style(learned.model, {"slope": 6, "load": {"right_hand": 3}})
print("wrote", *done.save(out / "uphill.png"))
