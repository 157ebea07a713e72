"""Pose many walkers at once: blend tables of prototypes at their phases and lock feet in contact.

With delays that all prototypes share, a blend of means and weights (M17 section 2.4) is a blend of trajectories. As in
M17, quaternions are blended: one sparse matrix product for any number of walkers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.features.layout import FORWARD, HEIGHT, LEFT, TURN, Layout
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.locks import FootLock, RootGoals, lock_feet
from gambol.legs.rig import RigLegs, measure_legs
from gambol.primitives.prototypes import Prototypes

_PHASES = 256
"""Phases of a table per cycle: linear interpolation between them is within 0.02 degrees of the curves."""

_BLOCK = 1024
"""Walkers that are posed together: their data fit into a processor's cache."""


class WalkerStates(NamedTuple):
    """Phases, positions, headings and foot locks of n walkers."""

    phases: Array
    """(n,) radians."""
    places: Array
    """(n, 2) metres."""
    headings: Array
    """(n,) radians."""
    lock: FootLock

    @staticmethod
    def unlocked(phases: Array, places: Array, headings: Array) -> WalkerStates:
        """Return states without locked feet."""
        return WalkerStates(phases, places, headings, FootLock.none(len(phases)))


class BodyPoses(NamedTuple):
    """Poses of n bodies in the world."""

    rotations: Array
    """(n, joints, 4) in the parents' frames; the root's in the world."""
    places: Array
    """(n, 3) metres: positions of the root."""


class BlendedPoses(NamedTuple):
    """Blends of prototypes for n walkers, relative to their paths."""

    rotations: Array
    """(n, joints, 4) in the parents' frames; the root's relative to the path."""
    root: Array
    """(n, 4): height, forward, left, turn."""
    contacts: Array
    """(n, 4)"""
    sway: Array
    """(n, 2) leg lengths forward and left."""


@dataclass(frozen=True, eq=False)
class PoseBlender:
    """Blends prototypes, stored as one table, into poses of any number of walkers."""

    prototypes: Prototypes

    @property
    def layout(self) -> Layout:
        """Layout of the channels."""
        return self.prototypes.layout

    @cached_property
    def table(self) -> Array:
        """(prototypes * phases, numbers): quaternions of all joints, root, contacts, sway forward and left."""
        channels, contacts = self.prototypes.channels, self.prototypes.contacts
        styles, count = contacts.shape[:2]
        sway = np.stack([integrate_periodic(channels[..., column]) for column in (FORWARD, LEFT)], axis=2)
        smooth = np.concatenate((channels, sway), axis=2)
        finer = np.fft.irfft(np.fft.rfft(smooth, axis=1), _PHASES, axis=1) * (_PHASES / count)
        turned = self.layout.rotations(finer[..., :-2])
        # Contacts have corners, where a Fourier series would oscillate.
        at, rows = np.arange(_PHASES) * count / _PHASES, np.arange(count)
        touch = [[np.interp(at, rows, point, period=count) for point in style.T] for style in contacts]
        parts = (turned.reshape(styles, _PHASES, -1), finer[..., -6:-2], np.swapaxes(touch, 1, 2), finer[..., -2:])
        return np.concatenate(parts, axis=2).reshape(styles * _PHASES, -1)

    @cached_property
    def _columns(self) -> NDArray[np.int32]:
        """(phases, 2 prototypes) table rows before a phase, and those after it."""
        styles = len(self.prototypes.names)
        before = np.arange(_PHASES)[:, None] + _PHASES * np.arange(styles)
        after = (np.arange(_PHASES)[:, None] + 1) % _PHASES + _PHASES * np.arange(styles)
        return np.concatenate((before, after), axis=1).astype(np.int32)

    @cached_property
    def legs(self) -> RigLegs:
        """The legs of the rig."""
        return measure_legs(self.layout)

    def blend(self, phases: Array, blend: Array, radii: Array | None = None) -> BlendedPoses:
        """Blend the prototypes at phases (n,) with shares `blend` (n, prototypes); tables do not know `radii`."""
        from scipy.sparse import csr_array

        count, styles = blend.shape
        at = phases * (_PHASES / (2.0 * np.pi))
        before = np.floor(at)
        shares = np.empty((count, 2 * styles))
        np.multiply(blend, (at - before)[:, None], out=shares[:, styles:])
        np.subtract(blend, shares[:, styles:], out=shares[:, :styles])
        columns = self._columns[before.astype(np.int64) % _PHASES]
        ends = np.arange(0, 2 * styles * count + 1, 2 * styles, dtype=np.int32)
        rows = csr_array((shares.ravel(), columns.ravel(), ends), shape=(count, len(self.table))) @ self.table
        rotations = rows[:, :-10].reshape(count, -1, 4)
        rotations = rotations / np.sqrt(np.einsum("nji,nji->nj", rotations, rotations))[..., None]
        return BlendedPoses(rotations, rows[:, -10:-6], rows[:, -6:-2], rows[:, -2:])

    def follow(
        self,
        walkers: WalkerStates,
        blend: Array,
        path: WalkerStates,
        seconds: float,
        sway_forward: bool = True,
        radii: Array | None = None,
        lean: Array | None = None,
    ) -> tuple[WalkerStates, BodyPoses]:
        """Pose walkers that follow `path`: its phases, positions and headings, plus the sway of their bodies.

        `sway_forward` adds the forward sway of the steps: for paths at uniform speed, which lack it. `radii` (n,) are
        those of the walkers' oscillators, 1 on their limit cycle. `lean` (n, 2) are metres forward and to the left that
        bodies are moved over their feet.
        """
        if len(blend) > _BLOCK:
            blocks = [slice(first, first + _BLOCK) for first in range(0, len(blend), _BLOCK)]
            each = [[None if values is None else values[b] for values in (radii, lean)] for b in blocks]
            done = [
                self.follow(_take_block(walkers, b), blend[b], _take_block(path, b), seconds, sway_forward, *more)
                for b, more in zip(blocks, each, strict=True)
            ]
            poses = BodyPoses(*(np.concatenate([pose[n] for _, pose in done]) for n in range(2)))
            return _join_blocks([moved for moved, _ in done]), poses
        rows = self.blend(path.phases, blend, radii)
        sway = rows.sway * (self.layout.leg * sway_forward, self.layout.leg)
        sway = sway if lean is None else sway + lean
        return pose_with_locked_feet(self.layout, self.legs, path._replace(lock=walkers.lock), rows, sway, seconds)


