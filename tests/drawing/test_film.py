"""Pictures of films: who is where, what is drawn with them, and that nothing is cut off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.drawing.camera import choose_direction
from gambol.drawing.film import Film
from gambol.drawing.forces import Arrow
from gambol.drawing.painter import GROUND
from gambol.drawing.shot import VIEWS, Shot
from gambol.drawing.trails import CENTER_COLOR
from gambol.geometry.arrays import Array
from gambol.motion.ensemble import Ensemble
from gambol.motion.motion import Motion
from tests.drawing.test_drawing import near, painted

SIZE = (192, 108)


@pytest.fixture(scope="module")
def walk() -> Motion:
    return gb.load("walk")[:90:2]


@pytest.fixture(scope="module")
def jump() -> Motion:
    return gb.load("jump")[::4]


def move(motion: Motion, by: tuple[float, float, float]) -> Motion:
    """Return a motion moved in the world, whatever the axes of its root."""
    columns = motion.skeleton.columns(0, "slide")
    axes = [motion.skeleton.dofs[column].axis for column in columns]
    q = motion.q.copy()
    q[:, columns] += np.linalg.solve(np.transpose(axes), by)
    return replace(motion, q=q)


def find_body(image: Array) -> Array:
    """Where a picture shows a body: what is coloured, or bright and dark as skin, but not ground, lines or shadow."""
    return painted(image, 1) | painted(image, -1)


@pytest.mark.parametrize("view", VIEWS)
def test_the_whole_figure_is_inside_every_picture(jump: Motion, view) -> None:
    film = Film(jump, Shot(view=view, fps=8.0), SIZE)
    assert len(film) > 15
    for image in film:
        body = find_body(image)
        assert body.sum() > 100
        edge = np.concatenate((body[:2].ravel(), body[-2:].ravel(), body[:, :2].ravel(), body[:, -2:].ravel()))
        assert not edge.any()


def test_a_walker_fills_the_picture_and_stays_in_its_middle(walk: Motion) -> None:
    for image in Film(walk, Shot(fps=5.0), SIZE):
        body = np.argwhere(np.abs(image[..., :3] / 255.0 - GROUND).max(axis=-1) > 0.12)
        assert np.ptp(body[:, 0]) > 0.7 * SIZE[1]
        assert np.median(body[:, 1]) == pytest.approx(SIZE[0] / 2, abs=0.12 * SIZE[0])


def test_front_and_back_show_left_on_opposite_sides(walk: Motion) -> None:
    for view, sign in (("front", 1), ("back", -1)):
        image = Film(walk, Shot(view=view), SIZE)[0]
        left, right = (np.nonzero(painted(image, side))[1].mean() for side in (1, -1))
        assert sign * (left - right) > 5.0


def test_whoever_is_on_the_left_of_the_camera_is_on_the_left_of_the_picture(walk: Motion) -> None:
    grey = replace(walk, rig=None)  # drawn in one colour
    left = np.cross([0.0, 0.0, 1.0], choose_direction(Ensemble((walk,))))
    for metres in (2.0, -2.0):
        others = move(grey, tuple(metres * left))
        image = Film(Ensemble((walk, others, others)), Shot(view="top"), SIZE)[0]
        colored = np.nonzero(find_body(image))[0].mean()
        drawn = np.nonzero(np.abs(image[..., :3] / 255.0 - GROUND).max(axis=-1) > 0.12)[0].mean()
        assert metres * (colored - drawn) > 5.0  # they walk to the right, so that left is up


def test_a_film_does_not_depend_on_where_the_clip_stands(walk: Motion) -> None:
    along = choose_direction(Ensemble((walk,)))
    whole_metres = 3.0 * along - 2.0 * np.cross([0.0, 0.0, 1.0], along)  # the lines on the floor stay in the world
    first, other = Film(walk, size=SIZE)[7], Film(move(walk, tuple(whole_metres)), size=SIZE)[7]
    assert (np.abs(first.astype(int) - other).max(axis=-1) > 3).mean() < 0.001


def test_trails_show_where_hands_and_centre_of_mass_have_been(walk: Motion) -> None:
    last = -1
    plain, trailed = (Film(walk, Shot(view="side", trails=t), (384, 216))[last] for t in (False, True))
    assert near(plain, CENTER_COLOR).sum() == 0
    behind = np.argwhere((np.abs(plain.astype(int) - trailed) > 25).any(axis=-1))
    body = np.nonzero(find_body(plain))[1]
    assert len(behind) > 150
    assert behind[:, 1].min() < body.min() - 20  # it walks to the right
    assert behind[:, 1].max() <= body.max() + 2


def test_a_ghost_is_beside_the_figure_paler_and_in_the_picture(walk: Motion) -> None:
    aside = tuple(1.2 * np.cross([0.0, 0.0, 1.0], choose_direction(Ensemble((walk,)))))
    alone = Film(walk, Shot(view="front"), SIZE)[0]
    image = Film(walk, Shot(view="front", ghost=move(walk, aside)), SIZE)[0]
    tints = [np.ptp(picture[..., :3].astype(int), axis=-1) for picture in (alone, image)]
    strong, weak = (tints[1] > 80).sum(), (tints[1] > 20) & (tints[1] < 80)
    assert weak.sum() > ((tints[0] > 20) & (tints[0] < 80)).sum() + 0.5 * strong
    assert strong > 100
    assert not weak[:, [0, -1]].any()


def test_poles_and_walls_are_drawn(walk: Motion) -> None:
    x, y, _ = walk.placement.positions[0, walk.mover]
    bare = Ensemble((walk,))
    things = replace(
        bare, poles=np.array([[x + 1.0, y + 1.0, 0.2]]), walls=np.array([[x - 1, y + 1.5, x + 2, y + 1.5]])
    )
    stone = []
    for scene in (bare, things):
        image = Film(scene, size=SIZE)[0][..., :3].astype(int)
        stone.append(((np.ptp(image, axis=-1) < 12) & (image.mean(axis=-1) < 150)).sum())
    assert stone[1] > stone[0] + 300


def test_a_push_is_an_arrow_while_it_acts(walk: Motion) -> None:
    head = walk.placement.positions[:, walk.mover] + [0.0, 0.0, 0.4]
    arrow = Arrow(0.4, 0.6, head, np.tile([0.0, 150.0, 0.0], (len(walk), 1)))
    film = Film(walk, size=(384, 216), arrows=[arrow])
    red = [near(film[n], (0.80, 0.16, 0.16)).sum() for n in (3, 15, 40)]
    assert red[1] > 20
    assert red[0] == red[2] == 0


def test_there_is_a_picture_for_every_interval_and_indices_are_checked(walk: Motion) -> None:
    for rate, count in ((30.0, 45), (60.0, 89), (7.0, 11)):
        film = Film(walk, Shot(fps=rate), SIZE)  # 44 intervals of 1/30 s
        assert len(film) == count
    assert len(Film(replace(walk, frame_time=0.033333), Shot(fps=30.0), SIZE)) == 45  # as a BVH writes it
    np.testing.assert_array_equal(film[-1], film[count - 1])
    assert len(film[2:5]) == 3
    with pytest.raises(IndexError):
        film[count]
