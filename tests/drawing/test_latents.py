"""Pictures of latent models show the latents, directions, speeds and support phases that they are given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from gambol.drawing.latents import LatentExample, LatentSpace, color_direction, draw_latents, save_latents
from gambol.motion.figure import COLORS

ANGLES = 2.0 * np.pi * np.arange(20) / 20
RING = np.stack((np.zeros(20), 3.0 * np.cos(ANGLES), 2.0 * np.sin(ANGLES)), axis=1)
"""An ellipse across the first dimension: a picture of the first two would show a line."""
LEFT = LatentExample(1.2 * RING[:12], 4, 90.0, 0.5, "left foot")
AHEAD = LatentExample(0.8 * RING[:9], 2, 0.0, 0.3, "both feet")


def test_latents_are_drawn_in_the_plane_of_the_normal_motion() -> None:
    axes, _ = draw_latents([LatentSpace(RING + 5.0, (LEFT._replace(latents=LEFT.latents + 5.0), AHEAD))]).axes
    left, onset, _, _, normal = (line.get_xydata() for line in axes.lines)
    assert len(normal) == 21
    np.testing.assert_allclose(normal[-1], normal[0])
    np.testing.assert_allclose(np.abs(normal[[0, 5]]), [[3.0, 0.0], [0.0, 2.0]], atol=1e-9)
    np.testing.assert_allclose(left, 1.2 * normal[:12], atol=1e-9)
    np.testing.assert_allclose(onset, left[4:5])
    assert [axes.lines[n].get_color() for n in (0, 2)] == [color_direction(90.0), color_direction(0.0)]


def test_pushes_are_drawn_at_their_direction_and_speed() -> None:
    *panels, circle = draw_latents([LatentSpace(RING, (LEFT,)), LatentSpace(RING, (AHEAD,))]).axes
    assert [panel.get_title() for panel in panels] == ["model 1", "model 2"]
    left, ahead = (line for line in circle.lines if len(line.get_xdata()))
    np.testing.assert_allclose(left.get_xydata(), [[0.5 * np.pi, 0.5]])
    np.testing.assert_allclose(ahead.get_xydata(), [[0.0, 0.3]])
    # On the page: forward is above the centre, left to the left of it.
    centre, up, aside = circle.transData.transform([(0.0, 0.0), (0.0, 0.5), (0.5 * np.pi, 0.5)])
    np.testing.assert_allclose([up[0], aside[1]], centre)
    assert up[1] > centre[1] + 50.0
    assert aside[0] < centre[0] - 50.0
    assert (left.get_marker(), ahead.get_marker()) == ("<", "s")
    assert [text.get_text() for text in circle.get_legend().get_texts()] == ["left foot", "both feet"]
    edges = [to_rgb(line.get_markeredgecolor()) for line in (left, ahead)]
    assert edges == [panel.title.get_color() for panel in panels]
    assert edges[0] != edges[1]


def test_equal_pushes_are_side_by_side_and_others_apart() -> None:
    pushes = [LEFT, LEFT._replace(support="right foot"), LEFT._replace(speed=0.4)]
    circle = draw_latents([LatentSpace(RING, tuple(pushes))]).axes[-1]
    drawn = np.array([line.get_xydata()[0] for line in circle.lines if len(line.get_xdata())])
    np.testing.assert_allclose(np.degrees(drawn[:, 0]), [87.0, 93.0, 90.0])


def test_colours_go_around_the_circle() -> None:
    assert color_direction(90.0) == COLORS[1]
    assert color_direction(270.0) == COLORS[-1]
    np.testing.assert_allclose(color_direction(45.0), np.mean([color_direction(0.0), color_direction(90.0)], axis=0))
    np.testing.assert_allclose(color_direction(359.999), color_direction(0.0), atol=1e-4)
    np.testing.assert_allclose(color_direction(-90.0), color_direction(270.0))


@pytest.mark.parametrize("models", [1, 3, 8])
def test_any_number_of_models_fits_and_a_walk_alone_too(models: int, tmp_path: Path) -> None:
    spaces = [LatentSpace(RING, (LEFT,) if n else ()) for n in range(models)]
    picture = draw_latents(spaces)
    assert len(picture.axes) == models + 1
    boxes = [axes.get_position() for axes in picture.axes]
    assert all(0.0 <= box.x0 < box.x1 <= 1.0 and 0.0 <= box.y0 < box.y1 <= 1.0 for box in boxes)
    assert sum(box.overlaps(other) for n, box in enumerate(boxes) for other in boxes[:n]) == 0
    save_latents(spaces[:1], tmp_path / "walk.png")
    assert (tmp_path / "walk.png").read_bytes().startswith(b"\x89PNG")
