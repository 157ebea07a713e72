"""Generate movements online from oscillators, sources and blends of styles (M17 sections 2.3, 2.4).

A step maps a state to the next. The oscillators of a body are coupled, so that from any state they converge to their
limit cycles and synchronise. If all styles share their delays, a blend of styles is a blend of trajectories and poses
are read from tables. With `live`, and always with delays that differ, the regressions are evaluated at the states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.legs.rig import RigLegs, measure_legs
from gambol.motion.motion import Motion
from gambol.primitives.bodies import (
    BlendedPoses,
    BodyPoses,
    PoseBlender,
    WalkerStates,
    advance_walkers,
    pose_with_locked_feet,
    pose_without_locks,
)
from gambol.primitives.model import Primitives
from gambol.primitives.oscillator import (
    RELAXATION,
    Couplings,
    advance_oscillators,
    couple_bodies,
    phase_of,
    states_on_cycle,
)

_COUPLING = 2.0 * RELAXATION
"""1/s: sum of the couplings of an oscillator inside a body. Above the relaxation oscillators synchronise from
everywhere; at twice the relaxation differences decay as fast as radii do."""
_SYNCHRONISED = 1e-9
"""Distance below which oscillators are synchronised."""
_TURN = 2.0 * np.pi


class PlayerState(NamedTuple):
    """The state of a player."""

    oscillators: Array
    """(sources, 2)"""
    total_phase: float
    """Phase in radians, counted over all cycles."""
    walker: WalkerStates
    """State of the single walker."""


@dataclass(frozen=True, eq=False)
class Player:
    """Generates frames from a model."""

    model: Primitives
    live: bool = False
    """Evaluate the regressions even where tables are possible."""
    lock_feet: bool = True
    """Keep feet in contact at their places."""

    @cached_property
    def couplings(self) -> Couplings:
        """Couplings of the oscillators of one body."""
        count = self.model.maps.count
        return couple_bodies(np.zeros((1, 1)), count, _COUPLING / max(count, 1))

    @cached_property
    def bodies(self) -> PoseBlender | None:
        """Tables of poses; None where the regressions are evaluated."""
        return None if self.live or self.model.once or not self.model.tied else PoseBlender(self.model.prototypes)

    @cached_property
    def legs(self) -> RigLegs:
        """The legs of the rig."""
        return measure_legs(self.model.layout)

    def begin(self, phase: float = 0.0, place: tuple[float, float] = (0.0, 0.0), heading: float = 0.0) -> PlayerState:
        """Return a state on the cycle at a phase (radians; 0: left foot strike), position (metres) and heading
        (radians)."""
        walker = WalkerStates.unlocked(np.array([phase]), np.array([place]), np.array([heading]))
        return PlayerState(np.tile(states_on_cycle(phase), (self.model.maps.count, 1)), phase, walker)

    def step(
        self, state: PlayerState, blend: Array, seconds: float, speed: float = 1.0
    ) -> tuple[PlayerState, BodyPoses]:
        """Return state and pose after `seconds`; `blend` (styles,) sums to 1, `speed` multiplies the cadence."""
        frequency = speed * _TURN / float(blend @ self.model.periods)
        # The coupling of synchronised oscillators vanishes: use the exact solution.
        apart = float(np.ptp(state.oscillators, axis=0).max())
        oscillators = advance_oscillators(
            state.oscillators, frequency, seconds, self.couplings if apart > _SYNCHRONISED else None
        )
        expected = frequency * seconds
        turned = _turned(oscillators, state.total_phase + expected)
        if self.model.once and turned >= _TURN:
            oscillators, turned = np.tile(states_on_cycle(_TURN), (len(oscillators), 1)), _TURN
        # The mean phase may jump while oscillators synchronise; the walker must not.
        on = np.clip([turned - state.total_phase], 0.0, 2.0 * expected)
        rows = self._rows(oscillators, turned, blend)
        walker = advance_walkers(self.model.layout, state.walker, rows.root, on)
        if not self.lock_feet:
            return PlayerState(oscillators, turned, walker), pose_without_locks(self.model.layout, walker, rows)
        walker, poses = pose_with_locked_feet(self.model.layout, self.legs, walker, rows, np.zeros((1, 2)), seconds)
        return PlayerState(oscillators, turned, walker), poses

    def _rows(self, oscillators: Array, turned: float, blend: Array) -> BlendedPoses:
        if self.bodies is not None:
            return self.bodies.blend(np.array([turned]), blend[None])
        channels = self.model.evaluate_channels(oscillators, turned, blend)[None]
        contacts = self.model.contacts_at(turned, blend)[None]
        return BlendedPoses(self.model.layout.rotations(channels), channels[:, -4:], contacts, np.zeros((1, 2)))


def play(
    player: Player,
    seconds: float,
    morph: Callable[[float], Array],
    fps: float = 60.0,
    speed: float = 1.0,
) -> Motion:
    """Generate a motion on the rig from phase 0; `morph` returns the blend (styles,) at a time in seconds."""
    if not (np.isfinite(seconds) and seconds > 0.0 and np.isfinite(fps) and fps > 0.0):
        raise InputError(f"{seconds:g} seconds at {fps:g} frames per second", fix="choose both above 0")
    if not (np.isfinite(speed) and speed > 0.0):
        raise InputError(f"speed {speed:g}", fix="choose a speed above 0: 1 is as learned, 2 twice as fast")
    model, state, frame = player.model, player.begin(), 1.0 / fps
    local, places = [], []
    for n in range(round(seconds * fps) + 1):
        blend = model.normalise_blend(morph(n * frame))
        state, poses = player.step(state, blend, frame if n else 0.0, speed)
        local.append(poses.rotations[0])
        places.append(poses.places[0])
    return model.layout.motion(np.array(local), np.array(places), frame, "played")


def make_morph(model: Primitives, first: str, last: str, seconds: float) -> Callable[[float], Array]:
    """Return the function that morphs linearly from one style to another over `seconds`."""
    begin, end = model.style_blend(first), model.style_blend(last)

    def at(time: float) -> Array:
        part = min(max(time / seconds, 0.0), 1.0)
        return (1.0 - part) * begin + part * end

    return at


def _turned(oscillators: Array, expected: float) -> float:
    """Return the total phase of a body: that of the mean of its oscillators, in the cycle nearest to the expected
    one."""
    phase = float(phase_of(oscillators.mean(axis=0)))
    return phase + _TURN * round((expected - phase) / _TURN)
