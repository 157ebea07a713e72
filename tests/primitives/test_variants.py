"""Variants of a walk: feet in contact do not slide, paths have the given curvature and length."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.features.layout import FORWARD, HEIGHT, TURN
from gambol.motion.kinematics import Placement, place_local
from gambol.primitives.variants import add_variants
from gambol.primitives.variation import Variation
from tests.primitives.walking import walk

WALK = walk()


def made(variation: Variation):
    prototypes = add_variants(WALK, {"made": ("walk", variation)})
    return prototypes, prototypes.channels[1]


def places(channels):
    """(phases, joints, 3) seen from the way."""
    layout = WALK.layout
    rotations = layout.rotations(channels)
    offsets = np.broadcast_to(layout.skeleton.offsets, (len(channels), *layout.skeleton.offsets.shape)).copy()
    offsets[:, 0] = 0.0
    offsets[:, 0, 2] = layout.leg * channels[:, HEIGHT] + layout.floor
    return place_local(layout.skeleton, Placement(offsets, rotations)).positions


def test_no_variation_is_nearly_the_walk_itself() -> None:
    _, channels = made(Variation())
    assert np.abs(places(channels) - places(WALK.channels[0])).max() < 0.03


@pytest.mark.parametrize("turn", [0.5, -0.8])
def test_an_arc_turns_as_asked_and_its_feet_stand_on_it(turn: float) -> None:
    prototypes, channels = made(Variation(turn=turn))
    leg = WALK.layout.leg
    assert channels[:, TURN].mean() == pytest.approx(turn * leg * channels[:, FORWARD].mean())
    # A foot that stands moves, seen from the way, as the floor does: it turns about the middle of the arc.
    toe = places(channels)[:, WALK.layout.rig.parts["left_toes"]]
    straight = places(WALK.channels[0])[:, WALK.layout.rig.parts["left_toes"]]
    flat = np.flatnonzero(prototypes.contacts[1, :, 1] > 0.8)[4:-4]
    step = 2.0 * np.pi / 64
    for one, other in ((toe, channels), (straight, WALK.channels[0])):
        bend, ahead = other[flat, TURN] * step, leg * other[flat, FORWARD] * step
        floor = one[flat] @ [[1, 0, 0], [0, 1, 0], [0, 0, 0]] - np.stack((ahead, 0 * ahead, 0 * ahead), axis=1)
        back = np.stack(
            (
                np.cos(bend) * floor[:, 0] + np.sin(bend) * floor[:, 1],
                np.cos(bend) * floor[:, 1] - np.sin(bend) * floor[:, 0],
            ),
            axis=1,
        )
        assert np.linalg.norm(one[flat + 1, :2] - back, axis=1).max() < 0.006


def test_steps_are_as_long_as_asked() -> None:
    for steps in (0.0, 0.5, 1.25):
        _, channels = made(Variation(steps=steps))
        np.testing.assert_allclose(channels[:, FORWARD], steps * WALK.channels[0, :, FORWARD])


def test_who_turns_on_the_spot_goes_nowhere() -> None:
    _, channels = made(Variation(steps=0.0, turn=1.0))
    assert np.abs(channels[:, FORWARD]).max() == 0.0
    assert channels[:, TURN].mean() > 0.1


def test_who_crouches_is_lower_and_whose_arm_is_lifted_has_the_hand_above_the_head() -> None:
    parts, usual = WALK.layout.rig.parts, places(WALK.channels[0])
    low = places(made(Variation(crouch=0.3))[1])
    assert (usual[:, 0, 2] - low[:, 0, 2]).min() > 0.2
    assert (usual[:, parts["head"], 2] - low[:, parts["head"], 2]).min() > 0.25
    assert low[:, [parts["left_foot"], parts["right_foot"]], 2].min() > 0.0
    for side, other in (("left", "right"), ("right", "left")):
        lifted = places(made(Variation(**{f"{side}_arm": 2.5}))[1])
        assert (lifted[:, parts[f"{side}_hand"], 2] > lifted[:, parts["head"], 2]).all()
        assert (lifted[:, parts[f"{other}_hand"], 2] < lifted[:, 0, 2] + 0.3).all()


def flexions(channels):
    """(phases, 2) degrees between thighs and shanks."""
    parts, at = WALK.layout.rig.parts, places(channels)
    found = []
    for side in ("left", "right"):
        hip, knee, ankle = (at[:, parts[f"{side}_{part}"]] for part in ("thigh", "shank", "foot"))
        cosine = np.sum((knee - hip) * (ankle - knee), axis=1)
        found.append(cosine / np.linalg.norm(knee - hip, axis=1) / np.linalg.norm(ankle - knee, axis=1))
    return np.degrees(np.arccos(np.clip(found, -1.0, 1.0))).T


def test_who_stands_has_nearly_straight_legs_and_long_steps_are_no_crouch() -> None:
    assert flexions(made(Variation(steps=0.0))[1]).max() < 9.0
    usual, long = (flexions(channels) for channels in (WALK.channels[0], made(Variation(steps=1.3))[1]))
    assert (np.median(long, axis=0) < np.median(usual, axis=0) + 12.0).all()


def test_the_feet_of_a_standing_walker_stay() -> None:
    feet = [WALK.layout.rig.parts[f"{side}_foot"] for side in ("left", "right")]
    assert np.ptp(places(made(Variation(steps=0.0))[1])[:, feet], axis=0).max() < 0.003


def test_who_crouches_bends_trunk_hips_and_knees_and_keeps_the_knees_off_the_floor() -> None:
    low, parts = places(made(Variation(steps=0.6, crouch=0.2))[1]), WALK.layout.rig.parts
    trunk = low[:, parts["neck"]] - low[:, 0]
    assert (trunk[:, 0] > 0.5 * trunk[:, 2]).all()
    knees = low[:, [parts[f"{side}_shank"] for side in ("left", "right")], 2]
    assert knees.min() > 0.3
    # The centre of the body stays above the feet: hips move back as the trunk bends forward.
    ankles = low[:, [parts[f"{side}_foot"] for side in ("left", "right")], 0].mean(axis=1)
    assert low[:, 0, 0].mean() < ankles.mean() < low[:, parts["neck"], 0].mean()


def test_backward_leads_back_and_begins_with_a_strike() -> None:
    prototypes, channels = made(Variation(backward=True))
    assert channels[:, FORWARD].mean() == pytest.approx(-WALK.channels[0, :, FORWARD].mean())
    down = prototypes.contacts[1, :, :2].max(axis=1) > 0.5
    assert down[0]
    assert not down[-1]


@pytest.mark.parametrize("wrong", [{"turn": 9.0}, {"steps": -1.0}, {"crouch": 0.9}, {"left_arm": 7.0}])
def test_what_no_body_can_do_is_refused(wrong) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        Variation(**wrong)
    with pytest.raises(InputError, match="already a prototype 'walk'"):
        add_variants(WALK, {"walk": ("walk", Variation())})
    with pytest.raises(InputError, match="unknown prototype 'trot'"):
        add_variants(WALK, {"made": ("trot", Variation())})
