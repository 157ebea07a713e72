"""Physics of a motion: forces under the feet, places of contacts, names of supports."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.physics import Physics, estimate_drawn, estimate_physics
from gambol.io import samples
from tests.fit.sitting import list_contacts, sit


@pytest.fixture(scope="module")
def walk() -> Physics:
    return estimate_physics(samples.walk())


@pytest.fixture(scope="module")
def jump() -> Physics:
    return estimate_physics(samples.jump())


def test_lines_start_under_the_feet_and_are_as_long_as_the_load(walk: Physics) -> None:
    motion = walk.motion
    for frame in range(5, 200, 13):
        lines = walk.force_lines(frame)
        up = (lines[:, 1] - lines[:, 0])[:, 2]
        total = walk.forces.forces[frame, :, 2].sum() / walk.weight
        assert up.sum() == pytest.approx(0.7 * total, abs=0.03)
        feet = motion.placement.positions[frame, [motion.rig.parts["left_foot"], motion.rig.parts["right_foot"]]]
        for start in lines[up > 0.25, 0]:
            assert np.linalg.norm((feet - start)[:, :2], axis=1).min() < 0.25


def test_a_body_in_the_air_has_no_force_no_contact_and_flies(jump: Physics) -> None:
    top = int(np.argmax(jump.forces.center_of_mass[:, 2]))
    assert not jump.force_lines(top).any()
    assert jump.contact_places(top) == {}
    assert jump.support(top) == "flight"
    assert jump.support(0) == jump.support(len(jump.motion) - 1) == "both feet"


def test_contacts_are_at_their_feet_and_the_named_foot_carries_the_load(walk: Physics) -> None:
    motion = walk.motion
    for frame in range(0, len(motion), 7):
        places = walk.contact_places(frame)
        for name, place in places.items():
            ankle = motion.placement.positions[frame, motion.rig.parts[f"{name.partition('_')[0]}_foot"]]
            assert np.linalg.norm(place - ankle) < 0.3
        load = {side: walk.forces.force_on(f"{side}_foot")[frame, 2] / walk.weight for side in ("left", "right")}
        name = walk.support(frame)
        if name in ("left foot", "right foot"):
            assert load[name.partition(" ")[0]] > 0.5
        assert {n.partition("_")[0] for n in places} <= {"left", "right"}


def test_angular_momentum_is_that_of_the_forces(walk: Physics) -> None:
    """Euler: its rate is the moment of all ground forces about the centre of mass, and what is missing."""
    forces = walk.forces
    arms = forces.points - forces.center_of_mass[:, None]
    moment = np.cross(arms, forces.forces).sum(axis=1) + forces.missing_moment
    frame_time = walk.motion.frame_time
    gained = walk.angular_momentum[-20] - walk.angular_momentum[20]
    given = frame_time * (moment[20:-20].sum(axis=0) + 0.5 * (moment[-20] - moment[20]))
    np.testing.assert_allclose(gained, given, atol=0.4)


def test_a_chair_carries_while_it_is_touched() -> None:
    step = 1.0 / 30.0
    alone, seated = (estimate_physics(sit(40, step), 70.0, {"contacts": list_contacts(40, step, n)}) for n in (0, 20))
    assert alone.bodies == ("left_foot", "right_foot")
    assert seated.bodies == ("left_foot", "pelvis", "right_foot")
    chair = seated.forces.force_on("pelvis")[:, 2] / seated.weight
    np.testing.assert_array_equal(chair[20:], 0.0)
    assert chair[5:15].min() > 0.7  # the feet are far ahead of the centre of mass
    missing = [np.linalg.norm(one.forces.missing_force[5:15], axis=1).max() / one.weight for one in (alone, seated)]
    assert missing[1] < 0.03 < 0.3 < missing[0]
    assert seated.force_lines(10)[1, 1, 2] - seated.force_lines(10)[1, 0, 2] == pytest.approx(0.7 * chair[10])


def test_contacts_are_given_to_one_clip_that_is_drawn_with_physics() -> None:
    stand, given = samples.stand()[:20], {"contacts": [{"part": "left_ball", "start": 0, "end": 0.2}]}
    (found,) = estimate_drawn([stand], True, given)
    assert {one.part for one in found.contacts.items} == {"left_ball"}
    assert estimate_drawn([stand, stand], False) == []
    for motions, physics, why in (([stand], False, "drawn with physics"), ([stand, stand], True, "one clip for 2")):
        with pytest.raises(InputError, match=why):
            estimate_drawn(motions, physics, given)
