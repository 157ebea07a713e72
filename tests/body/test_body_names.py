"""Names of bodies as people give them: of the character, of the rig's joints, in other spellings."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gambol as gb
from gambol.body.body_names import list_bodies, resolve_body
from gambol.errors import InputError
from gambol.motion.motion import Motion


@pytest.fixture(scope="module")
def walk() -> Motion:
    return gb.load("walk")


@pytest.fixture(scope="module")
def walker(walk: Motion) -> gb.Character:
    return gb.Character.from_motion(walk)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("left_hand", "left_hand"),
        ("lefthand", "left_hand"),
        ("Left Hand", "left_hand"),
        ("hand.L", "left_hand"),
        ("LeftArm", "left_upper_arm"),
        ("leftarm", "left_upper_arm"),
        ("LeftUpLeg", "left_thigh"),
        ("RightLeg", "right_shank"),
        ("Hips", "pelvis"),
        ("Neck", "head"),
        ("LeftToeBase", "left_foot"),
        ("RightHand_end", "right_hand"),
    ],
)
def test_names_of_bodies_and_of_joints_are_understood(walker: gb.Character, name: str, body: str) -> None:
    assert walker.find_body(name) == body
    assert walker.body(name) == walker.skeleton.names.index(body)


def test_the_joints_of_another_exporter_are_understood(walk: Motion) -> None:
    names = tuple(f"mixamorig:{name}" for name in walk.skeleton.names)
    renamed = replace(walk, skeleton=replace(walk.skeleton, names=names))
    assert gb.Character.from_motion(renamed).find_body("LeftForeArm") == "left_forearm"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("left_hnad", "did you mean left_hand"),
        ("knee", "did you mean left_shank or right_shank?"),
        ("hand", "did you mean left_hand or right_hand?"),
        ("left_elbow", "did you mean left_forearm?"),
        ("tail", "bodies: pelvis, spine, chest, head, left_ or right_collar, upper_arm, "),
        ("left_ball_tip", "bodies: pelvis"),
        ("", "bodies: pelvis"),
    ],
)
def test_other_names_are_refused_with_the_nearest(walker: gb.Character, name: str, advice: str) -> None:
    with pytest.raises(InputError) as refused:
        walker.find_body(name)
    assert str(refused.value).startswith(f"no body '{name}'; {advice}")
    assert not str(refused.value).endswith("…")


def test_a_spelling_that_fits_two_bodies_is_refused() -> None:
    joints = {"arm_L": "left_upper_arm", "L_arm": "left_forearm"}
    with pytest.raises(InputError, match="did you mean left_upper_arm or left_forearm"):
        resolve_body("LeftArm", ("left_upper_arm", "left_forearm"), joints)


def test_both_sides_are_listed_once() -> None:
    assert list_bodies(("head", "left_hand", "right_hand", "left_paw")) == "head, left_paw, left_ or right_hand"
