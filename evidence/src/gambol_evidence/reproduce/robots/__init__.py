"""`gambol reproduce robots`: clips of people as reference motions of humanoid robots."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.robots.cuts import measure_cuts, measure_starts
from gambol_evidence.reproduce.robots.fast import measure_fast
from gambol_evidence.reproduce.robots.playback import measure_playback
from gambol_evidence.reproduce.robots.pose_errors import measure_pose_errors
from gambol_evidence.reproduce.robots.quality import measure_quality
from gambol_evidence.reproduce.robots.setting import RobotsSetting


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    setting = RobotsSetting(data)
    parts = (measure_quality, measure_fast, measure_pose_errors, measure_cuts, measure_starts, measure_playback)
    yield from measure(partial(part, setting) for part in parts)
