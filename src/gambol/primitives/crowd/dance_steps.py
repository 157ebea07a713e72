"""Prototypes for a dance of two couples (M17 section 2.4, Fig. 2b), and their blends.

M17 recorded ten prototypes: a walk, walks with the left or right arm raised, a crouching walk, forward turns to either
side at two angular velocities, and backward stepping turns. Ours are made from one walk by `variants`, with standing as
an eleventh. Arm height and depth of the crouch follow from the measures of the body: hands of a bridge meet, and heads
fit below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from gambol.body.measure import require_rig
from gambol.features.layout import HEIGHT
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.primitives.crowd.gaits import BASE_WALK, GaitPlane
from gambol.primitives.prototypes import Prototypes
from gambol.primitives.variants import add_variants
from gambol.primitives.variation import Variation

WALK = "walk"
_PILLAR, _LEAST = 0.76, 0.73
"""Metres from the middle of a bridge to the dancers that form it: desired, and least (fingertips of short arms
touch)."""
_APART = 0.49
"""Metres between a dancer of the bridge and the one that passes below: enough for hips, and for the shoulders below."""
_STEPS = 0.6
"""Step length relative to the walk: a crouch allows no long steps."""
_RAISED = np.linspace(1.6, 2.2, 13)
"""Arm angles tried (radians from hanging): level, up to 36 degrees above."""
_CROUCH = np.linspace(0.1, 0.25, 16)
"""Crouches tried, as shares of the leg length."""
_OVER, _ROOM = 0.1, 0.15
"""Metres to either side of a head within which arms are above it, and least height of their bones above the head:
0.1 m of air and half an arm."""
_CROWN = 0.11 * 1.75
"""Metres from the head joint to the top of the head (as figures are drawn), for a body of 1.75 m."""
_FINGERS = 0.8
"""Point where hands hold each other, as a share of their length: the fingers."""
_WAYS = {
    "stand": Variation(steps=0.0),
    "left": Variation(steps=_STEPS, turn=0.5),
    "right": Variation(steps=_STEPS, turn=-0.5),
    "sharp left": Variation(steps=0.3, turn=1.2),
    "sharp right": Variation(steps=0.3, turn=-1.2),
    "back left": Variation(steps=0.3, turn=-1.2, backward=True),
    "back right": Variation(steps=0.3, turn=1.2, backward=True),
}
"""Steps besides walking. A dancer that steps backward turns left where the path curves right."""


@dataclass(frozen=True, eq=False)
class DanceSteps:
    """Prototypes of a dance: first those that span the plane of travel and turn, then the styles of walking."""

    prototypes: Prototypes

    @cached_property
    def gaits(self) -> GaitPlane:
        """The plane of travel and turn."""
        return GaitPlane(self.prototypes.select([WALK, *_WAYS]))

    @property
    def frequency(self) -> float:
        """Step frequency (rad/s)."""
        return 2.0 * np.pi / float(self.prototypes.periods[self.prototypes.index(WALK)])

    @property
    def speed(self) -> float:
        """Walking speed (m/s)."""
        return self.frequency * float(self.gaits.corners[self.gaits.prototypes.index(WALK), 0])

    @property
    def turning(self) -> float:
        """Largest turn rate on the spot (rad/s): half by a forward step, half by a backward step."""
        return self.frequency * float(self.gaits.corners[self.gaits.prototypes.index("sharp left"), 1])

    @cached_property
    def pillar(self) -> float:
        """Metres from the middle of a bridge to a dancer that forms it: raised hands meet."""
        reach = [_reach(self.prototypes, f"{side} arm", side) for side in ("left", "right")]
        return max(float(np.mean(reach)), _LEAST)

    @property
    def below(self) -> float:
        """Metres from the middle of a bridge to a dancer that passes below."""
        return self.pillar - _APART

    def blend(self, speed: Array, turning: Array, left_arm: Array, right_arm: Array, crouch: Array) -> Array:
        """Return shares (n, prototypes) for speeds (m/s), turn rates (rad/s) and shares of styles, all (n,).

        Shares of styles are of the whole; the steps get the rest.
        """
        styles = np.stack((left_arm, right_arm, crouch), axis=1)
        steps = self.gaits.blend(speed / self.frequency, turning / self.frequency)
        return np.hstack(((1.0 - styles.sum(axis=1, keepdims=True)) * steps, styles))


def make_dance_steps(prototypes: Prototypes) -> DanceSteps:
    """Make the prototypes of a dance from a walk."""
    walk = prototypes.select([BASE_WALK])
    raised = _raised(walk)
    styles = {
        "left arm": Variation(steps=_STEPS, left_arm=raised),
        "right arm": Variation(steps=_STEPS, right_arm=raised),
        "crouch": Variation(steps=_STEPS, crouch=_crouch(walk, raised)),
    }
    made = {"shorter walk": Variation(steps=_STEPS), **_WAYS, **styles}
    found = add_variants(walk, {name: (BASE_WALK, how) for name, how in made.items()}).select(list(made))
    return DanceSteps(Prototypes(found.layout, (WALK, *_WAYS, *styles), found.channels, found.contacts, found.periods))


def _raised(walk: Prototypes) -> float:
    """Return the arm angle (radians) at which hands meet in the middle of a bridge, or come closest."""
    tried = {f"{angle:g}": (BASE_WALK, Variation(steps=_STEPS, left_arm=angle)) for angle in _RAISED}
    made = add_variants(walk, tried)
    off = [abs(_reach(made, name, "left") - _PILLAR) for name in tried]
    return float(_RAISED[int(np.argmin(off))])


def _crouch(walk: Prototypes, raised: float) -> float:
    """Return the least crouch (share of the leg length) with which heads fit below the arms."""
    tried = {f"{depth:g}": (BASE_WALK, Variation(steps=_STEPS, crouch=depth)) for depth in _CROUCH}
    made = add_variants(walk, {"arm": (BASE_WALK, Variation(steps=_STEPS, left_arm=raised)), **tried})
    arm = arm_points(place_stride(made, "arm"), "left")
    low = float(arm[np.abs(arm[..., 1] - _APART) < _OVER][:, 2].min())
    tops = [head_tops(place_stride(made, name))[:, 2].max() for name in tried]
    fits = [depth for depth, top in zip(_CROUCH, tops, strict=True) if top + _ROOM < low]
    return float(fits[0] if fits else _CROUCH[-1])


def _reach(prototypes: Prototypes, name: str, side: str) -> float:
    """Return the mean lateral distance (metres) at which a prototype holds the hand of another."""
    return float(np.abs(arm_points(place_stride(prototypes, name), side)[:, -1, 1]).mean())


def place_stride(prototypes: Prototypes, name: str) -> Motion:
    """Return a stride of a prototype on the spot, one frame per phase."""
    layout, channels = prototypes.layout, prototypes.channels[prototypes.index(name)]
    roots = np.zeros((len(channels), 3))
    roots[:, 2] = layout.leg * channels[:, HEIGHT] + layout.floor
    return layout.motion(layout.rotations(channels), roots, 1.0, name)


def arm_points(motion: Motion, side: str) -> Array:
    """Return points (frames, points, 3) along an arm, from the shoulder to where hands hold each other."""
    places, parts = motion.placement.positions, require_rig(motion).parts
    hand = parts[f"{side}_hand"]
    beyond = [joint for joint in range(hand, places.shape[1]) if hand in motion.skeleton.path_to_root(joint)]
    tip = max(beyond, key=lambda joint: float(np.linalg.norm(places[0, joint] - places[0, hand])))
    held = places[:, hand] + _FINGERS * (places[:, tip] - places[:, hand])
    joints = [*(places[:, parts[f"{side}_{part}"]] for part in ("upper_arm", "forearm", "hand")), held]
    shares = np.linspace(0.0, 1.0, 9)[:, None]
    return np.concatenate([a[:, None] + shares * (b - a)[:, None] for a, b in pairwise(joints)], axis=1)


def head_tops(motion: Motion) -> Array:
    """Return the top of the head (frames, 3)."""
    return np.asarray(motion.placement.positions[:, require_rig(motion).parts["head"]] + [0.0, 0.0, _CROWN])
