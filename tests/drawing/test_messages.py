"""What browsers send, as viser would read it: what a page offers passes, everything else is refused."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
import viser
from viser import _messages as sent

from gambol.drawing.messages import Drags, check_message
from gambol.drawing.server import GuardedServer, close_server, open_server
from gambol.errors import InputError
from tests.hostile.pages import ALIEN, ODD, make_frame, spoil, valid_message


@pytest.fixture(scope="module")
def server() -> Iterator[GuardedServer]:
    opened = open_server("127.0.0.1", 0)
    opened.gui.add_slider("Force", 0.0, 10.0, 0.5, 5.0)
    opened.gui.add_slider("Count", 0, 10, 1, 5)
    opened.gui.add_dropdown("Speed", ("1x", "2x"))
    opened.gui.add_button_group("Push", ("left", "right"))
    opened.gui.add_checkbox("Play", True)
    opened.gui.add_button("Again")
    opened.gui.add_text("Name", "me")
    opened.gui.add_command("Jump", hotkey="space")
    points = np.zeros((4, 3), dtype=np.float32)
    opened.scene.add_batched_meshes_simple(
        "/touch", points[:3], np.array([[0, 1, 2]]), np.tile([1.0, 0.0, 0.0, 0.0], (4, 1)), points
    )
    opened.scene.add_transform_controls("/goal")
    opened.scene.add_icosphere("/ball", 0.1)
    yield opened
    close_server(opened)


def control(server: viser.ViserServer, label: str) -> str:
    return next(u for u, handle in server.gui._gui_input_handle_from_uuid.items() if handle.label == label)


def read(server: viser.ViserServer, message: dict[str, Any]) -> sent.Message:
    """Return what viser reads of a message that passes."""
    passed = check_message(server, msgspec.msgpack.encode(message), Drags())
    assert passed is not None
    return sent.Message.deserialize(passed)


def sample(server: viser.ViserServer, kind: str) -> dict[str, Any]:
    rng = random.Random(kind)
    while (message := valid_message(rng, server))["type"] != kind or "me" in message.get("updates", {}).values():
        pass
    return message


CLICK, DRAG, CAMERA = "SceneNodeClickMessage", "SceneNodeDragMessage", "ViewerCameraMessage"
MOVE, END, COMMAND = "TransformControlsUpdateMessage", "TransformControlsDragEndMessage", "CommandTriggerMessage"


@pytest.mark.parametrize("kind", [CLICK, DRAG, CAMERA, MOVE, "TransformControlsDragStartMessage", END, COMMAND])
def test_what_a_page_sends_passes_unchanged(server: GuardedServer, kind: str) -> None:
    message = sample(server, kind)
    passed = read(server, {**message, "unknown field": 1})
    assert type(passed).__name__ == kind
    for name, value in message.items():
        if name != "type":
            assert getattr(passed, name) == (tuple(value) if isinstance(value, list) else value), name


@pytest.mark.parametrize(
    ("label", "offered", "refused"),
    [
        ("Force", [0, 0.0, 2.5, 10], [-0.1, 10.1, math.nan, math.inf, "5", True, None, [5.0]]),
        ("Count", [0, 10], [11, -1, 2.5, 5.0, math.nan, "5", False, None]),
        ("Speed", ["1x", "2x"], ["abc", "3x", "", 1, None, ["1x"], ["1x", "2x"]]),
        ("Push", ["left", "right"], ["up", 0, None, True]),
        ("Play", [True, False], [1, 0, "yes", None, []]),
        ("Again", [True], [1, "yes", None]),
        ("Name", [], ["you", "me", 1]),
    ],
)
def test_controls_take_what_they_offer(server: GuardedServer, label: str, offered: list, refused: list) -> None:
    update = {"type": "GuiUpdateMessage", "uuid": control(server, label)}
    for value in offered:
        passed = read(server, {**update, "updates": {"value": value}})
        assert isinstance(passed, sent.GuiUpdateMessage)
        assert passed.updates == {"value": value}
    for value in refused:
        with pytest.raises(InputError, match=f"'{label}' was set to what it does not offer"):
            read(server, {**update, "updates": {"value": value}})
    for updates in ({}, {"visible": False}, {"value": True, "label": "x"}, {"update_cb": []}, {"removed": True}):
        with pytest.raises(InputError, match="control"):
            read(server, {**update, "updates": updates})


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (CLICK, "name", "/ball"),
        (CLICK, "name", "/nothing"),
        (CLICK, "instance_index", 4),
        (CLICK, "instance_index", -1),
        (CLICK, "instance_index", None),
        (CLICK, "instance_index", 1.5),
        (CLICK, "ray_origin", [math.nan, 0.0, 0.0]),
        (CLICK, "ray_direction", [0.0, math.inf, 0.0]),
        (CLICK, "ray_direction", [1.0, 0.0]),
        (CLICK, "ray_direction", "abc"),
        (DRAG, "phase", "begin"),
        (DRAG, "end_position", [0.0, 1e300, 0.0]),
        (DRAG, "start_position", None),
        (MOVE, "name", "/ball"),
        (MOVE, "position", [0.0, 0.0, math.nan]),
        (MOVE, "position", [0.0, 0.0, -1e9]),
        (MOVE, "wxyz", [0.0, 0.0, 0.0, 0.0]),
        (END, "name", "/touch"),
        (END, "name", 5),
        (COMMAND, "uuid", "abc"),
        (CAMERA, "position", [math.nan, 0.0, 0.0]),
        (CAMERA, "up_direction", [0.0, 0.0, 0.0]),
        (CAMERA, "wxyz", [2.0, 0.0, 0.0, 0.0]),
        (CAMERA, "image_height", "tall"),
    ],
)
def test_what_makes_no_sense_is_refused(server: GuardedServer, kind: str, name: str, value: object) -> None:
    message = sample(server, kind)
    read(server, message)
    with pytest.raises(InputError):
        read(server, {**message, name: value})


NOWHERE = {"start_position": [math.nan] * 3, "start_screen_pos": [math.nan] * 2}


def test_a_drag_starts_with_the_first_message_that_says_where(server: GuardedServer) -> None:
    """A browser that has not drawn a shape yet does not know where it was touched."""
    drag = sample(server, DRAG)

    def pass_on(*messages: dict[str, Any]) -> list[tuple[str, float]]:
        """Return phase and x of the start of what viser reads of messages of one page."""
        drags = Drags()
        passed = [check_message(server, msgspec.msgpack.encode({**drag, **message}), drags) for message in messages]
        read = [sent.Message.deserialize(one) for one in passed if one is not None]
        return [(one.phase, one.start_position[0]) for one in read]

    start, update, end = ({"phase": phase} for phase in ("start", "update", "end"))
    lost, first, second = {**start, **NOWHERE}, {"start_position": [1.0, 0, 0]}, {"start_position": [2.0, 0, 0]}
    moved = [{**update, **first}, {**update, **second}]
    assert pass_on({**start, **first}, moved[1], {**end, **second}) == [("start", 1.0), ("update", 2.0), ("end", 2.0)]
    assert pass_on(lost, *moved, {**end, **second}) == [("start", 1.0), ("update", 2.0), ("end", 2.0)]
    assert pass_on(lost, {**update, **NOWHERE}, moved[1]) == [("start", 2.0)]
    assert pass_on(lost, end, *moved) == [("update", 1.0), ("update", 2.0)], "what ended is not waited for"
    released = pass_on({**start, **first}, {**end, **NOWHERE, "end_position": [3.0, 0, 0]})
    assert released == [("start", 1.0), ("end", 3.0)], "whatever is held is released"
    with pytest.raises(InputError, match="not finite"):
        pass_on({**start, **first}, {**update, **NOWHERE})


def test_a_camera_in_what_it_looks_at_is_refused(server: GuardedServer) -> None:
    """viser raises an error when such a camera is moved, in the thread that moves it."""
    message = sample(server, CAMERA)
    with pytest.raises(InputError, match="looks nowhere"):
        read(server, {**message, "look_at": message["position"]})


def test_other_messages_are_refused(server: GuardedServer) -> None:
    """Among them the request for a public tunnel."""
    for kind in ALIEN:
        with pytest.raises(InputError, match="not a message of a page"):
            read(server, {"type": kind})
    deep = b"\x91" * 60_000
    for received in (b"", b"\0", b"\xc1", b"\x81", b"\x80", deep, b"\x81\xa4type" + deep, b"\x81\xa1\xff\x00", "text"):
        with pytest.raises(InputError, match="not a message of a page"):
            check_message(server, received, Drags())


def test_random_frames_pass_or_are_refused_in_one_line_that_does_not_repeat_them(server: GuardedServer) -> None:
    rng, said, drags = random.Random(5), set(), Drags()
    frames = [make_frame(rng, server)[1] for _ in range(3000)]
    frames += [msgspec.msgpack.encode(spoil(rng, valid_message(rng, server))) for _ in range(3000)]
    for frame in frames:
        try:
            passed = check_message(server, frame, drags)
            assert passed is None or sent.Message.deserialize(passed)
        except InputError as error:
            said.add(str(error))
    assert 10 < len(said) < 40, "one line per kind"
    assert all(line.isprintable() and len(line) < 200 for line in said)
    assert not any(odd in line for line in said for odd in ODD if isinstance(odd, str) and odd not in ("", "left"))
