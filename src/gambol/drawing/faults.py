"""Mark what a viewer would not accept: a ring around each part of the body, and what it does in words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gambol.body.measure import require_rig
from gambol.drawing.camera import Camera
from gambol.geometry.arrays import Array
from gambol.judge.finding import Finding
from gambol.motion.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOR = (0.80, 0.16, 0.20)
_SIZE = 26.0
"""Diameter of a ring in points."""
_BESIDE = 0.15
"""Seconds before and after a fault in which a film shows it."""
_COLUMNS = 22
"""Letters of a line below a pose."""
_JOINTS = {"elbow": "forearm", "knee": "shank"}
_WHOLE = "pelvis"


def choose_faults(findings: Sequence[Finding], time: float) -> list[Finding]:
    """Return the faults that a picture of a film shows."""
    return [one for one in findings if one.start - _BESIDE <= time <= one.end + _BESIDE]


def choose_frames(motion: Motion, findings: Sequence[Finding], poses: int) -> dict[int, Finding]:
    """Return the frames of the worst faults, up to so many poses, with the fault of each."""
    frames: dict[int, Finding] = {}
    for one in findings:
        middle = min(round(0.5 * (one.start + one.end) / motion.frame_time), len(motion) - 1)
        if len(frames) < poses:
            frames.setdefault(middle, one)
    return dict(sorted(frames.items()))


def assign_findings(motions: Sequence[Motion], findings: Sequence[Finding]) -> list[Sequence[Finding]]:
    """Return the findings of each motion of a scene; those of two people are of both."""
    if len(motions) == 1:
        return [findings]
    return [[one for one in findings if _list_parts(one, motion)] for motion in motions]


def paint_rings(
    axes: Axes, camera: Camera, motion: Motion, findings: Iterable[Finding], frame: int, shift: Array
) -> None:
    """Paint a ring around every part of some faults in a frame, shifted by `shift` (3,) like its figure."""
    for part in {part for one in findings for part in _list_parts(one, motion)}:
        place = motion.placement.positions[frame, _find_joint(motion, part)] + shift
        axes.plot(
            *camera.project(place), marker="o", markersize=_SIZE, markerfacecolor="none", markeredgecolor=COLOR,
            markeredgewidth=2.2, zorder=9,
        )  # fmt: skip


def wrap(finding: Finding) -> str:
    """Return what a fault is on short lines: the part, what it does, and by how much."""
    words = textwrap.fill(f"{finding.part.replace('_', ' ')} {finding.kind.words}", _COLUMNS)
    return f"{words}\n{finding.value:.3g} {finding.kind.unit}"


def _list_parts(finding: Finding, motion: Motion) -> list[str]:
    """Return the parts of a motion that a finding is of; none where it is of somebody else."""
    parts = finding.part.split(" and ")
    if finding.person in ("", motion.name):
        return parts
    pair = (finding.person.startswith(f"{motion.name} and "), finding.person.endswith(f" and {motion.name}"))
    return [part for part, own in zip(parts, pair, strict=False) if own]


def _find_joint(motion: Motion, part: str) -> int:
    side, _, kind = part.partition("_")
    parts = require_rig(motion).parts
    return parts.get(f"{side}_{_JOINTS[kind]}" if kind in _JOINTS else part, parts[_WHOLE])
