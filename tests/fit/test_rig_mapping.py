"""Rotations of the character are mapped to the rig, in continuous channels."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry import quaternions as quat
from gambol.io import samples


def test_a_body_that_is_turned_about_has_channels_without_jumps() -> None:
    clip = samples.walk()[:40]
    fitted = fit(Character.from_motion(clip), clip)
    heading = fitted.character.skeleton.columns(0, "turn")[0]
    q = fitted.motion.q.copy()
    q[:, heading] += np.linspace(0.0, 3.0 * np.pi, len(q))
    mapped = map_to_rig(fitted, q)
    turns = mapped.skeleton.columns(0, "turn")
    assert np.abs(np.diff(mapped.q[:, turns], axis=0)).max() < 0.5
    turn = quat.multiply(mapped.placement.rotations[-1, 0], quat.conjugate(clip.placement.rotations[-1, 0]))
    assert quat.angle(turn) == pytest.approx(np.pi, abs=1e-6)


def test_what_did_not_change_keeps_its_channels() -> None:
    clip = samples.walk()[:20]
    fitted = fit(Character.from_motion(clip), clip)
    assert np.array_equal(map_to_rig(fitted, fitted.motion.q).q, clip.q)
