"""Measure morphs of two styles (M17 2.4), with tied delays and with free ones as printed: poses and sliding feet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.features.strides import find_strides
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.primitives.learning import learn_from_strides
from gambol.primitives.model import Primitives
from gambol.primitives.player import Player, make_morph, play
from gambol.primitives.prototypes import prototypes_of
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.primitives.regenerated import measure_angle_error, regenerate_online
from gambol_evidence.reproduce.recordings import load_cmu_clip
from gambol_evidence.reproduce.slip_speeds import measure_slip_speeds, percentile_99

PAIRS = {
    "sad-happy": ("82_10", "82_12"),
    "short-long": ("07_04", "07_01"),
    "straight-curved": ("16_15", "16_11"),
}
"""Pairs of clips of one person."""
_SECONDS, _RATE = 8.0, 60.0
"""Length of a morph, and frames per second."""


def measure_morphs(data: Path) -> Iterator[Claim]:
    """Measure the morphs of every pair."""
    for name, pair in PAIRS.items():
        clips = {clip: find_strides(load_cmu_clip(data, clip)) for clip in pair}
        originals = prototypes_of(load_cmu_clip(data, pair[0]), clips)
        tied, free = (learn_from_strides(originals.layout, clips, 4, delays) for delays in ("tied", "free"))
        half, between = np.full(2, 0.5), originals.channels.mean(axis=0)
        about = f"CMU {pair[0]} to {pair[1]}, 4 sources"
        text = "half-way blend: root mean square difference of joint angles from the mean of both clips' mean strides"
        value = measure_angle_error(originals.layout, regenerate_online(tied, half, live=False), between)
        yield Claim(f"{name}-middle", OUR_BAR, text, value, "degrees", f"{about}, tied delays", Band(high=1.0))
        value = measure_angle_error(originals.layout, regenerate_online(free, half), between)
        sliding = percentile_99(_play_morph(free, lock=False)[1])
        printed = f"{about}, free delays interpolated as printed; feet in contact slide at {sliding:.2f} m/s"
        source = f"M17 p. 7; {OUR_BAR}"
        yield Claim(f"{name}-middle-printed", source, text, value, "degrees", printed, Band(high=1.0))
        motion, speeds = _play_morph(tied, lock=True)
        unlocked = percentile_99(_play_morph(tied, lock=False)[1])
        about = (
            f"{about}, tied delays, {_SECONDS:g} s at {_RATE:g} frames per second; {unlocked:.2f} without foot locks"
        )
        text, speed = "99th percentile of the speed of heels and balls in contact", percentile_99(speeds)
        yield Claim(f"{name}-feet", OUR_BAR, text, speed, "m/s", about, Band(high=0.05), motion=motion)
        text, worst = "largest speed of heels and balls in contact", float(speeds.max())
        yield Claim(f"{name}-feet-worst", OUR_BAR, text, worst, "m/s", about, Band(high=0.05))


def _play_morph(model: Primitives, lock: bool) -> tuple[Motion, Array]:
    """Play a morph from the first style to the second; return it and the speeds (m/s) of points in contact."""
    morph = make_morph(model, model.styles[0], model.styles[1], _SECONDS)
    motion = play(Player(model, lock_feet=lock), _SECONDS, morph, _RATE)
    blends = np.stack([morph(time) for time in motion.times])
    # The phase of the player: every frame advances at the frequency of its own blend.
    turned = np.cumsum(np.append(0.0, 2.0 * np.pi / (_RATE * (blends[1:] @ model.periods))))
    contacts = [model.contacts_at(float(at), blend) for at, blend in zip(turned, blends, strict=True)]
    return motion, measure_slip_speeds(motion, np.stack(contacts))
