"""Bodies of many walkers at once: blended from tables of prototypes at their phases, on their ways, feet held.

With delays that all prototypes share, a blend of means and weights (M17 section 2.4) is a blend of trajectories, so it
is read from tables: one product of a sparse matrix, whatever the number of walkers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.quaternions import Array
from gambol.primitives.feet import Lock, locked
from gambol.primitives.layout import FORWARD, HEIGHT, LEFT, TURN, Layout
from gambol.primitives.legs import Legs, legs_of
from gambol.primitives.prototypes import Prototypes

_PHASES = 256
"""Rows of a table for a turn: straight lines between them are within 0.02 degrees of the curves."""


class Walkers(NamedTuple):
    """Where some walkers are on their ways and what their feet hold on to. Arrays are by walker."""

    phases: Array
    """(n,) radians."""
    places: Array
    """(n, 2) metres."""
    headings: Array
    """(n,) radians."""
    lock: Lock


class Poses(NamedTuple):
    """Bodies in the world."""

    rotations: Array
    """(n, joints, 4) in the parents' frames, the root's in the world."""
    places: Array
    """(n, 3) metres, of the root."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """What it takes to pose walkers quickly: prototypes as one table, and the measures of the legs."""

    prototypes: Prototypes

    @property
    def layout(self) -> Layout:
        """What the channels mean."""
        return self.prototypes.layout

    @cached_property
    def table(self) -> Array:
        """(prototypes * phases, channels, 4 contacts, sway forward and left in leg lengths)"""
        channels = self.prototypes.channels
        sway = np.stack([integrated(channels[..., column]) for column in (FORWARD, LEFT)], axis=2)
        rows = np.concatenate((channels, self.prototypes.contacts, sway), axis=2)
        count = rows.shape[1]
        finer = np.fft.irfft(np.fft.rfft(rows, axis=1), _PHASES, axis=1) * (_PHASES / count)
        # Contacts have corners, which would ring.
        at = np.arange(_PHASES) * count / _PHASES
        for style in range(len(rows)):
            for point in range(-6, -2):
                finer[style, :, point] = np.interp(at, np.arange(count), rows[style, :, point], period=count)
        return finer.reshape(-1, rows.shape[2])

    @cached_property
    def legs(self) -> Legs:
        """The legs of the rig."""
        return legs_of(self.layout)

    def begin(self, phases: Array, places: Array, headings: Array) -> Walkers:
        """Walkers who hold on to nothing yet."""
        return Walkers(phases, places, headings, Lock.none(len(phases)))

    def rows(self, phases: Array, blend: Array) -> Array:
        """Channels and contacts (n, C + 4) of walkers at phases (n,) who blend the prototypes by shares (n, S)."""
        return self._rows(phases, blend)[:, :-2]

    def _rows(self, phases: Array, blend: Array) -> Array:
        """Rows of the table (n, C + 6) for walkers at phases (n,) who blend the prototypes by shares (n, S)."""
        from scipy.sparse import csr_array

        count, styles = blend.shape
        at = np.mod(phases, 2.0 * np.pi) * (_PHASES / (2.0 * np.pi))
        before = at.astype(np.int32)
        part = (at - before)[:, None]
        columns = np.empty((count, 2 * styles), dtype=np.int32)
        begins = np.arange(styles, dtype=np.int32) * _PHASES
        columns[:, :styles] = (before % _PHASES)[:, None] + begins
        columns[:, styles:] = ((before + 1) % _PHASES)[:, None] + begins
        shares = np.concatenate((blend * (1.0 - part), blend * part), axis=1)
        ends = np.arange(0, 2 * styles * count + 1, 2 * styles, dtype=np.int32)
        return csr_array((shares.ravel(), columns.ravel(), ends), shape=(count, len(self.table))) @ self.table

    def step(self, walkers: Walkers, blend: Array, turned: Array, seconds: float) -> tuple[Walkers, Poses]:
        """Walkers whose phases went on by `turned` (n,) radians in some seconds: where that led them, how they look."""
        rows = self.rows(walkers.phases + turned, blend)
        return walked(self.layout, self.legs, walkers, rows, turned, seconds)

    def follow(
        self, walkers: Walkers, blend: Array, way: Walkers, seconds: float, even: bool = True
    ) -> tuple[Walkers, Poses]:
        """Walkers who are led: phases, places and headings are those of `way`, about which the bodies sway.

        On an `even` way they sway forward too; another has the pace of their steps already.
        """
        rows = self._rows(way.phases, blend)
        cos, sin, ahead, aside = np.cos(way.headings), np.sin(way.headings), even * rows[:, -2], rows[:, -1]
        sway = self.layout.leg * np.stack((cos * ahead - sin * aside, sin * ahead + cos * aside), axis=1)
        led = way._replace(lock=walkers.lock)
        return held(self.legs, led, posed(self.layout, led, rows[:, :-6], sway), rows[:, -6:-2], seconds)


def walked(
    layout: Layout, legs: Legs, walkers: Walkers, rows: Array, turned: Array, seconds: float
) -> tuple[Walkers, Poses]:
    """Walkers one step on along their ways, with channels and contacts (n, C + 4) after phases went on by (n,)."""
    channels = rows[:, :-4]
    headings = walkers.headings + channels[:, TURN] * turned
    middle = headings - 0.5 * channels[:, TURN] * turned
    cos, sin = np.cos(middle), np.sin(middle)
    forward, left = layout.leg * turned * channels[:, FORWARD], layout.leg * turned * channels[:, LEFT]
    places = walkers.places + np.stack((cos * forward - sin * left, sin * forward + cos * left), axis=1)
    moved = Walkers(walkers.phases + turned, places, headings, walkers.lock)
    return held(legs, moved, posed(layout, moved, channels), rows[:, -4:], seconds)


def posed(layout: Layout, walkers: Walkers, channels: Array, sway: Array | None = None) -> Poses:
    """Bodies with these channels (n, C) where the walkers are, or beside by a sway (n, 2); feet as they come."""
    rotations = layout.rotations(channels)
    rotations[:, 0] = quat.multiply(quat.about_axis((0.0, 0.0, 1.0), walkers.headings), rotations[:, 0])
    heights = layout.leg * channels[:, HEIGHT] + layout.floor
    places = walkers.places if sway is None else walkers.places + sway
    return Poses(rotations, np.concatenate((places, heights[:, None]), axis=1))


def held(legs: Legs, walkers: Walkers, poses: Poses, contacts: Array, seconds: float) -> tuple[Walkers, Poses]:
    """The same with feet that stay where they stand."""
    lock, rotations, places = locked(legs, walkers.lock, poses.rotations, poses.places, contacts, seconds)
    return walkers._replace(lock=lock), Poses(rotations, places)


def integrated(velocities: Array) -> Array:
    """The periodic part (..., phases) of what velocities per radian lead to."""
    spectrum = np.fft.rfft(velocities, axis=-1)
    spectrum[..., 0] = 0.0
    spectrum[..., 1:] /= 1j * np.arange(1, spectrum.shape[-1])
    return np.fft.irfft(spectrum, velocities.shape[-1], axis=-1)
