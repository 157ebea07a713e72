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
