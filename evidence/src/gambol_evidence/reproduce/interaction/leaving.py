"""Claims about a hand that goes away before the contact: person 1 returns to rest, and answers the next one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.geometry.arrays import Array
from gambol.interaction.model import InteractionModel
from gambol.interaction.partner import Partner
from gambol.interaction.trials import Trial
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.interaction.meeting_trials import MeetingTrials

_TURNS = 0.6
"""Share of the way to the contact at which the hand goes away."""
_AWAY = np.array([1.2, 0.6, -0.2])
"""Metres per second at which it goes."""
_LEAVES = 1.5
"""Seconds that it goes, out of the learned space."""
_RESTS = 3.0
"""Degrees (root mean square of joints) from the pose at rest within which person 1 rests."""


def measure_leaving(trials: MeetingTrials) -> Iterator[Claim]:
    """Yield the claims of all standing trials."""
    found = [
        _leave(Partner(seed.model), seed.model, edited.trial) for seed in trials.standing for edited in seed.tested
    ]
    data = f"edited 20_11 and 21_11, standing, {len(found)} trials"
    yield Claim(
        "leaves", OUR_BAR, "the hand goes away before the contact: time until person 1 rests, longest",
        max(one[0] for one in found), "s", data, Band(high=1.0),
    )  # fmt: skip
    yield Claim(
        "answers-again", OUR_BAR, "and the next meeting is answered: distance of hands at its contact, mean",
        100.0 * float(np.mean([one[1] for one in found])), "cm", data, Band(high=2.5),
    )  # fmt: skip


def _leave(partner: Partner, model: InteractionModel, trial: Trial) -> tuple[float, float]:
    """Return the seconds until person 1 rests, and the distance (m) of hands in the next meeting."""
    path, step = trial.paths[1], trial.frame_time
    turn = round(_TURNS * trial.contact)
    left = path[turn] + step * np.arange(1, round(_LEAVES / step))[:, None] * _AWAY
    state = partner.start(trial.style)
    rest = model.people[0].decode(
        model.course.evaluate(0.0, model.course.combine(model.course.share_styles(trial.style), trial.place))[
            None, model.columns[0]
        ]
    )
    resting: Array = model.people[0].encode(rest)[0, 3:]
    away = []
    for sample in (*path[:turn], *left):
        state, frame = partner.step(state, sample, trial.style, step)
        away.append(np.degrees(np.sqrt(np.mean((model.people[0].encode(frame.local)[0, 3:] - resting) ** 2))))
    late = np.flatnonzero(np.array(away[turn:]) > _RESTS)
    seconds = (late[-1] + 1) * step if len(late) else 0.0
    hand = path[0]
    for sample in (*[path[0]] * round(0.5 / step), *path[: trial.contact + 1]):
        state, frame = partner.step(state, sample, trial.style, step)
        hand = frame.hand
    return seconds, float(np.linalg.norm(hand - path[trial.contact]))
