"""Claims about random pushes that are answered by steps, all of them bars of our own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.metrics.check import check
from gambol.metrics.figures import Band
from gambol.respond.latent.examples import ExamplePush
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.recovery.answers import RUN, SIX_WALKS, PushedTrial, PushedWalks, respond, solve_trial

_PER_CLIP = 29
"""Random pushes per clip: 203 in all."""
_WEAKEST, _STRONGEST = 0.1, 0.8
"""Change of velocity (m/s)."""
_CHECKED = (("35_01", 0.25, 90.0), ("07_01", 0.6, 200.0), (RUN, 0.4, 300.0))
"""Clips, phases and directions (degrees) of pushes whose answers are checked like any clip."""


def draw_trials(name: str, count: int, seed: int) -> list[PushedTrial]:
    """Draw pushes of any direction, phase and strength."""
    rng = np.random.default_rng(seed)
    return [
        PushedTrial(name, ExamplePush(rng.uniform(), rng.uniform(0.0, 360.0), rng.uniform(_WEAKEST, _STRONGEST)))
        for _ in range(count)
    ]


def measure_answers(walks: PushedWalks) -> Iterator[Claim]:
    """Pushes of any direction, phase and strength are answered; feet, friction and pressure stay within limits."""
    clips = (*SIX_WALKS, RUN)
    trials = [trial for seed, name in enumerate(clips) for trial in draw_trials(name, _PER_CLIP, seed)]
    found = walks.answer(trials)
    solved = [one for one in found if one.converged]
    data = f"{len(trials)} random pushes, {_WEAKEST:g} to {_STRONGEST:g} m/s, of {', '.join(clips)}"
    yield Claim("random-answered", OUR_BAR, "random pushes are answered by steps",
                len(solved) / len(found), "share", data, Band(low=0.95))  # fmt: skip
    back = [one.recovery <= 3.0 for one in solved]
    yield Claim("random-recovered", OUR_BAR, "all joint angles are within 2 degrees of the clip 3 s after the push",
                float(np.mean(back)), "share", data, Band(low=0.95))  # fmt: skip
    rows = {
        "slide": ("slide of a foot in contact beyond the clip's own", 1e3, "mm", 5.0),
        "sink": ("depth of a foot below the floor beyond the clip's own", 1e3, "mm", 5.0),
        "friction": ("coefficient of friction that the ground must give", 1.0, "", 0.8),
        "outside": ("distance of the centre of pressure outside the soles", 1e3, "mm", 5.0),
        "jump": ("change of an ankle's velocity relative to the clip's, from one frame to the next", 1.0, "m/s", 1.0),
    }
    for name, (text, scale, unit, bar) in rows.items():
        worst = scale * max(float(getattr(one, name)) for one in solved)
        yield Claim(f"random-{name}", OUR_BAR, f"{text}: the worst", worst, unit, data, Band(high=bar))


def measure_without_push(walks: PushedWalks) -> Iterator[Claim]:
    """Without a push nothing changes."""
    found = walks.answer([PushedTrial(name, ExamplePush(0.3, 0.0, 1e-6)) for name in SIX_WALKS])
    peaks = [one.peak for one in found]
    yield Claim("unpushed-deviation", OUR_BAR, "a push of nothing changes no joint angle: the worst of six walks",
                float(np.max(peaks)), "deg", ", ".join(SIX_WALKS), Band(high=0.5))  # fmt: skip


def measure_checks(walks: PushedWalks) -> Iterator[Claim]:
    """An answer passes the checks that its clip passes."""
    for name, phase, direction in _CHECKED:
        trial = PushedTrial(name, ExamplePush(phase, direction, 0.5))
        answer = respond(walks.data, trial, solve_trial(walks.data, trial))
        # The push itself is a force that no contact gives.
        pushed = int(np.ceil(answer.pushes[0].end / answer.motion.frame_time))
        before, after = check(answer.fitted.source[pushed:]), check(answer.motion[pushed:])
        judged = {one.name: one for one in before.measures}
        lost = [one.name for one in after.measures if not one.passes and judged[one.name].passes]
        text = "figures of check that the clip passes and its answer fails after the push"
        yield Claim(f"{name}-checks-lost", OUR_BAR, text,
                    float(len(lost)), "", f"{name}, 0.5 m/s{': ' if lost else ''}{', '.join(lost)}", Band(high=0.0),
                    motion=answer.motion)  # fmt: skip
