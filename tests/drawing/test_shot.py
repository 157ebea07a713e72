from __future__ import annotations

from pathlib import Path

import pytest

from gambol.drawing.shot import VIEWS, Shot, parse_size
from gambol.errors import InputError


def test_sizes_are_read_and_the_wrong_ones_explained() -> None:
    assert parse_size("1920x1080") == parse_size("1080p") == parse_size("1080P") == (1920, 1080)
    assert parse_size(" 640X400 ") == (640, 400)
    for text, message in (
        ("641x400", r"even; choose 642x400"),
        ("640x401", r"even; choose 640x402"),
        ("0x0", "64 to 4096"),
        ("99999x20000", "64 to 4096"),
        ("large", "1920x1080"),
        ("640", "1080p"),
        ("-640x400", "1080p"),
        ("", "1080p"),
    ):
        with pytest.raises(InputError, match=message):
            parse_size(text)


def test_a_wrong_view_lists_all_of_them() -> None:
    with pytest.raises(InputError) as caught:
        Shot(view="moon")  # type: ignore[arg-type]
    assert all(view in str(caught.value) for view in VIEWS)


@pytest.mark.parametrize(
    ("name", "shot", "message"),
    [
        ("a.mp4", Shot(fps=0.5), "1 to 240"),
        ("a.mp4", Shot(fps=float("nan")), "1 to 240"),
        ("a.gif", Shot(fps=60.0), "1 to 50"),
        ("a.png", Shot(fps=30.0), "for films"),
        ("a.png", Shot(size="720p"), "for films"),
        ("a.png", Shot(trails=True), "for films"),
        ("a.png", Shot(view="orbit"), "no orbit"),
        ("a.html", Shot(view="front"), "a page"),
    ],
)
def test_options_that_a_file_cannot_show_are_refused(name: str, shot: Shot, message: str) -> None:
    from gambol.drawing import check_drawable

    with pytest.raises(InputError, match=message):
        check_drawable(Path(name), shot=shot)


def test_what_can_be_shown_is_accepted() -> None:
    from gambol.drawing import check_drawable

    for name, shot in (
        ("a.mp4", Shot("orbit", "1080p", 60.0, True)),
        ("a.gif", Shot(fps=50.0)),
        ("a.png", Shot("front")),
        ("a.html", Shot()),
    ):
        check_drawable(Path(name), shot=shot)
