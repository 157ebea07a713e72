"""Strides of clips at common phases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol import load
from gambol.errors import InputError
from gambol.features.layout import FORWARD, LEFT, M17_PARTS, TURN, layout_of
from gambol.features.strides import find_strides, sample_whole_clip
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.motion.channels import replace_rotations
from gambol.motion.cycles import find_cycle
from gambol.primitives.prototypes import prototypes_of
from gambol.stages.gait import find_gait_events
from tests.primitives.walking import walk


def test_strides_of_the_built_in_walk_last_as_long_and_lead_as_far_as_it_was_made() -> None:
    found = find_strides(samples.walk())
    assert [stride.period for stride in found] == pytest.approx([64 / 60] * len(found), abs=1e-6)
    prototypes = walk()
    per_second = 2.0 * np.pi * prototypes.layout.leg * prototypes.channels[0, :, FORWARD].mean() / (64 / 60)
    assert per_second == pytest.approx(1.35, abs=0.01)
    assert abs(prototypes.channels[0, :, TURN].mean()) < 1e-6
    assert abs(prototypes.channels[0, :, LEFT].mean()) < 2e-3


def test_the_left_foot_strikes_at_phase_0_and_the_right_half_a_turn_later() -> None:
    contacts = walk().contacts[0]
    for column, phase in ((0, 0), (2, 32)):
        down = contacts[:, column] > 0.5
        begins = np.flatnonzero(down & ~np.roll(down, 1))
        assert np.min(np.abs((begins - phase + 32) % 64 - 32)) <= 2


@pytest.mark.parametrize(("clip", "turn"), [("16_11", 1.0), ("16_13", -1.0), ("16_15", 0.0)])
def test_curved_walks_turn_the_way_they_are_called(data, clip: str, turn: float) -> None:
    folder = "walk" if turn == 0.0 else "turn"
    motion = load(data / "cmu_bvh" / folder / f"{clip}.bvh")
    found = find_strides(motion)
    turns = [2.0 * np.pi * stride.root[:, 3].mean() for stride in found]
    forward = [stride.root[:, 1].mean() for stride in found]
    assert np.sign(np.round(np.mean(turns), 1)) == turn
    assert min(forward) > 0.1


def test_a_stride_from_a_right_strike_is_closed_before_its_seam_moves_inside_it() -> None:
    clip = samples.walk()
    strikes = find_gait_events(clip).strikes
    first = strikes["right"][strikes["right"] > strikes["left"][0]][0]
    begin, end = (round(time / clip.frame_time) for time in (first - 0.1, first + 64 / 60 + 0.1))
    whole = clip[begin:end]
    # The trunk bends forward over the clip: the last pose differs from the first.
    local = _local(whole)
    spine = whole.rig.parts["spine"]
    lean = np.linspace(0.0, np.radians(20.0), len(whole))
    local[:, spine] = quat.multiply(quat.from_axis_angle((0.0, 1.0, 0.0), lean), local[:, spine])
    (stride,) = find_strides(replace_rotations(whole, local))
    steps = quat.angle(quat.multiply(quat.conjugate(stride.rotations[:-1]), stride.rotations[1:]))
    assert np.degrees(steps[:, spine].max()) < 3.0
    np.testing.assert_allclose(np.abs(np.sum(stride.rotations[0] * stride.rotations[-1], axis=1)), 1.0)


def test_walking_backward_leads_backward(data) -> None:
    found = find_strides(load(data / "cmu_bvh" / "backward_sideways" / "136_26.bvh"))
    assert len(found) >= 4
    assert max(stride.root[:, 1].mean() for stride in found) < -0.1


def test_a_stride_does_not_depend_on_where_and_whither_one_walks() -> None:
    clip = samples.walk()
    turned = replace_rotations(
        clip,
        np.concatenate((_turned(clip.placement.rotations[:, :1], 1.0), _local(clip)[:, 1:]), axis=1),
        _spun(clip.placement.positions[:, 0], 1.0) + [3.0, -2.0, 0.0],
    )
    for one, other in zip(find_strides(clip), find_strides(turned), strict=True):
        np.testing.assert_allclose(one.root, other.root, atol=1e-4)
        np.testing.assert_allclose(np.abs(np.sum(one.rotations * other.rotations, axis=-1)), 1.0, atol=1e-6)


def _local(clip):
    from gambol.motion.kinematics import local_frames

    return local_frames(clip.skeleton, clip.q).rotations


def _turned(rotations, angle):
    from gambol.geometry import quaternions as quat

    return quat.multiply(quat.from_axis_angle((0.0, 0.0, 1.0), np.full(rotations.shape[:2], angle)), rotations)


def _spun(places, angle):
    cos, sin = np.cos(angle), np.sin(angle)
    return places @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])


def test_channels_give_the_rotations_back() -> None:
    clip = samples.walk()
    found = find_strides(clip)
    layout = layout_of(clip, found)
    back = layout.rotations(layout.channels(found[0]))
    away = 1.0 - np.abs(np.sum(back * found[0].rotations, axis=-1))
    assert away[:, list(layout.joints)].max() < 1e-12
    assert len(layout.columns(M17_PARTS)) >= 3 * 13


def test_a_motion_from_channels_is_the_clip_again() -> None:
    clip = samples.walk()
    prototypes = walk()
    local = _local(clip)
    again = prototypes.layout.motion(local, clip.placement.positions[:, 0], clip.frame_time, "again")
    np.testing.assert_allclose(again.placement.positions, clip.placement.positions, atol=1e-9)


def test_a_stand_has_no_stride_and_another_rig_is_told(data) -> None:
    with pytest.raises(InputError, match="no whole stride"):
        find_strides(samples.stand())
    cmu = load(data / "cmu_bvh" / "walk" / "35_01.bvh")
    clip = samples.walk()
    with pytest.raises(InputError, match=r"rig differs.*gambol retarget"):
        prototypes_of(clip, {"walk": find_strides(clip), "cmu": find_strides(cmu)})
    shorter = replace(clip.skeleton, offsets=0.9 * clip.skeleton.offsets)
    child = replace(clip, skeleton=shorter)
    assert prototypes_of(clip, {"walk": find_strides(clip), "child": find_strides(child)}).names == ("walk", "child")


def test_a_whole_clip_goes_from_its_first_frame_to_its_last() -> None:
    clip = samples.jump()
    stride = sample_whole_clip(clip)
    assert stride.period == pytest.approx(clip.duration)
    np.testing.assert_allclose(np.abs(np.sum(stride.rotations[-1, 1:] * _local(clip)[-1, 1:], axis=-1)), 1.0, atol=1e-9)


def test_a_clip_of_one_cycle_has_one_stride() -> None:
    """Games keep a walk as one cycle, in which no foot strikes twice."""
    whole = samples.walk()
    cycle = find_cycle(whole)
    found = find_strides(whole[cycle.start + 20 : cycle.stop + 21])
    expected = find_strides(whole)[0]
    assert len(found) == 1
    assert found[0].period == pytest.approx(expected.period, rel=0.02)
    np.testing.assert_allclose(found[0].root[:, :2], expected.root[:, :2], atol=0.02)
