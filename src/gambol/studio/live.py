"""`gambol push --live`: a clip goes on for ever in the browser, and answers whoever hits and pulls it.

One thread, that of `run`, owns the session. What people do in browsers arrives on viser's threads and waits in a queue.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue

import numpy as np
import viser

from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.pushes import three
from gambol.motion.skeleton import Vector
from gambol.respond.actuation import upper_columns
from gambol.respond.endless import endless
from gambol.respond.model import FREE, Model, learn, relearn
from gambol.respond.session import STRENGTH, Acting, Session
from gambol.respond.stepping import start, step
from gambol.studio.scene import Stage, close_server, open_server
from gambol.studio.touch import carrying_body, nearest_point, struck_point

_TICK = 1.0 / 30.0
_STRONGEST = 600.0
_FORWARD, _LEFT, _UP = np.eye(3)
_DIRECTIONS = {"forward": _FORWARD, "back": -_FORWARD, "left": _LEFT, "right": -_LEFT}
_RED = (205, 40, 40)
_NEWTON = 0.003
"""Metres of an arrow for a newton."""
_VIEW = np.array([1.7, -2.1, 0.7])
"""Metres from the hips to the camera: ahead, to the left, up."""
_HOW = "**Drag** a body part to pull it, **click** it to hit it. Beside the figure the mouse turns the view."


class LivePush:
    """Serves a clip that can be pushed. The controls are read and set from Python too."""

    def __init__(self, fitted: Fit, free: int = FREE, *, host: str = "127.0.0.1", port: int = 8080) -> None:
        self._fitted = fitted
        self._model: Model | None = None
        self._clip = endless(fitted)
        self.session = Session(self._clip, self._learned(free))
        self._free = free
        self._learning, self._stopped = threading.Lock(), threading.Event()
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.server = open_server(host, port)
        self._stage = Stage(self.server, [fitted.clip])
        self._actor = self._stage.actors[0]
        self._actor.handle.on_click(self._clicked)
        self._actor.handle.on_drag("left")(self._dragged)
        none = np.zeros((0, 2, 3), dtype=np.float32)
        self._arrows = self.server.scene.add_arrows("/pushes", none, _RED, shaft_radius=0.015)
        self._look_from_the_front()
        gui = self.server.gui
        gui.set_panel_label("gambol push")
        gui.add_markdown(_HOW)
        self.strength = gui.add_slider("Strength (N)", 10.0, _STRONGEST, 10.0, STRENGTH)
        self.k = gui.add_slider(
            "Free (k)", 0, len(upper_columns(fitted.character)) - 6, 1, free, hint="near-unactuated coordinates"
        )
        self._bodies = [carrying_body(fitted.character, joint) for joint in self._actor.segments.joints]
        self.body = gui.add_dropdown("Body", tuple(dict.fromkeys(self._bodies)), initial_value="chest")
        self.push = gui.add_button_group("Push", tuple(_DIRECTIONS))
        self.k.on_update(lambda _: self._relearn())
        self.push.on_click(lambda _: self._asked.put(partial(self._push, self.body.value, self.push.value)))
        self.words = gui.add_markdown(_reading(self.session))
        self.problem = gui.add_markdown("")
        self._show()

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def run(self) -> None:
        """Walk on until `stop` or Ctrl-C, and stop serving then."""
        try:
            before = time.perf_counter()
            while not self._stopped.wait(_TICK):
                self._obey()
                now = time.perf_counter()
                self._guard(partial(self.session.advance, now - before))
                before = now
                self._show()
        finally:
            close_server(self.server)

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._stopped.set()

    def _obey(self) -> None:
        self._guard(partial(setattr, self.session, "strength", self.strength.value))
        while True:
            try:
                ask = self._asked.get_nowait()
            except Empty:
                return
            self.problem.content = ""
            self._guard(ask)

    def _guard(self, action: Callable[[], object]) -> None:
        """Do something; where the input for it is bad, show what is wrong and go on."""
        try:
            action()
        except InputError as error:
            self.problem.content = str(error)

    def _show(self) -> None:
        placed, acting = self.session.placement, self.session.acting
        with self.server.atomic():
            self._actor.pose(placed.positions, placed.rotations)
            self._stage.scroll(self.session.place)
            if acting or len(self._arrows.points):
                # None at all, not invisible ones: those show where they were for a moment when they come back.
                self._arrows.points = np.array([_arrow(one) for one in acting], dtype=np.float32).reshape(-1, 2, 3)
            words = _reading(self.session)
            if words != self.words.content:
                self.words.content = words

    def _learned(self, free: int) -> Model:
        """A model that has done its first step, which makes its functions: that takes a second."""
        model = learn(self._fitted, free) if self._model is None else relearn(self._model, free)
        self._model = model
        pose = self._clip.target(0)
        step(model, start(model, pose), pose)
        model.look(pose).velocity(0, np.zeros(3))
        return model

    def _relearn(self) -> None:
        with self._learning:
            # A slider that is dragged calls once a notch: those that waited find their work done.
            if self.k.value == self._free:
                return
            self._free = self.k.value
            model = self._learned(self._free)
            self._asked.put(partial(setattr, self.session, "model", model))

    def _clicked(self, event: viser.SceneNodePointerEvent[viser.BatchedMeshHandle]) -> None:
        shape = event.instance_index
        if shape is not None:
            self._asked.put(partial(self._hit, shape, event.ray_origin, event.ray_direction))

    async def _dragged(self, event: viser.SceneNodeDragEvent[viser.BatchedMeshHandle]) -> None:
        """Viser keeps the order of events for coroutines only."""
        shape = event.instance_index
        if event.phase == "start" and shape is not None:
            self._asked.put(partial(self._grab, shape, event.start_position))
        if event.phase == "end":
            self._asked.put(self.session.release)
        else:
            self._asked.put(partial(self.session.drag_to, event.end_position))

    def _push(self, body: str, direction: str) -> None:
        """A hit at the centre of mass, from outside."""
        if direction not in _DIRECTIONS:
            raise InputError(f"no direction '{direction}'", fix=f"directions: {', '.join(_DIRECTIONS)}")
        along = quat.rotate(self._heading(), _DIRECTIONS[direction])
        placed, joint = self.session.placement, self._fitted.character.body(body)
        center = placed.positions[joint] + quat.rotate(placed.rotations[joint], self._fitted.character.centers[joint])
        self._hit(self._bodies.index(body), three(center, "a point"), three(along, "a direction"))

    def _hit(self, shape: int, origin: Vector, direction: Vector) -> None:
        self._check_shape(shape)
        point = struck_point(self._actor.segments, shape, self.session.placement, origin, direction)
        x, y, z = self.strength.value * np.array(direction)
        self.session.hit(self._bodies[shape], (x, y, z), point)

    def _grab(self, shape: int, point: Vector) -> None:
        self._check_shape(shape)
        held = nearest_point(self._actor.segments, shape, self.session.placement, point)
        self.session.grab(self._bodies[shape], held)

    def _check_shape(self, shape: int) -> None:
        if shape not in range(len(self._bodies)):
            raise InputError(f"no shape {shape} of the figure", fix=f"it has {len(self._bodies)}, counted from 0")

    def _heading(self) -> Array:
        """The turn about the vertical (4,) that leads from x to where the hips face."""
        ahead = quat.rotate(self.session.placement.rotations[0], _FORWARD)
        return quat.about_axis(_UP, np.arctan2(ahead[1], ahead[0]))

    def _look_from_the_front(self) -> None:
        target = self.session.placement.positions[0]
        camera = self.server.initial_camera
        camera.position, camera.look_at = target + quat.rotate(self._heading(), _VIEW), target


def _reading(session: Session) -> str:
    if session.pushed:
        doing = "being pushed"
    elif session.recovery is None:
        doing = "coming back"
    else:
        doing = f"back {session.recovery:.1f} s after the push" if session.peak else "nobody pushed yet"
    return f"**{session.deviation:.0f}°** off the clip, at most {session.peak:.0f}°\n\n{doing}"


def _arrow(acting: Acting) -> tuple[Array, Array]:
    """From where to where: a blow ends at what it hits, a pull begins there."""
    along = _NEWTON * acting.force
    return (acting.point, acting.point + along) if acting.pull else (acting.point - along, acting.point)
