"""Movements generated online: oscillators turn, sources follow, styles blend frame by frame (M17 sections 2.3, 2.4).

A state goes in and the next comes out. The oscillators of a body are coupled, so that from any state its sources run
onto their cycles and fall into step. Where all styles share their delays a blend of styles is a blend of trajectories:
poses come from tables then. Live, and always with delays of their own, they are the regressions at the states.
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

_TOGETHER = 2.0 * RELAXATION
"""A second: couplings inside a body, all others together. Above the oscillators' own pull they must fall into step from
everywhere, and at twice the pull differences fade as fast as radii do."""
_IN_STEP = 1e-9
"""Distance below which oscillators are in step."""
_TURN = 2.0 * np.pi


class PlayerState(NamedTuple):
    """The state of a player."""

    oscillators: Array
    """(sources, 2)"""
    total_phase: float
    """Radians in all."""
    walker: WalkerStates
    """The one who walks."""


@dataclass(frozen=True, eq=False)
class Player:
    """Plays a model."""

    model: Primitives
    live: bool = False
    """Evaluate the regressions where tables would do."""
    lock_feet: bool = True
    """Hold feet where they stand."""

    @cached_property
    def couplings(self) -> Couplings:
        """Of the oscillators of one body."""
        count = self.model.maps.count
        return couple_bodies(np.zeros((1, 1)), count, _TOGETHER / max(count, 1))

    @cached_property
    def bodies(self) -> PoseBlender | None:
        """The tables, where they do."""
        return None if self.live or self.model.once or not self.model.tied else PoseBlender(self.model.prototypes)

    @cached_property
    def legs(self) -> RigLegs:
        """The legs of the rig."""
        return measure_legs(self.model.layout)

    def begin(self, phase: float = 0.0, place: tuple[float, float] = (0.0, 0.0), heading: float = 0.0) -> PlayerState:
        """On the cycle, at a phase (radians; 0 is the strike of the left foot), a place (metres) and a heading."""
        walker = WalkerStates.unlocked(np.array([phase]), np.array([place]), np.array([heading]))
        return PlayerState(np.tile(states_on_cycle(phase), (self.model.maps.count, 1)), phase, walker)

    def step(
        self, state: PlayerState, blend: Array, seconds: float, speed: float = 1.0
    ) -> tuple[PlayerState, BodyPoses]:
        """What comes some time later and how it looks; `blend` (styles,) adds up to 1, `speed` 2 is twice as fast."""
        frequency = speed * _TURN / float(blend @ self.model.periods)
        # Oscillators in step do not feel their couplings, and have the exact solution.
        apart = float(np.ptp(state.oscillators, axis=0).max())
        oscillators = advance_oscillators(
            state.oscillators, frequency, seconds, self.couplings if apart > _IN_STEP else None
        )
        expected = frequency * seconds
        turned = _turned(oscillators, state.total_phase + expected)
        if self.model.once and turned >= _TURN:
            oscillators, turned = np.tile(states_on_cycle(_TURN), (len(oscillators), 1)), _TURN
        # While the oscillators find each other the phase may jump; who walks never does.
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
    """A motion on the rig; `morph` gives the blend (styles,) at every second. It begins at phase 0."""
    if not (np.isfinite(seconds) and seconds > 0.0 and np.isfinite(fps) and fps > 0.0):
        raise InputError(f"{seconds:g} seconds at {fps:g} frames a second", fix="both above 0")
    if not (np.isfinite(speed) and speed > 0.0):
        raise InputError(f"a speed of {speed:g}", fix="1 is as learned, 2 twice as fast")
    model, state, frame = player.model, player.begin(), 1.0 / fps
    local, places = [], []
    for n in range(round(seconds * fps) + 1):
        blend = model.normalise_blend(morph(n * frame))
        state, poses = player.step(state, blend, frame if n else 0.0, speed)
        local.append(poses.rotations[0])
        places.append(poses.places[0])
    return model.layout.motion(np.array(local), np.array(places), frame, "played")


def make_morph(model: Primitives, first: str, last: str, seconds: float) -> Callable[[float], Array]:
    """From one style to another, evenly over some seconds."""
    begin, end = model.style_blend(first), model.style_blend(last)

    def at(time: float) -> Array:
        part = min(max(time / seconds, 0.0), 1.0)
        return (1.0 - part) * begin + part * end

    return at


def _turned(oscillators: Array, expected: float) -> float:
    """Radians that a body turned in all: the phase of the mean of its oscillators, in the turn next to the expected."""
    phase = float(phase_of(oscillators.mean(axis=0)))
    return phase + _TURN * round((expected - phase) / _TURN)
