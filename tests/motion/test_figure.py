from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.motion.figure import COLORS, build_body_mesh, build_body_segments, find_joint_sides
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import NeutralPose
from gambol.motion.rig import Rig, rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS, REQUIRED_PARTS
from gambol.motion.shapes import Mesh, build_box, build_mesh, build_unit_shape
from gambol.motion.skeleton import Skeleton
from tests.motion.bodies import person, standing

OWN_NAMES = {part: part for part in BODY_PARTS}


def test_unit_shape_is_closed_and_faces_outward() -> None:
    vertices, faces = build_unit_shape()
    edges = Counter((int(a), int(b)) for f in faces for a, b in zip(f, np.roll(f, -1), strict=True))
    assert all(edges[b, a] == 1 for a, b in edges)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.sum(normals * corners.mean(axis=1), axis=1) > 0).all()


def someone(skeleton: Skeleton | None = None, without: Iterable[str] = ()) -> Motion:
    """A person whose rig is known, but for some parts."""
    skeleton = skeleton or person()
    return replace(
        standing(skeleton), rig=rig_from_mapping(skeleton, {p: p for p in BODY_PARTS if p not in set(without)})
    )


def bent(motion: Motion, seed: int = 0, size: float = 0.5) -> Motion:
    """The same person in another pose: arms, legs and back turned at random."""
    random = np.random.default_rng(seed)
    turns = np.array([dof.kind == "turn" for dof in motion.skeleton.dofs])
    return replace(motion, q=motion.q[:1] + turns * random.normal(scale=size, size=len(turns)))


