"""Contact plans of motions with known contacts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.contacts.contact import BodyPoint, touch
from gambol.contacts.timeline import Floor, mark_frames
from gambol.contacts.views import list_constraints
from gambol.fit.contacts import _divide_contact, _fill_edges, detect_contacts, find_contact_points, fit_floor
from gambol.fit.load import load
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import find_runs
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.artefacts import remove_artefacts
from gambol_evidence.reproduce.fix.damages import add_noise_and_drift


def moved(motion: Motion, way: np.ndarray) -> Motion:
    """The motion with offsets (frames, 3) added to the root."""
    q = motion.q.copy()
    for column in motion.skeleton.columns(0, "slide"):
        q[:, column] += way @ np.array(motion.skeleton.dofs[column].axis)
    return replace(motion, q=q)


def fitted(motion: Motion) -> Fit:
    return fit(Character.from_motion(motion), motion)


@pytest.fixture(scope="module")
def walk() -> Fit:
    return fitted(samples.walk())


@pytest.mark.parametrize("degrees", [0.0, 45.0, 137.0])
@pytest.mark.parametrize(("metres", "fixed"), [(0.10, True), (0.12, False)])
def test_feet_that_travel_far_are_not_at_one_place(degrees: float, metres: float, fixed: bool) -> None:
    """They slide at 0.2 m/s; nine tenths of the way count, whatever its direction."""
    frames = 1 + round(metres / 0.2 / samples.stand().frame_time)
    way = np.linspace(0.0, metres, frames)[:, None] * [np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0]
    found = detect_contacts(fitted(moved(samples.stand()[:frames], way))).items
    assert {contact.fixed for contact in found} == {fixed}


def test_feet_of_a_walk_take_turns_on_one_floor(walk: Fit) -> None:
    found = detect_contacts(walk)
    assert not found.flight.any()
    assert not found.unseen.any()
    left = [r for r in found.items if r.fixed and r.part == "left_ball"]
    right = [r for r in found.items if r.fixed and r.part == "right_ball"]
    assert len(left) == 4
    ways = sorted((r.place[0], r.part) for r in left + right)
    assert all(a[1] != b[1] for a, b in pairwise(ways))
    heights = [r.place[2] for r in found.items]
    assert max(heights) - min(heights) < 0.005


def test_a_flat_foot_lies_on_a_line_of_its_own_length(walk: Fit) -> None:
    points = {p.name: p for p in find_contact_points(walk)}
    length = float(np.linalg.norm(points["left_ball"].point - points["left_heel"].point))
    lines = [
        hold for hold in list_constraints(detect_contacts(walk)) if hold.body == "left_foot" and len(hold.points) == 2
    ]
    assert len(lines) >= 4
    for hold in lines:
        assert np.linalg.norm(hold.places[1] - hold.places[0]) == pytest.approx(length, abs=1e-9)


def test_fixed_points_are_those_the_rig_turns_about(walk: Fit) -> None:
    """The rig's toe joint stays in the whole stance; a point two centimetres below it would roll by a centimetre."""
    from gambol.stages.feet import track_point

    points = {point.name: point for point in find_contact_points(walk)}
    for rest in detect_contacts(walk).items:
        if rest.fixed and rest.part.endswith("ball"):
            assert (
                np.linalg.norm(track_point(walk.motion, points[rest.part])[rest.frames] - rest.place, axis=1).max()
                < 0.007
            )


def test_a_jump_has_one_flight_and_a_run_has_one_per_step() -> None:
    jump = samples.jump()
    found = detect_contacts(fitted(jump))
    ((first, last),) = find_runs(found.flight)
    assert (last - first + 1) * jump.frame_time == pytest.approx(0.45, abs=0.07)
    assert not found.unseen.any()
    run = detect_contacts(fitted(samples.run()))
    assert len(list(find_runs(run.flight))) == 8


