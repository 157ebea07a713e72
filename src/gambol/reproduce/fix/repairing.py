"""Repair a clip as `fix` does, without its checks."""

from __future__ import annotations

from dataclasses import replace

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.metrics.pace import estimate_frame_rate
from gambol.motion.motion import Motion
from gambol.spacetime.artefacts import likely_frame_time, remove_artefacts
from gambol.spacetime.steadying import remove_drift
from gambol.spacetime.windows import Repair, make_physical


def repair_clip(motion: Motion, retime: bool = False) -> Repair:
    """Repair a clip; `retime` corrects its frame rate."""
    source = remove_artefacts(motion).motion
    if retime:
        source = replace(source, frame_time=_estimate_frame_time(source))
    fitted, _ = remove_drift(fit(Character.from_motion(source), source))
    return make_physical(fitted)


def _estimate_frame_time(motion: Motion) -> float:
    rate = estimate_frame_rate(motion)
    return likely_frame_time(motion) or (motion.frame_time if rate is None else 1.0 / rate)
