"""Claims across recordings: a model of variants of one real handshake reacts to the other, unedited."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.interaction.model import learn_interaction_model
from gambol.interaction.partner import Partner
from gambol.interaction.trials import Trial
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.interaction.meeting_trials import MeetingTrials
from gambol_evidence.reproduce.interaction.real_pairs import HANDSHAKES, load_pair, make_variants, resample_trial

_SOURCE = "our bar: better than replaying the recording that was learned from"


def measure_cross_recordings(trials: MeetingTrials) -> Iterator[Claim]:
    """Yield the errors of poses and hands, relative to replaying the recording that was learned from."""
    for learned, tested in (HANDSHAKES, HANDSHAKES[::-1]):
        shown, other = load_pair(trials.data, learned), resample_trial(load_pair(trials.data, tested))
        model = learn_interaction_model(make_variants(shown, 31))
        partner, person = Partner(model), model.people[0]
        state, poses, hands = partner.start(), [], []
        for sample in other.paths[1]:
            state, frame = partner.step(state, sample, seconds=other.frame_time)
            poses.append(person.encode(frame.local)[0, 3:])
            hands.append(frame.hand)
        truth = person.encode(other.local[0])[:, 3:]
        angle = float(np.degrees(np.sqrt(np.mean((np.array(poses) - truth) ** 2))))
        apart = 100.0 * float(np.linalg.norm(hands[other.contact] - other.paths[0][other.contact]))
        again = resample_trial(shown)
        same, same_hand = _replay(again, other, truth, person.encode(again.local[0])[:, 3:])
        data = f"{' and '.join(tested)}, learned from variants of {' and '.join(learned)}"
        yield Claim(
            f"cross-angles-{tested[0]}", _SOURCE, "error of joint rotations, relative to replaying",
            angle / same, "times", f"{data}; {angle:.1f} and {same:.1f} degrees", Band(high=1.0),
        )  # fmt: skip
        yield Claim(
            f"cross-contact-{tested[0]}", _SOURCE, "distance of hands at the contact, relative to replaying",
            apart / same_hand, "times", f"{data}; {apart:.1f} and {same_hand:.1f} cm", Band(high=1.0),
        )  # fmt: skip


def _replay(again: Trial, other: Trial, truth: np.ndarray, rows: np.ndarray) -> tuple[float, float]:
    """Return the errors (degrees, cm) of the recording that was learned from, played from the beginning."""
    frames = np.minimum(np.arange(len(other)), len(again) - 1)
    angle = float(np.degrees(np.sqrt(np.mean((rows[frames] - truth) ** 2))))
    hand = again.paths[0][min(other.contact, len(again) - 1)]
    return angle, 100.0 * float(np.linalg.norm(hand - other.paths[0][other.contact]))
