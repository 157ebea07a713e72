"""Mirror images of motions."""

from __future__ import annotations

import numpy as np

import gambol as gb
from gambol.motion.mirroring import reflect_motion


def test_places_are_mirrored_and_sides_change() -> None:
    clip = gb.load("walk")[:20]
    mirrored = reflect_motion(clip)
    np.testing.assert_allclose(mirrored.placement.positions, clip.placement.positions * [1.0, -1.0, 1.0], atol=1e-12)
    assert clip.rig is not None
    assert mirrored.rig is not None
    assert mirrored.rig.parts["left_foot"] == clip.rig.parts["right_foot"]
    assert mirrored.rig.parts["pelvis"] == clip.rig.parts["pelvis"]


def test_the_mirror_image_of_the_mirror_image_is_the_same() -> None:
    clip = gb.load("walk")[:20]
    again = reflect_motion(reflect_motion(clip))
    np.testing.assert_array_equal(again.placement.positions, clip.placement.positions)
    np.testing.assert_array_equal(again.placement.rotations, clip.placement.rotations)
    assert again.rig == clip.rig
