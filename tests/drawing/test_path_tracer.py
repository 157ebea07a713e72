from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gambol as gb
from gambol.drawing.path_tracer import paint_studio
from gambol.errors import InputError, MissingExtra
from gambol.geometry.arrays import Array
from tests.drawing.test_painter import ALONG_X, GREEN, RED, ball

WIDTH, HEIGHT = 90, 60


def draw(surfaces: list) -> Array:
    """Return a picture of 3 by 2 metres with the origin in its middle."""
    picture = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
    canvas = FigureCanvasAgg(picture)
    axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(-1.5, 1.5)
    axes.set_ylim(-1.0, 1.0)
    paint_studio(axes, ALONG_X, surfaces, 0.0)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3] / 255.0


def test_the_path_tracer_sees_what_the_painter_sees() -> None:
    pytest.importorskip("mitsuba")
    near, far = np.array([-0.6, 0.0, 0.5]), np.array([-0.6, 0.0, 0.5]) - 0.8 * ALONG_X.toward
    shown = draw([ball(near, 0.25, RED), ball(far, 0.25, GREEN)])
    red, green = (np.argwhere(shown[..., n] > shown[..., 1 - n] + 0.2) for n in (0, 1))
    x, y = ALONG_X.project(near)
    assert red.mean(axis=0) == pytest.approx([HEIGHT * (0.5 - 0.5 * y), WIDTH * (0.5 + x / 3.0)], abs=1.5)
    assert len(red) == pytest.approx(np.pi * (0.25 * HEIGHT / 2.0) ** 2, rel=0.12)
    assert len(green) < 0.1 * len(red)
    floor = shown[5, -5:].mean()
    assert 0.85 < floor < 1.0
    shade = shown[int(HEIGHT * 0.5) : int(HEIGHT * 0.65), int(WIDTH * 0.35) : int(WIDTH * 0.6)].mean(axis=-1)
    assert shade.min() < floor - 0.08


def test_it_is_refused_where_it_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="still"):
        gb.render("walk", tmp_path / "walk.mp4", shot=gb.Shot(look="studio"))
    monkeypatch.setitem(sys.modules, "mitsuba", None)
    with pytest.raises(MissingExtra, match=r"gambol\[studio\]"):
        gb.render("walk", tmp_path / "walk.png", poses=1, shot=gb.Shot(look="studio"))
    assert not list(tmp_path.iterdir())
