"""A clip in its own frame is the same motion elsewhere, and the same wherever the clip stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.io import samples
from gambol.motion.own_frame import enter_own_frame, find_own_frame
from tests.metamorphic.changes import Change

RUN = samples.run()[::10]


def test_it_begins_at_the_origin_and_faces_x() -> None:
    own = enter_own_frame(Change("elsewhere", degrees=130.0, shift=(7.0, -3.0, 0.0)).apply(RUN))
    assert own.rig is not None
    left, right = (own.placement.positions[0, own.rig.parts[f"{side}_thigh"]] for side in ("left", "right"))
    np.testing.assert_allclose((left + right)[:2], 0.0, atol=1e-12)
    assert left[1] > right[1]
    assert left[0] == pytest.approx(right[0], abs=1e-12)


def test_only_the_frame_of_the_root_changes() -> None:
    own = enter_own_frame(RUN)
    np.testing.assert_array_equal(own.q, RUN.q)
    before, after = (np.linalg.norm(np.diff(motion.placement.positions, axis=0), axis=2) for motion in (RUN, own))
    np.testing.assert_allclose(after, before, atol=1e-12)
    np.testing.assert_allclose(own.placement.positions[..., 2], RUN.placement.positions[..., 2], atol=1e-12)
    np.testing.assert_array_equal(replace(own, skeleton=RUN.skeleton).placement.positions, RUN.placement.positions)


def test_an_unknown_rig_stays_where_it_is() -> None:
    unknown = replace(RUN, rig=None)
    np.testing.assert_array_equal(enter_own_frame(unknown).placement.positions, unknown.placement.positions)


def test_a_skeleton_that_leaves_is_where_it_was() -> None:
    far = Change("elsewhere", degrees=130.0, shift=(7.0, -3.0, 0.0)).apply(RUN)
    frame = find_own_frame(far)
    back = replace(far, skeleton=frame.leave(frame.enter(far.skeleton)))
    np.testing.assert_allclose(back.placement.positions, far.placement.positions, atol=1e-12)
