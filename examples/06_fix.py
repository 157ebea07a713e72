"""Damage two seconds of a clip as cameras and generators do, repair it, and compare what `check` says of both."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import gambol as gb

clip = gb.load(sys.argv[1] if len(sys.argv) > 1 else "walk")
clip = clip[: round(2.0 / clip.frame_time)]
rng = np.random.default_rng(0)
turns = [n for n, dof in enumerate(clip.skeleton.dofs) if dof.kind == "turn"]
level = [n for n in clip.skeleton.columns(0, "slide") if clip.skeleton.dofs[n].axis[2] == 0.0]
q = clip.q.copy()
q[:, turns] += np.radians(1.0) * rng.standard_normal((len(q), len(turns)))  # noise
q[:, level] *= 1.06  # sliding feet: it travels farther than it steps
damaged = replace(clip, q=q, name="damaged")

fixed = gb.fix(damaged)
for name, found in (("damaged", fixed.before), ("fixed", fixed.after)):
    outside = [f"{figure.name} {figure.formatted} {figure.unit}" for figure in found.measures if not figure.passes]
    print(f"{name}: {'; '.join(outside) or found.verdict}")
print(f"joint angles changed by {fixed.figures['change_deg']:.2f} degrees RMS")
for note in fixed.notes:
    print(note)

out = Path("demo")
out.mkdir(exist_ok=True)
print("wrote", gb.render([damaged, fixed.motion], out / "fix.png", physics=True))
print("wrote", *fixed.save(out / "fixed.bvh"))
