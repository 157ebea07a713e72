"""Blocks: the whole problem of a pair, parts of it in time and by person, and what stays as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.composition.block_person import KEPT_FRAMES, move_contacts_to
from gambol.composition.blocks import (
    Block,
    BlockProblem,
    Cast,
    SolvedBlock,
    solve_block,
    track_part,
)
from gambol.composition.cast import make_cast
from gambol.composition.composition import Composition
from gambol.composition.conditions import BodyPart, Reach
from gambol.composition.energies import Likeness
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.skeleton import Skeleton
from gambol.progress import silent
from gambol.stages.feet import track_point
from gambol.terms.momentum import NewtonEuler, sum_contact_forces
from tests.composition.scenes import ANNA, HANDS, PAIR, WALK

Solved = tuple[BlockProblem, SolvedBlock]


def test_hands_meet_in_every_frame(solved_pair: Solved) -> None:
    made, found = solved_pair
    assert found.solution.converged
    again = BlockProblem(made.cast, found.take, made.block)
    np.testing.assert_allclose(again.track(HANDS.one), again.track(HANDS.other), atol=1e-6)
    apart = np.linalg.norm(made.track(HANDS.one) - made.track(HANDS.other), axis=1)
    assert apart.max() > 0.2  # in the draft


def test_arms_that_hold_give_way_before_trunks(solved_pair: Solved) -> None:
    made, found = solved_pair
    for name, role in made.cast.roles.items():
        before, after = (
            _find_lean(role.draft.character.skeleton, q) for q in (role.draft.motion.q, found.take.tracks[name].q)
        )
        assert np.degrees(np.arccos(np.sum(before * after, axis=1))).max() < 2.2


def _find_lean(skeleton: Skeleton, q: np.ndarray) -> np.ndarray:
    """Return unit vectors (frames, 3) from the pelvis to the head."""
    places = place(skeleton, q).positions
    up = places[:, skeleton.index("head")] - places[:, 0]
    return np.asarray(up / np.linalg.norm(up, axis=1)[:, None])


def test_the_force_between_hands_is_what_each_needs(solved_pair: Solved) -> None:
    """Newton's law of each person, by their own accelerations and ground forces, gives the same force, reversed."""
    made, found = solved_pair
    force = found.take.forces[HANDS][:, 0]
    needed = {}
    for name, space in made.spaces.items():
        q, step = found.take.tracks[name].q, made.cast.frame_time
        center = Dynamics(space.character).center_of_mass(q)
        acceleration = np.diff(center, 2, axis=0) / step**2 + [0.0, 0.0, GRAVITY]
        contacts = _find_contacts(made, name)
        ground = sum_contact_forces(space, contacts, found.solution.x)[1:-1]
        needed[name] = space.character.mass * acceleration - ground
    np.testing.assert_allclose(needed["anna"], force[1:-1], atol=0.05)
    np.testing.assert_allclose(needed["ben"], -force[1:-1], atol=0.05)
    assert np.linalg.norm(force, axis=1).max() > 1.0


def _find_contacts(made: BlockProblem, name: str) -> tuple:
    terms = made.cast.energies[name].make_terms(made.people[name], (), silent)
    return next(term for term in terms if isinstance(term, NewtonEuler)).contacts


def test_feet_stay_where_they_land(solved_pair: Solved) -> None:
    made, found = solved_pair
    for name, role in made.cast.roles.items():
        track = found.take.tracks[name]
        motion = replace(role.draft.motion, q=track.q)
        points = {point.name: point for point in role.draft.contacts.points}
        for contact in move_contacts_to(role, track).items:
            if contact.fixed and contact.part.endswith("ball"):
                path = track_point(motion, points[contact.part])[contact.frames]
                np.testing.assert_allclose(path, np.broadcast_to(contact.place, path.shape), atol=1e-3)
        assert np.abs(track.shifts).max() > 1e-3  # some land elsewhere than in the draft
        on_ground = [n for n, stance in enumerate(role.draft.stances) if stance.first == 0]
        np.testing.assert_array_equal(track.shifts[on_ground], 0.0)


def test_a_part_of_the_time_keeps_the_rest_and_joins_it_smoothly(pair: Cast, solved_pair: Solved) -> None:
    """From the solution of everybody in all frames, it changes nothing, and finds the same forces."""
    _, whole = solved_pair
    block = Block(("anna", "ben"), 6, 37)
    found = solve_block(pair, replace(whole.take, forces={}), block)
    assert found.solution.converged
    for name, track in found.take.tracks.items():
        before = whole.take.tracks[name].q
        outside = np.r_[0 : block.first + KEPT_FRAMES, block.last - KEPT_FRAMES + 1 : pair.frames]
        np.testing.assert_allclose(track.q[outside], before[outside], atol=1e-7)
        assert np.abs(track.q - before).max() < 0.005
        made = BlockProblem(pair, whole.take, block).people[name]
        assert made.footholds
        np.testing.assert_allclose(track.shifts, whole.take.tracks[name].shifts, atol=1e-3)
    force, given = found.take.forces[HANDS], whole.take.forces[HANDS]
    inner = slice(block.first + 1, block.last)  # the laws of motion of these frames depend on what the block changes
    assert np.abs(given[inner][[0, -1]]).max() > 1.0
    np.testing.assert_allclose(force[inner], given[inner], atol=0.5)
    assert not force[: block.first + 1].any()
    assert not force[block.last :].any()


