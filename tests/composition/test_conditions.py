"""Conditions hold in solved scenes: people meet, keep away, arrive, carry and stay out of each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.composition.blocks import Block, BlockProblem, Cast, Take, solve_block, solve_problem
from gambol.composition.carrying import Carry
from gambol.composition.cast import make_cast
from gambol.composition.clearance import find_intersections, make_spheres, measure_depth
from gambol.composition.composition import Composition
from gambol.composition.conditions import TOUCH, Avoid, BodyPart, Condition, Hold, Meet, Reach, Tackle
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.progress import silent
from gambol.terms.foothold import FootholdChange
from tests.composition.scenes import ANNA, BEN, HANDS

PELVIS = {name: BodyPart(name, "pelvis", 0.0) for name in ("anna", "ben")}
CHEST = {name: BodyPart(name, "chest") for name in ("anna", "ben")}
FACING = replace(BEN, at=(2.6, 0.0), heading=180.0)


def _cast(*conditions: Condition, other=BEN, duration: float | None = None) -> Cast:
    return make_cast(Composition("test", (ANNA, other), conditions, duration=duration))[0]


def _solve(cast: Cast, block: Block | None = None) -> BlockProblem:
    """Solve a block of a scene, and return the whole scene afterwards."""
    found = solve_block(cast, cast.draft(), block or cast.whole)
    assert found.solution.converged
    return BlockProblem(cast, found.take, cast.whole)


@pytest.mark.parametrize("people", [("anna", "ben"), ("anna",)], ids=["both", "one of them"])
def test_people_meet_at_a_distance_and_a_speed(people: tuple[str, ...]) -> None:
    cast = _cast(Meet(CHEST["anna"], CHEST["ben"], 1.0, 0.5, 2.0), other=FACING, duration=1.1)
    scene = _solve(cast, Block(people, 0, cast.frames - 1))
    apart = scene.track(CHEST["anna"])[30] - scene.track(CHEST["ben"])[30]
    assert np.linalg.norm(apart) == pytest.approx(0.5, abs=1e-6)
    assert apart[2] == pytest.approx(0.0, abs=1e-6)
    centers = [Dynamics(role.draft.character).center_of_mass(scene.take.tracks[n].q) for n, role in cast.roles.items()]
    gaps = np.linalg.norm((centers[1] - centers[0])[29:31, :2], axis=1)
    assert (gaps[0] - gaps[1]) / cast.frame_time > 1.95


def test_somebody_keeps_away_between_two_times() -> None:
    apart = Avoid(PELVIS["ben"], PELVIS["anna"], 0.6, 1.2, 0.55)
    cast = _cast(apart, other=replace(FACING, at=(2.6, 0.1)), duration=1.3)
    scene = _solve(cast, Block(("ben",), 0, cast.frames - 1))
    across = (scene.track(PELVIS["ben"]) - scene.track(PELVIS["anna"]))[18:37, 1]
    assert across.min() > 0.5  # the ways of both are along x, and he begins to the left of her way
    draft = BlockProblem(cast, cast.draft(), cast.whole)
    assert np.abs(draft.track(PELVIS["ben"]) - draft.track(PELVIS["anna"]))[18:37, 1].max() < 0.3


def test_a_goal_of_somebody_is_left_out_of_blocks_without_them() -> None:
    goal = Avoid(PELVIS["ben"], PELVIS["anna"], 0.6, 1.2, 0.55, goal_of="ben")
    cast = _cast(goal, other=FACING)
    for people, goals, expected in ((("ben",), True, True), (("anna",), True, False), (("ben",), False, False)):
        block = Block(people, 0, cast.frames - 1, goals=goals)
        names = set(BlockProblem(cast, cast.draft(), block).problem.constraint_names)
        assert ("ben avoids anna" in names) == expected


def test_somebody_arrives_at_a_place() -> None:
    goal = Reach(PELVIS["anna"], (1.9, 0.25), 1.5)
    cast = _cast(goal)
    scene = _solve(cast, Block(("anna",), 0, cast.frames - 1))
    np.testing.assert_allclose(scene.track(PELVIS["anna"])[45, :2], (1.9, 0.25), atol=1e-6)


def test_a_load_is_carried_by_the_hands() -> None:
    """The sum of the forces of all hands is the weight and the inertia of the load; its sides stay in the hands."""
    carry = Carry(("anna", "ben"), 20.0, (1.5, 0.5, 0.2))
    cast = _cast(carry, other=replace(BEN, at=(-1.7, 0.0), delay=0.0), duration=0.9)
    made = BlockProblem(cast, cast.draft(), cast.whole)
    found = solve_problem(made)
    assert found.solution.converged
    grasps = made.share(carry, tuple)
    assert len(grasps) == 4
    total = -found.take.forces[carry].sum(axis=1)
    load = found.take.loads[carry]
    expected = 20.0 * (np.diff(load[:, :3], 2, axis=0) / cast.frame_time**2 + [0.0, 0.0, GRAVITY])
    np.testing.assert_allclose(total[1:-1], expected, atol=0.5)
    after = BlockProblem(cast, found.take, cast.whole)
    hands = [after.track(BodyPart(name, f"{side}_hand")) for name in ("anna", "ben") for side in ("left", "right")]
    between = np.linalg.norm(np.mean(hands[:2], axis=0) - np.mean(hands[2:], axis=0), axis=1)
    np.testing.assert_allclose(between, 1.5, atol=0.01)
    np.testing.assert_allclose(np.mean(hands, axis=0), load[:, :3], atol=1e-5)
    block = Block(("anna", "ben"), 6, 22)
    part = solve_block(cast, found.take, block)
    np.testing.assert_allclose(part.take.loads[carry], load, atol=1e-3)  # it goes on where it was at the ends
    assert solve_block(cast, cast.draft(), block).solution.converged  # though no hand is at its handle at the ends


def test_after_a_tackle_bodies_stay_together() -> None:
    tackle = Tackle(Meet(CHEST["anna"], CHEST["ben"], 1.0, 0.3, 2.0), arms=True)
    cast = make_cast(Composition("test", (ANNA, FACING), (tackle,), duration=1.2))[0]
    scene = _solve(cast)
    apart = np.linalg.norm(scene.track(CHEST["anna"]) - scene.track(CHEST["ben"]), axis=1)
    assert apart[30] == pytest.approx(0.3, abs=0.05)
    assert apart[30:].max() < 0.4
    hands = [scene.track(BodyPart("anna", f"{side}_hand")) for side in ("left", "right")]
    for hand in hands:
        assert np.linalg.norm(hand - scene.track(CHEST["ben"]), axis=1)[-1] < 0.3
    force = scene.take.forces[tackle][:, 0]
    assert not force[:30].any()
    assert np.linalg.norm(force[31:-1], axis=1).max() > 50.0


def test_who_was_tackled_before_a_part_of_the_time_is_held_in_it() -> None:
    tackle = Tackle(Meet(CHEST["anna"], CHEST["ben"], 0.8, 0.3), arms=False)
    cast = make_cast(Composition("test", (ANNA, FACING), (tackle,), duration=1.3))[0]
    made = _solve(cast)
    after = BlockProblem(cast, made.take, Block(("anna", "ben"), 27, cast.frames - 1))
    (side,) = tackle.find_forces(after, "anna")
    assert (side.first, side.last) == (1, cast.frames - 1 - 27)
    found = solve_problem(after)
    assert found.solution.converged
    alone = solve_problem(BlockProblem(replace(cast, conditions=()), made.take, after.block))
    distances = [_track_distance(cast, take) for take in (made.take, found.take, alone.take)]
    held, free = (np.abs(one - distances[0]).max() for one in distances[1:])
    assert held < 0.03  # where they hold each other is found again from where they are
    assert free > 0.1


def test_hands_go_around_the_sides_of_who_is_tackled() -> None:
    """Who comes along x has the left hand at larger y, and both beyond the middle of the other."""
    tackle = Tackle(Meet(CHEST["anna"], CHEST["ben"], 0.8, 0.3))
    cast = make_cast(Composition("test", (ANNA, FACING), (tackle,), duration=1.0))[0]
    made = BlockProblem(cast, cast.draft(), cast.whole)
    _, left, right = (side.pair for side in tackle.find_forces(made, "anna"))
    assert (left.bodies, right.bodies) == (("left_hand", "chest"), ("right_hand", "chest"))
    skeleton, q = cast.roles["ben"].draft.character.skeleton, made.take.tracks["ben"].q[24:25]
    chest = place(skeleton, q).rotations[0, skeleton.index("chest")]
    around = [quat.rotate(chest, one.points[1] - made.find_point(CHEST["ben"])) for one in (left, right)]
    assert around[0][1] > 0.1
    assert around[1][1] < -0.1
    assert min(one[0] for one in around) > 0.04


def test_whom_a_tackle_presses_together_forces_keep_apart() -> None:
    """After the hit there is one force for two bodies, where they are deepest in each other; before, they avoid it."""
    tackle = Tackle(Meet(CHEST["anna"], CHEST["ben"], 0.6, 0.3), arms=False)
    cast = make_cast(Composition("test", (ANNA, replace(FACING, at=(1.4, 0.0))), (tackle,), duration=0.75))[0]
    take = cast.draft()
    found = find_intersections(cast, take)
    pressed = [one for one in found if one.cause is tackle]
    pairs = [(one.one.body, one.other.body) for one in pressed]
    assert len(pairs) == len(set(pairs)) > 3
    assert all(one.frames[0] > 18 - 30 * TOUCH - 1e-6 for one in pressed)
    spheres = {name: make_spheres(role.draft.character, role.draft.motion) for name, role in cast.roles.items()}
    tracks = {name: one.track(cast.roles[name].draft.motion, take.tracks[name].q) for name, one in spheres.items()}
    for one in pressed:
        own = []
        for part in (one.one, one.other):
            joint = cast.roles[part.person].draft.character.skeleton.index(part.body)
            own.append((part.person, spheres[part.person].joints == joint))
        (me, mine), (you, yours) = own
        apart = np.linalg.norm(tracks[me][12:, mine][:, :, None] - tracks[you][12:, yours][:, None], axis=-1)
        reach = spheres[me].radii[mine][:, None] + spheres[you].radii[yours]
        assert one.depths.max() == pytest.approx((reach - apart).max())
    both = BlockProblem(cast, replace(take, separations=tuple(pressed)), cast.whole)
    names = set(both.problem.constraint_names)
    assert any("bodies that press" in name for name in names)
    assert not any("outside" in name for name in names)
    alone = BlockProblem(cast, replace(take, separations=tuple(pressed)), Block(("anna",), 0, cast.frames - 1))
    assert not any("bodies that press" in name for name in set(alone.problem.constraint_names))
    solved = solve_problem(both)
    assert solved.solution.converged
    force = solved.take.forces[tackle]
    assert not force[[0, -1]].any()
    np.testing.assert_allclose(force[:, 0], -force[:, 1], atol=1e-6)


def test_whoever_was_hit_steps_where_they_must() -> None:
    tackle = Tackle(Meet(CHEST["anna"], CHEST["ben"], 0.7, 0.3), arms=False)
    cast = _cast(tackle, other=FACING)
    made = BlockProblem(cast, cast.draft(), cast.whole)
    for name, person in made.people.items():
        flags = [step.hit for step in person.steps]
        assert any(flags)
        assert flags == sorted(flags)
        terms = cast.energies[name].make_terms(person, (), silent)
        weights = [term.weight for term in terms if isinstance(term, FootholdChange)]
        later = [weight for weight, hit in zip(weights, flags, strict=True) if hit]
        plain = BlockProblem(replace(cast, conditions=()), cast.draft(), cast.whole).people[name]
        usual = [
            one.weight for one in cast.energies[name].make_terms(plain, (), silent) if isinstance(one, FootholdChange)
        ]
        assert max(later) < 0.1 * min(usual)


def _track_distance(cast: Cast, take: Take) -> np.ndarray:
    scene = BlockProblem(cast, take, cast.whole)
    return np.linalg.norm(scene.track(CHEST["anna"]) - scene.track(CHEST["ben"]), axis=1)


def test_bodies_in_each_other_are_found_and_kept_apart() -> None:
    cast = _cast(other=replace(BEN, at=(0.0, -0.45), delay=0.0), duration=0.6)
    take = cast.draft()
    before = measure_depth(cast, take)
    assert before > 0.02
    found = find_intersections(cast, take)
    assert all(one.one.person != one.other.person for one in found)
    apart = solve_block(cast, replace(take, separations=tuple(found)), cast.whole)
    assert apart.solution.converged
    assert measure_depth(cast, apart.take) < 0.3 * before
    far = _cast(other=replace(BEN, at=(0.0, -2.0)))
    assert measure_depth(far, far.draft()) == 0.0


def test_hands_that_hold_each_other_may_touch() -> None:
    one, other = BodyPart("anna", "right_forearm"), BodyPart("ben", "left_hand")
    assert HANDS.may_touch(one, other, 0.5)
    assert HANDS.may_touch(other, one, 0.5)
    assert not HANDS.may_touch(BodyPart("anna", "left_hand"), other, 0.5)
    assert not HANDS.may_touch(one, BodyPart("ben", "chest"), 0.5)
    short = Hold(HANDS.one, HANDS.other, 1.0, 1.5)
    assert [short.may_touch(one, other, time) for time in (0.9, 1.2, 1.6)] == [False, True, False]


def test_linked_arms_may_touch_above_and_below_the_elbow() -> None:
    linked = Hold(BodyPart("anna", "right_forearm", 0.0), BodyPart("ben", "left_forearm", 0.0))
    for body in ("left_upper_arm", "left_forearm", "left_hand"):
        assert linked.may_touch(BodyPart("anna", "right_upper_arm"), BodyPart("ben", body), 0.5)
    for body in ("left_collar", "right_upper_arm", "chest"):
        assert not linked.may_touch(BodyPart("anna", "right_upper_arm"), BodyPart("ben", body), 0.5)
    assert not HANDS.may_touch(BodyPart("anna", "right_upper_arm"), BodyPart("ben", "left_hand"), 0.5)


def test_spheres_fill_the_body() -> None:
    role = _cast().roles["anna"]
    spheres = make_spheres(role.draft.character, role.draft.motion)
    heights = spheres.track(role.draft.motion, role.draft.motion.q)[..., 2]
    low, high = np.median((heights - spheres.radii).min(axis=1)), (heights + spheres.radii).max()
    assert low == pytest.approx(0.0, abs=0.06)
    assert 1.5 < high < 1.9
    assert {role.draft.character.skeleton.names[j] for j in spheres.joints} <= set(role.draft.character.bodies)
    assert 0.02 < spheres.radii.min() < spheres.radii.max() < 0.12
