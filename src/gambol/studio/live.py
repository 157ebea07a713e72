"""`gambol push --live`: a page on which a running motion is hit and pulled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import viser

from gambol.drawing.scene import SceneView, SegmentFigure
from gambol.errors import InputError
from gambol.fit.rig import as_clip
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.judge.recent import RecentFrames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Vector
from gambol.respond.balance import describe_overbalance
from gambol.respond.responder import Responder, find_body, undisturbed_poses, warm_up
from gambol.respond.session import PULL_STRENGTH, ActingForce, Session
from gambol.studio.host import Live
from gambol.studio.touch import carrying_body, nearest_point, struck_point

_STRONGEST = 600.0
_FORWARD, _LEFT, _UP = np.eye(3)
_DIRECTIONS = {"forward": _FORWARD, "back": -_FORWARD, "left": _LEFT, "right": -_LEFT}
_RED = (205, 40, 40)
_NEWTON = 0.003
"""Length of an arrow (m per N)."""
_VIEW = np.array([1.7, -2.1, 0.7])
"""Metres from the hips to the camera: ahead, to the left, up."""
_HOW = "**Drag** a body part to pull it, **click** it to hit it. Elsewhere the mouse turns the view."


@dataclass(frozen=True)
class Knob:
    """A whole number from 0 to `most` that the user sets; `make` returns a responder for it with compatible states."""

    label: str
    hint: str
    most: int
    value: int
    make: Callable[[int], Responder[Any]]


class LivePush(Live):
    """Serves a responder that can be pushed. The controls are read and set from Python too."""

    def __init__(
        self, responder: Responder[Any], knob: Knob | None = None, *, host: str = "127.0.0.1", port: int = 8080
    ) -> None:
        warm_up(responder)
        self.session = Session(responder)
        super().__init__(self.session, "gambol push", _HOW, host=host, port=port)
        character = responder.character
        poses = undisturbed_poses(responder, responder.period)
        clip = as_clip(Motion(character.skeleton, poses, responder.frame_time))
        self._stage = SceneView(self.server, [clip])
        # The mouse touches segments inside the figure: they say which body is meant.
        self._actor = SegmentFigure(self.server, "touch", clip, hidden=True)
        self._actor.handle.on_click(self._clicked)
        self._actor.handle.on_drag("left")(self._dragged)
        none = np.zeros((0, 2, 3), dtype=np.float32)
        self._arrows = self.server.scene.add_arrows("/pushes", none, _RED, shaft_radius=0.015)
        self._look_from_the_front()
        gui = self.server.gui
        self.strength = gui.add_slider("Strength (N)", 10.0, _STRONGEST, 10.0, PULL_STRENGTH)
        self._making = threading.Lock()
        if knob is not None:
            self.knob = gui.add_slider(knob.label, 0, knob.most, 1, knob.value, hint=knob.hint)
            self._knob, self._made = knob, knob.value
            self.knob.on_update(lambda _: self._remake())
        self._bodies = [carrying_body(character, responder.bodies, joint) for joint in self._actor.segments.joints]
        offered = tuple(dict.fromkeys(self._bodies))
        self.body = gui.add_dropdown("Body", offered, initial_value="chest" if "chest" in offered else offered[0])
        self.push = gui.add_button_group("Push", tuple(_DIRECTIONS))
        self.push.on_click(lambda _: self.do(partial(self._push, self.body.value, self.push.value)))
        self.words = gui.add_markdown("")
        self.show()

    def show(self) -> None:
        """Update the figure, the floor, the force arrows and the figures in the panel."""
        placed, acting = self.session.placement, self.session.acting
        for figure in (self._stage.figures[0], self._actor):
            figure.pose(placed.positions, placed.rotations)
        self._stage.scroll(self.session.place)
        if acting or len(self._arrows.points):
            # None at all, not invisible ones: those show where they were for a moment when they come back.
            self._arrows.points = np.array([_arrow(one) for one in acting], dtype=np.float32).reshape(-1, 2, 3)
        words = _reading(self.session)
        if words != self.words.content:
            self.words.content = words

    @property
    def recent(self) -> RecentFrames:
        """Of the session."""
        return self.session.recent

    def _remake(self) -> None:
        """Make another responder on viser's thread: it takes a second, and the loop must not wait."""
        # A dragged slider calls this once per step: one thread at a time makes the last value, the others end.
        while self.knob.value != self._made and self._making.acquire(blocking=False):
            try:
                self._made = self.knob.value
                responder = self._knob.make(self._made)
                warm_up(responder)
            except InputError as error:
                self.say(str(error))
            else:
                self.do(partial(setattr, self.session, "responder", responder))
            finally:
                self._making.release()

    def _clicked(self, event: viser.SceneNodePointerEvent[viser.BatchedMeshHandle]) -> None:
        if event.instance_index is not None:
            self.do(partial(self._hit, event.instance_index, event.ray_origin, event.ray_direction))

    async def _dragged(self, event: viser.SceneNodeDragEvent[viser.BatchedMeshHandle]) -> None:
        """Viser keeps the order of events for coroutines only."""
        if event.phase == "start" and event.instance_index is not None:
            self.do(partial(self._grab, event.instance_index, event.start_position))
        if event.phase == "end":
            self.do(self.session.release)
        else:
            self.do(partial(self.session.drag_to, event.end_position))

    def _push(self, body: str, direction: str) -> None:
        """Hit a body at its surface, towards its centre of mass."""
        responder, placed = self.session.responder, self.session.placement
        body = find_body(responder, body)
        if direction not in _DIRECTIONS:
            raise InputError(f"no direction '{direction}'", fix=f"directions: {', '.join(_DIRECTIONS)}")
        along = quat.rotate(self._heading(), _DIRECTIONS[direction])
        joint = responder.character.body(body)
        center = placed.positions[joint] + quat.rotate(placed.rotations[joint], responder.character.centers[joint])
        self._hit(self._bodies.index(body), tuple(center), tuple(along))

    def _hit(self, shape: int, origin: Vector, direction: Vector) -> None:
        body = self._body_of(shape)
        point = struck_point(self._actor.segments, shape, self.session.placement, origin, direction)
        x, y, z = self.strength.value * np.array(direction)
        self.session.hit(body, (x, y, z), point)

    def _grab(self, shape: int, point: Vector) -> None:
        body = self._body_of(shape)
        self.session.strength = self.strength.value
        self.session.grab(body, nearest_point(self._actor.segments, shape, self.session.placement, point))

    def _body_of(self, shape: int) -> str:
        if shape not in range(len(self._bodies)):
            raise InputError(f"no shape {shape} of the figure", fix=f"it has {len(self._bodies)}, counted from 0")
        return self._bodies[shape]

    def _heading(self) -> Array:
        """Return the rotation about the vertical (4,) from x to the direction that the hips face."""
        ahead = quat.rotate(self.session.placement.rotations[0], _FORWARD)
        return quat.from_axis_angle(_UP, np.arctan2(ahead[1], ahead[0]))

    def _look_from_the_front(self) -> None:
        target = self.session.placement.positions[0]
        camera = self.server.initial_camera
        camera.position, camera.look_at = target + quat.rotate(self._heading(), _VIEW), target


def _reading(session: Session) -> str:
    if session.pushed:
        doing = "being pushed"
    elif session.recovery is None:
        doing = "recovering"
    else:
        doing = f"recovered {session.recovery:.1f} s after the push" if session.peak else "not pushed yet"
    beyond = describe_overbalance(session.outside, session.responder.character.leg_length)
    return f"deviation **{session.deviation:.0f}°**, largest {session.peak:.0f}°\n\n{doing}" + (
        f"\n\n**{beyond}**" if beyond else ""
    )


def _arrow(acting: ActingForce) -> tuple[Array, Array]:
    """Return tail and tip: a hit ends at the body, a pull begins there."""
    along = _NEWTON * acting.force
    return (acting.point, acting.point + along) if acting.pull else (acting.point - along, acting.point)
