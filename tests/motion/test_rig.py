from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError, RigError
from gambol.motion.kinematics import place
from gambol.motion.rig import describe_other_body, format_mapping_template, recognise_rig, rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS, find_helpers, split_side, strip_decoration
from gambol.motion.rig_shape import match_by_shape
from gambol.motion.skeleton import Dof, Skeleton
from tests.motion.bodies import person, standing

UP = np.array([0.0, 0.0, 1.0])


def sided(left: str, right: str, **names: str) -> dict[str, str]:
    """Names by part, `{}` standing for the side."""
    out = {}
    for part, name in names.items():
        if "{}" in name:
            out |= {f"left_{part}": name.format(left), f"right_{part}": name.format(right)}
        else:
            out[part] = name
    return out


RIGS = {
    "CMU (ASF)": sided("l", "r", pelvis="root", spine="lowerback", chest="thorax", neck="lowerneck", head="head",
        collar="{}clavicle", upper_arm="{}humerus", forearm="{}radius", hand="{}wrist", thigh="{}femur",
        shank="{}tibia", foot="{}foot", toes="{}toes"),
    "CMU": sided("Left", "Right", pelvis="Hips", spine="LowerBack", chest="Spine1", neck="Neck", head="Head",
        collar="{}Shoulder", upper_arm="{}Arm", forearm="{}ForeArm", hand="{}Hand", thigh="{}UpLeg",
        shank="{}Leg", foot="{}Foot", toes="{}ToeBase"),
    "MotionBuilder": sided("Left", "Right", pelvis="Hips", spine="Spine", chest="Spine2", neck="Neck", head="Head",
        collar="{}Shoulder", upper_arm="{}Arm", forearm="{}ForeArm", hand="{}Hand", thigh="{}UpLeg",
        shank="{}Leg", foot="{}Foot", toes="{}Toe"),
    "Mixamo": sided("Left", "Right", pelvis="mixamorig:Hips", spine="mixamorig:Spine", chest="mixamorig:Spine2",
        neck="mixamorig:Neck", head="mixamorig:Head", collar="mixamorig:{}Shoulder", upper_arm="mixamorig:{}Arm",
        forearm="mixamorig:{}ForeArm", hand="mixamorig:{}Hand", thigh="mixamorig:{}UpLeg", shank="mixamorig:{}Leg",
        foot="mixamorig:{}Foot", toes="mixamorig:{}ToeBase"),
    "Rokoko": sided("Left", "Right", pelvis="Hips", spine="Spine1", chest="Spine4", neck="Neck", head="Head",
        collar="{}Shoulder", upper_arm="{}Arm", forearm="{}ForeArm", hand="{}Hand", thigh="{}Thigh",
        shank="{}Shin", foot="{}Foot", toes="{}Toe"),
    "Xsens": sided("Left", "Right", pelvis="Hips", spine="Chest", chest="Chest4", neck="Neck", head="Head",
        collar="{}Collar", upper_arm="{}Shoulder", forearm="{}Elbow", hand="{}Wrist", thigh="{}Hip",
        shank="{}Knee", foot="{}Ankle", toes="{}Toe"),
    "Bandai-Namco": sided("L", "R", pelvis="Hips", spine="Spine", chest="Chest", neck="Neck", head="Head",
        collar="Shoulder_{}", upper_arm="UpperArm_{}", forearm="LowerArm_{}", hand="Hand_{}", thigh="UpperLeg_{}",
        shank="LowerLeg_{}", foot="Foot_{}", toes="Toes_{}"),
    "SMPL": sided("L", "R", pelvis="Pelvis", spine="Spine1", chest="Spine3", neck="Neck", head="Head",
        collar="{}_Collar", upper_arm="{}_Shoulder", forearm="{}_Elbow", hand="{}_Wrist", thigh="{}_Hip",
        shank="{}_Knee", foot="{}_Ankle", toes="{}_Foot"),
    "Poser": sided("l", "r", pelvis="hip", spine="abdomen", chest="chest", neck="neck", head="head",
        collar="{}Collar", upper_arm="{}Shldr", forearm="{}ForeArm", hand="{}Hand", thigh="{}Thigh", shank="{}Shin",
        foot="{}Foot", toes="{}Toe"),
    "VRM": sided("L", "R", pelvis="J_Bip_C_Hips", spine="J_Bip_C_Spine", chest="J_Bip_C_UpperChest",
        neck="J_Bip_C_Neck", head="J_Bip_C_Head", collar="J_Bip_{}_Shoulder", upper_arm="J_Bip_{}_UpperArm",
        forearm="J_Bip_{}_LowerArm", hand="J_Bip_{}_Hand", thigh="J_Bip_{}_UpperLeg", shank="J_Bip_{}_LowerLeg",
        foot="J_Bip_{}_Foot", toes="J_Bip_{}_ToeBase"),
    "Xsens MVN": sided("Left", "Right", pelvis="Pelvis", spine="L5", chest="T8", neck="Neck", head="Head",
        collar="{}Shoulder", upper_arm="{}UpperArm", forearm="{}ForeArm", hand="{}Hand", thigh="{}UpperLeg",
        shank="{}LowerLeg", foot="{}Foot", toes="{}Toe"),
    "Rigify": sided("L", "R", pelvis="spine", spine="spine.001", chest="spine.003", neck="spine.004",
        head="spine.006", collar="shoulder.{}", upper_arm="upper_arm.{}", forearm="forearm.{}", hand="hand.{}",
        thigh="thigh.{}", shank="shin.{}", foot="foot.{}", toes="toe.{}"),
    "ACCAD": sided("Left", "Right", pelvis="Hips", spine="Chest", chest="Chest2", neck="Neck", head="Head",
        collar="{}Collar", upper_arm="{}UpArm", forearm="{}LowArm", hand="{}Hand", thigh="{}UpLeg",
        shank="{}LowLeg", foot="{}Foot", toes="{}Toe"),
    "Unreal": sided("l", "r", pelvis="pelvis", spine="spine_01", chest="spine_03", neck="neck_01", head="head",
        collar="clavicle_{}", upper_arm="upperarm_{}", forearm="lowerarm_{}", hand="hand_{}", thigh="thigh_{}",
        shank="calf_{}", foot="foot_{}", toes="ball_{}"),
    "Biped": sided("L", "R", pelvis="Bip01 Pelvis", spine="Bip01 Spine", chest="Bip01 Spine2", neck="Bip01 Neck",
        head="Bip01 Head", collar="Bip01 {} Clavicle", upper_arm="Bip01 {} UpperArm", forearm="Bip01 {} Forearm",
        hand="Bip01 {} Hand", thigh="Bip01 {} Thigh", shank="Bip01 {} Calf", foot="Bip01 {} Foot",
        toes="Bip01 {} Toe0"),
}  # fmt: skip


