"""Pages under attack: random messages, bytes and connections for seconds; `tests/hostile/pages.py` does it for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection

from gambol.studio.live import LivePush
from tests.hostile.pages import TALKERS, Target, fuzz, join, push_page, serve_target, view_page
from tests.studio.test_live import record_hits
from tests.waiting import wait_for


@pytest.fixture(scope="module")
def pushed() -> Iterator[Target]:
    with serve_target(push_page()) as target:
        yield target


@pytest.fixture
def viewed() -> Iterator[Target]:
    with serve_target(view_page()) as target:
        yield target


CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1, 0, 0, 0], "position": [3, 0, 1], "fov": 1.2, "near": 0.1, "far": 100.0,
    "image_height": 400, "image_width": 600, "look_at": [0, 0, 1], "up_direction": [0, 0, 1],
}  # fmt: skip


def talk(target: Target, *messages: dict[str, Any], until: Callable[[], bool]) -> None:
    """Send messages as a page does, and wait until they have had their effect."""

    async def send(connection: ClientConnection) -> None:
        for message in (CAMERA, *messages):
            await connection.send(msgspec.msgpack.encode(message))
        assert await asyncio.to_thread(wait_for, until), target.page.problem.content

    async def run() -> None:
        async with join(target.page) as connection:
            await send(connection)

    asyncio.run(run())


@pytest.mark.parametrize("page", ["viewed", pytest.param("pushed", marks=pytest.mark.slow)])
def test_pages_go_on_under_attack(page: str, request: pytest.FixtureRequest, capfd) -> None:
    """Seeded, but for the order in which the connections are served."""
    target: Target = request.getfixturevalue(page)
    fuzz([target], 0.5, seed=3, messages=200)
    assert target.sent["connections"] >= TALKERS
    assert target.sent["strangers"] >= 1
    assert "Traceback" not in capfd.readouterr().err


def test_a_speed_that_there_is_not_changes_nothing_and_is_said(viewed: Target) -> None:
    page = viewed.page
    before = page.speed.value
    update = {"type": "GuiUpdateMessage", "uuid": page.speed._impl.uuid}
    talk(viewed, {**update, "updates": {"value": "abc"}}, until=lambda: "'Speed'" in page.problem.content)
    assert page.speed.value == before
    talk(viewed, {**update, "updates": {"value": "4x"}}, until=lambda: page.speed.value == "4x")


@pytest.mark.slow
def test_a_touched_toe_pushes_the_foot(pushed: Target) -> None:
    page = pushed.page
    assert isinstance(page, LivePush)
    names = page.session.responder.character.skeleton.names
    toe = next(n for n, joint in enumerate(page._actor.segments.joints) if names[joint] == "left_ball_tip")
    click = {
        "type": "SceneNodeClickMessage", "name": "/touch", "instance_index": toe, "ray_origin": [1.0, 0.0, 0.1],
        "ray_direction": [-1.0, 0.0, 0.0], "screen_pos": [0.5, 0.5], "modifier": None,
    }  # fmt: skip
    hits = record_hits(page)
    talk(pushed, click, until=lambda: "left_foot" in hits)
    wrong = {**click, "instance_index": 10**6}
    begun = page.session.time
    talk(pushed, wrong, until=lambda: page.session.time > begun + 0.2)
    assert pushed.is_finite()
