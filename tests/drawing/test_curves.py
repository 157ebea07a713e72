"""Curves over time: well-formed, labelled, and of the numbers they say."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from gambol.contacts.stage import Stage
from gambol.drawing.curves import draw_curves
from gambol.fit.physics import Physics, estimate_physics
from gambol.io import samples
from gambol.stages.flight import measure_fall

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def jump() -> Physics:
    return estimate_physics(samples.jump())


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_every_panel_has_its_title_its_unit_and_its_legend(jump: Physics) -> None:
    found = texts(draw_curves(jump, "a"))
    for unit, panels in (("m", 2), ("m/s", 1), ("body weights", 2), ("kg m²/s", 1), ("time (s)", 1)):
        assert found.count(unit) == panels
    for word in ("Speed of the feet", "Ground force, vertical", "not explained", "left heel", "flight", "about upward"):
        assert word in found
    assert "right toe" in found


def test_the_fall_written_beside_the_parabola_is_the_fall_measured(jump: Physics) -> None:
    flight = next(stage for stage in jump.stages if stage.kind == "flight")
    written = [float(text.split()[0]) for text in texts(draw_curves(jump, "a")) if text.endswith("m/s²")]
    assert written == [pytest.approx(measure_fall(jump.motion, flight), abs=0.06)]


def hop(jump: Physics) -> Physics:
    """Return a clip with one short flight after the other, as in a minute of running."""
    return replace(jump, stages=tuple(Stage("flight", first, first + 7) for first in range(0, len(jump.motion) - 8, 9)))


def test_labels_that_would_overprint_are_spans_with_tooltips(jump: Physics) -> None:
    hopping = hop(jump)
    drawn = draw_curves(hopping, "a")
    assert not [text for text in texts(drawn) if text.endswith("m/s²")], "8 characters do not fit into 25 points"
    tips = [node.text or "" for node in ElementTree.fromstring(drawn).iter(f"{SVG}title")]
    assert sum("m/s²: " in tip for tip in tips) == len(hopping.stages) > 15
    assert "flight: 0.15 to 0.28 s" in tips


def test_pictures_of_one_page_share_no_clip_paths_and_come_out_the_same_again(jump: Physics) -> None:
    first, second = draw_curves(jump, "a"), draw_curves(jump, "b")
    clips = [set(re.findall(r'<clipPath id="([^"]+)"', svg)) for svg in (first, second)]
    assert clips[0]
    assert not clips[0] & clips[1]
    assert draw_curves(jump, "a") == first
