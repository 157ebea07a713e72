"""Claims about clips that begin elsewhere: common frames have the same poses, on the same branch.

Clips are retargeted at half their frame rate and keep their time, so that frames of both coincide.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.body.robot_description import JOINTS
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.references.verb import make_reference
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.robots.setting import RobotsSetting

_CUT = ("walk", "turn", "run")
"""Kinds whose last clip is cut."""
_EVERY = 2
"""Frames of a clip per frame of a robot."""
_SETTLED = 0.5
"""Seconds after the cut from which poses should be those of the whole clip."""
_BRANCH = 0.3
"""Difference (rad) of a joint at the end from which poses are on different branches."""
_APART, _REST = 10, 0.5
"""Frames between starts, and seconds of the clip that are left after the last one."""
_STARTED = ("jvrc1", "g1")
"""Robots that start in the middle of walks; GMR was measured on G1."""


def measure_cuts(setting: RobotsSetting) -> Iterator[Claim]:
    """Yield the largest changes of common frames on the first robot when the first quarter of a clip is cut off."""
    robot, biped = next(iter(setting.robots.items()))
    clips = [setting.list_clips(kind)[-1] for kind in _CUT]
    for name, fast, rows in (
        ("default", False, (("", 0.0, 1e-3), ("-later", _SETTLED, 1e-3))),
        ("fast", True, (("", _SETTLED, 0.02),)),
    ):
        changes = [compare_cut(setting.load_middle(clip), biped, fast) for clip in clips]
        for suffix, seconds, band in rows:
            largest = [float(change[round(seconds * rate) :].max()) for change, rate in changes]
            data = ", ".join(f"{clip} {most:.2g} rad" for clip, most in zip(clips, largest, strict=True))
            yield Claim(
                f"cut-{name}{suffix}", OUR_BAR,
                f"change of joint angles when a clip is cut, {name}, from {seconds:g} s after the cut on: largest",
                max(largest), "rad", f"{robot}: {data}", Band(high=band),
            )  # fmt: skip


def compare_cut(clip: Motion, biped: Biped, fast: bool) -> tuple[Array, float]:
    """Return the largest change (common frames,) of a joint, and frames per second."""
    first = _EVERY * (len(clip) // 4 // _EVERY)
    whole, part = (_retarget(each, biped, fast) for each in (clip, clip[first:]))
    change = np.abs(whole[first // _EVERY :] - part).max(axis=1)
    return change, 1.0 / (_EVERY * clip.frame_time)


def _retarget(clip: Motion, biped: Biped, fast: bool) -> Array:
    """Return joint angles (frames, joints)."""
    rate = 1.0 / (_EVERY * clip.frame_time)
    return make_reference(clip, biped, fast=fast, keep_time=True, fps=rate).motion.q[:, JOINTS]


def measure_starts(setting: RobotsSetting) -> Iterator[Claim]:
    """Yield how many mid-clip starts of walks end on another branch."""
    walks = setting.list_clips("walk")
    for robot in (name for name in _STARTED if name in setting.robots):
        apart = [end for walk in walks for end in compare_starts(setting.load_middle(walk), setting.robots[robot])]
        yield Claim(
            f"{robot}-starts", OUR_BAR, f"{robot}: starts in the middle of a walk that end on another branch, --fast",
            sum(end > _BRANCH for end in apart), f"of {len(apart)}",
            f"{', '.join(walks)}, from every tenth frame; a joint differs by {max(apart):.2g} rad at the end at most. "
            "GMR on G1: 13 of 68, up to 2.9 rad",
            Band(high=0.0),
        )  # fmt: skip


def compare_starts(clip: Motion, biped: Biped) -> list[float]:
    """Return the largest difference (rad) of a joint from the whole clip in the last frame, for every start."""
    whole = _retarget(clip, biped, True)
    last = len(whole) - round(_REST / (_EVERY * clip.frame_time))
    parts = [_retarget(clip[_EVERY * first :], biped, True) for first in range(_APART, last, _APART)]
    return [float(np.abs(part[-1] - whole[-1]).max()) for part in parts]
