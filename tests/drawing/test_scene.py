"""Figures in the viser scene, without a browser: what is sent is skinned here and compared with the mesh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import viser
from scipy.spatial import cKDTree

from gambol.drawing.scene import BodyFigure, SceneView, SegmentFigure, name_figures, start_together
from gambol.drawing.server import close_server, open_server
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.motion.ensemble import Ensemble
from gambol.motion.figure import build_body_mesh
from gambol.motion.motion import Origin


@pytest.fixture
def server() -> Iterator[viser.ViserServer]:
    opened = open_server("127.0.0.1", 0)
    yield opened
    close_server(opened)


def matrices(positions: np.ndarray, wxyzs: np.ndarray) -> np.ndarray:
    made = np.tile(np.eye(4), (len(positions), 1, 1))
    made[:, :3, :3], made[:, :3, 3] = quat.to_matrix(wxyzs), positions
    return made


def skin(handle: viser.MeshSkinnedHandle) -> np.ndarray:
    """The vertices as a browser skins them."""
    bind = matrices(np.array(handle.bone_positions, float), quat.normalise(np.array(handle.bone_wxyzs, float)))
    now = matrices(
        np.array([bone.position for bone in handle.bones]),
        quat.normalise(np.array([bone.wxyz for bone in handle.bones])),
    )
    moves = np.einsum("vk,vkij->vij", handle.skin_weights, (now @ np.linalg.inv(bind))[handle.skin_indices])
    return np.einsum("vij,vj->vi", moves, np.c_[handle.vertices, np.ones(len(handle.vertices))])[:, :3]


def test_a_body_in_the_browser_is_the_same_as_elsewhere(server: viser.ViserServer) -> None:
    walk = samples.walk()
    figure = SceneView(server, [walk]).figures[0].figure
    assert isinstance(figure, BodyFigure)
    positions, rotations = walk.placement.positions[40], walk.placement.rotations[40]
    figure.pose(positions, rotations)
    expected, _ = build_body_mesh(walk).pose(positions, rotations)
    found = np.concatenate([skin(handle) for handle in figure.handles])
    assert len(found) == len(expected)
    for one, other in ((found, expected), (expected, found)):
        assert cKDTree(one).query(other)[0].max() < 2e-3


def test_many_people_and_unknown_rigs_are_segments(server: viser.ViserServer) -> None:
    walk = samples.walk()[:2]
    crowd = SceneView(server, [walk] * 5)
    assert all(isinstance(figure.figure, SegmentFigure) for figure in crowd.figures)
    few = SceneView(server, [walk, replace(walk, rig=None)])
    assert [type(figure.figure) for figure in few.figures] == [BodyFigure, SegmentFigure]


def test_two_clips_have_their_names_above_them_and_the_first_is_on_the_left(server: viser.ViserServer) -> None:
    walk, run = samples.walk(), samples.run()
    scene = SceneView(server, [walk, run])
    scene.arrange(apart=True)
    scene.show(0.5, follow=True)
    labels = [server.scene.get_handle_by_name(f"/name_{n}") for n in range(2)]
    assert [label.text for label in labels] == ["walk.bvh", "run.bvh"]
    place, target = scene.viewpoint(follow=True)
    ahead = (target - place) * [1.0, 1.0, 0.0]
    right = np.cross(ahead / np.linalg.norm(ahead), [0.0, 0.0, 1.0])
    aside = [label.position @ right for label in labels]
    assert aside[1] - aside[0] > 0.6
    for label, figure in zip(labels, scene.figures, strict=True):
        body = np.concatenate([skin(handle) for handle in figure.figure.handles])
        assert np.linalg.norm(label.position[:2] - body.mean(axis=0)[:2]) < 0.2
        assert 0.1 < label.position[2] - body[:, 2].max() < 0.6
    alone = SceneView(server, [walk])
    assert alone._names == []


@pytest.mark.parametrize(
    ("files", "names", "expected"),
    [
        (("a/walk.bvh", "a/push.glb"), ("walk", "walk"), ["walk.bvh", "push.glb"]),
        (("a/walk.bvh", "b/walk.bvh"), ("walk", "walk"), ["a/walk.bvh", "b/walk.bvh"]),
        (("pair.glb", "pair.glb"), ("anna", "ben"), ["anna", "ben"]),
        (("", ""), ("walk", "walk"), ["1: walk", "2: walk"]),
    ],
)
def test_names_tell_clips_apart(files: tuple[str, ...], names: tuple[str, ...], expected: list[str]) -> None:
    walk = samples.walk()[:2]
    motions = [replace(walk, name=name, origin=Origin(file)) for name, file in zip(names, files, strict=True)]
    assert name_figures(motions) == expected


def test_clips_before_and_after_an_edit_start_together_and_two_people_do_not() -> None:
    walk = samples.walk()[:2]
    q, sideways = walk.q.copy(), [abs(dof.axis[1]) if dof.kind == "slide" else 0.0 for dof in walk.skeleton.dofs]
    q[:, int(np.argmax(sideways))] += 0.8
    beside = replace(walk, q=q)
    assert start_together([walk, walk])
    assert not start_together([walk])
    assert not start_together(Ensemble((walk, beside)))
    assert start_together([walk, beside, walk])
