"""Give a walk to a humanoid robot as a reference motion, and look at what its motors would have to do."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import gambol as gb

clip, robot = sys.argv[1:3] if len(sys.argv) > 2 else ("walk", "jvrc1")
result = gb.retarget(gb.load(clip)[:60], robot)
reference = result.reference
print(f"{result.figures['scale_ratio']:.2f} times as large as the person, {len(result.motion)} frames at 50 per second")
print(f"force that no foot explains: {100 * result.figures['root_residual_body_weights']:.2f} % of the weight")

limits = reference.biped.description.torques[6:]
shares = np.abs(reference.torques).max(axis=0) / limits
joints = [result.motion.skeleton.names[dof.joint] for dof in result.motion.skeleton.dofs[6:]]
hardest = int(np.argmax(shares))
print(f"hardest: {joints[hardest]} needs {shares[hardest]:.1f} times its largest torque")

upstairs = gb.retarget(gb.load(clip)[:60], robot, fast=True, variation=gb.ReferenceVariation(stairs=0.12))
risen = upstairs.motion.placement.positions[-1, 0, 2] - result.motion.placement.positions[-1, 0, 2]
print(f"the same on stairs: {risen:.2f} m higher at the end")

out = Path("demo")
out.mkdir(exist_ok=True)
print("wrote", *result.save(out / "reference.npz"))
print("wrote", gb.render([result.motion, upstairs.motion], out / "robot.png"))
