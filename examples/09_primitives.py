"""Learn the built-in walk and run as four source functions, morph one into the other, and blend them frame by frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import gambol as gb
from gambol.primitives.player import Player

out = Path("demo")
out.mkdir(exist_ok=True)
learned = gb.learn_primitives({"walk": ["walk"], "run": ["run"]}, sources=4)
for note in learned.notes:
    print(note)
print("wrote", *learned.save(out / "moving.npz"))

model = gb.load_model(out / "moving.npz")
morph = gb.play_primitives(model, style="walk", to="run", seconds=6)
print("wrote", *morph.save(out / "morph.bvh"))
print("wrote", gb.render(morph.motion, out / "morph.png", poses=12))

# Online: a state goes in, the next comes out, and the blend may change in every frame.
player = Player(model)
state = player.begin()
for frame in range(240):
    hurry = 0.5 - 0.5 * np.cos(frame / 40.0)
    state, poses = player.step(state, np.array([1.0 - hurry, hurry]), 1.0 / 60.0)
print(f"after 4 s the hips are at {poses.places[0].round(2).tolist()} m")
