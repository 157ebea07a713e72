"""Faults are ringed where and when they are, in strips, films and reports."""

from __future__ import annotations

import base64
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import gambol as gb
from gambol.drawing.faults import COLOR, assign_findings, choose_faults, choose_frames, wrap
from gambol.drawing.film import Film
from gambol.judge.finding import Finding
from gambol.judge.judgement import judge, judge_all
from gambol.judge.stances import FOOT_SLIDE
from gambol.motion.motion import Motion
from tests.judge.test_stances import STANCE, shift, slide


@pytest.fixture(scope="module")
def slid() -> Motion:
    return slide("walk", 0.12, *STANCE)


def find_red(image: np.ndarray) -> np.ndarray:
    """Rows and columns of pixels in the colour of rings."""
    return np.argwhere(np.abs(image[..., :3] / 255.0 - COLOR).max(axis=2) < 0.03)


def test_poses_are_those_of_the_worst_faults(slid: Motion) -> None:
    at = [(2.0, 2.2), (0.5, 0.5), (1.0, 1.4)]
    findings = [Finding(FOOT_SLIDE, "left_foot", *times, 9.0 - n) for n, times in enumerate(at)]
    frames = choose_frames(slid, findings, 2)
    assert [frame * slid.frame_time for frame in frames] == pytest.approx([0.5, 2.1], abs=slid.frame_time)
    assert wrap(findings[0]) == "left foot slides by\n9 cm"
    assert choose_faults(findings, 1.2) == findings[2:]
    assert choose_faults(findings, 1.5) == findings[2:]
    assert choose_faults(findings, 1.7) == []


def test_a_strip_has_rings_around_what_slides(slid: Motion, tmp_path: Path) -> None:
    for name, motion in (("slid", slid), ("sound", gb.load("walk"))):
        gb.render(motion, tmp_path / f"{name}.png", judge=True)
    images = [np.asarray(Image.open(tmp_path / f"{name}.png").convert("RGB"), float) for name in ("slid", "sound")]
    red = find_red(images[0])
    assert len(red) > 200
    assert len(find_red(images[1])) == 0
    ring = red[red[:, 0] < 0.8 * images[0].shape[0]]
    assert (ring[:, 0] > 0.45 * images[0].shape[0]).all()  # at a foot


def test_a_film_shows_a_fault_while_it_lasts(slid: Motion) -> None:
    found = judge(slid).findings
    film = Film(slid, findings=[found])
    during, later = (len(find_red(np.asarray(film[round(30.0 * time)], float))) for time in (0.93, 3.0))
    assert during > 50
    assert later == 0


def test_people_of_a_scene_are_ringed_where_they_are_inside_each_other() -> None:
    first = gb.load("walk")[:20]
    other = replace(shift(first, np.tile([0.0, 0.15, 0.0], (20, 1))), name="other")
    found = judge_all((first, other)).findings
    assert found[0].person == "walk and other"
    assert assign_findings((first, other), found[:1]) == [[found[0]], [found[0]]]
    alone = [replace(found[0], person="other")]
    assert assign_findings((first, other), alone) == [[], alone]
    assert assign_findings((first,), found) == [found]
    film = Film((first, other), findings=assign_findings((first, other), found[:1]))
    assert len(find_red(np.asarray(film[2], float))) > 50


def test_pages_and_moments_refuse_to_show_faults(tmp_path: Path) -> None:
    for words in ({"path": "walk.html"}, {"path": "walk.png", "moments": 3}, {"path": "walk.png", "physics": True}):
        path = tmp_path / str(words.pop("path"))
        with pytest.raises(gb.InputError, match=r"faults|physics"):
            gb.render("walk", path, judge=True, **words)
        assert not path.exists()


def test_a_report_marks_them(slid: Motion, tmp_path: Path) -> None:
    page = gb.check(slid).report(tmp_path / "report.html").read_text()
    assert "What a viewer sees" in page
    assert "right foot slides by" in page
    picture = base64.b64decode(page.split("data:image/png;base64,")[1].split('"')[0])
    assert len(find_red(np.asarray(Image.open(BytesIO(picture)).convert("RGB"), float))) > 200
    assert "data:image/png" not in gb.check(gb.load("walk")[:60]).report(tmp_path / "sound.html").read_text()
