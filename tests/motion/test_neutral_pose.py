from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import UP
from gambol.motion.figure import build_body_mesh
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import NeutralPose, has_body
from gambol.motion.rig import Rig, rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS
from gambol.motion.skeleton import Skeleton
from tests.motion.bodies import X, person, standing

OWN_NAMES = {part: part for part in BODY_PARTS}
LEGS = tuple(f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank", "foot", "toes"))


def someone(skeleton: Skeleton) -> Motion:
    return replace(standing(skeleton), rig=rig_from_mapping(skeleton, OWN_NAMES))


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def test_bones_keep_their_lengths_and_joints_their_frames() -> None:
    motion = someone(person())
    pose, skeleton = NeutralPose(motion), motion.skeleton
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            # A joint is where its offset puts it in the frame of its parent: poses are made of the rig's own turns.
            there = pose.positions[parent] + quat.rotate(pose.rotations[parent], skeleton.offsets[joint])
            np.testing.assert_allclose(pose.positions[joint], there, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(pose.rotations, axis=1), 1.0)


def test_the_pose_has_straight_limbs_and_flat_feet() -> None:
    motion = someone(person())
    pose, index = NeutralPose(motion), motion.skeleton.index
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hip, knee, ankle, toes, shoulder, elbow, wrist = (
            pose.positions[index(f"{side}_{part}")]
            for part in ("thigh", "shank", "foot", "toes", "upper_arm", "forearm", "hand")
        )
        assert unit(knee - hip) @ unit(ankle - knee) == pytest.approx(1.0)
        assert unit(elbow - shoulder) @ unit(wrist - elbow) == pytest.approx(1.0)
        assert sign * (wrist - shoulder)[1] > 0.3
        assert (wrist - shoulder)[2] < -0.3
        np.testing.assert_allclose(toes - ankle, [0.13, 0.0, -0.05], atol=1e-9)
    np.testing.assert_allclose(pose.positions[[index("left_thigh"), index("right_thigh")]].sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("angle", [0.5, 2.0, -2.8])
def test_which_way_the_rig_faces_does_not_matter(angle: float) -> None:
    base = person()
    turn = quat.to_matrix(quat.from_axis_angle([0.0, 0.0, 1.0], angle))
    one, other = (NeutralPose(someone(skeleton)) for skeleton in (base, base.change_axes(turn)))
    np.testing.assert_allclose(other.positions, one.positions, atol=1e-9)


def test_a_foot_beside_its_leg_is_put_at_the_end_of_it() -> None:
    """Feet that an IK solver moved hang on the root."""
    base = person()
    rest = place(base, np.zeros((1, len(base.dofs)))).positions[0]
    feet = [
        j for j, name in enumerate(base.names) if name.startswith(("left_foot", "right_foot", "left_to", "right_to"))
    ]
    order = [*(j for j in range(len(base.names)) if j not in feet), *feet]
    places = {old: new for new, old in enumerate(order)}
    tops = {base.index("left_foot"), base.index("right_foot")}
    skeleton = Skeleton(
        tuple(base.names[j] for j in order),
        tuple(0 if j in tops else places.get(base.parents[j], -1) for j in order),
        np.array([rest[j] if j in tops else base.offsets[j] for j in order]),
        tuple(sorted((replace(d, joint=places[d.joint]) for d in base.dofs), key=lambda d: d.joint)),
        ends=frozenset(places[j] for j in base.ends),
    )
    rig = Rig("by hand", {part: skeleton.index(part) for part in BODY_PARTS})
    motion = Motion(skeleton, np.zeros((1, len(skeleton.dofs))), 0.01, rig=rig)
    assert has_body(motion)
    pose, plain = NeutralPose(motion), NeutralPose(someone(base))
    np.testing.assert_allclose(pose.positions, plain.positions[order], atol=1e-9)


def test_feet_of_a_rig_that_does_not_rest_upright_are_flat_where_they_stand() -> None:
    """All bones lie along x at rest; in the clip the person stands and lifts the heels at times."""
    base = person()
    offsets = np.zeros_like(base.offsets)
    offsets[:, 0] = np.linalg.norm(base.offsets, axis=1)
    hips = [base.index("left_thigh"), base.index("right_thigh")]
    offsets[hips] = base.offsets[hips]
    offsets[[base.index("left_collar"), base.index("right_collar")]] = [[0.1, 0.1, 0.0], [0.1, -0.1, 0.0]]
    skeleton = replace(base, offsets=offsets)
    q = np.zeros((60, len(skeleton.dofs)))

    def turn(name: str, axis: int, angle: float | np.ndarray) -> None:
        q[:, skeleton.columns(skeleton.index(name), "turn")[axis]] = angle

    turn("pelvis", 1, -0.5 * np.pi)  # z up becomes ahead, x up
    heels = 0.8 * np.maximum(0.0, np.sin(np.linspace(0.0, 6.0, 60)))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn(f"{side}_thigh", 1, np.pi)
        turn(f"{side}_foot", 1, -0.5 * np.pi + 0.55 + heels)
        turn(f"{side}_upper_arm", 0, sign * 0.5 * np.pi)
    q[:, 2] = 0.86 + 0.13 * np.sin(heels)
    motion = Motion(skeleton, q, 0.02, rig=rig_from_mapping(skeleton, OWN_NAMES))
    pose = NeutralPose(motion)
    for side in ("left", "right"):
        bone = pose.positions[skeleton.index(f"{side}_toes")] - pose.positions[skeleton.index(f"{side}_foot")]
        assert np.arctan2(-bone[2], bone[0]) == pytest.approx(0.55, abs=0.05)


@pytest.mark.parametrize("leaning", [True, False])
def test_feet_of_legs_that_rest_spread_are_level_as_the_clip_shows_them(leaning: bool) -> None:
    """Either feet lean with the legs, as in rigs without skin, or they rest on the floor."""
    skeleton, spread = person(), 0.35
    offsets = skeleton.offsets.copy()
    legs = {
        "left": np.array([0.0, -np.sin(spread), np.cos(spread)]),
        "right": np.array([0.0, np.sin(spread), np.cos(spread)]),
    }
    for side, leg in legs.items():
        offsets[[skeleton.index(f"{side}_{part}") for part in ("shank", "foot")]] = -0.43 * leg
    motion = someone(replace(skeleton, offsets=offsets))
    q = motion.q.copy()
    columns = {(skeleton.names[dof.joint], dof.axis): column for column, dof in enumerate(skeleton.dofs)}
    for side, sign in (("left", -1.0), ("right", 1.0)):
        q[:, columns[f"{side}_thigh", X]] += sign * spread
        q[:, columns[f"{side}_foot", X]] -= 0.0 if leaning else sign * spread
    pose = NeutralPose(replace(motion, q=q))
    for side, leg in legs.items():
        up = quat.rotate(pose.rotations[skeleton.index(f"{side}_foot")], leg if leaning else UP)
        np.testing.assert_allclose(up, UP, atol=1e-9)
        toes, ankle = (pose.positions[skeleton.index(f"{side}_{part}")] for part in ("toes", "foot"))
        assert (toes - ankle)[1] == pytest.approx(0.0, abs=1e-9)


def test_bodies_need_all_parts_and_limbs_that_are_chains() -> None:
    motion = someone(person())
    assert motion.rig is not None
    assert has_body(motion)
    assert not has_body(replace(motion, rig=None))
    parts = dict(motion.rig.parts)
    assert not has_body(replace(motion, rig=Rig("", {p: j for p, j in parts.items() if p != "left_forearm"})))
    parts["left_shank"], parts["right_shank"] = parts["right_shank"], parts["left_shank"]
    assert not has_body(replace(motion, rig=Rig("", parts)))


@pytest.mark.parametrize(
    "shrunk",
    [("left_thigh", "right_thigh"), ("left_shank",), ("left_foot",), ("left_forearm",), ("left_toes",), LEGS],
)
def test_bones_without_length_have_a_finite_figure(shrunk: tuple[str, ...]) -> None:
    """Both hips in one place, a leg or an arm without a bone, toes at the ankle, and no legs at all."""
    base = person()
    offsets = base.offsets.copy()
    offsets[[base.index(name) for name in shrunk]] = 0.0
    motion = someone(replace(base, offsets=offsets))
    with np.errstate(all="raise"):
        mesh = build_body_mesh(motion)
    assert np.isfinite(mesh.vertices).all()
    assert np.isfinite(mesh.normals).all()
    assert has_body(motion) == (shrunk == ("left_toes",))
