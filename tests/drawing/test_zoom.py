"""Pictures over time on a page, zoomed with the mouse in a real Chromium."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.drawing.curves import draw_curves
from gambol.drawing.page import build_page
from gambol.drawing.zoom import ZOOM_HINT, ZOOM_SCRIPT
from gambol.fit.physics import estimate_physics
from gambol.io import samples
from tests.drawing.test_curves import hop


@pytest.mark.browser
def test_a_span_that_is_dragged_over_fills_the_picture_and_a_double_click_shows_all(tmp_path: Path, page) -> None:
    hopping = hop(estimate_physics(samples.jump()))
    path = tmp_path / "curves.html"
    path.write_text(build_page("curves", ZOOM_HINT + draw_curves(hopping, "a") + ZOOM_SCRIPT), encoding="utf-8")
    asked: list[str] = []
    problems: list[object] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda problem: problems.append(problem))
    page.goto(path.as_uri())
    picture = page.locator("svg[data-time]")
    seconds, left, width = (float(number) for number in picture.get_attribute("data-time").split()[:3])
    assert seconds == pytest.approx(len(hopping.motion) * hopping.motion.frame_time, rel=1e-4)

    def shown() -> list[float]:
        return [float(number) for number in picture.get_attribute("data-shown").split()]

    def labels() -> list[str]:
        return [text for text in page.locator("svg text.drawn").all_text_contents() if text.endswith("m/s²")]

    def flight() -> dict[str, float]:
        """Where the fourth flight is drawn, in pixels."""
        return page.locator("svg g.span").filter(has_text="m/s²").nth(3).locator("path").bounding_box()

    assert shown() == [0.0, pytest.approx(seconds, abs=1e-3)]
    assert labels() == []
    box = picture.bounding_box()
    pixels = box["width"] / float(picture.get_attribute("viewBox").split()[2])
    before, stage = flight(), hopping.stages[3]
    first, last = (frame * hopping.motion.frame_time for frame in (stage.first, stage.last + 1))

    def place(time: float) -> float:
        return box["x"] + pixels * (left + width * time / seconds)

    assert before["x"] == pytest.approx(place(first), abs=2.0)
    page.mouse.move(place(first - 0.05), 300.0)
    page.mouse.down()
    page.mouse.move(place(last + 0.05), 300.0, steps=3)
    page.mouse.up()
    assert np.allclose(shown(), (first - 0.05, last + 0.05), atol=seconds / width / pixels * 2.0)
    scale = pixels * width / (shown()[1] - shown()[0])
    assert flight()["width"] == pytest.approx(scale * (last - first), abs=3.0)
    assert flight()["x"] == pytest.approx(box["x"] + pixels * left + scale * (first - shown()[0]), abs=3.0)
    assert len(labels()) >= 1, "there is room for the label now"
    page.mouse.wheel(0.0, 100.0)
    from_before = shown()[0]
    page.keyboard.down("Shift")
    page.mouse.wheel(0.0, 100.0)
    page.keyboard.up("Shift")
    page.wait_for_function(
        "start => Number(document.querySelector('svg[data-time]').dataset.shown.split(' ')[0]) > start", arg=from_before
    )
    page.mouse.dblclick(place(1.0), 300.0)
    assert shown() == [0.0, pytest.approx(seconds, abs=1e-3)]
    assert labels() == []
    assert problems == []
    assert asked == [path.as_uri()]
