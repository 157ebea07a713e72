from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.drawing.camera import Camera, aim_camera
from gambol.drawing.shot import VIEWS
from gambol.motion.ensemble import Ensemble, as_ensemble
from gambol.motion.motion import Motion
from gambol.robots.biped_file import load_biped


@pytest.fixture(scope="module")
def walk() -> Motion:
    return gb.load("walk")[::6]


def hands(motion: Motion) -> list[np.ndarray]:
    """Places of left and right hand in the first frame."""
    assert motion.rig is not None
    return [motion.placement.positions[0, motion.rig.parts[f"{side}_hand"]] for side in ("left", "right")]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_a_right_handed_frame_from_above_the_floor(walk: Motion, view) -> None:
    camera = aim_camera(as_ensemble(walk), view).orbit(2.0 if view == "orbit" else 0.0)
    frame = np.stack((camera.right, camera.up, camera.toward))
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(frame) > 0.99
    assert camera.right[2] == pytest.approx(0.0, abs=1e-12)
    assert camera.toward[2] > 0.0


def test_views_show_the_side_that_they_are_named_after(walk: Motion) -> None:
    scene = as_ensemble(walk)
    left, right = hands(walk)
    nose = np.cross(left - right, [0.0, 0.0, 1.0])  # forward of somebody whose hands hang at the sides
    assert aim_camera(scene, "front").toward @ nose > 0.0 > aim_camera(scene, "back").toward @ nose
    for view, seen in (("front", 1.0), ("back", -1.0)):
        across = aim_camera(scene, view).project(np.stack((left, right)))[:, 0]
        assert seen * (across[0] - across[1]) > 0.2
    side = aim_camera(scene, "side")
    assert side.depth(right) > side.depth(left)
    assert side.right @ nose > 0.0
    above = aim_camera(scene, "top")
    head, pelvis = (walk.placement.positions[0, walk.rig.parts[part]] for part in ("head", "pelvis"))  # type: ignore[union-attr]
    assert above.depth(head) - above.depth(pelvis) == pytest.approx(head[2] - pelvis[2])


def test_somebody_who_walks_backward_is_seen_from_the_front(walk: Motion) -> None:
    backward = replace(walk, q=walk.q[::-1])
    ahead, back = (aim_camera(as_ensemble(motion), "front").toward for motion in (walk, backward))
    assert ahead @ back > 0.99
    ahead, back = (aim_camera(as_ensemble(motion), "side").right for motion in (walk, backward))
    assert ahead @ back < -0.99


def test_a_crowd_is_seen_from_higher_up_and_a_pair_from_beside_it(walk: Motion) -> None:
    aside = np.eye(len(walk.skeleton.dofs))[walk.skeleton.columns(0, "slide")[0]]
    people = [replace(walk, q=walk.q + metres * aside) for metres in (0.0, 1.0, 2.0)]
    one, two, three = (aim_camera(Ensemble(tuple(people[:n]))) for n in (1, 2, 3))
    assert three.toward[2] > 2.0 * one.toward[2]
    starts = np.array([motion.placement.positions[0, motion.mover] for motion in people])
    assert abs(two.right @ (starts[1] - starts[0])) > 0.85


def test_two_who_walk_side_by_side_are_seen_from_the_front_in_any_order(walk: Motion) -> None:
    aside = np.eye(len(walk.skeleton.dofs))[walk.skeleton.columns(0, "slide")[0]]
    front = aim_camera(as_ensemble(walk), "front").toward
    for metres in (-1.0, 1.0):
        assert aim_camera(Ensemble((walk, replace(walk, q=walk.q + metres * aside)))).toward @ front > 0.7


def test_an_orbit_goes_around_once_in_twelve_seconds() -> None:
    start = Camera.beside(np.array([0.6, 0.8, 0.0]))
    np.testing.assert_allclose(start.orbit(12.0).toward, start.toward, atol=1e-12)
    quarter = start.orbit(3.0)
    assert abs(quarter.toward[:2] @ start.toward[:2]) < 1e-12
    assert quarter.toward[2] == pytest.approx(start.toward[2])


def test_perspective_makes_things_smaller_in_proportion_to_their_distance() -> None:
    aim = Camera.beside(np.array([1.0, 0.0, 0.0]))
    camera = replace(aim, target=np.array([1.0, 2.0, 3.0]), distance=4.0)
    stick = np.stack((-0.5 * camera.right, 0.5 * camera.right)) + camera.target
    for behind, length in ((0.0, 1.0), (4.0, 0.5), (12.0, 0.25), (-2.0, 2.0)):
        shown = camera.project(stick - behind * camera.toward)
        np.testing.assert_allclose(shown, [[-0.5 * length, 0.0], [0.5 * length, 0.0]], atol=1e-12)
    assert camera.sees(stick).all()
    assert not camera.sees(stick + 5.0 * camera.toward).any()
    far = replace(camera, distance=1e9).project(stick)
    np.testing.assert_allclose(far, replace(camera, distance=np.inf).project(stick), atol=1e-7)


def test_a_robot_is_seen_from_where_the_x_axis_of_its_base_points() -> None:
    """Robots have no rig that is known; this one faces against the direction of y."""
    skeleton = load_biped().description.character.skeleton
    q = np.tile(np.radians(-90.0) * np.eye(len(skeleton.dofs))[3], (3, 1))
    camera = aim_camera(as_ensemble(Motion(skeleton, q, 0.02, "still")), "front")
    assert camera.toward @ [0.0, -1.0, 0.0] > 0.9
