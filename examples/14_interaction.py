"""Learn how two people touch hands, generate both, and let one react to a hand's path."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import gambol as gb
from gambol.geometry import quaternions as quat
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.poses.reach import HandPoint, find_arm


def make_person(name: str, x: float, heading: float) -> gb.Motion:
    """The built-in `stand` at x metres, who raises the right hand to a place between the two, and lowers it."""
    still = gb.load("stand")
    still = replace(still, q=np.tile(still.q[:1], (81, 1)), frame_time=1 / 40, name=name)
    local = local_frames(still.skeleton, still.q)
    local.rotations[:, 0] = quat.multiply(quat.exp(np.array([0.0, 0.0, heading])), local.rotations[:, 0])
    local.positions[:, 0, :2] = x, 0.0
    arm = find_arm(still, HandPoint("right", np.array([0.0, -0.08, 0.0])))
    rest = arm.locate(local)
    way = np.sin(np.linspace(0.0, np.pi, 81))[:, None] ** 2
    rotations, _ = arm.reach(local, rest + way * ([0.45, 0.0, 1.3] - rest))
    return replace_rotations(still, rotations, local.positions[:, 0])


out = Path("demo")
out.mkdir(exist_ok=True)
if len(sys.argv) > 2:  # both people of a recorded scene
    one, two = gb.load(sys.argv[1]), gb.load(sys.argv[2])
else:
    one, two = make_person("one", 0.0, 0.0), make_person("two", 0.9, np.pi)
learned = gb.learn_interaction([(one, two)])
print(*learned.notes, sep="\n")
print("wrote", *learned.save(out / "interaction.npz"))

meeting = gb.generate_interaction(learned.model)
print("wrote", *meeting.save(out / "interaction.png"))

seconds = np.linspace(0.0, 2.0, 120)
hand = np.array([0.7, 0.2, 0.8]) + np.outer(np.sin(np.pi * seconds / 2.0) ** 2, [-0.2, -0.2, 0.45])
answer = gb.react(learned.model, hand, fps=60)
print(f"hands come as near as {answer.figures['nearest_hands_mm']:.1f} mm")
print("wrote", *answer.save(out / "reaction.bvh"))
