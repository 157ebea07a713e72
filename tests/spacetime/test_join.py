"""One clip that runs into another: where, how smoothly, and what stays as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol import load
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.io import samples, save
from gambol.motion.skeleton import Dof
from gambol.spacetime.join import BLEND, FARTHEST, join, join_motions
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import find_foot_points, track_point
from gambol.stages.flight import drop_supported_flights, find_stages


@pytest.fixture(scope="module")
def jump():
    return load(samples.file("jump"))


@pytest.fixture(scope="module")
def twice(jump):
    return join_motions(jump, jump)


def _flights(motion):
    stages = drop_supported_flights(motion, find_stages(find_foot_contacts(motion)))
    return [stage for stage in stages if stage.kind == "flight" and len(stage) * motion.frame_time > 0.15]


def _turned(motion, angle, shift):
    """The motion elsewhere, facing elsewhere, with angles a whole turn up."""
    skeleton, placed = motion.skeleton, motion.placement
    turn = quat.from_axis_angle((0.0, 0.0, 1.0), np.array(angle))
    slides, turns = skeleton.columns(0, "slide"), skeleton.columns(0, "turn")
    axes = {c: np.array(skeleton.dofs[c].axis) for c in slides + turns}
    q = motion.q.copy()
    for c in slides:
        q[:, c] = (quat.rotate(turn, placed.positions[:, 0]) + shift - skeleton.offsets[0]) @ axes[c]
    own = quat.multiply(quat.conjugate(skeleton.rests[0]), quat.multiply(turn, placed.rotations[:, 0]))
    q[:, turns] = angles_about([axes[c] for c in turns], own)
    for column, dof in enumerate(skeleton.dofs):
        if dof.kind == "turn" and column % 2:
            q[:, column] += 2.0 * np.pi
    return replace(motion, q=q)


def test_two_jumps_become_one_clip(jump, twice):
    assert len(_flights(jump)) == 1
    first, second = _flights(twice.motion)
    assert first.last < twice.leave < second.first


def test_the_body_does_not_stand_up_between(jump, twice):
    first, second = _flights(twice.motion)
    heights = twice.motion.placement.positions[:, 0, 2]
    standing = jump.placement.positions[0, 0, 2]
    settled = round(0.1 / jump.frame_time)
    assert heights[first.last + settled : second.first - settled].max() < standing - 0.05


def test_the_rest_stays_as_it_was(jump, twice):
    reach, q = twice.half_blend, twice.motion.q
    assert 2 * reach * jump.frame_time == pytest.approx(BLEND, abs=2.0 * jump.frame_time)
    assert np.array_equal(q[: twice.leave - reach + 1], jump.q[: twice.leave - reach + 1])
    after, own = q[twice.leave + reach :], jump.q[twice.enter + reach :]
    others = [c for c, dof in enumerate(jump.skeleton.dofs) if dof.joint != 0]
    assert np.array_equal(after[:, others], own[:, others])
    there = twice.motion.placement.positions[twice.leave + reach :]
    here = jump.placement.positions[twice.enter + reach :]
    height = there[..., 2] - here[..., 2]
    assert np.ptp(height) < 1e-9
    apart = [np.linalg.norm(x[:, 0] - x[-1, 0], axis=1) for x in (there, here)]
    assert np.allclose(*apart, atol=1e-9)


def test_feet_hardly_slide_over_the_seam(jump, twice):
    around = slice(twice.leave - twice.half_blend, twice.leave + twice.half_blend + 1)
    for point in find_foot_points(jump):
        if point.name.endswith("ball"):
            assert np.ptp(track_point(twice.motion, point)[around, :2], axis=0).max() < 0.04


def test_the_seam_is_about_as_smooth_as_the_clip(jump, twice):
    around = slice(twice.leave - twice.half_blend - 2, twice.leave + twice.half_blend + 3)
    own, seam = (
        np.linalg.norm(np.diff(p, 2, axis=0), axis=2).max()
        for p in (jump.placement.positions, twice.motion.placement.positions[around])
    )
    assert seam < 2.0 * own
    assert np.abs(np.diff(twice.motion.q[around], axis=0)).max() < 0.5


def test_place_heading_and_whole_turns_of_the_second_do_not_matter(jump, twice):
    other = join_motions(jump, _turned(jump, 2.4, np.array([3.0, -1.0, 0.0])))
    assert (other.leave, other.enter) == (twice.leave, twice.enter)
    assert np.allclose(other.motion.placement.positions, twice.motion.placement.positions, atol=1e-6)
    assert np.abs(other.motion.q - twice.motion.q).max() < 1e-5


def test_another_rate_is_resampled(jump, twice):
    other = join_motions(jump, jump[::2])
    assert other.motion.frame_time == jump.frame_time
    assert abs(other.enter - twice.enter) <= 3
    assert len(_flights(other.motion)) == 2


def test_told_where(jump, twice):
    told = join_motions(jump, jump, leave=twice.leave * jump.frame_time, enter=0.5)
    assert told.leave == twice.leave
    assert told.enter == round(0.5 / jump.frame_time)
    assert told.motion.made["verb"] == "join"
    assert "from 0.50 s" in told.motion.notes[-1]
    with pytest.raises(InputError, match="99 s is outside the clip"):
        join_motions(jump, jump, leave=99.0)
    with pytest.raises(InputError, match="no frames to blend"):
        join_motions(jump, jump, leave=jump.duration)


def test_clips_without_flights_are_joined():
    walk = load(samples.file("walk"))
    both = join_motions(walk, walk)
    assert both.leave >= len(walk) // 2 >= both.enter
    assert both.distance < 0.1


def test_other_rigs_are_refused(jump):
    skeleton = jump.skeleton
    longer = replace(skeleton, offsets=skeleton.offsets * 1.05)
    renamed = replace(skeleton, names=("other", *skeleton.names[1:]))
    flipped = replace(skeleton, dofs=(*skeleton.dofs[:-1], Dof(skeleton.dofs[-1].joint, "turn", (0.6, 0.8, 0.0))))
    for other in (longer, renamed, flipped):
        with pytest.raises(InputError, match="retarget one onto the other first"):
            join_motions(jump, replace(jump, skeleton=other))


def test_animations_of_one_gltf_file_are_joined(tmp_path):
    """A joint that turns about other axes and a joint that slides in one animation only are no other rig."""
    save(load("walk"), tmp_path / "hero.glb")
    walk = load(tmp_path / "hero.glb")
    forearm = walk.skeleton.columns(walk.rig.parts["left_forearm"], "turn")
    q = walk.q.copy()
    q[:, forearm] = [0.3, 1.5, -0.4]
    other = replace(walk, q=q, name="other", origin=replace(walk.origin, animation=""))
    save(other, tmp_path / "both.glb", onto=tmp_path / "hero.glb")
    first, second = (load(tmp_path / "both.glb", animation=name) for name in (walk.origin.animation, "other"))
    assert first.skeleton.dofs != second.skeleton.dofs
    found = join_motions(first, second)
    leave, enter, half = found.leave, found.enter, found.half_blend
    joined, before = found.motion.placement.positions, first.placement.positions
    np.testing.assert_allclose(joined[: leave - half], before[: leave - half], atol=1e-9)
    apart = [
        np.linalg.norm(np.diff(positions, axis=1), axis=2)
        for positions in (joined[leave + half + 1 :], second.placement.positions[enter + half + 1 :])
    ]
    np.testing.assert_allclose(apart[0], apart[1], atol=1e-9)


@pytest.mark.parametrize(("first", "second"), [("13_11", "13_13"), ("13_13", "13_11"), ("13_11", "13_11")])
def test_recorded_jumps(data, first, second):
    folder = data / "cmu_bvh" / "jump_hop_leap"
    a, b = (load(folder / f"{name}.bvh") for name in (first, second))
    both = join_motions(a, b)
    assert len(_flights(both.motion)) == 2
    assert both.slide < 0.04
    landed, off = _flights(both.motion)[0].last, _flights(both.motion)[1].first
    assert (off - landed) * a.frame_time < 0.6
    assert abs(both.motion.placement.positions[-1, 0, 2] - b.placement.positions[-1, 0, 2]) < 0.01


def test_of_seams_alike_that_which_keeps_most_frames_is_taken_wherever_the_clip_stands() -> None:
    """The cycles of the built-in walk are equal: rounding, which grows with the distance, would choose."""
    walk = samples.walk()
    seams = []
    for shift in (0.0, 10.0, 1e4, -3e4):
        clip = _turned(walk, 0.0, (shift, 0.0, 0.0))
        found = join_motions(clip, clip)
        seams.append((found.leave, found.enter))
    assert len(set(seams)) == 1
    assert seams[0][0] - seams[0][1] > 0.4 * len(walk)


def test_where_the_body_is_low_is_given_up_for_a_seam_that_a_person_can_bridge(jump, twice) -> None:
    assert twice.distance > FARTHEST
    found = join("jump", "walk")
    assert found.figures["distance_m"] < 0.1
    assert found.notes[-1] == "with the body low at the seam, joints would be 27 cm apart"
    assert len(_flights(join(jump, jump).motion)) == 2


def test_clips_that_nowhere_come_near_are_refused(jump) -> None:
    twisted = replace(
        jump, q=jump.q + 2.0 * np.array([dof.kind == "turn" and dof.joint > 0 for dof in jump.skeleton.dofs])
    )
    with pytest.raises(InputError, match=r"no moments are nearer than .* join both to a clip in between"):
        join(jump, twisted)
