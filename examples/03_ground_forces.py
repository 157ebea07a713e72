"""Give a clip a body, find the forces that the ground must have given, and plot them under each foot."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.fit.forces import compute_joint_torques, estimate_ground_forces
from gambol.fit.rig import fit

clip = gb.load(sys.argv[1]) if len(sys.argv) > 1 else gb.samples.walk()
person = gb.Character.from_motion(clip, mass=75)
fitted = fit(person, clip)
forces = estimate_ground_forces(fitted.character, fitted.motion)
torques = compute_joint_torques(fitted.character, fitted.motion, forces)
weight = person.mass * GRAVITY
print(f"{clip.name}: joint centres {1000 * fitted.errors.mean():.1f} mm from the rig's")
print(f"no contact explains {100 * np.sqrt(np.mean(forces.missing_force**2)) / weight:.1f} % of body weight")

figure, (upper, lower) = plt.subplots(2, 1, figsize=(10, 5), sharex=True)
for side, color in (("left", "tab:orange"), ("right", "tab:blue")):
    force = forces.force_on(f"{side}_foot") / weight
    upper.plot(clip.times, force[:, 2], color=color, label=f"{side}, vertical")
    upper.plot(clip.times, force[:, 0], "--", color=color, label=f"{side}, forward")
    knee = fitted.character.skeleton.columns(fitted.character.body(f"{side}_shank"))[0]
    lower.plot(clip.times, torques[:, knee], color=color, label=f"{side} knee")
upper.set(ylabel="ground force (body weights)")
lower.set(xlabel="time (s)", ylabel="flexing moment (N m)")
for axes in (upper, lower):
    axes.legend(loc="upper right", fontsize=8)

out = Path("demo")
out.mkdir(exist_ok=True)
figure.tight_layout()
figure.savefig(out / "ground_forces.png", dpi=110)
print("wrote", out / "ground_forces.png")