def test_skating_feet_carry_force_but_are_not_fixed_and_drifting_feet_are() -> None:
    stand = samples.stand()
    skating = detect_contacts(fitted(moved(stand, stand.times[:, None] * (0.25, 0.0, 0.0))))
    assert not list_constraints(skating)
    assert not skating.unseen.any()
    pushed = np.zeros(len(stand), dtype=bool)
    for push in skating.items:
        pushed[push.first : push.last + 1] = True
    assert pushed.all()
    drifting = detect_contacts(fitted(moved(stand, stand.times[:, None] * (0.02, 0.0, 0.0))))
    assert {hold.body for hold in list_constraints(drifting)} == {"left_foot", "right_foot"}
    assert all(rest.fixed for rest in drifting.items)


def test_a_body_that_lands_on_a_box_stands_at_the_height_of_the_box() -> None:
    jump = samples.jump()
    ((first, last),) = find_runs(detect_contacts(fitted(jump)).flight)
    rise = 0.3 * np.clip((np.arange(len(jump)) - first) / (last + 1 - first), 0.0, 1.0)
    found = detect_contacts(fitted(moved(jump, np.stack((0 * rise, 0 * rise, rise), axis=1))))
    ends = [[r.place[2] for r in found.items if r.fixed and (r.last < first) == early] for early in (True, False)]
    assert np.mean(ends[1]) - np.mean(ends[0]) == pytest.approx(0.3, abs=0.02)
    assert found.flight.any()


def test_a_tilted_floor_is_found() -> None:
    point = BodyPoint("left_ball", "left_foot", np.zeros(3))
    rests = [touch(point, np.array([n, 0.3 * (n % 2), 0.02 + 0.01 * n]), n, n) for n in range(6)]
    floor = fit_floor(rests)
    assert floor.slope[0] == pytest.approx(0.01, abs=0.001)
    assert floor.at(np.array([2.0, 0.0])) == pytest.approx(0.04, abs=0.003)
    box = touch(point, np.array([2.0, 0.0, 0.5]), 9, 9)
    assert fit_floor([*rests, box]).at(np.array([2.0, 0.0])) == pytest.approx(0.04, abs=0.01)
    assert fit_floor([]) == Floor(0.0)


def test_hands_carry_a_cartwheel(data) -> None:
    clip = load(data / "cmu_bvh" / "acrobatics" / "49_06.bvh")
    found = detect_contacts(fitted(clip))
    assert {"left_hand", "right_hand"} <= {push.body for push in found.items}
    assert not found.flight.any()
    assert not found.unseen.any()


def share_of_stance(walk: Fit, other: Fit) -> float:
    """Of the frames in which a foot carries in either clip, those in which it does in both; the worse foot."""
    shares = []
    for side in ("left", "right"):
        masks = np.zeros((2, len(walk.motion)), dtype=bool)
        for mask, clip in zip(masks, (walk, other), strict=True):
            for rest in detect_contacts(clip).items:
                mask[rest.frames] |= rest.body == f"{side}_foot"
        shares.append((masks[0] & masks[1]).sum() / (masks[0] | masks[1]).sum())
    return min(shares)


def test_stances_are_found_in_a_walk_with_two_degrees_of_noise_at_every_joint(walk: Fit) -> None:
    clip = walk.source
    noise = np.radians(2.0) * np.random.default_rng(2).standard_normal(clip.q.shape)
    noise[:, clip.skeleton.columns(0, "slide")] = 0.0
    other = fitted(remove_artefacts(replace(clip, q=clip.q + noise)).motion)
    assert not detect_contacts(other).unseen.any()
    assert share_of_stance(walk, other) > 0.85


def test_stances_are_found_where_the_whole_body_trembles(walk: Fit) -> None:
    """A centimetre at 8 Hz: no foot is ever still."""
    turn = 2.0 * np.pi * 8.0 * walk.motion.times
    trembling = 0.01 * np.stack((np.sin(turn), np.cos(turn), 0.0 * turn), axis=1)
    assert share_of_stance(walk, fitted(moved(walk.source, trembling))) > 0.9


