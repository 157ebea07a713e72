"""Supports of a sketch (L05 section 3.4): stages found or given, and contacts on the heel, flat, on the toes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.soles import find_soles
from gambol.contacts.contact import Contact
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.spacetime.rough import RoughMotion, make_rough_motion
from gambol.spacetime.sketch import Sketch, SupportSpec, parse_sketch, read_sketch
from gambol.spacetime.sketches import find
from gambol.spacetime.supports import (
    SupportSpan,
    find_support_stages,
    frame_spans,
    ground_heights,
    merge_stages,
    plan_clearances,
    plan_supports,
)

BOTH = ("left foot", "right foot")
HANDS = ("left hand", "right hand")
JUMP = [{"time": 0.8}, {"time": 1.0, "x": 0.5, "z": 0.25}, {"time": 1.2, "x": 1.0, "z": 0.0}]


def jump(*stages: dict[str, object], keys: object = JUMP) -> Sketch:
    return parse_sketch({"seconds": 2.0, "keys": keys, "stages": list(stages)}, "jump")


def planned(sketch: Sketch) -> tuple[RoughMotion, tuple[SupportSpan, ...], tuple[Contact, ...]]:
    rough = make_rough_motion(sketch)
    stages = sketch.stages or find_support_stages(rough.motion, rough.character)
    spans = frame_spans(stages, sketch.fps, len(rough.motion))
    return rough, spans, plan_supports(rough.motion, rough.character, spans)


def of_body(holds: tuple[Contact, ...], body: str) -> list[Contact]:
    return [hold for hold in holds if hold.body == body]


def about_the_hands(lean: Array, place: tuple[float, float, float]) -> tuple[RoughMotion, Motion]:
    """A straight body with raised arms that turns (rad) about the middle of its palms, which stay in place."""
    keys = [
        {"time": 0.0, "lean": float(np.degrees(lean[0])), "upper_arm": [175, 5, 0], "forearm": 5, "thigh": 0},
        {"time": (len(lean) - 1) / 30.0, "lean": float(np.degrees(lean[-1]))},
    ]
    rough = make_rough_motion(parse_sketch({"seconds": (len(lean) - 1) / 30.0, "keys": keys}, "turn"))
    palms = find_soles(rough.character)
    placed, skeleton = rough.motion.placement, rough.character.skeleton
    middle = np.mean(
        [
            placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], palms[words].middle)
            for words in HANDS
            for joint in [skeleton.index(palms[words].body)]
        ],
        axis=0,
    )
    q = rough.motion.q.copy()
    q[:, skeleton.columns(0, "slide")] += np.array(place) - middle
    return rough, replace(rough.motion, q=q)


def fly_on(motion: Motion, frames: int) -> Motion:
    """The motion continued at its last velocity, falling."""
    steps = np.arange(1, frames + 1)[:, None]
    q = motion.q[-1] + steps * (motion.q[-1] - motion.q[-2])
    q[:, motion.skeleton.columns(0, "slide")[2]] -= 0.5 * 9.81 * (steps[:, 0] * motion.frame_time) ** 2
    return replace(motion, q=np.vstack([motion.q, q]))


class TestStages:
    def test_stages_found_in_a_broad_jump(self) -> None:
        rough = make_rough_motion(read_sketch(find("broad_jump")))
        found = find_support_stages(rough.motion, rough.character)
        assert [stage.on for stage in found] == [BOTH, (), BOTH]
        assert [stage.until for stage in found] == pytest.approx([0.8, 1.27, 2.0], abs=0.05)
        assert not any(stage.slide for stage in found)

    def test_a_foot_that_glides_is_found_to_slide(self) -> None:
        keys = [
            {"time": 0.0, "x": 0.0},
            {"time": 0.8, "x": 2.0, "z": 0.0},
            {"time": 1.0, "z": 0.3},
            {"time": 1.2, "z": 0.0},
            {"time": 2.0, "x": 5.0},
        ]
        rough = make_rough_motion(parse_sketch({"seconds": 2.0, "keys": keys}, "glide"))
        found = find_support_stages(rough.motion, rough.character)
        assert [(stage.on, stage.slide) for stage in found] == [(BOTH, True), ((), False), (BOTH, True)]
        assert [stage.until for stage in found] == pytest.approx([0.8, 1.2, 2.0], abs=0.05)

    def test_a_foot_that_glides_along_a_curve_is_found_to_slide_and_not_solved(self) -> None:
        rough = make_rough_motion(parse_sketch({"seconds": 2.0, "keys": [{"time": 0.0}, {"time": 2.0, "x": 1.0}]}, "a"))
        q, share = rough.motion.q.copy(), np.linspace(0.0, 1.0, len(rough.motion))
        q[:, 0], q[:, 1] = 2.0 * np.sin(1.5 * share), 2.0 - 2.0 * np.cos(1.5 * share)
        curved = replace(rough.motion, q=q)
        found = find_support_stages(curved, rough.character)
        assert [(stage.on, stage.slide) for stage in found] == [(BOTH, True)]
        with pytest.raises(InputError, match="slides along a curve"):
            plan_supports(curved, rough.character, frame_spans(found, 30.0, len(curved)))

    def test_hands_on_a_bar_are_found_until_they_let_go(self) -> None:
        rough, swing = about_the_hands(np.radians(np.linspace(80.0, -60.0, 31)), place=(0.3, 0.0, 2.6))
        found = find_support_stages(fly_on(swing, 12), rough.character)
        assert [(stage.on, stage.bar) for stage in found] == [(HANDS, True), ((), False)]
        assert found[0].until == pytest.approx(1.0, abs=0.05)
        assert found[0].height == pytest.approx(2.6, abs=0.01)
        held = plan_supports(swing, rough.character, frame_spans(found[:1], 30.0, len(swing)))
        assert all(hold.grip for hold in held)

    @pytest.mark.parametrize("height", [0.0, 0.2])
    def test_hands_that_carry_a_body_upside_down_are_found_on_the_floor_and_on_a_step(self, height: float) -> None:
        rough, over = about_the_hands(np.radians(np.linspace(150.0, 210.0, 13)), place=(0.3, 0.0, height))
        found = find_support_stages(fly_on(over, 12), rough.character)
        assert [(stage.on, stage.bar) for stage in found] == [(HANDS, False), ((), False)]
        assert found[0].until == pytest.approx(0.4, abs=0.05)
        assert found[0].height == pytest.approx(height, abs=0.02)

    def test_hands_of_a_body_that_stands_still_do_not_carry_it(self) -> None:
        rough = make_rough_motion(parse_sketch({"seconds": 1.0, "keys": [{"time": 0.0}]}, "stand"))
        assert [stage.on for stage in find_support_stages(rough.motion, rough.character)] == [BOTH]

    def test_every_frame_is_in_one_stage_and_feet_touch_until_the_time_that_is_written(self) -> None:
        stages = (SupportSpec(0.8, BOTH), SupportSpec(1.2, ()), SupportSpec(2.0, BOTH))
        spans = frame_spans(stages, 30.0, 61)
        assert [(span.first, span.last) for span in spans] == [(0, 24), (25, 35), (36, 60)]
        assert [span.air for span in spans] == [False, True, False]
        assert [(s.kind, s.first, s.last, s.name) for s in merge_stages(spans)] == [
            ("ground", 0, 24, "ground 1"),
            ("flight", 25, 35, "flight 1"),
            ("ground", 36, 60, "ground 2"),
        ]

    def test_feet_that_change_are_one_ground(self) -> None:
        spans = frame_spans((SupportSpec(0.5, BOTH), SupportSpec(1.0, BOTH[:1])), 30.0, 31)
        assert [(stage.first, stage.last) for stage in merge_stages(spans)] == [(0, 30)]

    def test_the_ground_changes_its_height_in_the_middle_of_a_flight(self) -> None:
        spans = frame_spans((SupportSpec(0.5, BOTH, 0.0), SupportSpec(1.1, ()), SupportSpec(2.0, BOTH, -0.3)), 10.0, 21)
        heights = ground_heights(spans)
        assert heights[:6] == pytest.approx(0.0)
        assert heights[11:] == pytest.approx(-0.3)
        assert np.flatnonzero(np.diff(heights)).tolist() == [7]


class TestHolds:
    @pytest.fixture
    def made(self) -> tuple[RoughMotion, tuple[SupportSpan, ...], tuple[Contact, ...]]:
        stages = ({"touch": "feet", "until": 0.8}, {"touch": "air", "until": 1.2}, {"touch": "feet", "until": 2.0})
        return planned(jump(*stages))

    def test_a_sole_is_flat_until_its_heel_lifts_and_lands_heel_first(self, made) -> None:
        rough, _, holds = made
        sole = find_soles(rough.character)["left foot"]
        feet = of_body(holds, "left_foot")
        assert [len(hold.points) for hold in feet] == [4, 2, 2, 4]
        assert [(hold.first, hold.last) for hold in feet] == [(0, 20), (21, 24), (36, 37), (38, 60)]
        np.testing.assert_array_equal(feet[1].points, sole.front)
        np.testing.assert_array_equal(feet[2].points, sole.back)

    @pytest.mark.parametrize(("landing", "count"), [("ball", [4, 2, 2, 4]), ("flat", [4, 2, 4])])
    def test_other_landings(self, landing: str, count: list[int]) -> None:
        rough, _, holds = planned(
            jump(
                {"touch": "feet", "until": 0.8},
                {"touch": "air", "until": 1.2},
                {"touch": "feet", "until": 2.0, "landing": landing},
            )
        )
        feet = of_body(holds, "right_foot")
        assert [len(hold.points) for hold in feet] == count
        if landing == "ball":
            np.testing.assert_array_equal(feet[2].points, find_soles(rough.character)["right foot"].front)

    def test_places_are_flat_of_the_soles_size_and_where_the_rough_motion_has_the_feet(self, made) -> None:
        rough, _, holds = made
        for hold in holds:
            assert np.abs(hold.places[:, 2]).max() < 1e-12
            np.testing.assert_allclose(_lengths(hold.places), _lengths(hold.points), atol=1e-12)
        first, last = of_body(holds, "left_foot")[0], of_body(holds, "left_foot")[-1]
        np.testing.assert_allclose(last.places - first.places, np.tile([1.0, 0.0, 0.0], (4, 1)), atol=1e-9)
        assert first.places[:, 1].min() > 0.0, "the left foot is on the left"
        side = find_soles(rough.character)["left foot"]
        across = first.places[2] - first.places[0]
        assert across @ [0.0, 1.0, 0.0] == pytest.approx((side.corners[2] - side.corners[0])[1], rel=1e-4)

    def test_feet_turn_with_the_body_and_stand_at_the_given_height(self) -> None:
        keys = [{"time": 0.8, "turn": 0}, {"time": 1.0, "z": 0.3}, {"time": 1.2, "z": 0.2, "turn": 90}]
        stages = (
            {"touch": "feet", "until": 0.8},
            {"touch": "air", "until": 1.2},
            {"touch": "feet", "until": 2.0, "height": 0.2},
        )
        _, _, holds = planned(jump(*stages, keys=keys))
        before, after = of_body(holds, "left_foot")[0], of_body(holds, "left_foot")[-1]
        np.testing.assert_allclose(before.axes[0], [1.0, 0.0, 0.0], atol=5e-3)
        np.testing.assert_allclose(after.axes[0], [0.0, 1.0, 0.0], atol=5e-3)
        assert after.places[:, 2] == pytest.approx(0.2)

    def test_a_skate_is_found_to_slide_the_way_it_goes_and_the_free_leg_to_be_free(self) -> None:
        _, spans, holds = planned(read_sketch(find("skating")))
        assert [span.spec.on for span in spans] == [("left foot",), (), ("left foot",)]
        assert [(hold.body, hold.first, hold.last) for hold in holds] == [
            ("left_foot", 0, spans[0].last),
            ("left_foot", spans[2].first, spans[2].last),
        ]
        for hold in holds:
            assert hold.slide is not None
            np.testing.assert_allclose(hold.slide, [1.0, 0.0, 0.0], atol=1e-6)

    def test_a_bar_is_gripped_at_its_height_by_both_hands_in_line(self) -> None:
        _, _, holds = planned(read_sketch(find("high_bar")))
        hands = [hold for hold in holds if hold.grip]
        assert {hold.body for hold in hands} == {"left_hand", "right_hand"}
        left, right = (of_body(tuple(hands), f"{side}_hand")[0].places[0] for side in ("left", "right"))
        assert left[2] == right[2] == pytest.approx(2.6)
        assert left[0] == pytest.approx(right[0], abs=1e-9)
        assert left[1] > right[1]

    def test_hands_that_carry_a_body_upside_down_point_where_it_goes(self) -> None:
        _, spans, holds = planned(read_sketch(find("handspring")))
        hand = of_body(holds, "left_hand")[0]
        assert hand.axes[0] @ [1.0, 0.0, 0.0] > 0.99
        assert hand.places[:, 2] == pytest.approx(0.2)
        assert (hand.first, hand.last) == (spans[2].first, spans[2].last)

    def test_hands_that_hang_straight_are_laid_where_the_body_goes_too(self) -> None:
        keys = [{"time": 0.0, "lean": 180, "upper_arm": [180, 0, 0], "forearm": 0, "z": 1.0}]
        _, _, holds = planned(jump({"touch": "hands", "until": 2.0}, keys=keys))
        assert of_body(holds, "right_hand")[0].axes[0] @ [1.0, 0.0, 0.0] > 0.99

    def test_points_without_contact_are_kept_above_the_ground(self, made) -> None:
        rough, spans, holds = made
        terms = [term for term in plan_clearances(rough.character, spans, holds) if term.body == "left_foot"]
        sole = find_soles(rough.character)["left foot"]
        heel, toes = (next(t for t in terms if np.allclose(t.point, p.mean(axis=0))) for p in (sole.back, sole.front))
        assert toes.frames.tolist() == [*range(25, 38)], "toes are free in the air and while the heel lands"
        assert heel.frames.tolist() == [*range(21, 36)], "the heel from when it lifts"


def _lengths(points: Array) -> Array:
    return np.linalg.norm(points[:, None] - points[None], axis=-1)
