from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.motion.figure import build_body_mesh, build_body_segments, find_joint_sides
from gambol.motion.motion import Motion
from gambol.motion.rig import rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS
from gambol.motion.shapes import build_unit_shape
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


def test_figure_has_a_segment_along_every_long_bone_and_its_normals_point_out() -> None:
    skeleton = person()
    motion = replace(standing(skeleton), rig=rig_from_mapping(skeleton, OWN_NAMES))
    segments = build_body_segments(motion)
    covered = {skeleton.names[j] for j in segments.joints}
    assert {
        f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shank", "foot", "upper_arm", "forearm")
    } <= covered
    thigh = list(segments.joints).index(skeleton.index("left_thigh"))
    np.testing.assert_allclose(segments.centers[thigh], [0.0, 0.0, -0.215], atol=1e-9)
    assert segments.radii[thigh, 2] > 0.215

    mesh = build_body_mesh(motion)
    centers = np.repeat(segments.centers, len(build_unit_shape()[0]), axis=0)
    assert (np.sum(mesh.normals * (mesh.vertices - centers), axis=1) > 0).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)


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
