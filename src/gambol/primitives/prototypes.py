"""Prototypes: strides of several styles as tables of channels by phase, which blend linearly (M17 section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError
from gambol.features.layout import FORWARD, LEFT, TURN, Layout, layout_of
from gambol.features.strides import Stride
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.legs.graded_contacts import grade_contacts
from gambol.legs.rig import measure_legs, place_rig_legs, reach_ankles
from gambol.motion.motion import Motion


@dataclass(frozen=True, eq=False)
class Prototypes:
    """Periodic movements of one body at common phases."""

    layout: Layout
    names: tuple[str, ...]
    channels: Array
    """(prototypes, phases, channels), periodic."""
    contacts: Array
    """(prototypes, phases, 4) above 1/2 where left heel and ball, right heel and ball touch (see `touch`)."""
    periods: Array
    """(prototypes,) seconds."""

    def __post_init__(self) -> None:
        shape = (len(self.names), self.channels.shape[1], self.layout.count)
        if self.channels.shape != shape or self.contacts.shape != (*shape[:2], 4) or self.periods.shape != shape[:1]:
            raise InputError(f"tables have the shape {self.channels.shape}, expected {shape}")

    def index(self, name: str) -> int:
        """Return the index of a prototype by its name."""
        if name not in self.names:
            raise InputError(f"unknown prototype '{name}'", fix=f"choose from {', '.join(self.names)}")
        return self.names.index(name)

    def select(self, names: Sequence[str]) -> Prototypes:
        """Return the named prototypes, in this order."""
        places = [self.index(name) for name in names]
        return Prototypes(self.layout, tuple(names), self.channels[places], self.contacts[places], self.periods[places])


def prototypes_of(motion: Motion, styles: Mapping[str, Sequence[Stride]]) -> Prototypes:
    """Return the mean stride of every style, on the rig of a clip."""
    layout = layout_of(motion, [stride for strides in styles.values() for stride in strides])
    strided = [
        _mean([close_stride(match_travel_to_feet(layout, stride)) for stride in strides]) for strides in styles.values()
    ]
    channels = [_flex_knees(layout, table) for table in strided]
    contacts = [
        _mean([grade_contacts(stride.contacts, True)[:-1] for stride in strides]) for strides in styles.values()
    ]
    periods = [np.mean([stride.period for stride in strides]) for strides in styles.values()]
    return Prototypes(layout, tuple(styles), np.array(channels), np.array(contacts), np.array(periods))


def match_travel_to_feet(layout: Layout, stride: Stride) -> Array:
    """Return channels (phases, C) of a stride whose root travels as its feet in contact do.

    A walker that speeds up or slows down over a stride travels another distance than the feet of the closed stride,
    which would slide by the difference in every stance.
    """
    channels, legs = layout.channels(stride), measure_legs(layout)
    repeated, touching = close_stride(channels), stride.contacts[:-1].reshape(-1, 2, 2) > CONTACT_THRESHOLD
    # Feet on heel or ball alone roll: use flat phases, and others only for a foot that is never flat.
    flat = np.repeat(touching.all(axis=2, keepdims=True), 2, axis=2)
    held = np.where(flat.any(axis=0), flat, touching)
    limbs = place_rig_legs(legs, layout.rotations(repeated), np.zeros((len(repeated), 3)))
    points = limbs.ankles[:, :, None] + quat.rotate(limbs.feet[:, :, None], legs.soles)
    per_radian = len(repeated) / (4.0 * np.pi)
    moving = per_radian * (np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0))[..., :2]
    turning = repeated[:, None, None, TURN, None] * points[..., [1, 0]] * (-1.0, 1.0)
    sliding = moving + turning + layout.leg * repeated[:, None, None, [FORWARD, LEFT]]
    feet = [sliding[:, foot][held[:, foot]].mean(axis=0) for foot in range(2) if held[:, foot].any()]
    if feet:
        channels[:, [FORWARD, LEFT]] -= np.mean(feet, axis=0) / layout.leg
    return channels


def _flex_knees(layout: Layout, channels: Array) -> Array:
    """Return channels (phases, C) with knees that are flexed a little: recorded ones may be straight or hyperextended.

    Ankles are moved towards the hips by 0.2 mm, from the length of a straight leg to the largest reach. So the knees
    pass the least flexion smoothly.
    """
    legs, rotations, roots = measure_legs(layout), layout.rotations(channels), np.zeros((len(channels), 3))
    limbs = place_rig_legs(legs, rotations, roots)
    shorter = legs.straight / lengths(legs.bones[:, 1:]).sum(axis=1)
    ankles = limbs.hips + shorter[:, None] * (limbs.ankles - limbs.hips)
    return layout.with_rotations(channels, reach_ankles(legs, rotations, roots, ankles, limbs.feet))


def _mean(tables: Sequence[Array]) -> Array:
    return np.asarray(np.mean(tables, axis=0))


def close_stride(channels: Array) -> Array:
    """Make (phases + 1, channels) periodic: spread the gap between last and first phase, and drop the last."""
    share = np.linspace(-0.5, 0.5, len(channels))[:, None]
    return (channels - share * (channels[-1] - channels[0]))[:-1]
