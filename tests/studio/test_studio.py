"""The viewer and the player, driven in a real Chromium."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gambol.drawing.player import to_html
from gambol.fit.physics import estimate_physics
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.motion.rig import rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS
from gambol.studio.viewer import Viewer
from tests.motion.bodies import person, standing
from tests.studio.serving import draw_simply
from tests.waiting import wait_for

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def motion() -> Motion:
    """A person who walks stiffly 4 m forward in 2 s and lifts the left arm on the way."""
    skeleton = person()
    q = standing(skeleton, frames=121).q.copy()
    q[:, 0] = np.linspace(0.0, 4.0, 121)
    arm = next(c for c, d in enumerate(skeleton.dofs) if skeleton.names[d.joint] == "left_upper_arm")
    q[:, arm + 2] += np.linspace(0.0, 2.5, 121)
    return Motion(skeleton, q, 1 / 60, name="walker", rig=rig_from_mapping(skeleton, {p: p for p in BODY_PARTS}))


@pytest.fixture
def viewer(motion: Motion) -> Iterator[Viewer]:
    shown = Viewer([motion, replace(motion, name="twin")], port=0)
    draw_simply(shown.server)
    assert shown.apart.value, "clips that start at one place are put side by side"
    yield shown
    shown.close()


def look(page) -> np.ndarray:
    """What the page shows (rows, columns, 3). `page.screenshot` waits for many frames, which are slow here."""
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "png"})["data"]
    session.detach()
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(taken))).convert("RGB"), dtype=float)


def figures(page) -> tuple[float, np.ndarray]:
    """Share of the page in the colours of a left or right limb, and their middle in pixels."""
    image = look(page)
    spread = image.max(axis=-1) - image.min(axis=-1)
    orange = (spread > 40) & (image[..., 0] > image[..., 2])
    where = np.argwhere(orange)
    return float(orange.mean()), where.mean(axis=0) if len(where) else np.full(2, np.nan)


def settle(page) -> np.ndarray:
    """Return the middle of these limbs when three pictures in a row show it at the same place."""
    seen = [np.full(2, np.nan)] * 3

    def stands() -> bool:
        page.wait_for_timeout(250)
        seen.append(figures(page)[1])
        return bool(np.ptp(seen[-3:], axis=0).max() < 0.5)

    assert wait_for(stands)
    return seen[-1]


def test_viewer_plays_pauses_scrubs_and_follows(viewer: Viewer, page) -> None:
    page.goto(viewer.url)
    page.get_by_text("gambol view").wait_for()
    assert wait_for(lambda: figures(page)[0] > 0.001)

    started = viewer.time.value
    assert wait_for(lambda: viewer.time.value != started)
    # In a window of 640 pixels the panel is folded to its title, which does not hide the figures.
    page.get_by_label("Play").wait_for(state="hidden")
    page.get_by_text("gambol view").click()
    page.get_by_text("twin: 121 frames").wait_for()
    page.get_by_label("Play").click()
    assert wait_for(lambda: viewer.playing.value is False)

    viewer.time.value = 0.0
    at_start = settle(page)
    viewer.time.value = 2.0
    assert wait_for(lambda: np.linalg.norm(figures(page)[1] - at_start) > 3.0), "the arm is up"
    followed = settle(page)
    assert np.linalg.norm(followed - at_start) < 80.0

    page.get_by_label("Follow").click()
    assert wait_for(lambda: viewer.follow.value is False)
    viewer.time.value = 0.0
    assert wait_for(lambda: not np.linalg.norm(figures(page)[1] - followed) < 80.0)


def test_player_opens_from_a_file_and_moves(motion: Motion, tmp_path: Path, page) -> None:
    """One file, no network: every request but the file itself is refused."""
    path = tmp_path / "play.html"
    path.write_text(to_html([motion]), encoding="utf-8")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert wait_for(lambda: figures(page)[0] > 0.0005)
    heights: list[float] = []

    def arm_has_moved() -> bool:
        """The player loops: over some looks the raised arm carries the middle of the left limbs up and down."""
        heights.append(float(figures(page)[1][0]))
        return np.ptp(heights) > 8.0

    assert wait_for(arm_has_moved)
    assert [url for url in asked if url.startswith(("http:", "https:", "ws:"))] == []
    assert path.stat().st_size < 3_000_000
    assert "<title>walker</title>" in path.read_text("utf-8")


def test_forces_are_lines_and_not_a_flood(tmp_path: Path, page) -> None:
    """Green lines under the feet: legs hide most of them, and a page without forces has no green pixel."""
    path, stand = tmp_path / "physics.html", samples.stand()[:30]

    def green_pixels() -> int:
        image = look(page)
        return int(((image[..., 1] > image[..., 0] + 40) & (image[..., 1] > image[..., 2] + 20)).sum())

    path.write_text(to_html([stand], physics=[estimate_physics(stand)]), encoding="utf-8")
    page.goto(path.as_uri())
    assert wait_for(lambda: green_pixels() > 20)
    assert green_pixels() < 5000
