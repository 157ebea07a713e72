"""What is painted, pixel by pixel: balls of one colour whose place in the picture is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gambol.drawing.camera import Camera
from gambol.drawing.painter import GROUND, Surface, paint, paint_ground
from gambol.geometry.arrays import Array
from tests.drawing.balls import ball

RED, GREEN = (0.8, 0.1, 0.1), (0.1, 0.8, 0.1)
ALONG_X = Camera.beside(np.array([1.0, 0.0, 0.0]), turn=0.0, raise_by=0.4)
HEIGHT, WIDTH, METRES = 200, 300, 2.0
"""Pixels, and metres of the height of the picture."""


def draw(surfaces: list[Surface], camera: Camera = ALONG_X, ghosts: list[Surface] | None = None) -> Array:
    """Return a picture (rows, columns, 3), 0 to 1, with the origin of the world in its middle."""
    picture = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, facecolor=GROUND)
    canvas = FigureCanvasAgg(picture)
    axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    paint(axes, camera, surfaces, 0.0, light=camera.light, ghosts=ghosts or [])
    axes.set_xlim(-0.5 * METRES * WIDTH / HEIGHT, 0.5 * METRES * WIDTH / HEIGHT)
    axes.set_ylim(-0.5 * METRES, 0.5 * METRES)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3] / 255.0


def pixel(camera: Camera, point: Array) -> tuple[int, int]:
    """Return row and column of a point of the world."""
    x, y = camera.project(np.asarray(point, dtype=float)) * HEIGHT / METRES
    return round(HEIGHT / 2 - y - 0.5), round(WIDTH / 2 + x - 0.5)


@pytest.mark.parametrize("distance", [np.inf, 6.0])
def test_the_nearer_ball_hides_the_farther_one(distance: float) -> None:
    camera = replace(ALONG_X, distance=distance)
    for red, green in ((0.5, -0.5), (-0.5, 0.5)):
        balls = [ball(n * camera.toward + [0.0, 0.0, 0.8], 0.2, c) for n, c in ((red, RED), (green, GREEN))]
        shown = draw(balls, camera)[pixel(camera, max(red, green) * camera.toward + [0.0, 0.0, 0.8])]
        np.testing.assert_array_less(shown[1 if red > green else 0], shown[0 if red > green else 1] - 0.3)


def test_a_ball_is_where_it_belongs_and_as_large_as_it_is() -> None:
    shown = draw([ball(np.array([-0.6, 0.0, 0.5]), 0.25, RED)])
    rows, columns = np.nonzero(shown[..., 0] > shown[..., 1] + 0.2)
    assert (np.mean(rows), np.mean(columns)) == pytest.approx(pixel(ALONG_X, np.array([-0.6, 0.0, 0.5])), abs=1.0)
    assert len(rows) == pytest.approx(np.pi * (0.25 * HEIGHT / METRES) ** 2, rel=0.08)


def test_light_comes_from_above_and_shading_is_smooth() -> None:
    shown = draw([ball(np.array([0.0, 0.0, 0.5]), 0.4, RED)])
    row, column = pixel(ALONG_X, np.array([0.0, 0.0, 0.5]))
    down = shown[row - 30 : row + 30, column, 0]
    assert down[:10].mean() > down[-10:].mean() + 0.1
    assert np.abs(np.diff(down)).max() < 0.03


def darkening(shown: Array) -> Array:
    """Return how much darker than the ground each grey pixel is."""
    grey = np.ptp(shown, axis=-1) < 0.06
    return np.where(grey, np.mean(GROUND) - shown.mean(axis=-1), 0.0)


def test_shadows_are_below_and_darker_and_sharper_where_something_touches_the_ground() -> None:
    touching, high = (darkening(draw([ball(np.array([0.0, 0.0, z]), 0.1, RED)])) for z in (0.1, 0.8))
    assert touching.max() > high.max() + 0.03 > 0.1
    row, column = pixel(ALONG_X, np.zeros(3))
    rows, columns = np.nonzero(touching > 0.5 * touching.max())
    assert np.hypot(rows.mean() - row, columns.mean() - column) < 15.0
    # The light is at the left, towards the camera: the shadow of a high ball is to the right of it and behind.
    light = ALONG_X.light
    rows, columns = np.nonzero(high > 0.5 * high.max())
    expected = pixel(ALONG_X, -0.8 * light / light[2] * [1.0, 1.0, 0.0])
    assert (rows.mean(), columns.mean()) == pytest.approx(expected, abs=4.0)
    assert columns.mean() > column


def test_the_shadow_of_a_large_triangle_has_no_holes_and_its_back_has_none() -> None:
    light = ALONG_X.light
    wanted = np.array([[-0.6, -0.8, 0.0], [0.8, -0.6, 0.0], [0.1, 0.9, 0.0]])
    corners = wanted + 1.5 * light / light[2]  # above the picture, with its shadow inside
    color, up = np.tile(GROUND, (3, 1)), np.tile([0.0, 0.0, 1.0], (3, 1))
    plate = Surface(corners, up, color, np.array([[0, 1, 2]]))
    shadow = darkening(draw([plate]))
    shares = np.random.default_rng(1).dirichlet([4.0, 4.0, 4.0], 60)
    inside = [shadow[pixel(ALONG_X, share @ wanted)] for share in shares[shares.min(axis=1) > 0.15]]
    assert min(inside) > 0.6 * max(inside) > 0.08
    assert shadow[pixel(ALONG_X, np.array([-0.8, 0.8, 0.0]))] < 0.01
    assert darkening(draw([plate._replace(faces=plate.faces[:, ::-1])])).max() < 0.01


def test_a_ghost_is_paler_even_and_behind() -> None:
    place = np.array([-0.7, 0.0, 0.6])
    solid, ghost = (
        draw([ball(place, 0.3, RED)]),
        draw([ball(place + [2.5, 0.0, 0.0], 0.1, RED)], ghosts=[ball(place, 0.3, RED)]),
    )
    row, column = pixel(ALONG_X, place)
    area = np.s_[row - 15 : row + 15, column - 15 : column + 15]
    shares = (np.array(GROUND) - ghost[area]) / (np.array(GROUND) - solid[area])
    np.testing.assert_allclose(shares[..., 1:], 0.35, atol=0.04)  # everywhere, also along the edges of triangles
    both = draw([ball(place - 1.0 * ALONG_X.toward, 0.3, GREEN)], ghosts=[ball(place, 0.3, RED)])
    assert both[row, column, 1] > both[row, column, 0] + 0.3


def test_lines_on_the_ground_stay_in_the_world_and_fade() -> None:
    def grid(center: Array) -> Array:
        picture = Figure(figsize=(3.0, 2.0), dpi=100, facecolor="white")
        canvas = FigureCanvasAgg(picture)
        axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
        camera = Camera(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))
        paint_ground(axes, camera, camera.right, center, (5.0, 5.0), 0.0)
        axes.set_xlim(-3.0, 3.0)
        axes.set_ylim(-2.0, 2.0)
        canvas.draw()
        return 1.0 - np.asarray(canvas.buffer_rgba())[..., :3].mean(axis=-1) / 255.0

    dark = grid(np.zeros(3))
    across = dark[75]  # between two lines, half a metre from either
    peaks = [n for n in range(1, 299) if across[n] > across[n - 1] and across[n] >= across[n + 1] and across[n] > 0.03]
    np.testing.assert_allclose(peaks, [50, 100, 150, 200, 250], atol=1)
    assert across[150] > across[50]
    moved = grid(np.array([0.3, 0.2, 0.0]))
    np.testing.assert_array_equal(moved > 0.02, dark > 0.02)
