"""Change the timing of a trial: both people share one clock, so that they still meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.geometry.arrays import Array
from gambol.interaction.trials import Trial
from gambol.spacetime.resampling import resample_at


def warp_trial(
    trial: Trial, durations: Sequence[float] | Array, skews: Sequence[float] | Array, frame_time: float
) -> Trial:
    """Return a trial at another frame time (s) whose times before and after the contact are multiplied by `durations`.

    Skews move the middle of the times before and after the contact, as a share of them. The contact is on a frame.
    """
    from scipy.interpolate import PchipInterpolator

    contact, last = trial.contact * trial.frame_time, (len(trial) - 1) * trial.frame_time
    before, after = (
        max(2, round(factor * time / frame_time))
        for factor, time in zip(durations, (contact, last - contact), strict=True)
    )
    at = [0.0, before * (0.5 + skews[0]), before, before + after * (0.5 + skews[1]), before + after]
    times = PchipInterpolator(at, [0.0, 0.5 * contact, contact, 0.5 * (contact + last), last])(
        np.arange(before + after + 1)
    )
    one, two = (replace(resample_at(person, times), frame_time=frame_time) for person in trial.people)
    return replace(trial, people=(one, two), contact=before)
