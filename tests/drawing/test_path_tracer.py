"""Pictures by following light, of spheres: where they are, how bright, and what they shade."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.drawing import path_tracer
from gambol.drawing.camera import Camera
from gambol.drawing.path_tracer import trace_paths
from tests.drawing.balls import ball

CAMERA = Camera.at(np.array([1.0, 0.0, 0.0]), 0.2)
WINDOW = np.array([-1.0, 3.0, -0.5, 1.5])


@pytest.fixture
def few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_tracer, "_PASSES", 2)


@pytest.mark.usefixtures("few_passes")
def test_a_sphere_is_where_the_camera_projects_it_and_hides_what_is_behind() -> None:
    near, far = (
        ball(np.array([x, 2.0, 0.6]), 0.4, color) for x, color in ((1.0, (1.0, 0.1, 0.1)), (-3.0, (0.1, 0.1, 1.0)))
    )
    told: list[int] = []
    image = trace_paths([far, near], CAMERA, WINDOW, 0.0, 160, lambda _, done, total: told.append(done))
    assert image.shape == (80, 160, 3)
    assert told == [1, 2]
    red = image[..., 0] > 2.0 * image[..., 2]
    rows, columns = red.nonzero()
    x, y = CAMERA.project(np.array([1.0, 2.0, 0.6]))
    assert columns.mean() == pytest.approx((x + 1.0) * 40.0, abs=1.0)
    assert rows.mean() == pytest.approx((1.5 - y) * 40.0, abs=1.5)


@pytest.mark.usefixtures("few_passes")
def test_a_body_shades_the_floor_below_it_and_the_rest_is_bright() -> None:
    bare, shaded = (
        trace_paths(surfaces, CAMERA, WINDOW, 0.0, 160).astype(float).mean(axis=-1)
        for surfaces in ([], [ball(np.array([0.0, 1.0, 0.45]), 0.4, (0.8, 0.8, 0.8))])
    )
    assert bare[60].mean() > 215.0
    column, row = 80, round((1.5 - CAMERA.project(np.array([0.0, 1.0, 0.0]))[1]) * 40.0)
    assert shaded[row - 1 : row + 2, column - 4 : column + 5].mean() < 0.9 * bare[row, column]
    assert shaded[row, :20].mean() == pytest.approx(bare[row, :20].mean(), rel=0.03)


@pytest.mark.usefixtures("few_passes")
def test_colours_are_those_of_a_screen() -> None:
    """A dark grey, 0.3 of a screen's range, reflects 0.07 of the light; lit from above it is about as dark as it is."""
    image = trace_paths([ball(np.array([0.0, 1.0, 0.6]), 0.4, (0.3, 0.3, 0.3))], CAMERA, WINDOW, 0.0, 160)
    x, y = CAMERA.project(np.array([0.0, 1.0, 0.6]))
    row, column = round((1.5 - y) * 40.0), round((x + 1.0) * 40.0)
    assert image[row - 3 : row + 4, column - 3 : column + 4].mean() == pytest.approx(0.3 * 255.0, rel=0.3)
