"""Figures in the viser scene, without a browser: what is sent is skinned here and compared with the mesh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import viser
from scipy.spatial import cKDTree

from gambol.drawing.scene import BodyFigure, SceneView, SegmentFigure
from gambol.drawing.server import close_server, open_server
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.motion.figure import build_body_mesh


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