def _take_block(walkers: WalkerStates, block: slice) -> WalkerStates:
    """Return a block of the walkers."""
    phases, places, headings, lock = walkers
    return WalkerStates(phases[block], places[block], headings[block], FootLock(lock.feet[block], lock.drop[block]))


def _join_blocks(parts: Sequence[WalkerStates]) -> WalkerStates:
    """Concatenate blocks of walkers."""
    phases, places, headings = (np.concatenate([part[n] for part in parts]) for n in range(3))
    feet, drop = (np.concatenate([part.lock[n] for part in parts]) for n in range(2))
    return WalkerStates(phases, places, headings, FootLock(feet, drop))


def advance_walkers(layout: Layout, walkers: WalkerStates, root: Array, turned: Array) -> WalkerStates:
    """Advance walkers along their paths by `turned` radians of phase (n,), with the root's channels (n, 4)."""
    bend = root[:, TURN] * turned
    middle = walkers.headings + 0.5 * bend
    cos, sin = np.cos(middle), np.sin(middle)
    forward, left = layout.leg * turned * root[:, FORWARD], layout.leg * turned * root[:, LEFT]
    places = walkers.places + np.stack((cos * forward - sin * left, sin * forward + cos * left), axis=1)
    return WalkerStates(walkers.phases + turned, places, walkers.headings + bend, walkers.lock)


def pose_with_locked_feet(
    layout: Layout, legs: RigLegs, walkers: WalkerStates, rows: BlendedPoses, sway: Array, seconds: float
) -> tuple[WalkerStates, BodyPoses]:
    """Pose bodies at the walkers, offset by `sway` (n, 2) metres forward and left, with feet in contact locked.

    The rotations of `rows` are overwritten by those of the poses.
    """
    heights = layout.leg * rows.root[:, HEIGHT] + layout.floor
    roots = RootGoals(np.concatenate((walkers.places, heights[:, None]), axis=1), walkers.headings, sway)
    lock, stance = lock_feet(legs, walkers.lock, rows.rotations, roots, rows.contacts, seconds)
    rows.rotations[:, 0] = stance.root
    rows.rotations[:, legs.joints] = stance.joints
    return walkers._replace(lock=lock), BodyPoses(rows.rotations, stance.places.copy())


def pose_without_locks(layout: Layout, walkers: WalkerStates, rows: BlendedPoses) -> BodyPoses:
    """Pose bodies at the walkers without locking feet."""
    rotations, heights = rows.rotations.copy(), layout.leg * rows.root[:, HEIGHT] + layout.floor
    rotations[:, 0] = quat.multiply(quat.from_axis_angle((0.0, 0.0, 1.0), walkers.headings), rotations[:, 0])
    return BodyPoses(rotations, np.concatenate((walkers.places, heights[:, None]), axis=1))


def integrate_periodic(velocities: Array) -> Array:
    """Integrate velocities per radian (..., phases) over phase; return the periodic part, of zero mean."""
    spectrum = np.fft.rfft(velocities, axis=-1)
    spectrum[..., 0] = 0.0
    spectrum[..., 1:] /= 1j * np.arange(1, spectrum.shape[-1])
    return np.fft.irfft(spectrum, velocities.shape[-1], axis=-1)
