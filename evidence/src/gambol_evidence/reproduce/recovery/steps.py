"""Claims about where and when the next foot lands, beside people who were pushed (Hof et al. 2010) and YL08, 5.

Hof, Vermerris & Gjaltema 2010 (J. Exp. Biol. 213, 2655-2664) pushed ten people on a treadmill sideways: the next foot
lands a fixed distance outward of the extrapolated centre of mass; it needs 300 ms before the touchdown, the ankle 200
ms, and balance is back within two steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gambol.metrics.figures import Band
from gambol.respond.latent.examples import ExamplePush
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.recovery.answers import LandedStep, MeasuredAnswer, PushedTrial, PushedWalks

_HOF = "Hof et al. 2010, p. 2655"
_WALKS = ("07_01", "16_15", "35_01")
_BACKWARD_WALKS = ("136_26", "141_31", "76_11")
_PHASES = tuple(np.arange(8) / 8.0)
_LEFT, _RIGHT, _FORWARD, _BACKWARD = 90.0, 270.0, 0.0, 180.0
_SPEEDS = (0.2, 0.4)
_MORE = 1.05
"""Ratio from which something counts as more."""
_TIMELY = 0.3
"""Seconds before a touchdown from which people adapt it (Hof et al.)."""


def _answers(
    walks: PushedWalks, directions: Sequence[float], speeds: Sequence[float], names: Sequence[str] = _WALKS
) -> list[MeasuredAnswer]:
    trials = [
        PushedTrial(name, ExamplePush(float(phase), direction, speed), timing=False)
        for name in names
        for phase in _PHASES
        for direction in directions
        for speed in speeds
    ]
    return [one for one in walks.answer(trials) if one.converged]


def _timely_step(one: MeasuredAnswer) -> LandedStep | None:
    return next((step for step in one.steps if step.after >= _TIMELY), None)


def measure_foot_placement(walks: PushedWalks) -> Iterator[Claim]:
    """The next foot follows the extrapolated centre of mass."""
    found = _answers(walks, (_LEFT, _RIGHT), _SPEEDS)
    steps = [(one, step) for one in found if (step := _timely_step(one)) is not None]
    data = f"{len(steps)} lateral pushes of {', '.join(_WALKS)} in 8 phases, timing of the clip"
    shifts = np.array([[step.balance_shift[1], step.shift[1]] for _, step in steps])
    slope = float(shifts[:, 0] @ shifts[:, 1] / (shifts[:, 0] @ shifts[:, 0]))
    text = "shift of the foothold per shift of the extrapolated centre of mass at the touchdown"
    yield Claim("placement-slope", _HOF, text, slope, "", data, Band(0.8, 1.2))
    scatter = 1e3 * float(np.std(shifts[:, 1] - slope * shifts[:, 0]))
    text = "distance of the foot from the extrapolated centre of mass is constant: standard deviation"
    yield Claim("placement-scatter", _HOF, text, scatter, "mm", data, Band(high=30.0))
    outward = {"left": 1.0, "right": -1.0}
    for name, sign, words in (
        ("outward-wider", 1.0, "wider for pushes outward"),
        ("inward-narrower", -1.0, "narrower, or crosses, for pushes inward"),
    ):
        chosen = [
            outward[step.side] * step.shift[1] * sign > 0.0
            for one, step in steps
            if outward[step.side] * (1.0 if one.trial.push.direction == _LEFT else -1.0) == sign
        ]
        yield Claim(name, _HOF, f"the next step is {words}: share", float(np.mean(chosen)), "share", data,
                    Band(low=0.95))  # fmt: skip
    later = [
        abs(second.shift[1] - first.shift[1]) / max(abs(first.shift[1]), 1e-3)
        for one, first in steps
        if len(rest := one.steps[one.steps.index(first) + 1 :]) and (second := rest[0])
    ]
    text = "the second step corrects little of what the first did: median change over the first"
    yield Claim("second-step", _HOF, text, float(np.median(later)), "", data, Band(high=0.25))


def measure_small_pushes(walks: PushedWalks) -> Iterator[Claim]:
    """Small pushes are answered by the ankle alone."""
    phases = [0.125, 0.625]
    sizes = {}
    for speed in (0.05, 0.4):
        trials = [PushedTrial(name, ExamplePush(phase, side, speed), timing=False)
                  for name in _WALKS for phase in phases for side in (_LEFT, _RIGHT)]  # fmt: skip
        steps = [_timely_step(one) for one in walks.answer(trials) if one.converged]
        sizes[speed] = float(np.median([abs(step.shift[1]) for step in steps if step is not None])) / speed
    text = "below a threshold the ankle answers without a step: foothold shift per m/s at 0.05 m/s over that at 0.4 m/s"
    yield Claim("ankle-first", _HOF, text, sizes[0.05] / sizes[0.4], "times", ", ".join(_WALKS), Band(high=0.5))


def measure_step_support(walks: PushedWalks) -> Iterator[Claim]:
    """Effects depend on the support phase and on the standing side, as YL08 observes."""
    found = _answers(walks, (_LEFT, _RIGHT, _FORWARD, _BACKWARD), (0.4,))

    def peak(*chosen: bool) -> float:
        return float(np.median([one.peak for one, some in zip(found, chosen, strict=True) if some]))

    single = peak(*(one.support in ("left", "right") for one in found))
    double = peak(*(one.support == "both" for one in found))
    data = f"{', '.join(_WALKS)}, 0.4 m/s in 8 phases"
    text = "the same push causes larger deviations in single than in double support: ratio of median peaks"
    yield Claim("steps-single-over-double", "YL08 §5", text, single / double, "times", data, Band(low=_MORE))
    toward = {"left": _LEFT, "right": _RIGHT}
    lateral = [one.trial.push.direction in (_LEFT, _RIGHT) and one.support in toward for one in found]
    over = peak(
        *(lat and one.trial.push.direction == toward[one.support] for lat, one in zip(lateral, found, strict=True))
    )
    away = peak(
        *(lat and one.trial.push.direction != toward[one.support] for lat, one in zip(lateral, found, strict=True))
    )
    text = "a push on the side of the supporting leg has less effect than on the other: ratio of median peaks"
    yield Claim("steps-other-side-over-same", "YL08 §5", text, over / away, "times", data, Band(low=_MORE))


def measure_step_direction(walks: PushedWalks) -> Iterator[Claim]:
    """Backward pushes are harder to recover from than forward ones."""
    found = _answers(walks, (_FORWARD, _BACKWARD), (0.4,))
    data = f"{', '.join(_WALKS)}, 0.4 m/s in 8 phases"
    parts = [[one for one in found if one.trial.push.direction == way] for way in (_BACKWARD, _FORWARD)]
    text = "backward pushes are harder to recover from than forward ones: ratio of {}"
    for name, words, read in (
        ("steps-backward-time", "median recovery times to 2 deg", lambda one: one.recovery),
        ("steps-backward-peak", "median peaks", lambda one: one.peak),
    ):
        back, ahead = (float(np.median([read(one) for one in part])) for part in parts)
        yield Claim(name, "YL08 §5", text.format(words), back / ahead, "times", data, Band(low=_MORE))
    # Who walks backward travels backward: a backward push is along the travel.
    reverse = _answers(walks, (_FORWARD, _BACKWARD), (0.4,), _BACKWARD_WALKS)
    back, ahead = (
        float(np.median([one.peak for one in reverse if one.trial.push.direction == way]))
        for way in (_FORWARD, _BACKWARD)
    )
    text = "backward walks are more compliant against backward than forward pushes: ratio of median peaks"
    yield Claim("steps-backward-walk", "YL08 §5", text, back / ahead, "times", ", ".join(_BACKWARD_WALKS),
                Band(low=_MORE))  # fmt: skip
