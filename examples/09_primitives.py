"""Primitives of the built-in walk and run: learn four sources, play a walk that becomes a run, and steer the blend."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import gambol as gb
from gambol.drawing.strip import save_strip
from gambol.io import samples
from gambol.primitives.learning import learn_model
from gambol.primitives.player import Player, morphing, play
from gambol.primitives.store import load_primitives, save_primitives


def main() -> None:
    """Learn, keep, morph, and change the style while it runs."""
    model = learn_model({"walk": [samples.walk()], "run": [samples.run()]}, n_sources=4)
    told = f"{sum(model.counts)} strides, {model.maps.count} sources"
    print(f"{told}: {100.0 * model.explained:.1f} % of the variance")
    save_primitives(model, Path("moving.npz"))
    print("wrote moving.npz")

    player = Player(load_primitives(Path("moving.npz")))
    morph = play(player, 6.0, morphing(model, "walk", "run", 6.0))
    gb.save(morph, "morph.bvh")
    save_strip([morph], Path("morph.png"), poses=12)
    print("wrote morph.bvh")
    print("wrote morph.png")

    # Online: a state goes in, the next comes out, and the blend may be another in every frame.
    state = player.begin()
    for frame in range(240):
        hurry = 0.5 - 0.5 * np.cos(frame / 40.0)
        state, poses = player.step(state, np.array([1.0 - hurry, hurry]), 1.0 / 60.0)
    print(f"after 4 s the hips are at {poses.places[0].round(2).tolist()} m")


if __name__ == "__main__":
    main()
