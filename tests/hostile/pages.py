"""Send random messages, bytes and connections to live pages, and check that they go on.

`python -m tests.hostile.pages 600` does it to all pages for 600 s and prints what was sent and how much memory it took.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import math
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import numpy as np
import viser
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.respond.near_unactuated import NearUnactuatedResponder
from gambol.studio.host import Live
from gambol.studio.live import Knob, LivePush
from gambol.studio.viewer import Viewer
from tests.studio.serving import serve
from tests.waiting import LIMIT, wait_for

TALKERS = 8
"""Connections to a page that send messages at the same time."""
KINDS = {"valid": 40, "spoiled": 30, "alien": 8, "bytes": 8, "damaged": 8, "text": 4, "huge": 0.2}
"""Kinds of messages, and how often they are sent."""
ODD: tuple[Any, ...] = (
    math.nan, math.inf, -math.inf, 1e300, 1e7, 0, 1, -1, 2**40, -0.5, True, None, "", "abc", "left", "<b>", "x" * 5000,
    [], [math.nan] * 3, [0.0] * 4, ["a", "b", "c"], {}, {"value": 1}, b"\0\1", [[[[]]]],
)  # fmt: skip
ALIEN = (
    "ShareUrlRequest", "ShareUrlDisconnect", "GuiFormDirtyMessage", "GuiFormSubmitMessage", "GuiButtonHoldMessage",
    "FileTransferStartUpload", "FileTransferPart", "GetRenderResponseMessage", "ScenePointerMessage",
    "GuiRemoveMessage", "RemoveSceneNodeMessage", "SceneNodeUpdateMessage", "RunJavascriptMessage", "Message", "",
)  # fmt: skip


@dataclass
class Target:
    """A page, and what has to hold while it is attacked: it advances, and its state is finite."""

    page: Live
    state: Callable[[], object]
    """Returns the numbers that have to be finite."""
    sent: Counter[str] = field(default_factory=Counter)
    shown: int = 0

    def __post_init__(self) -> None:
        show = self.page.show

        def count() -> None:
            show()
            self.shown += 1

        self.page.show = count  # type: ignore[method-assign]

    def is_finite(self) -> bool:
        """Whether all numbers of the state are finite."""
        return bool(np.isfinite(np.asarray(self.state(), dtype=float)).all())


def valid_message(rng: random.Random, server: viser.ViserServer) -> dict[str, Any]:
    """Return what a browser might send for a control, a shape or a handle of the page, or for its camera."""
    controls = list(server.gui._gui_input_handle_from_uuid.items())
    commands = list(server.gui._command_handle_from_uuid)
    nodes = list(server.scene._handle_from_node_name.items())
    shapes = [(name, len(node.batched_positions)) for name, node in nodes if isinstance(node, viser.BatchedMeshHandle)]
    gizmos = [name for name, node in nodes if isinstance(node, viser.TransformControlsHandle)]

    def vector(size: float, count: int = 3) -> list[float]:
        return [rng.uniform(-size, size) for _ in range(count)]

    makers: list[Callable[[], dict[str, Any]]] = [
        lambda: {
            "type": "ViewerCameraMessage", "wxyz": [1, 0, 0, 0], "position": vector(5.0), "fov": 1.2, "near": 0.1,
            "far": 100.0, "image_height": 400, "image_width": 600, "look_at": vector(1.0), "up_direction": [0, 0, 1],
        }
    ]  # fmt: skip
    if controls:
        uuid, control = rng.choice(controls)
        makers.append(
            lambda: {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": _valid_value(rng, control)}}
        )
    if commands:
        makers.append(lambda: {"type": "CommandTriggerMessage", "uuid": rng.choice(commands)})
    if shapes:
        name, count = rng.choice(shapes)
        touched = {"name": name, "instance_index": rng.randrange(count), "modifier": None}
        makers += [
            lambda: {
                "type": "SceneNodeClickMessage", "ray_origin": vector(3.0), "ray_direction": vector(1.0),
                "screen_pos": [0.5, 0.5], **touched,
            },
            lambda: {
                "type": "SceneNodeDragMessage", "phase": rng.choice(("start", "update", "update", "end")),
                "start_position": vector(1.0), "start_screen_pos": [0.5, 0.5], "end_position": vector(3.0),
                "end_screen_pos": [0.4, 0.5], "button": "left", **touched,
            },
        ]  # fmt: skip
    if gizmos:
        kind = rng.choice(("DragStart", "Update", "Update", "DragEnd"))
        pose = {"wxyz": [1, 0, 0, 0], "position": vector(rng.choice((1.0, 100.0, 1e5)))} if kind == "Update" else {}
        makers.append(lambda: {"type": f"TransformControls{kind}Message", "name": rng.choice(gizmos), **pose})
    return rng.choice(makers)()


def _valid_value(rng: random.Random, control: Any) -> object:
    if isinstance(control, viser.GuiSliderHandle):
        value = rng.uniform(control.min, control.max)
        return round(value) if isinstance(control.value, int) else value
    if isinstance(control, viser.GuiDropdownHandle | viser.GuiButtonGroupHandle):
        return rng.choice(control.options)
    return rng.random() < 0.5


def spoil(rng: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with one field, or one number of a field, that is odd, missing or too much."""
    spoiled = dict(message)
    name = rng.choice([*message, "surplus"])
    inside = spoiled.get(name)
    if isinstance(inside, list) and rng.random() < 0.7:
        spoiled[name] = [*inside[:-1], rng.choice(ODD)]
    elif isinstance(inside, dict) and rng.random() < 0.7:
        spoiled[name] = {rng.choice(("value", "uuid", "props", "update_cb", "removed")): rng.choice(ODD)}
    elif rng.random() < 0.2 and name in spoiled:
        del spoiled[name]
    else:
        spoiled[name] = rng.choice(ODD)
    return spoiled


