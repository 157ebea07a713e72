"""Make variants of a prototype: curved, shorter, crouching, backward, with raised arms.

Our own editing; M17 recorded every prototype. Footprints are mapped from the straight path to an arc, so that feet in
contact stay fixed. Hips and knees follow in closed form, the rest of the body moves along. Walking backward is the walk
played in reverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gambol.body.character import GRAVITY
from gambol.errors import InputError
from gambol.features.layout import FORWARD, HEIGHT, LEFT, TURN, Layout
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.legs.rig import LegFrames, measure_legs, place_rig_legs, reach_ankles
from gambol.legs.two_bone import hip_drop
from gambol.motion.kinematics import Placement, place_local
from gambol.primitives.bodies import integrate_periodic
from gambol.primitives.prototypes import Prototypes

_BOW = {"spine": 0.5, "chest": 0.5, "neck": -0.35, "head": -0.35, "left_upper_arm": -1.0, "right_upper_arm": -1.0}
"""Shares of the forward bend of a crouch by part; the head stays up and the arms hang."""
_BOW_PER_CROUCH = 3.0
"""Forward bend (radians) per leg length of crouch."""
_ELBOW, _TO_THE_FRONT = 0.2, 0.3
"""Elbow flexion of a raised arm (radians), and its forward component per unit to the side."""
_LIFT_PER_CURVATURE = 0.5
"""Share of their usual lift that feet keep per rad/m of curvature, however short the steps."""
_SWAY = 0.7
"""Arm swing and hip sway scale with the step length to this power: half the step length gives 0.6 of the swing."""


@dataclass(frozen=True)
class Variation:
    """How a variant differs from its base prototype."""

    turn: float = 0.0
    """Turn to the left per metre of the base prototype's path (rad/m); with step length 0, a turn on the spot."""
    steps: float = 1.0
    """Step length relative to the base prototype; 0 is standing."""
    crouch: float = 0.0
    """Share of the leg length by which the hips are lowered."""
    backward: bool = False
    left_arm: float | None = None
    """Radians by which the arm is raised sideways from hanging; None: it swings as in the base prototype."""
    right_arm: float | None = None

    @property
    def foot_amplitude(self) -> float:
        """Share of the usual pitch and lift that the feet keep."""
        return min(max(self.steps, _LIFT_PER_CURVATURE * abs(self.turn)), 1.0)

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("turn", self.turn, -2.0, 2.0),
            ("steps", self.steps, 0.0, 1.4),
            ("crouch", self.crouch, 0.0, 0.6),
            ("left_arm", self.left_arm or 0.0, 0.0, np.pi),
            ("right_arm", self.right_arm or 0.0, 0.0, np.pi),
        ):
            if not low <= value <= high:
                raise InputError(f"'{name}' is {value}, expected {low:g} to {high:g}")


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
    out = _rotate_joint(layout, out, 0, (1.0, 0.0, 0.0), -np.arctan(speed * turning / GRAVITY))
    for part, share in _BOW.items():
        if variation.crouch and part in layout.rig.parts:
            bow = share * _BOW_PER_CROUCH * variation.crouch
            out = _rotate_joint(layout, out, layout.rig.parts[part], (0.0, 1.0, 0.0), bow)
    for side in ("left", "right"):
        raised = getattr(variation, f"{side}_arm")
        if raised is not None:
            out = _raise_arm(layout, out, side, raised)
    return _place_feet(layout, channels, contacts, out, variation), contacts


def _reverse_stride(channels: Array, contacts: Array) -> tuple[Array, Array]:
    """Reverse a stride; phase 0 is where the left foot strikes now, which is where it left the floor."""
    channels, contacts = channels[::-1].copy(), contacts[::-1]
    channels[:, [FORWARD, LEFT, TURN]] *= -1.0
    down = contacts[:, :2].max(axis=1) > CONTACT_THRESHOLD
    strike = int(np.argmax(down & ~np.roll(down, 1)))
    return np.roll(channels, -strike, axis=0), np.roll(contacts, -strike, axis=0)


def _scale_swing(layout: Layout, channels: Array, variation: Variation) -> Array:
    """Scale the swing of joints and height about their means to the step length; toes scale with the feet."""
    middle = channels.mean(axis=0)
    share = np.full(channels.shape[1], variation.steps**_SWAY)
    share[layout.columns(("left_toes", "right_toes"))] = variation.foot_amplitude
    return middle + share * (channels - middle)


def _local_frames(layout: Layout, channels: Array) -> Placement:
    """Return the local frames in every phase relative to the path: the root above the origin."""
    rotations = layout.rotations(channels)
    offsets = np.broadcast_to(layout.skeleton.offsets, (*rotations.shape[:2], 3)).copy()
    offsets[:, 0] = _root_positions(layout, channels)
    return Placement(offsets, rotations)


def _root_positions(layout: Layout, channels: Array) -> Array:
    """Return root positions (phases, 3) above the origin."""
    roots = np.zeros((len(channels), 3))
    roots[:, 2] = layout.leg * channels[:, HEIGHT] + layout.floor
    return roots


