"""The live push, driven with the mouse in a real Chromium; and where a mouse touches a figure."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.motion.figure import build_body_segments
from gambol.motion.kinematics import Placement
from gambol.respond.near_unactuated import NearUnactuatedResponder
from gambol.studio.live import Knob, LivePush
from gambol.studio.touch import nearest_point, struck_point
from tests.drawing.test_server import CAMERA, reach
from tests.studio.serving import serve
from tests.waiting import LIMIT, PATIENCE, wait_for


@pytest.fixture(scope="module")
def responder() -> NearUnactuatedResponder:
    walk = samples.walk()
    return NearUnactuatedResponder.learn(fit(Character.from_motion(walk), walk))


@pytest.fixture
def live(responder: NearUnactuatedResponder) -> Iterator[LivePush]:
    knob = Knob("Free (k)", "near-unactuated coordinates", responder.most_free, responder.free, responder.with_free)
    with serve(LivePush(responder, knob, port=0)) as shown:
        yield shown


def on_screen(live: LivePush, body: str) -> tuple[float, float]:
    """Pixels at which the browser shows a little above the joint of a body."""
    camera = next(iter(live.server.get_clients().values())).camera
    joint = joint_of(live, body)
    ahead = quat.rotate(quat.conjugate(np.array(camera.wxyz)), joint + [0.0, 0.0, 0.1] - np.array(camera.position))
    focal = 0.5 * camera.image_height / np.tan(0.5 * camera.fov)
    x, y = 0.5 * np.array([camera.image_width, camera.image_height]) + focal * ahead[:2] / ahead[2]
    return float(x), float(y)


def joint_of(live: LivePush, body: str) -> np.ndarray:
    skeleton = live.session.responder.character.skeleton
    return live.session.placement.positions[skeleton.names.index(body)]


@pytest.mark.browser(scale=0.25)
def test_the_mouse_hits_and_pulls_and_the_body_comes_back(live: LivePush, page) -> None:
    page.set_viewport_size({"width": 1000, "height": 600})
    page.goto(live.url)
    page.get_by_text("gambol push").wait_for()
    page.get_by_text("not pushed yet").wait_for()
    session = live.session
    assert session.peak == 0.0

    def click() -> bool:
        page.mouse.click(*on_screen(live, "chest"))
        return wait_for(lambda: session.peak > 3.0, PATIENCE)

    assert wait_for(click)
    assert wait_for(lambda: session.recovery is not None)
    page.get_by_text("after the push").wait_for()

    camera = next(iter(live.server.get_clients().values())).camera
    right = quat.rotate(np.array(camera.wxyz), np.array([1.0, 0.0, 0.0]))
    head = joint_of(live, "head")
    x, y = on_screen(live, "head")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 100.0, y, steps=8)
    assert wait_for(lambda: session.pushed), "the first pull works"
    assert wait_for(lambda: session.deviation > 10.0)
    (held,) = session.acting
    assert held.pull
    assert held.force @ right > 0.7 * np.linalg.norm(held.force)
    assert wait_for(lambda: (joint_of(live, "head") - head) @ right > 0.03)
    page.get_by_text("being pushed").wait_for()
    page.mouse.up()
    assert wait_for(lambda: not session.pushed)
    assert wait_for(lambda: session.recovery is not None)
    assert session.deviation < 2.0

    pulled = session.peak
    page.get_by_role("button", name="left").click()
    assert wait_for(lambda: session.peak != pulled and session.peak > 3.0)


def test_the_slider_changes_the_body(live: LivePush) -> None:
    """With k = 0 no coordinate of the upper body is left to swing; a k that does not exist changes nothing."""
    before = live.session.responder
    assert before.model.gain_matrices.free_stiffness[6:, 6:].any()
    live.knob.value = 99
    assert wait_for(lambda: "0 to 24" in live.problem.content)
    assert live.session.responder is before
    live.knob.value = 0
    assert wait_for(lambda: live.session.responder is not before)
    assert not live.session.responder.model.gain_matrices.free_stiffness[6:, 6:].any()


def test_a_slider_that_moves_on_keeps_one_thread_busy(live: LivePush) -> None:
    """viser has 32 threads for what pages ask; the last value is made when the one before is done."""
    going_on, made = threading.Event(), []
    responder = live.session.responder

    def make(free: int) -> NearUnactuatedResponder:
        made.append(free)
        assert going_on.wait(LIMIT)
        return responder

    live._knob = replace(live._knob, make=make)
    first = threading.Thread(target=partial(setattr, live.knob, "value", 3))
    first.start()
    assert wait_for(lambda: made == [3])
    for free in (4, 5, 6):
        live.knob.value = free
    assert made == [3]
    going_on.set()
    first.join()
    assert wait_for(lambda: made == [3, 6])


def test_a_drag_that_begins_before_the_browser_knows_where_pulls(live: LivePush) -> None:
    """Its start is NaN; the first update that says where it is grabs the body there, and the end releases it."""
    head = next(n for n, body in enumerate(live._bodies) if body == "head")
    grabbed = joint_of(live, "head").tolist()
    drag = {
        "type": "SceneNodeDragMessage", "name": "/touch", "instance_index": head, "button": "left", "modifier": None,
        "start_position": grabbed, "start_screen_pos": [0.5, 0.5], "end_screen_pos": [0.6, 0.5],
        "end_position": [grabbed[0], grabbed[1] + 0.4, grabbed[2]], "owner": "",
    }  # fmt: skip
    unknown = {"start_position": [math.nan] * 3, "start_screen_pos": [math.nan] * 2}

    async def talk() -> None:
        async with reach(live.server) as connection:
            await connection.recv()
            await connection.send(msgspec.msgpack.encode(CAMERA))
            for more in ({"phase": "start", **unknown}, {"phase": "update", **unknown}, {"phase": "update"}):
                await connection.send(msgspec.msgpack.encode({**drag, **more}))
            assert await asyncio.to_thread(wait_for, lambda: live.session.pushed)
            assert live.problem.content == ""
            await connection.send(msgspec.msgpack.encode({**drag, **unknown, "phase": "end"}))
            assert await asyncio.to_thread(wait_for, lambda: not live.session.pushed)

    asyncio.run(talk())


def passes(live: LivePush, seconds: float = 0.1) -> bool:
    """Whether the clip goes on."""
    begun = live.session.time
    return wait_for(lambda: live.session.time > begun + seconds)


def record_hits(live: LivePush) -> list[str]:
    """Return the bodies that are hit from now on: a hit is over in 0.2 s, and a look at the session may miss it."""
    hit, hits = live.session.hit, []
    live.session.hit = lambda body, *how: hits.append(body) or hit(body, *how)
    return hits


def click(live: LivePush, shape: object, origin: object, direction: object) -> None:
    """What viser calls for a click of a browser, with whatever the browser sent."""
    live._clicked(SimpleNamespace(instance_index=shape, ray_origin=origin, ray_direction=direction))


def test_the_panel_says_when_a_person_would_fall(live: LivePush) -> None:
    assert "a person would" not in live.words.content
    live.do(lambda: live.session.hit("chest", (0.0, 600.0, 0.0)))
    assert wait_for(lambda: "a person would fall here: the extrapolated centre of mass" in live.words.content)


def test_every_body_that_is_offered_and_every_shape_can_be_pushed(live: LivePush) -> None:
    """A toe has no mass of its own: the foot that carries it is pushed."""
    assert set(live.body.options) == set(live.session.responder.character.bodies)
    hits = record_hits(live)
    for body in live.body.options:
        live.body.value = body
        live.push.value = "left"
        assert wait_for(lambda body=body: hits[-1:] == [body]), body
    joints = live._actor.segments.joints
    names = live.session.responder.character.skeleton.names
    toe = next(n for n, joint in enumerate(joints) if names[joint] == "left_ball_tip")
    place = live.session.placement.positions[joints[toe]]
    click(live, toe, (place + [1.0, 0.0, 0.1]).tolist(), [-1.0, 0.0, 0.0])
    assert wait_for(lambda: len(hits) > len(live.body.options))
    assert hits == [*live.body.options, "left_foot"]
    assert passes(live)


@pytest.mark.parametrize(
    ("shape", "origin", "direction"),
    [
        (99, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]),
        ("head", [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]),
        (0, [math.nan, 0.0, 1.0], [1.0, 0.0, 0.0]),
        (0, [0.0, 0.0, 1.0], [math.inf, 0.0, 0.0]),
        (0, [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]),
        (0, [0.0, 0.0], [1.0, 0.0, 0.0]),
        (0, "origin", [1.0, 0.0, 0.0]),
        (0, [0.0, 0.0, 1.0], None),
    ],
)
def test_a_click_that_makes_no_sense_changes_nothing(live: LivePush, shape, origin, direction) -> None:
    click(live, shape, origin, direction)
    assert wait_for(lambda: live.problem.content != "")
    assert passes(live)
    assert live.session.peak == 0.0


def test_controls_that_make_no_sense_change_nothing(live: LivePush) -> None:
    """A browser can send any string for a choice and any number for a slider."""
    for body, direction in (("left_ball_tip", "left"), ("tail", "left"), ("head", "up")):
        live.problem.content = ""
        live.body.value = body
        live.push.value = direction
        assert wait_for(lambda: live.problem.content != "")
        assert passes(live)
    live.body.value = "head"
    live.strength.value = math.nan
    live.push.value = "left"
    asyncio.run(
        live._dragged(
            SimpleNamespace(instance_index=0, phase="start", start_position=(0, 0, 1), end_position=(0, 1, 1))
        )
    )
    assert passes(live)
    assert live.session.peak < 60.0
    asyncio.run(
        live._dragged(
            SimpleNamespace(instance_index=0, phase="move", start_position=(0, 0, 1), end_position=(0, math.nan, 1))
        )
    )
    asyncio.run(
        live._dragged(SimpleNamespace(instance_index=0, phase="end", start_position=(0, 0, 1), end_position=(0, 1, 1)))
    )
    live.strength.value = 1e300
    live.push.value = "left"
    assert passes(live)
    assert np.isfinite(live.session.pose).all()


def test_a_ray_strikes_the_side_it_comes_from() -> None:
    walk = samples.walk()
    placed = Placement(walk.placement.positions[0], walk.placement.rotations[0])
    segments = build_body_segments(walk)
    for shape in range(len(segments.joints)):
        joint = segments.joints[shape]
        center = placed.positions[joint] + quat.rotate(placed.rotations[joint], segments.centers[shape])
        along = np.array([0.6, -0.8, 0.0])
        point = np.array(struck_point(segments, shape, placed, center - 3.0 * along, along))
        inward = (center - point) @ along
        assert np.allclose(point + inward * along, center)
        assert segments.radii[shape].min() - 1e-9 <= inward <= segments.radii[shape].max() + 1e-9
        beside = center + [0.0, 0.0, 5.0]
        passed = np.array(struck_point(segments, shape, placed, beside - 3.0 * along, along))
        held = np.array(nearest_point(segments, shape, placed, tuple(beside)))
        for found in (passed, held):
            assert (found - center)[2] > 0.0
            assert np.linalg.norm(found - center) <= segments.radii[shape].max() + 1e-9
        inside = center + 0.2 * segments.radii[shape].min() * along
        assert np.allclose(nearest_point(segments, shape, placed, tuple(inside)), inside)