def pose(mesh: Mesh, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    return mesh.pose(motion.placement.positions[0], motion.placement.rotations[0])


def weld(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces without the copies of vertices at the borders of colours."""
    vertices, numbers = np.unique(mesh.vertices.round(9), axis=0, return_inverse=True)
    return vertices, numbers.ravel()[mesh.faces]


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return float(np.einsum("fc,fc->", a, np.cross(b, c))) / 6.0


def width(points: np.ndarray, low: float, high: float) -> float:
    """Width from the front of what is between two heights."""
    return float(np.ptp(points[(points[:, 2] > low) & (points[:, 2] < high), 1]))


def test_segments_lie_along_every_long_bone_and_their_normals_point_out() -> None:
    motion = someone()
    skeleton, segments = motion.skeleton, build_body_segments(motion)
    covered = {skeleton.names[j] for j in segments.joints}
    assert {
        f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shank", "foot", "upper_arm", "forearm")
    } <= covered
    thigh = list(segments.joints).index(skeleton.index("left_thigh"))
    np.testing.assert_allclose(segments.centers[thigh], [0.0, 0.0, -0.215], atol=1e-9)
    assert segments.radii[thigh, 2] > 0.215

    mesh = build_mesh(segments, np.zeros((len(segments.joints), 3)))
    centers = np.repeat(segments.centers, len(build_unit_shape()[0]), axis=0)
    assert (np.sum(mesh.normals * (mesh.vertices - centers), axis=1) > 0).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("without", [(), set(BODY_PARTS) - set(REQUIRED_PARTS)], ids=["all parts", "few parts"])
def test_body_is_closed_and_has_the_volume_of_a_person(without: Iterable[str], coarse: bool) -> None:
    motion = someone(without=without)
    mesh = build_body_mesh(motion, coarse)
    vertices, faces = weld(mesh)
    edges = Counter((int(a), int(b)) for f in faces for a, b in zip(f, np.roll(f, -1), strict=True))
    assert all(edges[b, a] == edges[a, b] == 1 for a, b in edges)
    assert len(vertices) - len(edges) // 2 + len(faces) == 2
    # A person of 1.75 m has about 70 litres.
    assert 0.055 < volume(mesh.vertices, mesh.faces) < 0.085
    assert len(faces) < (1700 if coarse else 6500)
    corners = mesh.vertices[mesh.faces]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("fc,fvc->fv", outward, mesh.normals[mesh.faces]) > 0.0).mean() > 0.98
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)


def test_vertices_follow_neighbouring_joints_of_one_limb() -> None:
    motion = someone()
    mesh, skeleton = build_body_mesh(motion), motion.skeleton
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1.0)
    assert (mesh.weights >= 0.0).all()
    assert mesh.weights.shape[1] <= 4
    arms, legs = (
        [{skeleton.index(f"{side}_{part}") for part in parts} for side in ("left", "right")]
        for parts in (("upper_arm", "forearm", "hand"), ("thigh", "shank", "foot", "toes"))
    )
    for joints, weights in zip(mesh.joints, mesh.weights, strict=True):
        used = set(joints[weights > 0.0].tolist())
        limbs = [limb for limb in (*arms, *legs) if len(limb & used) > 0]
        assert len(limbs) <= 1 or all(sum(weights[[j in limb for j in joints]]) < 0.2 for limb in limbs)
        assert sum(skeleton.parents[joint] not in used for joint in used) == 1


def test_left_and_right_of_a_symmetric_rig_mirror_each_other() -> None:
    motion = someone()
    mesh = build_body_mesh(motion)
    mirrored = mesh.vertices * [1.0, -1.0, 1.0]
    nearest, _ = cKDTree(mesh.vertices).query(mirrored)
    assert nearest.max() < 1e-9
    left, right = (np.isclose(mesh.colors, COLORS[side]).all(axis=1) for side in (1, -1))
    assert left.sum() == right.sum() > 500
    assert (mesh.vertices[left, 1] > -1e-9).all()
    assert (mesh.vertices[right, 1] < 1e-9).all()


def test_a_body_moved_and_turned_keeps_its_shape() -> None:
    motion = bent(someone())
    mesh = build_body_mesh(motion)
    placed = motion.placement
    vertices, normals = mesh.pose(placed.positions[0], placed.rotations[0])
    turn, shift = quat.normalise(np.array([0.4, -0.2, 0.8, 0.3])), np.array([3.0, -2.0, 0.7])
    moved = mesh.pose(quat.rotate(turn, placed.positions[0]) + shift, quat.multiply(turn, placed.rotations[0]))
    np.testing.assert_allclose(moved[0], quat.rotate(turn, vertices) + shift, atol=1e-9)
    np.testing.assert_allclose(moved[1], quat.rotate(turn, normals), atol=1e-9)
    assert volume(vertices, mesh.faces) == pytest.approx(volume(mesh.vertices, mesh.faces), rel=0.1)


def test_the_body_does_not_depend_on_the_pose_a_rig_rests_in() -> None:
    """Bones that all point one way at rest, as in some files, are posed as the same person as those of a T-pose."""
    motion = someone()
    skeleton, placed = motion.skeleton, motion.placement
    offsets, rests = skeleton.offsets.copy(), np.tile(quat.IDENTITY, (len(skeleton.names), 1))
    turns = np.tile(quat.IDENTITY, (len(skeleton.names), 1))
    for joint, children in enumerate(skeleton.children):
        if children and skeleton.offsets[children[0]].any():
            turns[joint] = quat.shortest_arc(np.array([0.36, 0.48, 0.8]), skeleton.offsets[children[0]])
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            offsets[joint] = quat.rotate(quat.conjugate(turns[parent]), skeleton.offsets[joint])
    odd = replace(skeleton, offsets=offsets, rests=rests)
    local = quat.multiply(
        quat.conjugate(np.vstack((quat.IDENTITY, turns[list(skeleton.parents[1:])]))),
        quat.multiply(local_frames(skeleton, motion.q).rotations[0], turns),
    )
    q = np.zeros((1, len(skeleton.dofs)))
    q[:, :3] = motion.q[0, :3]
    for joint in range(len(skeleton.names)):
        columns = skeleton.columns(joint, "turn")
        if columns:
            q[:, columns] = angles_about(np.array([skeleton.dofs[c].axis for c in columns]), local[joint][None])
    other = replace(motion, skeleton=odd, q=q)
    np.testing.assert_allclose(other.placement.positions[0], placed.positions[0], atol=1e-9)
    one, two = (pose(build_body_mesh(clip[:1]), clip)[0] for clip in (motion, other))
    assert np.abs(one - two).max() < 0.02


def test_from_the_front_shoulders_and_chest_are_wider_than_the_hips() -> None:
    motion = someone()
    mesh = build_body_mesh(motion)
    grey = mesh.vertices[np.isclose(mesh.colors, COLORS[0]).all(axis=1)]
    positions = NeutralPose(motion).positions
    hip, shoulder = (positions[motion.skeleton.index(f"left_{part}"), 2] for part in ("thigh", "upper_arm"))
    tall = shoulder - hip
    hips, waist, chest = (
        width(grey, hip + low * tall, hip + high * tall) for low, high in ((0.0, 0.2), (0.35, 0.5), (0.7, 0.9))
    )
    assert waist < 0.95 * hips < hips < chest
    assert hips > 0.28


def test_the_face_looks_ahead_wherever_the_head_turns() -> None:
    motion = someone()
    mesh = build_body_mesh(motion)
    column = motion.skeleton.columns(motion.skeleton.index("head"), "turn")[0]
    for angle in (0.0, 0.8, -1.2):
        q = motion.q[:1].copy()
        q[0, column] = angle
        turned = replace(motion, q=q)
        vertices, normals = pose(mesh, turned)
        face = np.isclose(mesh.colors, COLORS[2]).all(axis=1)
        ahead = np.array([np.cos(angle), np.sin(angle), 0.0])
        head = turned.placement.positions[0, motion.skeleton.index("head")]
        assert face.sum() > 10
        assert ((vertices[face] - head) @ ahead > 0.05).all()
        assert (normals[face] @ ahead > 0.5).all()
        np.testing.assert_allclose(np.cross(normals[face].mean(axis=0), ahead)[2], 0.0, atol=1e-9)


@pytest.mark.parametrize("ankle_height", [0.05, 0.09])
def test_feet_stand_on_the_ground_and_reach_from_heel_to_toes(ankle_height: float) -> None:
    base = person()
    offsets = base.offsets.copy()
    offsets[[base.index("left_toes"), base.index("right_toes")], 2] = -ankle_height
    motion = someone(replace(base, offsets=offsets))
    vertices, _ = pose(build_body_mesh(motion), motion)
    ankle, toes = (motion.placement.positions[0, base.index(f"left_{part}")] for part in ("foot", "toes"))
    foot = vertices[(vertices[:, 2] < ankle[2] - 0.02) & (vertices[:, 1] > 0.0)]
    assert 0.0 < toes[2] - foot[:, 2].min() < 0.04
    assert foot[:, 0].min() < ankle[0] - 0.03
    assert toes[0] + 0.05 < foot[:, 0].max() < toes[0] + 0.11


def test_the_middle_of_a_bone_follows_it_alone() -> None:
    motion = someone()
    mesh, positions, skeleton = build_body_mesh(motion), NeutralPose(motion).positions, motion.skeleton
    for upper, lower in (("thigh", "shank"), ("shank", "foot"), ("upper_arm", "forearm"), ("forearm", "hand")):
        for side in ("left", "right"):
            joint = skeleton.index(f"{side}_{upper}")
            start, end = positions[joint], positions[skeleton.index(f"{side}_{lower}")]
            along = (mesh.vertices - start) @ (end - start) / np.sum((end - start) ** 2)
            around = np.linalg.norm(mesh.vertices - start - along[:, None] * (end - start), axis=1)
            middle = (np.abs(along - 0.5) < 0.15) & (around < 0.12)
            assert middle.sum() > 10
            assert (np.where(mesh.joints == joint, mesh.weights, 0.0).sum(axis=1)[middle] > 0.9).all()


def test_legs_and_arms_of_any_length_get_a_body_of_their_length() -> None:
    base = person()
    for scale, part in ((0.6, "shank"), (1.5, "forearm"), (1.4, "thigh")):
        offsets = base.offsets.copy()
        for joint, parent in enumerate(base.parents):
            if parent >= 0 and base.names[parent].endswith(part):
                offsets[joint] *= scale
        motion = someone(replace(base, offsets=offsets))
        mesh = build_body_mesh(motion)
        for side in ("left", "right"):
            joint = motion.skeleton.index(f"{side}_{'hand' if part == 'forearm' else 'foot'}")
            place = NeutralPose(motion).positions[joint]
            assert np.linalg.norm(mesh.vertices - place, axis=1).min() < 0.06
        vertices, faces = weld(mesh)
        assert volume(vertices, faces) > 0.03


def test_a_skin_is_drawn_as_it_is_and_segments_where_parts_are_missing() -> None:
    motion = someone()
    skin = build_box((0.0, 0.0, 0.0), (0.1, 0.2, 0.3), 1, (0.2, 0.6, 0.2))
    assert build_body_mesh(replace(motion, skin=skin)) is skin
    parts = {part: joint for part, joint in motion.rig.parts.items() if "arm" not in part}
    armless = replace(motion, rig=Rig("markers", parts))
    assert build_body_mesh(armless).inverse_binds is None
    assert build_body_mesh(replace(motion, rig=None)).inverse_binds is None


def test_left_and_right_look_different_to_everybody() -> None:
    """Without red or green vision (Machado et al. 2009, severity 1) and in black and white."""
    protan = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    deutan = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])

    def lab(color: tuple[float, float, float], seen: np.ndarray) -> np.ndarray:
        linear = ((np.array(color) + 0.055) / 1.055) ** 2.4
        x, y, z = np.cbrt(to_xyz @ np.clip(seen @ linear, 0.0, 1.0) / [0.9505, 1.0, 1.089])
        return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])

    for seen in (np.eye(3), np.array(protan), np.array(deutan)):
        middle, left, right = (lab(COLORS[side], seen) for side in (0, 1, -1))
        assert min(np.linalg.norm(a - b) for a, b in ((left, right), (middle, left), (middle, right))) > 40.0
        assert left[0] - right[0] > 15.0


def test_sides_follow_the_limbs() -> None:
    skeleton = person()
    motion = replace(standing(skeleton), rig=None)
    assert not find_joint_sides(motion).any()
    known = replace(motion, rig=rig_from_mapping(skeleton, OWN_NAMES))
    sides = find_joint_sides(known)
    for joint, name in enumerate(skeleton.names):
        assert sides[joint] == (1 if name.startswith("left") else -1 if name.startswith("right") else 0)


def test_unknown_rig_still_has_a_figure() -> None:
    skeleton = person({part: f"b{n}" for n, part in enumerate(["pelvis", "left_thigh", "left_shank", "left_foot"])})
    segments = build_body_segments(standing(skeleton))
    assert len(segments.joints) >= 2
    assert np.isfinite(quat.to_matrix(segments.rotations)).all()


def test_controls_and_the_root_on_the_ground_are_not_drawn() -> None:
    base = person()
    names = ("armature", *base.names, "kneeIK.l", "control-heel-roll.l", "IK-foot.l")
    count = len(base.names)
    parents = (-1, *(parent + 1 for parent in base.parents), 0, 0, count + 2)
    offsets = np.vstack(([0.0, 0.0, -0.9], base.offsets, np.full((3, 3), 0.5)))
    dofs = tuple(replace(dof, joint=dof.joint + 1) for dof in base.dofs)
    skeleton = Skeleton(names, parents, offsets, dofs, ends=frozenset(end + 1 for end in base.ends))
    motion = replace(
        Motion(skeleton, standing(base).q, 1 / 60), rig=rig_from_mapping(skeleton, {part: part for part in BODY_PARTS})
    )
    plain = replace(standing(base), rig=rig_from_mapping(base, OWN_NAMES))
    drawn, expected = build_body_segments(motion), build_body_segments(plain)
    np.testing.assert_array_equal(drawn.joints, expected.joints + 1)
    np.testing.assert_allclose(drawn.radii, expected.radii)
