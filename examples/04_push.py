"""Push a clip at the chest while it walks, see how far it gives way and when it is back, and take it home."""

from __future__ import annotations

import sys
from pathlib import Path

import gambol as gb
from gambol.drawing.strip import save_strip
from gambol.motion.pushes import Push
from gambol.respond import answer

clip = gb.load(sys.argv[1]) if len(sys.argv) > 1 else gb.samples.walk()
person = gb.Character.from_motion(clip, mass=75)
way = clip.placement.positions[-1, 0] - clip.placement.positions[0, 0]
x, y = -way[:2] / max(float((way[:2] ** 2).sum() ** 0.5), 0.1)  # against the way it goes
begin = 0.4 * clip.duration
blow = Push("chest", (350 * x, 350 * y, 0), begin, 0.2)
tap = Push("right_forearm", (0, 0, 60), begin + 0.2, 0.1)

found = answer(person, clip, [blow, tap])
degrees, second = found.peak
print(f"{clip.name}: the joint farthest off is {degrees:.0f} degrees off, {second - begin:.2f} s after the push began")
print("back within 2 degrees", f"{found.recovery:.2f} s after it ended" if found.recovery is not None else "never")
print(f"the feet leave their path by {1000 * found.slide:.1f} mm at most")

out = Path("demo")
out.mkdir(exist_ok=True)
shown = slice(int((begin - 0.2) / clip.frame_time), int((begin + 1.4) / clip.frame_time))
save_strip([clip[shown], found.motion[shown]], out / "push.png")
print("wrote", out / "push.png")
print("wrote", *gb.save(found.motion, out / "pushed.bvh"))
