"""Contacts are told from the shape of a movement alone, wherever its path leads and however it is turned."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.contacts.contact import is_foot
from gambol.fit.contacts import find_contact_points
from gambol.fit.load import load
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.stages import stance_network
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.drift import translate_root
from gambol.stages.stance_network import ENDS, estimate_contacts, find_likely_contacts
from tests.metamorphic.changes import Change, swap_side

WALK = samples.walk()[:180]


def fit_clip(motion: Motion) -> Fit:
    return fit(Character.from_motion(motion), motion)


@lru_cache
def _fit_walk() -> Fit:
    return fit_clip(WALK)


def _stack(likely: dict[str, np.ndarray]) -> np.ndarray:
    return np.stack([likely[end] for end in ENDS])


def test_the_path_over_the_floor_does_not_matter() -> None:
    motion = _fit_walk().motion
    time = motion.times[:, None]
    astray = translate_root(motion, time * (1.5, -0.4, 0.0) + np.sin(3.0 * time) * (0.3, 0.1, 0.0) + (40.0, 0.0, 9.0))
    np.testing.assert_allclose(_stack(estimate_contacts(astray)), _stack(estimate_contacts(motion)), atol=1e-9)


@pytest.mark.parametrize("change", [Change("turned", degrees=140.0), Change("mirrored", mirrored=True)], ids=str)
def test_heading_and_hand_do_not_matter(change: Change) -> None:
    before, after = (estimate_contacts(fit_clip(one).motion) for one in (WALK, change.apply(WALK)))
    same = {change.part(end): after[end] for end in ENDS}
    np.testing.assert_allclose(_stack(same), _stack(before), atol=1e-6)
    assert swap_side("left_heel") in same


@pytest.mark.parametrize("every", [1, 2, 4])
@pytest.mark.parametrize("name", ["walk/16_33", "turn/16_19", "run/16_35", "jump_hop_leap/13_39"])
def test_sound_feet_are_in_contact_where_they_are_still(data: Path, name: str, every: int) -> None:
    """At 60, 30 and 15 frames per second, of recordings that the network did not learn from."""
    fitted = fit_clip(load(data / f"cmu_bvh/{name}.bvh"))
    points = [point for point in find_contact_points(fitted) if is_foot(point.name)]
    still = find_foot_contacts(fitted.motion, points)
    likely = find_likely_contacts(fitted.motion[::every], points)
    agree = [np.mean(still.touching(end)[::every] == likely.touching(end)) for end in ENDS]
    assert np.mean(agree) > 0.9


def test_a_body_in_flight_has_no_contact() -> None:
    likely = _stack(estimate_contacts(fit_clip(samples.jump()).motion))
    assert likely[:, 70:85].max() < 0.5
    assert likely[:, [0, -1]].min() > 0.5


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_few_frames_are_enough(frames: int) -> None:
    motion = _fit_walk().motion[:frames]
    likely = _stack(estimate_contacts(motion))
    assert likely.shape == (4, frames)
    assert np.isfinite(likely).all()


def test_people_of_all_sizes_walk_alike() -> None:
    """A body half as large moves by sqrt(1/2) faster."""
    motion = _fit_walk().motion
    slides = motion.skeleton.columns(0, "slide")
    q = motion.q.copy()
    q[:, slides] *= 0.5
    skeleton = replace(motion.skeleton, offsets=0.5 * motion.skeleton.offsets)
    child = Motion(skeleton, q, motion.frame_time * np.sqrt(0.5))
    agree = (_stack(estimate_contacts(child)) > 0.5) == (_stack(estimate_contacts(motion)) > 0.5)
    assert agree.mean() > 0.95


def test_a_frame_is_seen_as_far_as_the_layers_reach() -> None:
    """Kernels of 5 and 3 frames, the latter dilated by 1, 2, 4 and 8: 2 + 1 + 2 + 4 + 8 frames to either side."""
    inputs = np.random.default_rng(2).normal(size=(80, 26))
    changed = inputs.copy()
    changed[40] += 3.0
    seen = np.abs(stance_network._apply_network(changed) - stance_network._apply_network(inputs)).max(axis=1)
    assert np.flatnonzero(seen > 1e-12)[[0, -1]].tolist() == [40 - 17, 40 + 17]
