"""Where a clip differs from the one before: found, described, and seen in a strip of both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gambol.drawing import render
from gambol.drawing.difference import find_difference
from gambol.drawing.shot import Shot
from gambol.io import samples
from gambol.motion.motion import Motion

PEAK = 150


@pytest.fixture(scope="module")
def clips() -> tuple[Motion, Motion]:
    """A walk, and the same walk in which the left arm swings out within 17 frames around one."""
    walk = samples.walk()
    q = walk.q.copy()
    arm = walk.skeleton.columns(walk.skeleton.names.index("LeftArm"), "turn")[0]
    q[PEAK - 8 : PEAK + 9, arm] += np.deg2rad(40.0) * np.hanning(17)
    return walk, replace(walk, q=q)


def test_the_largest_difference_is_among_the_poses_and_the_words_say_where(clips: tuple[Motion, Motion]) -> None:
    before, after = clips
    found = find_difference(clips)
    assert found is not None
    moved = np.linalg.norm(after.placement.positions[PEAK] - before.placement.positions[PEAK], axis=-1)
    assert found.frame == PEAK
    assert found.metres == pytest.approx(moved.max())
    assert found.first <= PEAK - 25 < PEAK + 25 <= found.last < PEAK + 60, "a second, which shows the swing"
    for poses in (1, 2, 9):
        frames = found.choose_frames(poses)
        assert PEAK in frames
        assert len(frames) == poses
        assert found.first <= frames.min() <= frames.max() <= found.last
    said = found.describe(after)
    assert said.startswith(f"largest difference {100 * moved.max():.1f} cm, LeftHand end at 2.50 s; poses from ")
    assert said.endswith(f" of {before.duration:.2f} s")


def test_clips_that_are_the_same_or_different_everywhere_are_not_compared(clips: tuple[Motion, Motion]) -> None:
    before, after = clips
    assert find_difference([before]) is None
    assert find_difference([before, before]) is None
    assert find_difference([before, after[:100]]) is None
    assert find_difference([before, samples.jump()[: len(before)]]) is None
    assert find_difference([before, replace(before, q=before.q + 0.1)]) is None


def test_strips_before_and_after_a_short_change_do_not_look_the_same(
    clips: tuple[Motion, Motion], tmp_path: Path
) -> None:
    """Poses over the whole clip are those in which nothing changed."""

    def differ(motions: list[Motion], shot: Shot) -> float:
        """Return the share of pixels that differ between the halves of a picture."""
        with Image.open(render(motions, tmp_path / "strip.png", poses=4, shot=shot)) as image:
            pixels = np.asarray(image.convert("RGB"), dtype=float)[:, :, :]
        half = len(pixels) // 2
        below = slice(int(0.15 * half), half)  # without the line at the top
        return float((np.abs(pixels[:half][below] - pixels[half : 2 * half][below]).max(axis=-1) > 60).mean())

    assert differ([clips[0], clips[1]], Shot(view="front")) > 0.002
    assert differ([clips[0], clips[0]], Shot(view="front")) < 0.001