@pytest.mark.parametrize("kind", RIGS)
def test_known_rigs_are_recognised_part_by_part(kind: str) -> None:
    names = RIGS[kind]
    skeleton = person(names)
    # All joints in one place: only the names can tell.
    rig = recognise_rig(skeleton, np.zeros((len(skeleton.names), 3)), UP)
    assert rig.kind == kind
    assert {part: skeleton.names[joint] for part, joint in rig.parts.items()} == names


@pytest.mark.parametrize("seed", range(5))
def test_a_body_without_names_is_known_by_its_shape(seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation(len(BODY_PARTS))
    names = {part: f"bone{number}" for part, number in zip(BODY_PARTS, shuffled, strict=True)}
    skeleton = person(names)
    rig = recognise_rig(skeleton, standing(skeleton).placement.positions[0], UP)
    assert rig.kind == "recognised by shape"
    assert {part: skeleton.names[joint] for part, joint in rig.parts.items()} == names


def test_what_is_not_a_person_gets_an_error_that_helps() -> None:
    skeleton = person({part: f"b{n}" for n, part in enumerate(BODY_PARTS) if not part.startswith("left")})
    with pytest.raises(RigError) as caught:
        recognise_rig(skeleton, standing(skeleton).placement.positions[0], UP)
    message = str(caught.value)
    assert "left_thigh" in message
    assert "b0" in message
    assert "gambol rig" in message
    assert "--rig" in message
    assert "\n" not in message


def test_mapping_overrides_and_is_checked() -> None:
    names = {part: f"b{n}" for n, part in enumerate(BODY_PARTS)}
    skeleton = person(names)
    assert rig_from_mapping(skeleton, names).parts["head"] == skeleton.index(names["head"])
    with pytest.raises(InputError, match="unknown body part 'tail'"):
        rig_from_mapping(skeleton, names | {"tail": "b1"})
    with pytest.raises(InputError, match="no joint 'b999'"):
        rig_from_mapping(skeleton, names | {"head": "b999"})
    with pytest.raises(RigError, match="head"):
        rig_from_mapping(skeleton, {part: name for part, name in names.items() if part != "head"})


def test_template_lists_every_part_and_joint_and_loads_as_yaml() -> None:
    import yaml

    skeleton = person(RIGS["Xsens"])
    text = format_mapping_template(skeleton)
    assert yaml.safe_load(text) == RIGS["Xsens"]
    assert all(f"#   {name}" in text for name in RIGS["Xsens"].values())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("LHipJoint", ("left", "hipjoint")),
        ("Character1_RightHand", ("right", "hand")),
        ("m_avg_L_Hip", ("left", "hip")),
        ("hand.L", ("left", "hand")),
        ("femur_r", ("right", "femur")),
        ("Root", ("", "root")),
        ("LowerBack", ("", "lowerback")),
        ("Rig", ("", "rig")),
        ("leg_joint_L_1", ("left", "legjoint1")),
        ("UpperArmR", ("right", "upperarm")),
        ("leg-left", ("left", "leg")),
        ("J_Bip_L_UpperArm", ("left", "upperarm")),
    ],
)
def test_sides_and_namespaces(name: str, expected: tuple[str, str]) -> None:
    assert split_side(name) == expected