def make_frame(rng: random.Random, server: viser.ViserServer) -> tuple[str, str | bytes]:
    """Return a kind and a frame of it: valid, spoiled, alien, random bytes, damaged, text or huge."""
    kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
    message = valid_message(rng, server)
    packed = msgspec.msgpack.encode(message)
    match kind:
        case "spoiled":
            packed = msgspec.msgpack.encode(spoil(rng, message))
        case "alien":
            packed = msgspec.msgpack.encode({**message, "type": rng.choice(ALIEN)})
        case "bytes":
            packed = rng.randbytes(rng.randrange(200))
        case "damaged":
            at = rng.randrange(len(packed))
            packed = packed[:at] + rng.randbytes(rng.randrange(4)) + packed[at + rng.randrange(4) :]
        case "text":
            return kind, rng.choice(("", "abc", "{}", "\0" * 100))
        case "huge":
            packed = bytes(2**20)
    return kind, packed


async def attack(target: Target, seconds: float, seed: int, messages: int) -> None:
    """Attack a page for some seconds, and until some messages are sent."""
    end = time.monotonic() + seconds

    def goes_on() -> bool:
        return time.monotonic() < end or sum(target.sent[kind] for kind in KINDS) < messages

    tasks = [_talk(target, random.Random(f"{seed} {n}"), goes_on) for n in range(TALKERS)]
    others = _knock(target, random.Random(seed), goes_on), _ring(target, random.Random(seed + 1), goes_on)
    await asyncio.gather(*tasks, *others)


async def _talk(target: Target, rng: random.Random, goes_on: Callable[[], bool]) -> None:
    """Connect as a page does and send frames, some while nothing is read; close, or cut the connection."""
    while goes_on():
        with contextlib.suppress(ConnectionClosed, OSError, TimeoutError):
            async with join(target.page) as connection:
                target.sent["connections"] += 1
                reader = asyncio.create_task(_read(connection)) if rng.random() < 0.8 else None
                await connection.send(msgspec.msgpack.encode(_camera(rng, target.page.server)))
                for _ in range(rng.randrange(400)):
                    kind, frame = make_frame(rng, target.page.server)
                    await asyncio.wait_for(connection.send(frame), 10.0)
                    target.sent[kind] += 1
                    if not goes_on():
                        break
                if rng.random() < 0.3:
                    target.sent["cut"] += 1
                    connection.transport.abort()
                if reader is not None:
                    reader.cancel()


def join(page: Live, **options: Any) -> connect:
    """Connect as the page in a browser does."""
    url = urlsplit(page.url)
    usual = {"origin": f"http://{url.netloc}", "subprotocols": [f"viser-v{viser.__version__}"]}
    return connect(
        page.url.replace("http", "ws"), max_size=None, open_timeout=LIMIT, close_timeout=1.0, **usual | options
    )


def _camera(rng: random.Random, server: viser.ViserServer) -> dict[str, Any]:
    while (message := valid_message(rng, server))["type"] != "ViewerCameraMessage":
        pass
    return message


