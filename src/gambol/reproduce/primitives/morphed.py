"""Morphs: half-way between two styles, and whether feet stand; with shared delays, and as printed with free ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.features.strides import find_strides
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.primitives.learning import learn_from_strides
from gambol.primitives.model import Primitives
from gambol.primitives.player import Player, make_morph, play
from gambol.primitives.prototypes import prototypes_of
from gambol.reproduce.claims import Claim
from gambol.reproduce.primitives.regenerated import measure_angle_error, regenerate_online
from gambol.reproduce.recordings import load_cmu_clip
from gambol.reproduce.slip_speeds import measure_slip_speeds, percentile_99

PAIRS = {
    "sad-happy": ("82_10", "82_12"),
    "short-long": ("07_04", "07_01"),
    "straight-curved": ("16_15", "16_11"),
}
"""From one clip to another of the same person."""
_SECONDS, _FPS = 8.0, 60.0


def run(data: Path) -> Iterator[Claim]:
    """Rows for every pair."""
    for name, pair in PAIRS.items():
        clips = {clip: find_strides(load_cmu_clip(data, clip)) for clip in pair}
        originals = prototypes_of(load_cmu_clip(data, pair[0]), clips)
        tied, free = (learn_from_strides(originals.layout, clips, 4, delays) for delays in ("tied", "free"))
        half, between = np.full(2, 0.5), originals.channels.mean(axis=0)
        told = f"{pair[0]} to {pair[1]}, 4 sources"
        text = "half-way, generated online: joints off the mean of both clips' mean strides, root mean square"
        value = measure_angle_error(originals.layout, regenerate_online(tied, half, live=False), between)
        yield Claim(f"{name}-middle", "asked of gambol", text, value, "degrees", f"{told}, tied delays", Band(high=1.0))
        value, speed = (
            measure_angle_error(originals.layout, regenerate_online(free, half), between),
            percentile_99(_speeds(free, lock=False)),
        )
        printed = f"{told}, free delays interpolated as printed; feet in contact slide at {speed:.2f} m/s then"
        yield Claim(f"{name}-middle-printed", "M17", text, value, "degrees", printed, Band(high=1.0))
        speeds, before = _speeds(tied, lock=True), percentile_99(_speeds(tied, lock=False))
        told = f"{told}, tied delays, {_SECONDS:g} s at {_FPS:g} frames a second; {before:.2f} before feet are held"
        text = "heels and balls while surely in contact: speed over the floor, 99 of 100 below"
        yield Claim(f"{name}-feet", "asked of gambol", text, percentile_99(speeds), "m/s", told, Band(high=0.05))
        text, worst = "the same, the fastest", float(speeds.max())
        yield Claim(f"{name}-feet-worst", "asked of gambol", text, worst, "m/s", told, Band(high=0.05))


def _speeds(model: Primitives, lock: bool) -> Array:
    morph = make_morph(model, model.styles[0], model.styles[1], _SECONDS)
    motion = play(Player(model, lock_feet=lock), _SECONDS, morph, _FPS)
    blends = np.stack([morph(time) for time in motion.times])
    # The phase that the player had: a frame goes on at the frequency of its own blend.
    turned = np.cumsum(np.append(0.0, 2.0 * np.pi / (_FPS * (blends[1:] @ model.periods))))
    return measure_slip_speeds(
        motion, np.stack([model.contacts_at(float(at), blend) for at, blend in zip(turned, blends, strict=True)])
    )
