"""Films as files: as many pictures, as large and as fast as asked for, in the colours that were drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gambol.drawing.video import save_film


def make_pictures(count: int, width: int = 96, height: int = 64) -> list[np.ndarray]:
    """A green square that moves to the right over grey, in opaque pictures."""
    pictures = []
    for n in range(count):
        image = np.full((height, width, 4), (200, 200, 200, 255), dtype=np.uint8)
        image[20:40, 2 * n : 2 * n + 16] = (20, 160, 60, 255)
        pictures.append(image)
    return pictures


@pytest.mark.parametrize("rate", [60.0, 30.0, 23.976])
def test_an_mp4_has_the_size_the_pictures_and_the_rate(tmp_path: Path, rate: float) -> None:
    import av

    pictures = make_pictures(20)
    save_film(pictures, rate, tmp_path / "film.mp4", ".mp4")
    with av.open(str(tmp_path / "film.mp4")) as film:
        stream = film.streams.video[0]
        assert float(stream.average_rate) == pytest.approx(rate, abs=0.001)
        shown = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(shown) == 20
    assert shown[0].shape == (64, 96, 3)
    for n in (0, 19):
        np.testing.assert_allclose(shown[n][30, 2 * n + 8], [20, 160, 60], atol=14)
        np.testing.assert_allclose(shown[n][5, 5], 200, atol=6)


@pytest.mark.parametrize("rate", [25.0, 30.0, 50.0])
def test_a_gif_lasts_as_long_as_the_film_and_keeps_its_colours(tmp_path: Path, rate: float) -> None:
    pictures = make_pictures(31)
    save_film(pictures, rate, tmp_path / "film.gif", ".gif")
    with Image.open(tmp_path / "film.gif") as film:
        delays = []
        for n in range(film.n_frames):
            film.seek(n)
            delays.append(film.info["duration"])
            shown = np.asarray(film.convert("RGB"))
            np.testing.assert_allclose(shown[30, 2 * n + 8], [20, 160, 60], atol=6)
            np.testing.assert_allclose(shown[5, 5], 200, atol=6)
        assert film.n_frames == 31
        assert film.size == (96, 64)
    assert sum(delays) == pytest.approx(1000.0 * 31 / rate, abs=10)
    assert max(delays) - min(delays) <= 10


def test_a_gif_keeps_a_colour_that_is_rare(tmp_path: Path) -> None:
    """A thin green line, in pictures full of shades of orange and blue."""
    shades = np.linspace(0.3, 1.0, 96)[None, :, None]
    top, bottom = (np.tile(shades * color, (32, 1, 1)) for color in ([230, 125, 84], [80, 140, 190]))
    image = np.full((64, 96, 4), 255, dtype=np.uint8)
    image[..., :3] = np.concatenate((top, bottom))
    image[10:50, 40:42, :3] = (40, 145, 75)
    save_film([image] * 4, 25.0, tmp_path / "film.gif", ".gif")
    shown = np.asarray(Image.open(tmp_path / "film.gif").convert("RGB"), dtype=int)
    np.testing.assert_allclose(shown[30, 40], [40, 145, 75], atol=25)
    assert np.abs(shown - image[..., :3]).mean() < 6.0


def test_progress_counts_the_pictures(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    save_film(make_pictures(3), 25.0, tmp_path / "film.gif", ".gif", lambda *what: told.append(what))
    assert told == [("drawing", 1, 3), ("drawing", 2, 3), ("drawing", 3, 3)]
