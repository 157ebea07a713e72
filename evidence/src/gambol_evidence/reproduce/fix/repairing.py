"""Repair a clip as `fix` does, without its checks."""

from __future__ import annotations

from dataclasses import replace

from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.motion.motion import Motion
from gambol.spacetime.artefacts import remove_artefacts
from gambol.spacetime.steadying import remove_drift
from gambol.spacetime.windows import Repair, make_physical
from gambol.stages.frame_rate import estimate_frame_rate


def repair_clip(motion: Motion, retime: bool = False) -> Repair:
    """Repair a clip; `retime` corrects its frame rate."""
    return make_physical(fit_cleaned(motion, retime))


def fit_cleaned(motion: Motion, retime: bool = False) -> Fit:
    """Return a character fitted to a clip without artefacts and drift, of which contacts are found."""
    source = remove_artefacts(motion).motion
    if retime:
        source = replace(source, frame_time=estimate_frame_rate(source).ratio * source.frame_time)
    fitted, _ = remove_drift(fit(Character.from_motion(source), source))
    return fitted
