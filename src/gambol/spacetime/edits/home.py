"""The way home of an edited clip: on its own rig, at its own rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from gambol.fit.home import to_rig
from gambol.fit.rig import Fit
from gambol.geometry.quaternions import Array
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft
from gambol.spacetime.fix import planted
from gambol.spacetime.repairs import at_times
from gambol.spacetime.stances import Rest
from gambol.spacetime.toes import lifted


def taken_home(draft: Draft, q: Array) -> Motion:
    """A motion (frames, dofs) solved for a draft, played by the rig of the clip."""
    from scipy.interpolate import CubicSpline

    fitted, step = draft.clip.fitted, draft.clip.frame_time
    times = step * np.arange(int(draft.clock.at[-1] / step + 1e-6) + 1)
    shown = draft.clock.back(times)
    before, source = fitted.motion, fitted.source
    if not draft.clock.is_recorded:
        before = replace(before, q=CubicSpline(before.times, before.q)(np.minimum(shown, before.duration)))
        source = at_times(source, shown)
    errors = fitted.errors[np.minimum(np.round(shown / step).astype(int), len(fitted.errors) - 1)]
    played = to_rig(Fit(draft.character, before, source, errors), CubicSpline(draft.like.times, q)(times))
    rests = _at_rate(draft.stands.rests, draft.like.frame_time / step)
    return lifted(planted(played, rests), source, replace(draft.stands, rests=tuple(rests)))


def _at_rate(rests: Sequence[Rest], ratio: float) -> list[Rest]:
    """What rests in frames of which `ratio` make one: from the first solved frame in which it does to the last."""
    out = (replace(r, first=ceil(r.first * ratio - 1e-6), last=int(r.last * ratio + 1e-6)) for r in rests)
    return [rest for rest in out if rest.last >= rest.first]