def _rotate_joint(layout: Layout, channels: Array, joint: int, axis: tuple[float, float, float], angle: float) -> Array:
    """Rotate a joint and its descendants about an axis given relative to the path; return channels."""
    if joint not in layout.joints:
        return channels
    local = _local_frames(layout, channels)
    parent = layout.skeleton.parents[joint]
    base = place_local(layout.skeleton, local).rotations[:, parent] if parent >= 0 else quat.IDENTITY
    seen = quat.rotate(quat.conjugate(base), np.broadcast_to(axis, (len(channels), 3)))
    local.rotations[:, joint] = quat.multiply(
        quat.from_axis_angle(seen, np.full(len(seen), angle)), local.rotations[:, joint]
    )
    return layout.with_rotations(channels, local.rotations)


def _raise_arm(layout: Layout, channels: Array, side: str, raised: float) -> Array:
    """Raise an arm to its side, slightly to the front, the elbow nearly straight; return channels."""
    skeleton, parts = layout.skeleton, layout.rig.parts
    outward = 1.0 if side == "left" else -1.0
    for part, child, angle in (("upper_arm", "forearm", raised), ("forearm", "hand", raised + _ELBOW)):
        joint = parts[f"{side}_{part}"]
        bone = skeleton.offsets[parts.get(f"{side}_{child}", skeleton.children[joint][0])]
        local = _local_frames(layout, channels)
        world = place_local(skeleton, local).rotations
        goal = np.array([_TO_THE_FRONT, outward * np.sin(angle), -np.cos(angle)])
        now = quat.rotate(world[:, joint], bone)
        swing = quat.shortest_arc(now, np.broadcast_to(goal, now.shape))
        base = world[:, skeleton.parents[joint]]
        local.rotations[:, joint] = quat.multiply(quat.conjugate(base), quat.multiply(swing, world[:, joint]))
        channels = layout.with_rotations(channels, local.rotations)
    return channels


def _place_feet(layout: Layout, was: Array, contacts: Array, channels: Array, variation: Variation) -> Array:
    """Place the feet on the varied path with hips in reach of both legs; return channels."""
    legs, steps = measure_legs(layout), variation.steps
    amplitude = variation.foot_amplitude
    before = place_rig_legs(legs, layout.rotations(was), _root_positions(layout, was))
    rotations, roots = layout.rotations(channels), _root_positions(layout, channels)
    touch = np.maximum(contacts, 1e-3).reshape(-1, 2, 2)
    feet = quat.slerp(_mean_flat_feet(before, touch), before.feet, np.full((1, 1, 1), amplitude))
    shares = 0.5 + amplitude * (touch / touch.sum(axis=2, keepdims=True) - 0.5)
    points = before.ankles[:, :, None] + quat.rotate(before.feet[:, :, None], legs.soles)
    contact = np.einsum("nsp,nspi->nsi", shares, points)
    aside = layout.leg * integrate_periodic(was[:, LEFT])[:, None]
    middle = contact[..., 0].mean(axis=0)
    ahead, across = contact[..., 0] - middle, contact[..., 1] + aside
    along, turns = middle + steps * ahead, variation.turn * ahead
    x = along * np.sinc(turns / np.pi) - across * np.sin(turns)
    y = across * np.cos(turns) + 0.5 * turns * along * np.sinc(0.5 * turns / np.pi) ** 2 - aside
    feet = quat.multiply(quat.from_axis_angle((0.0, 0.0, 1.0), turns), feet)
    arms = quat.rotate(feet[:, :, None], legs.soles)
    arm = np.einsum("nsp,nspi->nsi", shares, arms)
    lift = np.maximum(points[..., 2].min(axis=2) - layout.floor, 0.0) * amplitude
    z = layout.floor + lift - arms[..., 2].min(axis=2)
    goals = np.stack((x - arm[..., 0], y - arm[..., 1], z), axis=2)
    standing = touch.max(axis=2) > CONTACT_THRESHOLD
    extended = np.minimum(np.where(standing, lengths(before.ankles - before.hips), 0.0).max(axis=0), legs.straight)
    to_goals = goals - place_rig_legs(legs, rotations, roots).hips
    needed = np.where(standing, hip_drop(np.moveaxis(to_goals, -1, 0), extended), -np.inf)
    drop = needed.max() + variation.crouch * layout.leg
    out = layout.with_rotations(channels, reach_ankles(legs, rotations, roots - [0.0, 0.0, drop], goals, feet))
    out[:, HEIGHT] -= drop / layout.leg
    return out


def _mean_flat_feet(limbs: LegFrames, touch: Array) -> Array:
    """Return mean rotations (2, 4) of the feet while both heel and ball touch."""
    weights = touch.min(axis=2)
    return np.stack([quat.mean(limbs.feet[:, side], weights[:, side] + 1e-6) for side in range(2)])
