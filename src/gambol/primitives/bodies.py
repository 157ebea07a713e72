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
from gambol.primitives.layout import FORWARD, HEIGHT, LEFT, TURN
from gambol.primitives.legs import Legs, legs_of
from gambol.primitives.prototypes import Prototypes

_PHASES = 256
"""Rows of a table for a turn: straight lines between them are within 0.02 degrees of the curves."""

_GIVEN_OVER = 2
"""Rows of a prototype, of 64 for a stride, by which contacts are smoothed to either side: 30 ms of a walk."""


class Walkers(NamedTuple):
    """Where some walkers are and what their feet hold on to. Arrays are by walker."""

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

    @cached_property
    def table(self) -> Array:
        """(prototypes * phases, channels + 4 contacts)"""
        channels = np.fft.rfft(self.prototypes.channels, axis=1)
        count = self.prototypes.channels.shape[1]
        finer = np.fft.irfft(channels, _PHASES, axis=1) * (_PHASES / count)
        # Contacts come and go within a few rows, so that the feet are given over from heel to ball without a jerk.
        around = np.arange(-_GIVEN_OVER, _GIVEN_OVER + 1)
        touch = np.mean([np.roll(self.prototypes.contacts, shift, axis=1) for shift in around], axis=0)
        at = np.arange(_PHASES) * count / _PHASES
        wrapped = np.concatenate((touch, touch[:, :1]), axis=1)
        before = np.minimum(at.astype(int), count - 1)
        part = (at - before)[:, None]
        contacts = (1.0 - part) * wrapped[:, before] + part * wrapped[:, before + 1]
        return np.concatenate((finer, contacts), axis=2).reshape(-1, finer.shape[2] + 4)

    @cached_property
    def legs(self) -> Legs:
        """The legs of the rig."""
        return legs_of(self.prototypes.layout)

    def begin(self, phases: Array, places: Array, headings: Array) -> Walkers:
        """Walkers who hold on to nothing yet."""
        return Walkers(phases, places, headings, Lock.none(len(phases)))

    def rows(self, phases: Array, blend: Array) -> Array:
        """Channels and contacts (n, C + 4) of walkers at phases (n,) who blend the prototypes by shares (n, S)."""
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
        """Walkers whose phases went on by `turned` (n,) radians in some seconds, and how they look then."""
        rows = self.rows(walkers.phases + turned, blend)
        channels = rows[:, :-4]
        leg = self.prototypes.layout.leg
        headings = walkers.headings + channels[:, TURN] * turned
        middle = headings - 0.5 * channels[:, TURN] * turned
        cos, sin = np.cos(middle), np.sin(middle)
        forward, left = leg * turned * channels[:, FORWARD], leg * turned * channels[:, LEFT]
        places = walkers.places + np.stack((cos * forward - sin * left, sin * forward + cos * left), axis=1)
        moved = walkers._replace(phases=walkers.phases + turned, places=places, headings=headings)
        poses = self.posed(moved, channels)
        lock, rotations, lower = locked(self.legs, walkers.lock, poses.rotations, poses.places, rows[:, -4:], seconds)
        return moved._replace(lock=lock), Poses(rotations, lower)

    def posed(self, walkers: Walkers, channels: Array) -> Poses:
        """Bodies with these channels (n, C) where the walkers are; feet as they come."""
        layout = self.prototypes.layout
        rotations = layout.rotations(channels)
        rotations[:, 0] = quat.multiply(quat.about_axis((0.0, 0.0, 1.0), walkers.headings), rotations[:, 0])
        heights = layout.leg * channels[:, HEIGHT] + layout.floor
        return Poses(rotations, np.concatenate((walkers.places, heights[:, None]), axis=1))
