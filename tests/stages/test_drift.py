"""The drift of a body is found where feet skate or float, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contacts.contact import BodyPoint, is_foot
from gambol.contacts.timeline import Contacts
from gambol.fit.contacts import find_contact_points
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.stages.drift import Slide, find_rise, find_slide, translate_root
from gambol.stages.feet import find_foot_points
from gambol.stages.stance_network import find_likely_contacts
from tests.stages.test_stance_network import fit_clip

WALK, JUMP = samples.walk()[:180], samples.jump()


def _feet(motion: Motion) -> list[BodyPoint]:
    return [point for point in find_foot_points(motion) if not point.name.endswith("toe")]


def _slide(motion: Motion, x: np.ndarray, y: np.ndarray) -> Slide | None:
    moved = translate_root(motion, np.stack((x, y, np.zeros(len(motion))), axis=1))
    return _find_slide(moved)


def _find_slide(motion: Motion) -> Slide | None:
    return find_slide(motion, _feet(motion), _find_likely(motion))


def _find_likely(motion: Motion) -> Contacts:
    fitted = fit_clip(motion)
    points = [point for point in find_contact_points(fitted) if is_foot(point.name)]
    return find_likely_contacts(fitted.motion, points)


def _rise(motion: Motion, z: np.ndarray) -> np.ndarray | None:
    moved = translate_root(motion, np.stack((0.0 * z, 0.0 * z, z), axis=1))
    return find_rise(moved, _feet(moved))


@pytest.mark.parametrize("along", [-0.5, 0.3, 0.5])
def test_the_velocity_of_feet_that_skate_is_found(along: float) -> None:
    """Against the walk, and along it faster than feet in contact may move."""
    found = _slide(WALK, along * WALK.times, 0.2 * np.sin(2.0 * WALK.times))
    assert found is not None
    assert found.slid >= 0.8 * found.stances
    assert abs(along) < found.fastest < 1.1 * np.hypot(along, 0.4)
    np.testing.assert_allclose(found.offsets[:, 0], along * WALK.times, atol=0.06)
    np.testing.assert_allclose(found.offsets[:, 1], 0.2 * np.sin(2.0 * WALK.times), atol=0.06)


def test_a_walk_that_travels_too_far_or_too_little_gets_its_own_length() -> None:
    path = WALK.placement.positions[:, 0, 0]
    for scale in (0.65, 1.35):
        found = _slide(WALK, (scale - 1.0) * (path - path[0]), 0.0 * path)
        assert found is not None
        assert found.offsets[-1, 0] == pytest.approx((scale - 1.0) * (path[-1] - path[0]), rel=0.05)


@pytest.mark.parametrize(
    "motion", [WALK, samples.stand()[:120], JUMP, WALK[:10]], ids=["walk", "stand", "jump", "short"]
)
def test_feet_that_stand_do_not_slide_or_float(motion: Motion) -> None:
    assert _find_slide(motion) is None
    assert find_rise(motion, _feet(motion)) is None


def test_feet_in_the_air_tell_nothing() -> None:
    flight = JUMP[58:72]
    assert _find_slide(flight) is None
    assert _rise(flight, 0.1 * flight.times) is None


def test_one_foot_that_slides_beside_one_that_stands_is_not_a_drift() -> None:
    stand = samples.stand()[:120]
    assert stand.rig is not None
    thigh = stand.rig.parts["left_thigh"]
    q = stand.q.copy()
    q[:, stand.skeleton.columns(thigh, "turn")[0]] += 0.2 * np.sin(2.0 * np.pi * stand.times)
    assert _find_slide(Motion(stand.skeleton, q, stand.frame_time, rig=stand.rig)) is None


def test_a_body_that_stands_and_is_carried_along_is_found() -> None:
    stand = samples.stand()[:120]
    found = _slide(stand, 0.3 * stand.times, 0.0 * stand.times)
    assert found is not None
    np.testing.assert_allclose(found.offsets[:, 0], 0.3 * stand.times, atol=0.01)


@pytest.mark.parametrize("period", [2.0, 3.0, 6.0])
def test_a_height_that_rises_and_falls_is_found(period: float) -> None:
    height = 0.03 - 0.04 * np.cos(2.0 * np.pi * WALK.times / period)
    found = _rise(WALK, height)
    assert found is not None
    np.testing.assert_allclose(found - found.mean(), height - height.mean(), atol=0.015)


@pytest.mark.parametrize("box", [-0.3, 0.12, 0.4])
def test_a_jump_on_or_off_a_box_keeps_the_box(box: float) -> None:
    share = np.clip((np.arange(len(JUMP)) - 58) / 14.0, 0.0, 1.0)
    assert _rise(JUMP, box * share) is None


def test_stairs_are_kept() -> None:
    """A walk whose every step is 17 cm higher: the body rises while the other foot swings."""
    from gambol.stages.gait import find_gait_events

    events = find_gait_events(WALK)
    strikes = np.sort(np.concatenate(list(events.strikes.values())))
    assert len(strikes) >= 4
    height = sum(0.17 * np.clip((WALK.times - strike) / 0.12, 0.0, 1.0) for strike in strikes)
    assert _rise(WALK, np.asarray(height)) is None
