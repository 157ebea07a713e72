"""Limbs by shape: several hinges on one body, limits that disagree, and robots that are no bipeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.robots.biped import Biped, find_biped
from gambol.robots.body_parts import stand_up
from gambol.robots.mjcf_description import read_mjcf
from gambol.robots.sole_shapes import level_sole
from tests.robots.mjcf import ARM, HUMANOID, LEG


def find(tmp_path: Path, text: str) -> Biped:
    path = tmp_path / "made.xml"
    path.write_text(text)
    return find_biped(read_mjcf(path))


def test_several_hinges_on_one_body_are_a_hip(tmp_path: Path) -> None:
    biped = find(tmp_path, HUMANOID)
    names = biped.skeleton.names
    assert names[biped.places["left_shank"].joint] == "left_shank"
    assert names[biped.places["left_forearm"].joint] == "left_forearm"
    np.testing.assert_allclose(biped.locate("left_thigh"), [0.0, 0.1, -0.1], atol=1e-12)
    assert biped.leg_length == pytest.approx(0.8)
    np.testing.assert_allclose(np.ptp(level_sole(biped, "left"), axis=0), [0.24, 0.1, 0.0], atol=1e-12)
    knee = biped.skeleton.columns(biped.places["left_shank"].joint)[0]
    assert biped.bent[knee] == pytest.approx(0.25 * 2.5)


def test_axes_that_pass_each_other_by_meet_in_a_hip_and_an_ankle(tmp_path: Path) -> None:
    """Motors are beside the joint: every axis goes through it, no origin is there."""
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'
    spread = """<body name="{side}_yaw" pos="0 {y} 0.02"><joint axis="0 0 1"/>*
      <body name="{side}_roll" pos="-0.05 0 -0.12"><joint axis="1 0 0"/>*
      <body name="{side}_pitch" pos="0.05 0.03 0"><joint axis="0 1 0"/>*
      <body name="{side}_shank" pos="0 -0.03 -0.4"><joint axis="0 1 0" range="0 2.5"/>*
      <body name="{side}_ankle" pos="0 0.02 -0.4"><joint axis="0 1 0"/>*
      <body name="{side}_foot" pos="-0.04 -0.02 0"><joint axis="1 0 0"/>*<geom type="box" size="0.1 0.05 0.02"/>
      </body></body></body></body></body></body>""".replace("*", inertial)
    legs = "".join(spread.format(side=side, y=y) for side, y in (("left", 0.1), ("right", -0.1)))
    biped = find(tmp_path, without("leg").replace("</body></worldbody>", f"{legs}</body></worldbody>"))
    np.testing.assert_allclose(biped.locate("left_thigh"), [0.0, 0.1, -0.1], atol=1e-9)
    np.testing.assert_allclose(biped.locate("right_foot"), [0.0, -0.1, -0.9], atol=1e-9)
    assert biped.leg_length == pytest.approx(0.8)


def test_a_knee_that_also_moves_sideways_is_no_part_of_an_ankle(tmp_path: Path) -> None:
    sideways = HUMANOID.replace('range="0 2.5"/>', 'range="0 2.5"/><joint axis="1 0 0" range="-0.3 0.3"/>')
    biped = find(tmp_path, sideways)
    np.testing.assert_allclose(biped.locate("left_foot"), [0.0, 0.1, -0.9], atol=1e-12)
    assert biped.skeleton.names[biped.places["left_shank"].joint] == "left_shank"


def test_an_elbow_is_found_between_clavicles_and_fingers(tmp_path: Path) -> None:
    """An arm of nine joints, of which five are above the elbow, and without limits where they are not needed."""
    inertial = '<inertial pos="0 0 -0.02" mass="0.1" diaginertia="0.001 0.001 0.001"/>'
    finger = f'<body pos="{{}} 0 -0.1"><joint axis="0 1 0" range="0 1.5"/>{inertial}</body>'
    hand = f'<body name="{{side}}_hand" pos="0 0 -0.25"><joint axis="1 0 0" range="-1 1"/>{inertial}'
    hand = f"{hand}{finger.format(-0.02)}{finger.format(0.02)}</body></body></body></body>"
    forearm = f'<body name="{{side}}_twist"><joint axis="0 0 1" range="-1 1"/>{inertial}</body></body></body>'
    arm = ARM.replace("</body></body>", forearm).replace("</body></body></body>", hand)
    arm = arm.replace('range="-3 3"/>', "/>", 2).replace(" range=", " limited='true' range=")
    text = without("arm")
    for side, y in (("left", 0.25), ("right", -0.25)):
        joints = '<joint axis="0 0 1" range="-0.3 0.3"/><joint axis="1 0 0" range="-0.3 0.3"/>'
        own = arm.format(side=side, y=0.6 * y).replace('0.4">', '0">', 1)
        text = text.replace(
            "</body></worldbody>", f'<body pos="0 {0.4 * y} 0.4">{joints}{inertial}{own}</body></body></worldbody>'
        )
    biped = find(tmp_path, text)
    names = biped.skeleton.names
    assert names[biped.places["left_forearm"].joint] == "left_forearm"
    np.testing.assert_allclose(biped.locate("left_hand"), [0.0, 0.25, -0.15], atol=1e-9)


def test_a_forearm_that_turns_ends_at_its_hand(tmp_path: Path) -> None:
    """Fingers are below a joint that turns about the forearm: neither its origin nor they are the wrist."""
    inertial = '<inertial pos="0 0 {}" mass="0.1" diaginertia="0.001 0.001 0.001"/>'
    finger = f'<body pos="{{}} 0 -0.3"><joint axis="0 1 0" range="0 1.5"/>{inertial.format(-0.02)}</body>'
    hand = f'<body pos="0 0 -0.02"><joint axis="0 0 1" range="-1 1"/>{inertial.format(-0.2)}'
    hand = f"{hand}{finger.format(-0.02)}{finger.format(0.02)}</body>"
    geom = '<geom type="sphere" size="0.05" pos="0 0 -0.2"/>'
    assert geom in HUMANOID
    biped = find(tmp_path, HUMANOID.replace(geom, geom + hand))
    np.testing.assert_allclose(biped.locate("left_hand"), [0.0, 0.25, -0.12], atol=1e-9)


def test_toes_are_no_part_of_an_ankle(tmp_path: Path) -> None:
    sole = '<geom type="box" size="0.12 0.05 0.02" pos="0.04 0 -0.05"/>'
    inertial = '<inertial pos="0.02 0 0" mass="0.2" diaginertia="0.001 0.001 0.001"/>'
    toes = f'<body pos="0.12 0 -0.05"><joint axis="0 1 0" range="-1 0"/>{inertial}</body>'
    assert sole in HUMANOID
    biped = find(tmp_path, HUMANOID.replace(sole, sole + toes))
    assert biped.skeleton.names[biped.places["left_foot"].joint] == "left_foot"
    assert biped.leg_length == pytest.approx(0.8)


@pytest.mark.parametrize(("ahead", "sign"), [(0.03, 1.0), (-0.03, -1.0)])
def test_feet_tell_where_a_robot_faces_whose_knees_have_no_limits(tmp_path: Path, ahead: float, sign: float) -> None:
    free = HUMANOID.replace(' range="0 2.5"', "").replace(' range="-2 0"', "")
    biped = find(tmp_path, free.replace('<inertial pos="0.03 0 -0.04"', f'<inertial pos="{ahead} 0 -0.04"'))
    np.testing.assert_allclose(quat.rotate(biped.frame, np.eye(3)[0]), [sign, 0.0, 0.0], atol=1e-12)
    bent = place(biped.skeleton, biped.bent[None]).positions[0]
    shank, forearm = (biped.places[f"left_{part}"].joint for part in ("shank", "forearm"))
    foot = biped.places["left_foot"].joint
    assert sign * (bent[foot] - bent[shank])[0] < -0.2, "knees bend backward"
    turned = place(biped.skeleton, biped.bent[None]).rotations[0, forearm]
    assert sign * quat.rotate(turned, np.array([0.0, 0.0, -1.0]))[0] > 0.5, "elbows bend ahead"


def test_the_larger_range_of_knees_that_disagree_tells_where_a_robot_faces(tmp_path: Path) -> None:
    one = 'name="left_knee" axis="0 1 0" range="0 2.5"'
    assert one in HUMANOID
    ahead = find(tmp_path, HUMANOID.replace(one, one.replace("0 2.5", "-2 0.7"))).frame
    np.testing.assert_allclose(ahead, quat.IDENTITY, atol=1e-12)
    back = find(tmp_path, HUMANOID.replace(one, one.replace("0 2.5", "-2.7 0.7"))).frame
    np.testing.assert_allclose(np.abs(back), [0.0, 0.0, 0.0, 1.0], atol=1e-12)


def test_a_base_with_y_up_stands(tmp_path: Path) -> None:
    """The same robot, described in axes of the base with y up."""
    text = HUMANOID.replace('euler="0 0 0.3"', 'euler="1.5707963267948966 0 0"')
    inside = '<body name="inner" euler="-1.5707963267948966 0 0"><geom size="0.01" mass="0.001"/>'
    first = text.index('<body name="left_thigh"')
    last = text.index("</body></worldbody>")
    biped = find(tmp_path, f"{text[:first]}{inside}{text[first:last]}</body>{text[last:]}")
    same = find(tmp_path, HUMANOID)
    for part in ("left_thigh", "left_foot", "right_hand"):
        np.testing.assert_allclose(biped.locate(part), same.locate(part), atol=1e-9)
    np.testing.assert_allclose(level_sole(biped, "left"), level_sole(same, "left"), atol=1e-9)


def test_a_base_may_be_the_chest(tmp_path: Path) -> None:
    """The waist is below the base, and turns both legs."""
    inertial = '<inertial pos="0 0 0" mass="5" diaginertia="0.05 0.05 0.05"/>'
    waist = f'<body name="waist" pos="0 0 -0.05"><joint name="waist" axis="0 0 1" range="-1 1"/>{inertial}'
    legs = "".join(LEG.format(side=side, y=y) for side, y in (("left", 0.1), ("right", -0.1)))
    motor = '<actuator><motor joint="left_knee" forcerange="-80 90"/></actuator>'
    text = without("leg").replace("</body></worldbody>", f"{waist}{legs}</body></body></worldbody>")
    biped = find(tmp_path, text.replace(motor, ""))
    names = biped.skeleton.names
    assert [names[biped.places[part].joint] for part in ("pelvis", "chest", "left_thigh")] == [
        "waist",
        "trunk",
        "waist",
    ]
    np.testing.assert_allclose(biped.locate("left_thigh"), [0.0, 0.1, -0.15], atol=1e-12)
    assert biped.leg_length == pytest.approx(0.8)


def test_hips_on_links_of_their_own_have_one_middle(tmp_path: Path) -> None:
    """Fixed bodies between the trunk and either thigh, turned differently: both hips are in the frame of the trunk."""
    biped, between = find(tmp_path, HUMANOID), HUMANOID
    for side, y, turn in (("left", 0.1, 0.4), ("right", -0.1, -0.7)):
        leg = LEG.format(side=side, y=y)
        inner = leg.replace(f'pos="0 {y} -0.1"', f'pos="0 0 -0.1" euler="0 0 {-turn}"')
        between = between.replace(leg, f'<body name="{side}_hip" pos="0 {y} 0" euler="0 0 {turn}">{inner}</body>')
    other = find(tmp_path, between)
    assert other.places["left_thigh"].joint == other.places["right_thigh"].joint == 0
    for part in ("left_thigh", "right_thigh", "left_foot"):
        np.testing.assert_allclose(other.locate(part), biped.locate(part), atol=1e-9)


def test_y_is_up_where_legs_are_vertical_only_so(tmp_path: Path) -> None:
    """URDF does not say which axis is up."""
    biped = find(tmp_path, HUMANOID)
    skeleton = biped.skeleton
    turn = quat.from_axis_angle(np.eye(3)[0], -0.5 * np.pi)  # from z up to y up
    below = np.array([parent == 0 for parent in skeleton.parents])
    offsets = np.where(below[:, None], quat.rotate(turn, skeleton.offsets), skeleton.offsets)
    rests = np.where(below[:, None], quat.multiply(turn, skeleton.rests), skeleton.rests)
    character = replace(biped.description.character, skeleton=replace(skeleton, offsets=offsets, rests=rests))
    other = find_biped(replace(biped.description, character=character))
    for part in biped.places:
        np.testing.assert_allclose(other.locate(part), biped.locate(part), atol=1e-9)
    np.testing.assert_allclose(stand_up(other.description).up, [0.0, 1.0, 0.0])
    np.testing.assert_allclose(stand_up(biped.description).up, [0.0, 0.0, 1.0])


def without(name: str) -> str:
    """The humanoid without its legs or arms."""
    part = {"leg": (LEG, 0.1), "arm": (ARM, 0.25)}[name]
    left, right = (part[0].format(side=side, y=sign * part[1]) for side, sign in (("left", 1), ("right", -1)))
    assert left in HUMANOID
    motor = '<motor joint="left_knee" forcerange="-80 90"/>'
    return HUMANOID.replace(left, "").replace(right, "").replace(motor if name == "leg" else "none", "")


def four_legs() -> str:
    behind = "".join(
        LEG.replace('pos="0 {y}', 'pos="-0.5 {y}').format(side=f"hind_{side}", y=y)
        for side, y in (("left", 0.1), ("right", -0.1))
    )
    return HUMANOID.replace("</body></worldbody>", f"{behind}</body></worldbody>")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (without("leg"), "lowest limbs of 'made' have 3 joints, .* if these .*'gambol rig ROBOT -o robot.yaml'"),
        (without("arm"), "'made' has no two arms of 3 joints or more"),
        (
            HUMANOID.replace('_yaw" axis', '_yaw" type="slide" axis').replace(
                'ankle_roll" axis', 'ankle_roll" type="slide" axis'
            ),
            "lowest limbs of 'made' have 4 joints",
        ),
        (four_legs(), "stands on 4 legs; give a robot with two legs"),
        (HUMANOID.replace('name="left_shoulder_roll"', 'name="x" type="slide"'), "has no two arms of 3 joints"),
        (HUMANOID.replace("-0.4", "-400"), "legs of 'made' are 800 m long; give lengths in metres"),
    ],
)
def test_robots_that_are_no_bipeds_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find(tmp_path, text).require_arms()