def test_a_person_alone_leaves_the_other_as_they_are(pair: Cast, solved_pair: Solved) -> None:
    take = pair.draft()
    loose, stiff = (solve_block(pair, take, Block(("anna",), 0, pair.frames - 1, k)).take for k in (1.0, 1e4))
    for found in (loose, stiff):
        assert found.tracks["ben"] is take.tracks["ben"]
    apart = [
        np.linalg.norm(made.track(HANDS.one) - made.track(HANDS.other), axis=1).mean()
        for made in (BlockProblem(pair, one, pair.whole) for one in (loose, stiff))
    ]
    assert apart[1] < 0.2 * apart[0]  # the band pulls the hand to where the other's is


def test_who_has_the_larger_share_moves_less(pair: Cast, solved_pair: Solved) -> None:
    _, even = solved_pair
    firm = replace(pair, energies={"anna": Likeness(20.0), "ben": Likeness(1.0)})
    found = solve_block(firm, firm.draft(), firm.whole)
    assert found.solution.converged

    def moved(one: SolvedBlock, name: str) -> float:
        return float(np.abs(one.take.tracks[name].q - pair.roles[name].draft.motion.q)[:, 6:].mean())

    assert moved(found, "anna") < 0.5 * moved(even, "anna")
    assert moved(found, "ben") > moved(even, "ben")


def test_a_scene_without_conditions_is_solved_person_by_person(pair: Cast) -> None:
    free = replace(pair, conditions=())
    both = solve_block(free, free.draft(), free.whole)
    alone = solve_block(free, free.draft(), Block(("ben",), 0, free.frames - 1))
    np.testing.assert_allclose(both.take.tracks["ben"].q, alone.take.tracks["ben"].q, atol=2e-4)


@pytest.mark.slow
def test_effort_in_place_of_likeness() -> None:
    cast, _ = make_cast(replace(PAIR, people=(replace(ANNA, energy="effort"), PAIR.people[1]), duration=0.5))
    found = solve_block(cast, cast.draft(), cast.whole)
    assert found.solution.converged
    assert found.solution.costs["anna: muscle"] > 0.0
    assert "anna: pose deviation" not in found.solution.costs
    made = BlockProblem(cast, found.take, cast.whole)
    np.testing.assert_allclose(made.track(HANDS.one), made.track(HANDS.other), atol=1e-6)


def test_a_scene_that_is_turned_and_moved_has_the_same_solution(solved_pair: Solved) -> None:
    """Friction is a pyramid along the axes of the world, so that angles may differ by a little."""
    turn, shift = 0.7, np.array([3.0, -2.0])
    c, s = np.cos(turn), np.sin(turn)
    people = [
        replace(one, at=tuple(np.array([[c, -s], [s, c]]) @ one.at + shift), heading=float(np.degrees(turn)))
        for one in PAIR.people
    ]
    cast, _ = make_cast(replace(PAIR, people=tuple(people)))
    found = [solved_pair[1], solve_block(cast, cast.draft(), cast.whole)]
    assert all(one.solution.converged for one in found)
    assert found[1].objective == pytest.approx(found[0].objective, rel=1e-3)
    for name in ("anna", "ben"):
        plain, turned = (one.take.tracks[name].q for one in found)
        np.testing.assert_allclose(turned[:, 6:], plain[:, 6:], atol=5e-3)
        np.testing.assert_allclose((turned[:, :2] - shift) @ [[c, -s], [s, c]], plain[:, :2], atol=2e-3)
    plain, turned = (one.take.forces[HANDS][:, 0, :2] for one in found)
    np.testing.assert_allclose(turned @ [[c, -s], [s, c]], plain, atol=0.5)


def test_a_walk_keeps_its_length() -> None:
    cast, _ = make_cast(Composition("test", (replace(ANNA, actions=(replace(WALK[0], steps=6),)),)))
    found = solve_block(cast, cast.draft(), cast.whole).take.tracks["anna"].q
    draft = cast.roles["anna"].draft.motion.q
    walked, way = (np.linalg.norm((q[-1] - q[0])[:2]) for q in (found, draft))
    assert walked == pytest.approx(way, rel=0.008)


def test_feet_stay_on_their_sides_where_that_is_asked_for() -> None:
    """Somebody who must be far to the left in a step lets a foot cross, unless (6.3) forbids it."""
    reach = Reach(BodyPart("anna", "pelvis", 0.0), (1.2, 0.9), 1.0)
    plain = Composition("test", (ANNA,), (reach,))
    least = []
    for scene in (plain, replace(plain, sides=True)):
        cast, _ = make_cast(scene)
        found = solve_block(cast, cast.draft(), cast.whole)
        assert found.solution.converged
        feet = [track_part(cast, found.take, BodyPart("anna", f"{side}_foot", 0.0)) for side in ("left", "right")]
        pelvis = cast.roles["anna"].draft.motion.placement.rotations[:, 0]
        across = quat.rotate(pelvis, (0.0, 1.0, 0.0))
        least.append(float(np.sum(((feet[0] - feet[1]) * across)[:, :2], axis=1).min()))
    assert least[0] < -0.05
    assert least[1] > -1e-6
