"""Prototypes: the strides of some styles as tables of channels by phase, which blend linearly (M17 section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError
from gambol.features.layout import FORWARD, LEFT, TURN, Layout, layout_of
from gambol.features.strides import Stride
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.legs.rig import measure_legs, place_rig_legs, reach_ankles
from gambol.legs.graded_contacts import grade_contacts
from gambol.motion.motion import Motion


@dataclass(frozen=True, eq=False)
class Prototypes:
    """Movements of one body that share their phases."""

    layout: Layout
    names: tuple[str, ...]
    channels: Array
    """(prototypes, phases, channels); the phase after the last is the first."""
    contacts: Array
    """(prototypes, phases, 4) above 1/2 where left heel and ball, right heel and ball touch (see `touch`)."""
    periods: Array
    """(prototypes,) seconds."""

    def __post_init__(self) -> None:
        shape = (len(self.names), self.channels.shape[1], self.layout.count)
        if self.channels.shape != shape or self.contacts.shape != (*shape[:2], 4) or self.periods.shape != shape[:1]:
            raise InputError(f"tables of shape {self.channels.shape} where {shape} are expected")

    def index(self, name: str) -> int:
        """The place of a prototype by its name."""
        if name not in self.names:
            raise InputError(f"no prototype '{name}'", fix=f"there are {', '.join(self.names)}")
        return self.names.index(name)

    def select(self, names: Sequence[str]) -> Prototypes:
        """Some of the prototypes, in this order."""
        places = [self.index(name) for name in names]
        return Prototypes(self.layout, tuple(names), self.channels[places], self.contacts[places], self.periods[places])


def prototypes_of(motion: Motion, styles: Mapping[str, Sequence[Stride]]) -> Prototypes:
    """The mean stride of every style, on the rig of a clip."""
    layout = layout_of(motion, [stride for strides in styles.values() for stride in strides])
    strided = [
        _mean([close_stride(match_travel_to_feet(layout, stride)) for stride in strides]) for strides in styles.values()
    ]
    channels = [_flexed(layout, table) for table in strided]
    contacts = [
        _mean([grade_contacts(stride.contacts, True)[:-1] for stride in strides]) for strides in styles.values()
    ]
    periods = [np.mean([stride.period for stride in strides]) for strides in styles.values()]
    return Prototypes(layout, tuple(styles), np.array(channels), np.array(contacts), np.array(periods))


def match_travel_to_feet(layout: Layout, stride: Stride) -> Array:
    """Channels (phases, C) of a stride that repeats: its root travels as its feet do.

    Somebody who walks faster at the end of a stride than at its beginning goes farther than the feet of the closed
    stride lead, which would slide by as much in every stance.
    """
    channels, legs = layout.channels(stride), measure_legs(layout)
    repeated, touching = close_stride(channels), stride.contacts[:-1].reshape(-1, 2, 2) > CONTACT_THRESHOLD
    # Flat feet stand; on heels or balls alone they roll, and only who never stands flat is measured by that.
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


def _flexed(layout: Layout, channels: Array) -> Array:
    """Channels (phases, C) whose knees all bend the right way; closed strides and their means may pass straight."""
    legs, rotations, roots = measure_legs(layout), layout.rotations(channels), np.zeros((len(channels), 3))
    limbs = place_rig_legs(legs, rotations, roots)
    return layout.with_rotations(channels, reach_ankles(legs, rotations, roots, limbs.ankles, limbs.feet))


def _mean(tables: Sequence[Array]) -> Array:
    return np.asarray(np.mean(tables, axis=0))


def close_stride(channels: Array) -> Array:
    """(phases, channels) that repeat: the gap between the last and the first, left out, is spread over the stride."""
    share = np.linspace(-0.5, 0.5, len(channels))[:, None]
    return (channels - share * (channels[-1] - channels[0]))[:-1]
