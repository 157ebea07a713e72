"""The steps of a dance of two couples (M17 section 2.4, Fig. 2b), and how a dancer blends them.

M17 recorded ten prototypes for it: a walk, walks with the left or right arm lifted, a crouching walk, forward turns to
either side at two angular velocities, and backward stepping turns. All of ours are made of one walk by `variants`, and
there is one more: standing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.body.measure import known_rig
from gambol.geometry.quaternions import Array
from gambol.motion.motion import Motion
from gambol.primitives.crowd.gaits import STRAIGHT, Gaits
from gambol.primitives.prototypes import Prototypes
from gambol.primitives.variants import Variation, with_variants

_STEPS = 0.7
"""Length of a dancer's steps against the walk's: those of someone who crouches."""
_RAISED = 1.85
"""Radians from hanging: 16 degrees above the level at the shoulder, and the elbow bends up."""
_CROUCH = 0.4
"""Share of a leg that hips come down: heads pass a forearm's breadth below arms."""
_PALM = 0.5
"""Where hands hold each other, as a share of their length."""
_WAYS = {
    "stand": Variation(steps=0.0),
    "left": Variation(steps=_STEPS, turn=0.5),
    "right": Variation(steps=_STEPS, turn=-0.5),
    "sharp left": Variation(steps=0.3, turn=1.2),
    "sharp right": Variation(steps=0.3, turn=-1.2),
    "back left": Variation(steps=0.3, turn=-1.2, backward=True),
    "back right": Variation(steps=0.3, turn=1.2, backward=True),
}
"""What takes a dancer along its way, besides walking. Who steps backward turns left where a way curves right."""
_STYLES = {
    "left arm": Variation(steps=_STEPS, left_arm=_RAISED),
    "right arm": Variation(steps=_STEPS, right_arm=_RAISED),
    "crouch": Variation(steps=_STEPS, crouch=_CROUCH),
}
"""How a dancer walks through the middle."""
WALK = "walk"


@dataclass(frozen=True, eq=False)
class Steps:
    """The prototypes of a dance: those that span the plane of strides and turns first, then the styles of walking."""

    prototypes: Prototypes

    @cached_property
    def gaits(self) -> Gaits:
        """The plane of strides and turns."""
        return Gaits(self.prototypes.chosen([WALK, *_WAYS]))

    @property
    def frequency(self) -> float:
        """Radians a second."""
        return 2.0 * np.pi / float(self.prototypes.periods[self.prototypes.index(WALK)])

    @property
    def speed(self) -> float:
        """Metres a second that a dancer walks."""
        return self.frequency * float(self.gaits.corners[self.gaits.prototypes.index(WALK), 0])

    @property
    def turning(self) -> float:
        """Radians a second that a dancer can turn on the spot: half by a step forward, half by one backward."""
        turns = np.abs(self.gaits.corners[:, 1])
        return self.frequency * float(turns[self.gaits.prototypes.index("sharp left")])

    @cached_property
    def reach(self) -> float:
        """Metres to the side of a dancer at which a lifted hand holds another."""
        layout = self.prototypes.layout
        found = []
        for side in ("left", "right"):
            channels = self.prototypes.channels[self.prototypes.index(f"{side} arm")]
            body = layout.motion(layout.rotations(channels), np.zeros((len(channels), 3)), 1.0, side)
            found.append(np.abs(palm(body, side)[:, 1]).mean())
        return float(np.mean(found))

    def blend(self, speed: Array, turning: Array, left_arm: Array, right_arm: Array, crouch: Array) -> Array:
        """Shares (n, prototypes) of dancers who go some metres and turn some radians a second (n,), in some styles (n,).

        Shares of styles are of the whole: what they leave is for the way.
        """
        styles = np.stack((left_arm, right_arm, crouch), axis=1)
        way = self.gaits.blend(speed / self.frequency, turning / self.frequency)
        return np.hstack(((1.0 - styles.sum(axis=1, keepdims=True)) * way, styles))


def steps_of(prototypes: Prototypes) -> Steps:
    """The steps of a dance, made of a walk."""
    walk = prototypes.chosen([STRAIGHT])
    made = {"dance walk": (STRAIGHT, Variation(steps=_STEPS))}
    made |= {name: (STRAIGHT, how) for name, how in (_WAYS | _STYLES).items()}
    found = with_variants(walk, made).chosen(list(made))
    names = tuple(WALK if name == "dance walk" else name for name in found.names)
    return Steps(Prototypes(found.layout, names, found.channels, found.contacts, found.periods))


def palm(motion: Motion, side: str) -> Array:
    """(frames, 3) where a hand holds another."""
    hand = known_rig(motion).parts[f"{side}_hand"]
    places = motion.placement.positions
    tip = motion.skeleton.children[hand]
    return places[:, hand] + _PALM * (places[:, tip[0]] - places[:, hand]) if tip else places[:, hand]
