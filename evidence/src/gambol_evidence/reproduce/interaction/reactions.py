"""Let a partner react to the hand of a trial, as recorded or disturbed, and measure where and when hands meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.interpolate import CubicSpline

from gambol.geometry.arrays import Array
from gambol.interaction.trials import Trial
from gambol.motion.kinematics import Placement
from gambol.poses.reach import Arm

_REST = 0.5
"""Seconds for which the hand of a standing person rests before a trial begins."""
_AROUND = 0.4
"""Seconds before and after the contact in which the hands' meeting is looked for."""
_FINER = 50
"""Places between two frames."""
NOISE, SPIKE = 0.01, 0.3
"""Standard deviation (m) of noise along every axis, and distance (m) of outliers."""


class ReactiveFrame(Protocol):
    """A frame of person 1."""

    @property
    def local(self) -> Placement:
        """Joints relative to their parents."""

    @property
    def hand(self) -> Array:
        """(3,) place of the touching point (m), before it follows that of person 2."""


class ReactivePartner(Protocol):
    """A partner as `interaction.partner.Partner`, whatever its model."""

    def start(self, style: Mapping[str, float]) -> Any:
        """Return the first state."""

    def step(
        self, state: Any, hand: Array | None, style: Mapping[str, float], seconds: float | None
    ) -> tuple[Any, ReactiveFrame]:
        """Return the next state and frame."""


class Disturbance(NamedTuple):
    """What happens to the samples of a hand."""

    noise: float = 0.0
    """Metres."""
    dropped: float = 0.0
    """Share of samples that are missing."""
    spikes: float = 0.0
    """Share of samples that are outliers."""
    gap: float = 0.0
    """Seconds before the contact without samples."""


DISTURBANCES = {
    "noisy": Disturbance(noise=NOISE, dropped=0.1),
    "dropped": Disturbance(dropped=0.3),
    "gap": Disturbance(gap=0.25),
    "spikes": Disturbance(spikes=0.05),
}
UNDISTURBED = Disturbance()


class ReactionError(NamedTuple):
    """How well hands met in one trial."""

    before: float
    """Distance (m) of the hand of person 1 from that of person 2 at the contact, before it follows the observed one."""
    after: float
    """The same afterwards (m)."""
    late: float
    """Seconds from the contact to when the hand of person 1 is nearest to it, before it follows."""


def disturb_samples(
    path: Array, contact: int, frame_time: float, how: Disturbance, random: np.random.Generator
) -> list[Array | None]:
    """Return the samples of a path (frames, 3), None where they are missing."""
    noisy = path + how.noise * random.normal(size=path.shape)
    away = random.normal(size=path.shape)
    away *= SPIKE / np.linalg.norm(away, axis=1, keepdims=True)
    noisy = np.where(random.random((len(path), 1)) < how.spikes, noisy + away, noisy)
    lost = random.random(len(path)) < how.dropped
    frames = np.arange(len(path))
    lost |= (frames >= contact - how.gap / frame_time) & (frames < contact)
    return [None if gone else sample for gone, sample in zip(lost, noisy, strict=True)]


def measure_reaction(
    partner: ReactivePartner, arm: Arm, trial: Trial, how: Disturbance, random: np.random.Generator, *, rests: bool
) -> ReactionError:
    """Return the errors of one trial; `rests`: the hand rests for a while before."""
    path, step = trial.paths[1], trial.frame_time
    lead = round(_REST / step) if rests else 0
    path = np.vstack([np.tile(path[0], (lead, 1)), path])
    contact = trial.contact + lead
    state, hands, met = partner.start(trial.style), [], np.zeros(3)
    for frame, sample in enumerate(disturb_samples(path, contact, step, how, random)):
        state, answer = partner.step(state, sample, trial.style, step)
        hands.append(answer.hand)
        if frame == contact:
            met = arm.locate(answer.local)[0]
    shown = np.array(hands)
    return ReactionError(
        float(np.linalg.norm(shown[contact] - path[contact])),
        float(np.linalg.norm(met - path[contact])),
        (_find_nearest(shown, path[contact], contact, step) - contact) * step,
    )


def _find_nearest(path: Array, place: Array, about: int, frame_time: float) -> float:
    """Return the frame, a fraction included, about which a path (frames, 3) is nearest to a place."""
    around = round(_AROUND / frame_time)
    first, last = max(about - around, 0), min(about + around, len(path) - 1)
    frames = np.linspace(first, last, _FINER * (last - first) + 1)
    places = CubicSpline(np.arange(len(path)), path)(frames)
    return float(frames[np.linalg.norm(places - place, axis=1).argmin()])
