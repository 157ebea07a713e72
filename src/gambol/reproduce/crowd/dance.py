"""M17 Fig. 2b: two couples change places and back, one below the bridge of the other's arms, whatever the start.

Starts are seeded: places up to 0.3 m off, headings up to 0.2 rad, any phases; and one couple may be two seconds late.
What the paper shows as a film is measured here on the bodies: heads below arms, hands that meet, room between dancers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.body.measure import known_rig
from gambol.geometry.quaternions import Array
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.primitives.bodies import Bodies
from gambol.primitives.crowd.dance import PARTNER, Danced, Hall, begin, dance, exchanges
from gambol.primitives.crowd.dance_steps import Steps, palm, steps_of
from gambol.primitives.crowd.gaits import Gaits
from gambol.primitives.crowd.performance import RATE
from gambol.primitives.crowd.ways import performed
from gambol.reproduce.claims import Claim
from gambol.reproduce.crowd.marches import WALK, gaits, slipping

SEEDS, SECONDS, LATE = 5, 24.0, 2.0
_ARM = 0.05
"""Metres: half the breadth of an arm."""
_OVER = 0.15
"""Metres, seen from above, within which an arm is over a head."""
_UP = 0.95
"""Share of a lifted arm from which a bridge stands."""
_CROWN = 0.19
"""Metres from the joint of a head to its crown, where a rig does not say."""


class Seen(NamedTuple):
    """What the bodies of a dance come to, in metres."""

    head_room: float
    """Least height of the underside of arms above heads that are below them."""
    hands: float
    """Between the hands of a bridge, on the average."""
    couples: float
    """Least way on the floor between the hips of dancers of two couples."""
    partners: float
    """The same of partners."""


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    hall, steps = Hall(), steps_of(gaits(data).prototypes)
    count = float(len(steps.prototypes.names))
    made = f"all made of the walk of {WALK}: {', '.join(steps.prototypes.names)}"
    yield Claim("dance-prototypes", "M17", "about ten prototypes", count, "", made, Band(8.0, 12.0))
    late = [wait for wait in (0.0, LATE) for _ in range(SEEDS)]
    starts = [begin(hall, seed) for seed in range(SEEDS)] * 2
    dances = [dance(hall, steps, one, SECONDS, RATE, wait) for one, wait in zip(starts, late, strict=True)]
    told = f"walk of {WALK}, {SEEDS} seeded starts, each also with a couple {LATE:g} s late, {SECONDS:g} s"
    times = [exchanges(hall, one) for one in dances]
    text = "couples pass and change places: the fewest times"
    yield Claim("dance-exchanges", "M17", text, float(min(len(one) for one in times)), "", told, Band(low=2.0))
    text = "places are reached after each of the first two: the farthest off"
    off = max(max(one[:2], default=np.inf) for one in times)
    yield Claim("dance-places", "M17", text, off, "m", told, Band(high=0.1))
    bodies = [seen(one, performed(Bodies(steps.prototypes), one.ways, 1.0 / RATE)) for one in dances]
    for name, text, value, band in (
        ("below", "heads pass below arms: least room", min(b.head_room for b in bodies), Band(low=0.03)),
        ("hands", "hands of a bridge meet: mean distance, the worst", max(b.hands for b in bodies), Band(high=0.1)),
        ("couples", "nobody walks into another couple: least", min(b.couples for b in bodies), Band(low=0.45)),
        ("partners", "nor into the partner: least", min(b.partners for b in bodies), Band(low=0.4)),
    ):
        yield Claim(f"dance-{name}", "M17", text, value, "m", told, band)
    step = min(in_step(one) for one in dances)
    text = "all are in step in the end, partners in mirror image: length of the mean phase, the worst"
    yield Claim("dance-in-step", "M17", text, step, "", told, Band(low=0.999))
    slip = max(slipping(Gaits(steps.prototypes), one.ways) for one in (dances[0], dances[-1]))
    text = "held heels and balls stay: 99 in 100"
    yield Claim("dance-slip", "M17", text, slip, "m/s", f"{told}; the first and the last", Band(high=0.05))


def in_step(danced: Danced) -> float:
    """Length of the mean phase at the end, those to the right half a turn on."""
    sides = danced.ways.places[-1, :, 1] > danced.ways.places[-1, PARTNER, 1]
    return float(np.abs(np.exp(1j * (danced.ways.phases[-1] + np.where(sides, 0.0, np.pi))).mean()))


def seen(danced: Danced, motions: list[Motion]) -> Seen:
    """Measures of bodies."""
    hips = np.stack([motion.placement.positions[:, 0, :2] for motion in motions], axis=1)
    apart = np.linalg.norm(hips[:, :, None] - hips[:, None], axis=-1)
    arms = {side: np.stack([_arm(motion, side) for motion in motions], axis=1) for side in ("left", "right")}
    crowns = np.stack([_crown(motion) for motion in motions], axis=1)
    room, gaps = [np.inf], []
    for one, partner in enumerate(PARTNER):
        others = [two for two in range(len(motions)) if two not in (one, partner)]
        room += [_room(arms[side][:, one], crowns[:, two]) for side in arms for two in others]
        # Who has its partner to the right, at the end or in the middle, holds out the right hand.
        up = danced.bridging[:, one] > _UP
        to = hips[:, partner] - hips[:, one]
        heading = danced.ways.headings[:, one]
        right = up & (np.cos(heading) * to[:, 1] < np.sin(heading) * to[:, 0])
        gaps.append(np.linalg.norm(arms["right"][right, one, -1] - arms["left"][right, partner, -1], axis=-1))
    return Seen(
        min(room),
        float(np.concatenate(gaps).mean()),
        float(apart[:, :2, 2:].min()),
        float(min(apart[:, 0, 1].min(), apart[:, 2, 3].min())),
    )


def _arm(motion: Motion, side: str) -> Array:
    """(frames, points, 3) from the shoulder to the palm, which is the last."""
    parts = known_rig(motion).parts
    joints = [motion.placement.positions[:, parts[f"{side}_{part}"]] for part in ("upper_arm", "forearm", "hand")]
    joints.append(palm(motion, side))
    bones = [a[:, None] + np.linspace(0.0, 1.0, 9)[:, None] * (b - a)[:, None] for a, b in zip(joints, joints[1:])]
    return np.concatenate(bones, axis=1)


def _crown(motion: Motion) -> Array:
    """(frames, 3) the top of a head."""
    head = known_rig(motion).parts["head"]
    places, tips = motion.placement.positions, motion.skeleton.children[head]
    return places[:, tips[0]] if tips else places[:, head] + [0.0, 0.0, _CROWN]


def _room(arm: Array, crown: Array) -> float:
    """Least height of the underside of an arm (frames, points, 3) above a crown (frames, 3) that is below it."""
    over = np.linalg.norm(arm[..., :2] - crown[:, None, :2], axis=-1) < _OVER
    return float(np.where(over, arm[..., 2] - _ARM - crown[:, None, 2], np.inf).min())
