"""Break a clip as cameras and generators do, repair it, and see what `check` says of both."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import gambol as gb
from gambol.drawing.strip import save_strip
from gambol.fit.rig import fit
from gambol.metrics.check import check
from gambol.spacetime.repairs import repaired
from gambol.spacetime.windows import fix as repair

clip = gb.load(sys.argv[1]) if len(sys.argv) > 1 else gb.samples.walk()
rng = np.random.default_rng(0)
turns = [n for n, dof in enumerate(clip.skeleton.dofs) if dof.kind == "turn"]
level = [n for n in clip.skeleton.columns(0, "slide") if clip.skeleton.dofs[n].axis[2] == 0.0]
q = clip.q.copy()
q[:, turns] += np.radians(1.0) * rng.standard_normal((len(q), len(turns)))
q[:, level] *= 1.06  # feet slide: it goes farther than it steps
broken = replace(clip, q=q, name="broken")

mended = repaired(broken)  # flips, teleports, lost frames, noise
fixed = repair(fit(gb.Character.from_motion(mended.motion), mended.motion))  # feet, flight, forces
for name, motion in (("broken", broken), ("fixed", fixed.motion)):
    bad = [f"{figure.name} {figure.value:.3g} {figure.unit}" for figure in check(motion).figures if not figure.passes]
    print(f"{name}: {'; '.join(bad) or 'every figure in its band'}")
print(f"joints turned by {fixed.change:.2f} degrees RMS")
for note in (*mended.notes, *fixed.notes):
    print(note)

out = Path("demo")
out.mkdir(exist_ok=True)
save_strip([broken, fixed.motion], out / "fix.png")
print("wrote", out / "fix.png")
print("wrote", *gb.save(fixed.motion, out / "fixed.bvh"))
