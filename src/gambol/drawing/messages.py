"""Check what browsers send before viser reads it.

viser sets any field of a control to any value that it can convert, ends the connection with a traceback at anything it
cannot read, and opens a public tunnel for whoever asks. Only what gambol's pages send is let through: values that
their controls offer, and clicks, drags and cameras of finite numbers. Errors do not repeat what was received: pages
show them.

A browser can send a drag whose start is NaN: where it touched a shape that it has not drawn yet. Such a drag starts
with the first message that says where.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import viser
from viser import _messages as sent

from gambol.errors import InputError

_FARTHEST = 1e6
"""Largest number (m, or pixels) in a click, a drag or a camera."""
_CLOSEST = 1e-3
"""Shortest distance (m) from a camera to what it looks at."""
_UNIT = 0.01
"""Largest error of the length of a unit quaternion."""
_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        sent.CommandTriggerMessage,
        sent.GuiUpdateMessage,
        sent.SceneNodeClickMessage,
        sent.SceneNodeDragMessage,
        sent.TransformControlsDragEndMessage,
        sent.TransformControlsDragStartMessage,
        sent.TransformControlsUpdateMessage,
        sent.ViewerCameraMessage,
    )
}


class Drags:
    """The drags of one page that have begun, but whose start is not known yet."""

    def __init__(self) -> None:
        self._waiting: set[str] = set()

    def settle(self, message: sent.SceneNodeDragMessage) -> sent.SceneNodeDragMessage | None:
        """Return a message of a drag as viser gets it: start, updates, end; None while the start is not known."""
        known = all(map(math.isfinite, (*message.start_position, *message.start_screen_pos)))
        begins = message.phase == "start" or message.name in self._waiting
        self._waiting.discard(message.name)
        if begins and message.phase == "end":
            return None
        if begins and not known:
            self._waiting.add(message.name)
            return None
        if begins:
            return replace(message, phase="start")
        if message.phase == "end" and not known:
            # What is held must be released: an end without a start starts where it ends, as in viser itself.
            return replace(message, start_position=message.end_position, start_screen_pos=message.end_screen_pos)
        return message


def check_message(server: viser.ViserServer, received: str | bytes, drags: Drags) -> bytes | None:
    """Return a message of a browser for viser; raise InputError if a page of this server would not send it.

    `drags` are those of the same page; None where one of them has no start yet.
    """
    try:
        fields = msgspec.msgpack.decode(received, type=dict[str, Any]) if isinstance(received, bytes) else {}
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        fields = {}
    name = fields.pop("type", None)
    if not isinstance(name, str) or name not in _KINDS:
        raise InputError("a page sent something that is not a message of a page")
    try:
        message = msgspec.convert(fields, _KINDS[name])
    except (msgspec.MsgspecError, RecursionError):
        raise InputError(f"a page sent a {name} with fields of wrong types") from None
    _check(server, message)
    if isinstance(message, sent.SceneNodeDragMessage):
        message = drags.settle(message)
        if message is None:
            return None
    if not all(abs(number) <= _FARTHEST for number in _list_numbers(message)):
        raise InputError(f"a page sent a {name} with a number that is not finite or too large")
    return msgspec.msgpack.encode({"type": name, **vars(message)})


def _list_numbers(message: object) -> Iterator[float]:
    for value in vars(message).values():
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int | float):
                yield number


def _check(server: viser.ViserServer, message: Any) -> None:
    match message:
        case sent.GuiUpdateMessage():
            _check_control(server, message)
        case sent.CommandTriggerMessage():
            if message.uuid not in server.gui._command_handle_from_uuid:
                raise InputError("a page sent an unknown command")
        case sent.SceneNodeClickMessage() | sent.SceneNodeDragMessage():
            node = server.scene.get_handle_by_name(message.name)
            shapes = len(node.batched_positions) if isinstance(node, viser.BatchedMeshHandle) else 0
            if message.instance_index not in range(shapes):
                raise InputError("a page touched an unknown shape")
        case sent.ViewerCameraMessage():
            _check_rotation(message.wxyz)
            if math.dist(message.position, message.look_at) < _CLOSEST or math.hypot(*message.up_direction) < _CLOSEST:
                raise InputError("a page sent a camera that looks nowhere")
        case _:
            if not isinstance(server.scene.get_handle_by_name(message.name), viser.TransformControlsHandle):
                raise InputError("a page dragged an unknown handle")
            if isinstance(message, sent.TransformControlsUpdateMessage):
                _check_rotation(message.wxyz)


def _check_rotation(wxyz: tuple[float, ...]) -> None:
    if abs(math.hypot(*wxyz) - 1.0) > _UNIT:
        raise InputError("a page sent a rotation that is not a unit quaternion")


def _check_control(server: viser.ViserServer, message: sent.GuiUpdateMessage) -> None:
    control = server.gui._gui_input_handle_from_uuid.get(message.uuid)
    if control is None or message.updates.keys() != {"value"}:
        raise InputError("a page changed an unknown control")
    value = message.updates["value"]
    match control:
        case viser.GuiSliderHandle():
            kinds = (int,) if isinstance(control.value, int) else (int, float)
            right = type(value) in kinds and control.min <= value <= control.max
            offers = f"numbers from {control.min:g} to {control.max:g}"
        case viser.GuiDropdownHandle() | viser.GuiButtonGroupHandle():
            right, offers = isinstance(value, str) and value in control.options, ", ".join(control.options)
        case viser.GuiCheckboxHandle() | viser.GuiButtonHandle():
            right, offers = isinstance(value, bool), "on and off"
        case _:
            right, offers = False, "nothing"
    if not right:
        raise InputError(f"'{control.label}' was set to what it does not offer", fix=f"it offers {offers}")
