"""Frame rates corrected by the flights of a clip before it is edited (L05, section 4.4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.metrics.figures import Band
from gambol.spacetime.edits.verb import prepare_clip
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.edit.bars import JUMPS
from gambol_evidence.reproduce.recordings import SLOW_SUBJECTS, find_cmu_file

_WRONG = ("143_03", "75_01", "75_09", "88_06")
"""Clips whose files state 120 frames per second and whose flights fall as at 60."""
_RIGHT = tuple(name for name in JUMPS if name.split("_")[0] not in SLOW_SUBJECTS)


def measure_rates(data: Path) -> Iterator[Claim]:
    """Wrong rates are corrected, right ones are kept."""
    text = "corrected frame rate of a clip whose file states 120 frames per second and which falls as at 60"
    for name in _WRONG:
        source = "L05 §4.4.1; frame rates in the notes on the recordings"
        yield Claim(f"rate-{name}", source, text, _prepared_rate(data, name), "frames/s", f"CMU {name}", Band(57, 63))
    changed = [name for name in _RIGHT if abs(_prepared_rate(data, name) - 120.0) > 0.1]
    text = "clips with right frame rates whose rate is changed"
    about = f"CMU {', '.join(_RIGHT)}; changed: {', '.join(changed) or 'none'}"
    yield Claim("rate-kept", OUR_BAR, text, float(len(changed)), "clips", about, Band(high=0.0))


def _prepared_rate(data: Path, name: str) -> float:
    """Return the frame rate after preparation for editing, NaN where the clip cannot be edited."""
    try:
        return 1.0 / prepare_clip(load(find_cmu_file(data, name)))[0].frame_time
    except InputError:
        return float("nan")
