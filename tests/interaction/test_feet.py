"""Feet of a partner stand while those of the mean meeting do, whichever way the phase goes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import gambol as gb
from gambol.geometry.arrays import Array
from gambol.interaction.feet import find_foot_course
from gambol.interaction.model import InteractionModel, learn_interaction_model
from gambol.interaction.partner import Partner
from gambol.interaction.trials import GroundFrame, find_trial
from gambol.interaction.variations import grid_shifts, move_contact
from gambol.legs.locks import FootLock
from gambol.motion.kinematics import Placement
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point
from tests.interaction.meetings import extend_hand, make_model, make_people, move_person, rise

FRAMES, CONTACT = 97, 49


@cache
def make_walking_model() -> InteractionModel:
    """Person 1 walks on after a high five with somebody who stands."""
    walk = gb.load("walk")
    one = replace(walk, q=walk.q[:FRAMES], name="one")
    one = move_person(one, 0.0, -one.placement.positions[0, 0] * [1.0, 1.0, 0.0])
    meeting = one.placement.positions[CONTACT, 0] * [1.0, 0.0, 0.0] + [0.45, -0.15, 1.25]
    stand = make_people()[1]
    stand = replace(stand, q=np.tile(stand.q[:1], (FRAMES, 1)), frame_time=one.frame_time)
    two = move_person(stand, 0.0, [meeting[0] - 0.55, -0.2, 0.0])
    way = rise(FRAMES, CONTACT)
    trial = find_trial(extend_hand(one, meeting, way), extend_hand(two, meeting, way))
    return learn_interaction_model([move_contact(trial, shift) for shift in grid_shifts(0.1, 0.1)])


def play(phases: Array, goals: Array, locked: bool) -> Motion:
    """Poses of person 1 at phases (frames,) with contact points (frames, 3)."""
    model = make_walking_model()
    person, lock, frames = model.people[0], FootLock.none(1), []
    for phase, goal in zip(phases, goals, strict=True):
        row = model.course.evaluate(phase, model.course.combine(np.zeros(0), goal))
        local = person.decode(row[None, model.columns[0]])
        if locked:
            lock, local = find_foot_course(model).lock(lock, local, phase, model.frame_time)
        frames.append(local)
    whole = Placement(*(np.concatenate([getattr(one, name) for one in frames]) for name in Placement._fields))
    return person.make_motion(whole, GroundFrame(np.zeros(3), 0.0), model.frame_time, "played")


def measure_slides(motion: Motion, phases: Array) -> Array:
    """Millimetres that the balls move from frame to frame while they are on the floor in both (stance frames,)."""
    model, points = make_walking_model(), {one.name: one for one in find_foot_points(motion)}
    grid, slides = np.linspace(0.0, 1.0, len(find_foot_course(model).contacts)), []
    for name, column in (("left_ball", 1), ("right_ball", 3)):
        down = np.interp(phases, grid, find_foot_course(model).contacts[:, column]) > 0.52
        moved = np.linalg.norm(np.diff(track_point(motion, points[name])[:, :2], axis=0), axis=1)
        slides.append(1e3 * moved[down[1:] & down[:-1]])
    return np.concatenate(slides)


def test_feet_stand_while_the_contact_point_moves_and_the_phase_turns_back() -> None:
    phases = np.concatenate((np.linspace(0.05, 0.6, 60), np.linspace(0.6, 0.1, 60)))
    mean = make_walking_model().course.goal_space.mean
    goals = mean + 0.1 * np.sin(np.linspace(0.0, 6.0, 120))[:, None] * [0.0, 1.0, 0.5]
    free, locked = (measure_slides(play(phases, goals, lock), phases) for lock in (False, True))
    assert len(locked) > 50
    assert free.max() > 2.0
    assert locked.max() < 0.5


def test_feet_of_the_mean_meeting_are_left_alone() -> None:
    """Played as it was learned, a meeting needs no lock: joints stay within a few degrees."""
    phases = np.linspace(0.0, 1.0, FRAMES)
    goals = np.tile(make_walking_model().course.goal_space.mean, (FRAMES, 1))
    free, locked = (play(phases, goals, lock) for lock in (False, True))
    apart = np.linalg.norm(free.placement.positions - locked.placement.positions, axis=2)
    assert apart.max() < 0.05


def test_a_step_is_completed_before_a_wait() -> None:
    feet = find_foot_course(make_walking_model())
    for phase in np.linspace(0.0, 0.85, 18):  # the last stance of one foot goes on to the end
        down = [np.interp(feet.find_rest(phase), np.linspace(0.0, 1.0, 201), row) > 0.5 for row in feet.contacts.T]
        assert down[0] or down[1]
        assert down[2] or down[3]
    assert feet.find_rest(1.0) == 1.0  # no such phase is near


def test_people_who_stand_rest_in_any_phase() -> None:
    feet = find_foot_course(make_model())
    assert feet is not None
    assert feet.find_rest(0.37) == pytest.approx(0.37, abs=0.005)


def test_a_body_without_feet_has_none() -> None:
    model = make_model()
    one, two = model.people
    parts = {part: joint for part, joint in one.rig.parts.items() if not part.endswith("foot")}
    legless = replace(model, people=(replace(one, rig=replace(one.rig, parts=parts)), two))
    assert find_foot_course(legless) is None
    features = model.course.combine(np.zeros(1), model.course.goal_space.mean)
    hands = model.course.evaluate_all(np.linspace(0.0, 0.3, 5), features)
    state = Partner(legless).start()
    for hand in hands[:, model.columns[3]]:
        state, frame = Partner(legless).step(state, hand)
    assert np.isfinite(frame.local.rotations).all()


def test_a_partner_whose_hand_was_met_goes_on_to_the_end() -> None:
    """The other one leaves at once to where the hand began; who has met does not walk backward."""
    partner = Partner(make_walking_model())
    course = partner.model.course
    features = course.combine(np.zeros(0), course.goal_space.mean)
    there = course.evaluate_all(np.linspace(0.0, 0.62, 62), features)[:, partner.model.columns[3]]
    state, phases = partner.start(), []
    for hand in [*there, *np.tile(there[0], (60, 1))]:
        state, _ = partner.step(state, hand)
        phases.append(state.phase)
    assert phases[61] > 0.5
    assert np.diff(phases[61:]).min() > -1e-3
    assert phases[-1] > 0.85
