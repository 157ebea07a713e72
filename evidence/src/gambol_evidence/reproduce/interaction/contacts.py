"""Claims about hands that meet at contact points that were not shown: where, when, and with disturbed samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gambol.geometry.arrays import Array
from gambol.interaction.model import InteractionModel, register_trial
from gambol.interaction.partner import Partner
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.interaction.edited_trials import EditedTrial
from gambol_evidence.reproduce.interaction.meeting_trials import MeetingSeed, MeetingTrials
from gambol_evidence.reproduce.interaction.reactions import (
    DISTURBANCES,
    UNDISTURBED,
    Disturbance,
    ReactionError,
    measure_reaction,
)

_BARS = {"noisy": 3.0, "dropped": 3.5, "gap": 5.0, "spikes": 4.0}
_WORDS = {
    "noisy": "1 cm of noise and every tenth sample missing",
    "dropped": "30 % of the samples missing",
    "gap": "no samples for 250 ms before the contact",
    "spikes": "5 % of the samples 30 cm off",
}
_SEED = 7


def measure_contacts(trials: MeetingTrials) -> Iterator[Claim]:
    """Yield the claims of standing and walking people."""
    for name, seeds, most in (("standing", trials.standing, 2.5), ("walking", trials.walking, 3.5)):
        data = f"edited 20_11 and 21_11, {name}, {len(seeds)} seeds, {sum(len(one.tested) for one in seeds)} trials"
        angles = [_measure_rows(one.model, edited) for one in seeds for edited in one.tested]
        yield Claim(
            f"rows-{name}", OUR_BAR, "poses of person 1 at unseen contact points: error of joint rotations",
            float(np.mean(angles)), "degrees", data, Band(high=2.8),
        )  # fmt: skip
        found = _react(seeds, "tested", UNDISTURBED)
        before, after = ([100.0 * getattr(one, part) for one in found] for part in ("before", "after"))
        late = [1e3 * abs(one.late) for one in found]
        for part, words, value, unit, band in (
            ("contact", "distance of hands at the contact, before the hand follows the observed one, mean",
             np.mean(before), "cm", Band(high=most)),
            ("contact-p95", "the same, 95 % of trials", np.percentile(before, 95), "cm", Band(high=2.0 * most)),
            ("timing", "time from the contact to when the hand is nearest to it, mean", np.mean(late), "ms",
             Band(high=15.0)),
            ("polished", "distance of hands at the contact, after the hand follows the observed one, mean",
             np.mean(after), "cm", Band(high=0.5)),
        ):  # fmt: skip
            yield Claim(f"{part}-{name}", OUR_BAR, words, float(value), unit, data, band)
        strange = [100.0 * one.before for one in _react(seeds, "shifted", UNDISTURBED)]
        yield Claim(
            f"shifted-{name}", OUR_BAR, "distance of hands at the contact for stronger styles and more variation",
            float(np.mean(strange)), "cm", f"shifted edits, {name}, {len(seeds)} seeds, {len(strange)} trials",
            Band(high=3.5),
        )  # fmt: skip
        for kind, how in DISTURBANCES.items():
            errors = [100.0 * one.before for one in _react(seeds, "tested", how)]
            yield Claim(
                f"{kind}-{name}", OUR_BAR, f"distance of hands at the contact with {_WORDS[kind]}",
                float(np.mean(errors)), "cm", data, Band(high=_BARS[kind]),
            )  # fmt: skip


def _react(seeds: Sequence[MeetingSeed], part: str, how: Disturbance) -> list[ReactionError]:
    random, found = np.random.default_rng(_SEED), []
    for one in seeds:
        partner, arm = Partner(one.model), one.model.people[0].arm
        for edited in getattr(one, part):
            found.append(measure_reaction(partner, arm, edited.trial, how, random, rests=not edited.walking))
    return found


def _measure_rows(model: InteractionModel, edited: EditedTrial) -> float:
    """Return the root mean square of joint rotations (degrees) between a trial and its reconstruction."""
    trial = edited.trial
    rows = model.people[0].encode(trial.local[0])
    features = model.course.combine(model.course.share_styles(trial.style), trial.place)
    shown: Array = model.course.evaluate_all(register_trial(model, trial), features)[:, model.columns[0]]
    return float(np.degrees(np.sqrt(np.mean((shown - rows)[:, 3:] ** 2))))