async def _read(connection: ClientConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await connection.recv()


async def _knock(target: Target, rng: random.Random, goes_on: Callable[[], bool]) -> None:
    """Connect as another site, under another name, or as another version of viser."""
    while goes_on():
        wrong = rng.choice(
            ({"origin": "http://example.com"}, {"additional_headers": {"Host": "example.com"}}, {"subprotocols": None})
        )
        with contextlib.suppress(InvalidHandshake, ConnectionClosed, OSError, TimeoutError):
            target.sent["strangers"] += 1
            async with join(target.page, **wrong) as connection:
                await connection.recv()
                target.sent["admitted strangers"] += 1
        await asyncio.sleep(0.05)


async def _ring(target: Target, rng: random.Random, goes_on: Callable[[], bool]) -> None:
    """Open sockets that send nothing, half a request, random bytes, or requests for files, and leave some open."""
    url = urlsplit(target.page.url)
    left: list[asyncio.StreamWriter] = []
    while goes_on():
        path = rng.choice(("", "../../etc/passwd", "%2e%2e/x", "a" * 4000))
        request = f"GET /{path} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n"
        data = rng.choice((b"", request.encode(), request.encode()[: rng.randrange(40)], rng.randbytes(300)))
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(url.hostname, url.port)
            target.sent["sockets"] += 1
            writer.write(data)
            left.append(writer)
            if len(left) > 20:
                left.pop(rng.randrange(20)).transport.abort()
        await asyncio.sleep(0.05)
    for writer in left:
        writer.transport.abort()


def fuzz(targets: list[Target], seconds: float, seed: int, messages: int = 0) -> None:
    """Attack pages that are being served, all at once; raise AssertionError if one stops or its state is not finite."""

    async def watch() -> None:
        attacks = [asyncio.create_task(attack(t, seconds, seed + n, messages)) for n, t in enumerate(targets)]
        while not all(task.done() for task in attacks):
            await asyncio.sleep(0.2)
            for target in targets:
                assert target.is_finite(), f"{type(target.page).__name__}: the state is not finite"
        await asyncio.gather(*attacks)

    asyncio.run(watch())
    for target in targets:
        before = target.shown
        assert wait_for(lambda: target.shown > before), f"{type(target.page).__name__} does not go on"  # noqa: B023
        assert target.is_finite(), f"{type(target.page).__name__}: the state is not finite"
        assert not target.sent["admitted strangers"]


@contextlib.contextmanager
def serve_target(target: Target) -> Iterator[Target]:
    """Serve a page; viewers serve themselves."""
    with contextlib.closing(target.page) if isinstance(target.page, Viewer) else serve(target.page):
        yield target


def push_page() -> Target:
    """Return the page of pushes, with a slider that makes other responders."""
    walk = samples.walk()
    responder = NearUnactuatedResponder.learn(fit(Character.from_motion(walk), walk))
    knob = Knob("Free (k)", "", responder.most_free, responder.free, responder.with_free)
    page = LivePush(responder, knob, port=0)
    return Target(page, lambda: page.session.pose)


def view_page() -> Target:
    """Return the page of a clip."""
    page = Viewer([samples.stand()], port=0)
    return Target(page, lambda: page.time.value)


def make_targets() -> list[Target]:
    """Return all pages."""
    from gambol.studio.drive import LiveDrive
    from gambol.studio.meet import LiveMeeting
    from gambol.studio.walk import LiveWalk
    from tests.interaction.meetings import make_model
    from tests.spacetime.families.made import steering, twice, unsolved
    from tests.studio.test_walk import make_task

    drive = LiveDrive(unsolved(twice(), steering(-0.3, 0.3)), port=0)
    meet = LiveMeeting(make_model(), port=0)
    walk = LiveWalk(make_task((1.0, 0.0)), port=0)
    return [
        push_page(),
        view_page(),
        Target(drive, lambda: drive.frame.q),
        Target(meet, lambda: [*meet.meeting.hand, *meet.meeting.frame.local.positions.ravel()]),
        Target(walk, lambda: walk.robot.execution.simulation.q),
    ]


def measure_memory() -> float:
    """Return the memory of this process (MB)."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Attack all pages, in ten parts, and print what was sent and the memory after every part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        targets = [stack.enter_context(serve_target(target)) for target in make_targets()]
        for part in range(10):
            fuzz(targets, given.seconds / 10.0, 100 * given.seed + 10 * part)
            print(f"part {part}: {measure_memory():.0f} MB, {threading.active_count()} threads", flush=True)
        for target in targets:
            counts = ", ".join(f"{count} {kind}" for kind, count in sorted(target.sent.items()))
            print(f"{type(target.page).__name__}: {target.shown} pictures; sent {counts}")


if __name__ == "__main__":
    main()