def test_real_skeletons_without_names_are_known_by_shape(cmu_clips: list[Path]) -> None:
    """Joints renamed to numbers: the limbs come out as the names would have them, and the same on both sides."""
    from dataclasses import replace

    from gambol.fit.load import load

    right = 0
    for path in cmu_clips[::4]:
        clip = load(path)
        bare = replace(clip.skeleton, names=tuple(f"j{n}" for n in range(len(clip.skeleton.names))))
        found = match_by_shape(bare, clip.placement.positions[len(clip) // 2], UP)
        limbs = [
            f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shank", "foot", "upper_arm", "forearm", "hand")
        ]
        right += all(found.get(part) == clip.rig.parts[part] for part in limbs)
    assert right >= 0.9 * len(cmu_clips[::4])


KINECT = sided("Left", "Right", pelvis="SpineBase", spine="SpineMid", chest="SpineShoulder", neck="Neck", head="Head",
    upper_arm="Shoulder{}", forearm="Elbow{}", hand="Wrist{}", thigh="Hip{}", shank="Knee{}", foot="Ankle{}",
    toes="Foot{}")  # fmt: skip
COMMON = sided("L", "R", pelvis="Hips", spine="Abdomen", chest="Torso", neck="Neck", head="Head", collar="Shoulder.{}",
    upper_arm="UpperArm.{}", forearm="LowerArm.{}", hand="Palm.{}", thigh="UpperLeg.{}", shank="LowerLeg.{}",
    foot="Foot.{}")  # fmt: skip


@pytest.mark.parametrize(("names", "kind"), [(KINECT, "Kinect"), (COMMON, "common names")])
def test_rigs_of_other_vocabularies_are_recognised(names: dict[str, str], kind: str) -> None:
    skeleton = person(names)
    rig = recognise_rig(skeleton, np.zeros((len(skeleton.names), 3)), UP)
    assert rig.kind == kind
    assert {part: skeleton.names[joint] for part, joint in rig.parts.items()} == names


def test_what_an_exporter_adds_to_every_name_is_ignored() -> None:
    plain = RIGS["MotionBuilder"]
    names = {part: f"Armature_{name}_{n:02d}" for n, (part, name) in enumerate(plain.items())}
    skeleton = person(names)
    rig = recognise_rig(skeleton, np.zeros((len(skeleton.names), 3)), UP)
    assert {part: skeleton.names[joint] for part, joint in rig.parts.items()} == names


def test_numbers_that_belong_to_names_are_kept() -> None:
    names = ("spine_01", "spine_02", "spine_03", "neck_01", "head", "pelvis")
    assert strip_decoration(names) == names


def test_pelvis_and_head_are_found_by_the_tree_where_only_limbs_have_names() -> None:
    odd = {"pelvis": "Bone", "spine": "Bone.001", "chest": "Bone.002", "neck": "Bone.003", "head": "Bone.004"}
    skeleton = person(COMMON | odd)
    rig = recognise_rig(skeleton, standing(skeleton).placement.positions[0], UP)
    assert {part: skeleton.names[rig.parts[part]] for part in odd} == odd


def mirror_names(names: dict[str, str]) -> dict[str, str]:
    swapped = {"left": "right", "right": "left"}
    return {
        part: names[f"{swapped[part.partition('_')[0]]}_{part.partition('_')[2]}"] if "_" in part else name
        for part, name in names.items()
    }


def test_sides_in_names_decide_before_the_shape() -> None:
    """Limbs with numbers: the names tell the sides, whatever the feet point at."""
    limbs = {"upper_arm": "arm_joint_{}_1", "forearm": "arm_joint_{}_2", "hand": "arm_joint_{}_3",
             "thigh": "leg_joint_{}_1", "shank": "leg_joint_{}_2", "foot": "leg_joint_{}_3",
             "toes": "leg_joint_{}_5"}  # fmt: skip
    middle = {"pelvis": "torso_1", "spine": "torso_2", "chest": "torso_3", "neck": "neck_1", "head": "neck_2"}
    names = sided("L", "R", **middle, **limbs)
    for tried in (names, mirror_names(names)):
        skeleton = person(tried)
        rig = recognise_rig(skeleton, standing(skeleton).placement.positions[0], UP)
        assert rig.kind == "recognised by shape"
        assert all(split_side(skeleton.names[joint])[0] == "left" for p, joint in rig.parts.items() if "left" in p)


def four_legs(names: dict[str, str]) -> Skeleton:
    """An animal of which the parts are named as those of a person; x is forward."""
    rows = [
        ("pelvis", "", (0.0, 0.0, 0.0)),
        ("spine", "pelvis", (0.3, 0.0, 0.0)),
        ("chest", "spine", (0.3, 0.0, 0.0)),
        ("neck", "chest", (0.2, 0.0, 0.1)),
        ("head", "neck", (0.1, 0.0, 0.2)),
    ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        rows += [
            (f"{side}_upper_arm", "chest", (0.1, sign * 0.1, 0.0)),
            (f"{side}_forearm", f"{side}_upper_arm", (0.0, 0.0, -0.4)),
            (f"{side}_hand", f"{side}_forearm", (0.0, 0.0, -0.35)),
        ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        rows += [
            (f"{side}_thigh", "pelvis", (0.0, sign * 0.1, 0.0)),
            (f"{side}_shank", f"{side}_thigh", (0.0, 0.0, -0.4)),
            (f"{side}_foot", f"{side}_shank", (0.0, 0.0, -0.4)),
        ]
    index = {part: n for n, (part, _, _) in enumerate(rows)}
    return Skeleton(
        tuple(names[part] for part, _, _ in rows),
        tuple(index[parent] if parent else -1 for _, parent, _ in rows),
        np.array([offset for _, _, offset in rows]),
        tuple(Dof(0, "slide", axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
    )


@pytest.mark.parametrize("names", [COMMON, {part: f"b{n}" for n, part in enumerate(BODY_PARTS)}])
def test_four_legs_are_not_a_person(names: dict[str, str]) -> None:
    skeleton = four_legs(names)
    pose = place(skeleton, np.zeros((1, 3))).positions[0]
    with pytest.raises(RigError, match="not a person: four legs"):
        recognise_rig(skeleton, pose, UP)


def test_eight_legs_are_counted() -> None:
    names, parents, offsets = ["shell"], [-1], [(0.0, 0.0, 0.3)]
    for n in range(4):
        for sign in (1.0, -1.0):
            for k, offset in enumerate(((0.1 * n, 0.1, 0.0), (0.0, 0.3, 0.2), (0.0, 0.2, -0.5), (0.0, 0.05, 0.0))):
                parents.append(len(names) - 1 if k else 0)
                names.append(f"b{n}{sign:+.0f}{k}")
                offsets.append((offset[0], sign * offset[1], offset[2]))
    skeleton = Skeleton(tuple(names), tuple(parents), np.array(offsets), ())
    pose = place(skeleton, np.zeros((1, 0))).positions[0]
    assert describe_other_body(skeleton, pose, UP) == "eight legs"


def test_limbs_of_one_bone_are_said_to_be_so() -> None:
    names = ("root", "leg-left", "leg-right", "torso", "arm-left", "arm-right", "antenna")
    offsets = np.array(
        [(0, 0, 0.02), (0, 0.1, 0.2), (0, -0.1, 0.2), (0, 0, 0.2), (0, 0.3, 0.2), (0, -0.3, 0.2), (0, 0, 0.6)]
    )
    # In an animation that does not turn them, limbs are ends themselves.
    for ends in (frozenset[int](), frozenset({1, 2, 4, 5, 6})):
        skeleton = Skeleton(names, (-1, 0, 0, 0, 3, 3, 3), offsets, (), ends=ends)
        pose = place(skeleton, np.zeros((1, 0))).positions[0]
        assert describe_other_body(skeleton, pose, UP) == "one bone per leg and arm"


def test_a_leg_below_a_thigh_is_not_the_whole_limb() -> None:
    """Feet without toes that an animation does not turn are ends: the shank, named leg, is not the last bone."""
    names = ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot")
    offsets = np.array([(0, 0, 1), *(x for side in (0.1, -0.1) for x in ((0, side, 0), (0, 0, -0.4), (0, 0, -0.4)))])
    skeleton = Skeleton(names, (-1, 0, 1, 2, 0, 4, 5), offsets, (), ends=frozenset({3, 6}))
    pose = place(skeleton, np.zeros((1, 0))).positions[0]
    assert describe_other_body(skeleton, pose, UP) == ""


def test_controls_are_helpers_and_joints_with_bodies_below_are_not() -> None:
    names = ("root", "hips", "LeftForeArmRoll", "LeftHand", "kneeIK.l", "control-heel-roll.l", "heelIK.l_end", "Kirk")
    assert find_helpers(names, (-1, 0, 1, 2, 0, 0, 5, 0)) == {4, 5, 6}


def test_ik_targets_named_as_feet_do_not_become_feet() -> None:
    """Controls under the root, longer than the legs: neither names nor shape may take them."""
    base = person({part: f"b{n}" for n, part in enumerate(BODY_PARTS)})
    names, parents, offsets = list(base.names), list(base.parents), list(base.offsets)
    for sign in (1.0, -1.0):
        for k in range(3):
            parents.append(len(names) - 1 if k else 0)
            names.append(f"IK_{'L' if sign > 0 else 'R'}_{k}")
            offsets.append(np.array((0.5, sign * 0.2, -0.5)))
    skeleton = Skeleton(tuple(names), tuple(parents), np.array(offsets), base.dofs, ends=base.ends)
    pose = place(skeleton, np.zeros((1, len(base.dofs)))).positions[0]
    rig = recognise_rig(skeleton, pose, UP)
    assert {part: skeleton.names[joint] for part, joint in rig.parts.items()} == {
        part: f"b{n}" for n, part in enumerate(BODY_PARTS)
    }
