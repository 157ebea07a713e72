"""A character that is steered with keys in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gambol.studio.drive import LiveDrive
from tests.spacetime.families.made import steering, twice, unsolved
from tests.studio.serving import serve
from tests.waiting import PATIENCE, wait_for


@pytest.fixture
def driven() -> Iterator[LiveDrive]:
    with serve(LiveDrive(unsolved(twice(), steering(-0.3, 0.3)), port=0)) as shown:
        yield shown


@pytest.mark.browser(scale=0.25)
def test_keys_and_buttons_steer(driven: LiveDrive, page) -> None:
    page.goto(driven.url)
    page.get_by_text("gambol family drive").wait_for()
    page.get_by_text("direction").wait_for()

    def pressed() -> bool:
        page.keyboard.press("ArrowLeft")
        return wait_for(lambda: driven.going == "left", PATIENCE)

    assert wait_for(pressed)
    aside = driven.frame.q[1]
    assert wait_for(lambda: driven.frame.q[1] > aside + 0.3)
    page.get_by_role("button", name="right").click()
    assert wait_for(lambda: driven.going == "right")
    assert wait_for(lambda: driven.frame.time > 5.0)
    driven.steer("up")
    assert wait_for(lambda: "no direction 'up'" in driven.problem.content)
    assert driven.going == "right"
