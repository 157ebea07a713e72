"""Prototypes: the strides of some styles as tables of channels by phase, which blend linearly (M17 section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError
from gambol.geometry.quaternions import Array
from gambol.motion.motion import Motion
from gambol.primitives.layout import Layout, layout_of
from gambol.primitives.strides import Stride
from gambol.primitives.touch import graded


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

    def chosen(self, names: Sequence[str]) -> Prototypes:
        """Some of the prototypes, in this order."""
        places = [self.index(name) for name in names]
        return Prototypes(self.layout, tuple(names), self.channels[places], self.contacts[places], self.periods[places])


def prototypes_of(motion: Motion, styles: Mapping[str, Sequence[Stride]]) -> Prototypes:
    """The mean stride of every style, on the rig of a clip."""
    layout = layout_of(motion, [stride for strides in styles.values() for stride in strides])
    channels = [_mean([closed(layout.channels(stride)) for stride in strides]) for strides in styles.values()]
    contacts = [_mean([graded(stride.contacts, True)[:-1] for stride in strides]) for strides in styles.values()]
    periods = [np.mean([stride.period for stride in strides]) for strides in styles.values()]
    return Prototypes(layout, tuple(styles), np.array(channels), np.array(contacts), np.array(periods))


def _mean(tables: Sequence[Array]) -> Array:
    return np.asarray(np.mean(tables, axis=0))


def closed(channels: Array) -> Array:
    """(phases, channels) that repeat: the gap between the last and the first, left out, is spread over the stride."""
    share = np.linspace(-0.5, 0.5, len(channels))[:, None]
    return (channels - share * (channels[-1] - channels[0]))[:-1]