@pytest.mark.parametrize("name", ["styled_walk/104_28", "jump_hop_leap/13_13"])
def test_a_foot_that_stands_as_a_noisy_clip_begins_stands_from_its_first_frame(data: Path, name: str) -> None:
    clip = load(data / f"cmu_bvh/{name}.bvh")[:360]
    noise = np.array([0.02 if dof.kind == "turn" else 0.005 for dof in clip.skeleton.dofs])
    random = np.random.default_rng(3)
    noisy = replace(clip, q=clip.q + noise * random.standard_normal(clip.q.shape))
    found = detect_contacts(fitted(remove_artefacts(noisy).motion)).items
    for one in (rest for rest in detect_contacts(fitted(clip)).items if rest.first == 0 and rest.last > 30):
        assert min(other.first for other in found if other.body == one.body) == 0


@pytest.mark.parametrize(
    ("edge", "rests", "filled"),
    [
        (2, "..###..#...", "#####..#..."),
        (2, ".#.#....#..", "##.#....###"),
        (2, "...#...#...", "...#...#..."),
        (0, "..###..##..", "..###..##.."),
        (2, "...........", "..........."),
        (4, "...#####...", "###########"),
    ],
)
def test_a_point_that_rests_near_an_end_rests_there(edge: int, rests: str, filled: str) -> None:
    found = _fill_edges(np.array([one == "#" for one in rests]), edge)
    assert "".join(".#"[one] for one in found.astype(int)) == filled


@pytest.mark.parametrize("name", ["backward_sideways/76_11", "walk/16_31", "carry_push_objects/123_01"])
def test_feet_that_drift_and_jitter_stand_at_one_place(data: Path, name: str) -> None:
    """Fixed would be 52 to 81 % of the frames if a foot had to be slow from frame to frame."""
    clip = load(data / f"cmu_bvh/{name}.bvh")[::2][:300]
    unsteady = remove_artefacts(add_noise_and_drift(clip, np.random.default_rng(5))).motion
    before, after = (
        np.concatenate(
            [
                mark_frames(
                    [one for one in detect_contacts(fitted(motion)).items if one.fixed and one.body == foot], len(clip)
                )
                for foot in ("left_foot", "right_foot")
            ]
        )
        for motion in (clip, unsteady)
    )
    assert np.sum(before & after) > 0.85 * np.sum(before)


def _find_fixed(track: np.ndarray, frame_time: float) -> np.ndarray:
    """Whether a ball that touches the ground in all frames is fixed (frames,)."""
    point = BodyPoint("left_ball", "left_foot", np.zeros(3))
    tracks = {"left_ball": track, "left_heel": track - [0.2, 0.0, 0.0]}
    found = _divide_contact(point, tracks, np.zeros(len(track)), 0, len(track) - 1, frame_time)
    return mark_frames([one for one in found if one.fixed], len(track))


def test_a_foot_that_goes_slowly_to_and_fro_is_fixed_though_it_trembles() -> None:
    """At 0.05 m/s for 3 s and back, with 5 mm at 10 Hz, which is 0.3 m/s."""
    times = np.arange(600) / 100.0
    away = 0.15 - 0.05 * np.abs(times - 3.0) + 0.005 * np.sin(2.0 * np.pi * 10.0 * times)
    assert _find_fixed(np.stack((away, 0.0 * times, 0.0 * times), axis=1), 0.01).mean() > 0.95


def test_a_foot_that_rises_steadily_is_fixed_only_while_it_is_low() -> None:
    """It drifts over the ground, and rises by 5 cm: the first is taken out, the second is a lift."""
    times = np.arange(80) / 100.0
    fixed = _find_fixed(np.stack((0.1 * times, 0.0 * times, 0.06 * times), axis=1), 0.01)
    assert fixed[:50].all()
    assert not fixed[65:].any()
