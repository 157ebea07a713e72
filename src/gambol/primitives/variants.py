"""Make variants of a prototype: curved, shorter, crouching, backward, with raised arms.

Our own editing; M17 recorded every prototype. Footprints are laid along another path (`footprints`), the rest of the
body moves along. Walking backward is the walk played in reverse.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.features.layout import FORWARD, LEFT, TURN, Layout
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.legs.knees import measure_placed_knees, swivel_legs
from gambol.motion.kinematics import place_local
from gambol.primitives.footprints import find_local_frames, lay_footprints, rotate_joint
from gambol.primitives.prototypes import Prototypes
from gambol.primitives.variation import Variation

_BOW = {"spine": 0.25, "chest": 0.25, "neck": -0.15, "head": -0.45, "left_upper_arm": -1.0, "right_upper_arm": -1.0}
"""Shares of the forward bend of a crouch by part; the pelvis has the rest, the head stays up and the arms hang."""
_BOW_HIPS = 0.5
"""Share of the pelvis: people duck by bending hips, back and knees together."""
_BOW_PER_CROUCH, _MOST_BOW = 8.0, 1.8
"""Forward bend (radians) per leg length of crouch, and the largest."""
_KNEES_KEPT, _KNEES_OUT = 0.3, np.radians(10.0)
"""Share of the turn of knees that a crouch keeps, and their mean turn to the outside (radians)."""
_ELBOW, _TO_THE_FRONT = 0.2, 0.3
"""Elbow flexion of a raised arm (radians), and its forward component per unit to the side."""
_SWAY = 0.7
"""Arm swing and hip sway scale with the step length to this power: half the step length gives 0.6 of the swing."""


def add_variants(prototypes: Prototypes, variants: Mapping[str, tuple[str, Variation]]) -> Prototypes:
    """Return the prototypes with variants added; `variants` gives the base and the variation by name."""
    names, channels = list(prototypes.names), list(prototypes.channels)
    contacts, periods = list(prototypes.contacts), list(prototypes.periods)
    for name, (base, variation) in variants.items():
        if name in names:
            raise InputError(f"there is already a prototype '{name}'")
        place = prototypes.index(base)
        table, touch, period = (x[place] for x in (prototypes.channels, prototypes.contacts, prototypes.periods))
        made, touch = vary_stride(prototypes.layout, table, touch, float(period), variation)
        names.append(name)
        channels.append(made)
        contacts.append(touch)
        periods.append(period)
    return Prototypes(prototypes.layout, tuple(names), np.array(channels), np.array(contacts), np.array(periods))


def vary_stride(
    layout: Layout, channels: Array, contacts: Array, period: float, variation: Variation
) -> tuple[Array, Array]:
    """Return channels (phases, C) and contacts (phases, 4) of a varied stride; `period` in seconds."""
    if variation.backward:
        channels, contacts = _reverse_stride(channels, contacts)
    out = _scale_swing(layout, channels, variation)
    out[:, FORWARD] = variation.steps * channels[:, FORWARD]
    out[:, TURN] = variation.turn * layout.leg * channels[:, FORWARD]
    speed = 2.0 * np.pi * layout.leg * float(out[:, FORWARD].mean()) / period
    turning = 2.0 * np.pi * float(out[:, TURN].mean()) / period
    out = rotate_joint(layout, out, 0, (1.0, 0.0, 0.0), -np.arctan(speed * turning / GRAVITY))
    if variation.crouch:
        bow, parts = min(_BOW_PER_CROUCH * variation.crouch, _MOST_BOW), layout.rig.parts
        shares = {0: _BOW_HIPS} | {parts[part]: share for part, share in _BOW.items() if part in parts}
        for joint, share in shares.items():
            out = rotate_joint(layout, out, joint, (0.0, 1.0, 0.0), share * bow)
    for side in ("left", "right"):
        raised = getattr(variation, f"{side}_arm")
        if raised is not None:
            out = _raise_arm(layout, out, side, raised)
    out = lay_footprints(layout, channels, contacts, out, variation)
    return (_part_knees(layout, out) if variation.crouch else out), contacts


def _part_knees(layout: Layout, channels: Array) -> Array:
    """Turn the legs of a crouch outward: knees that point a little inward in a walk would collide."""
    local = find_local_frames(layout, channels)
    placed = place_local(layout.skeleton, local)
    turn = measure_placed_knees(layout.rig.parts, placed).turn
    apart = _KNEES_KEPT * turn + [-_KNEES_OUT, _KNEES_OUT]
    turned = swivel_legs(layout.skeleton, layout.rig.parts, local.rotations, placed, apart - turn)
    return layout.with_rotations(channels, turned)


def _reverse_stride(channels: Array, contacts: Array) -> tuple[Array, Array]:
    """Reverse a stride; phase 0 is where the left foot strikes now, which is where it left the floor."""
    channels, contacts = channels[::-1].copy(), contacts[::-1]
    channels[:, [FORWARD, LEFT, TURN]] *= -1.0
    down = contacts[:, :2].max(axis=1) > CONTACT_THRESHOLD
    strike = int(np.argmax(down & ~np.roll(down, 1)))
    return np.roll(channels, -strike, axis=0), np.roll(contacts, -strike, axis=0)


def _scale_swing(layout: Layout, channels: Array, variation: Variation) -> Array:
    """Scale the swing of joints and height about their means to the step length; toes scale with the feet.

    Knees are not scaled past straight: in longer steps their flexion follows from the footprints alone.
    """
    middle = channels.mean(axis=0)
    share = np.full(channels.shape[1], variation.steps**_SWAY)
    share[layout.columns(("left_shank", "right_shank"))] = min(variation.steps**_SWAY, 1.0)
    share[layout.columns(("left_toes", "right_toes"))] = variation.foot_amplitude
    return middle + share * (channels - middle)


def _raise_arm(layout: Layout, channels: Array, side: str, raised: float) -> Array:
    """Raise an arm to its side, slightly to the front, the elbow nearly straight; return channels."""
    skeleton, parts = layout.skeleton, layout.rig.parts
    outward = 1.0 if side == "left" else -1.0
    for part, child, angle in (("upper_arm", "forearm", raised), ("forearm", "hand", raised + _ELBOW)):
        joint = parts[f"{side}_{part}"]
        bone = skeleton.offsets[parts.get(f"{side}_{child}", skeleton.children[joint][0])]
        local = find_local_frames(layout, channels)
        world = place_local(skeleton, local).rotations
        goal = np.array([_TO_THE_FRONT, outward * np.sin(angle), -np.cos(angle)])
        now = quat.rotate(world[:, joint], bone)
        swing = quat.shortest_arc(now, np.broadcast_to(goal, now.shape))
        base = world[:, skeleton.parents[joint]]
        local.rotations[:, joint] = quat.multiply(quat.conjugate(base), quat.multiply(swing, world[:, joint]))
        channels = layout.with_rotations(channels, local.rotations)
    return channels
