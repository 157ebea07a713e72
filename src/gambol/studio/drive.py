"""`gambol family drive --view`: a character jumps on for ever in the browser, where arrow keys send it (L05 4.4.4).

One thread, that of `run`, owns the controller. What people do in browsers arrives on viser's threads and only says
where to go.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Literal

import numpy as np

from gambol.drawing.scene import SceneView, close_server, open_server
from gambol.fit.rig import clip_of
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.spacetime.families.controller import Controller
from gambol.spacetime.families.family import Family

_TICK = 1.0 / 30.0
_LATE = 0.25
"""Seconds that are made up for at most when the machine was busy."""
_Key = Literal["arrowup", "arrowleft", "space", "arrowright", "arrowdown"]
_PADS: dict[str, tuple[tuple[float, float], _Key]] = {
    "forward": ((1.0, 0.0), "arrowup"),
    "left": ((0.0, 1.0), "arrowleft"),
    "straight": ((0.0, 0.0), "space"),
    "right": ((0.0, -1.0), "arrowright"),
    "back": ((-1.0, 0.0), "arrowdown"),
}
_VIEW = np.array([-3.2, -2.2, 1.3])
"""Metres from the hips to the camera: behind, to the right, up."""
_HOW = (
    "**Arrow keys** or the buttons say where to jump, **space** is straight on. The character knows two jumps "
    "beforehand, so that a key waits a while."
)


class LiveDrive:
    """Serves a character that is steered. The controls are read and set from Python too."""

    def __init__(self, family: Family, *, host: str = "127.0.0.1", port: int = 8080) -> None:
        self.controller = Controller(family)
        self._skeleton = family.character.skeleton
        self._stopped = threading.Event()
        self.frame = self.controller.next(1)[0]
        self.server = open_server(host, port)
        rate = self.controller.rate
        self._stage = SceneView(self.server, [clip_of(Motion(self._skeleton, self.frame.q[None], 1.0 / rate))])
        hips = place(self._skeleton, self.frame.q[None]).positions[0, 0] * (0.0, 0.0, 1.0)
        camera = self.server.initial_camera
        camera.position, camera.look_at = hips + _VIEW, hips
        gui = self.server.gui
        gui.set_panel_label("gambol family drive")
        gui.add_markdown(_HOW)
        self.pad = gui.add_button_group("Jump", tuple(_PADS))
        self.pad.on_click(lambda _: self.steer(self.pad.value))
        for direction, (_, key) in _PADS.items():
            gui.add_command(f"Jump {direction}", hotkey=key).on_trigger(partial(self._asked, direction))
        self.going = "straight"
        self.words = gui.add_markdown("")
        self._show()

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def steer(self, direction: str) -> None:
        """Go somewhere from now on."""
        self.going = direction
        self.controller.steer(_PADS[direction][0])

    def run(self) -> None:
        """Jump on until `stop` or Ctrl-C, and stop serving then."""
        try:
            begun = time.perf_counter() - self.frame.seconds
            while not self._stopped.wait(_TICK):
                now = time.perf_counter() - begun
                due = int((now - self.frame.seconds) * self.controller.rate)
                if due > 0:
                    self.frame = self.controller.next(due)[-1]
                    self._show()
                begun += max(time.perf_counter() - begun - self.frame.seconds - _LATE, 0.0)
        finally:
            close_server(self.server)

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._stopped.set()

    def _asked(self, direction: str, _: object) -> None:
        self.steer(direction)

    def _show(self) -> None:
        placed = place(self._skeleton, self.frame.q[None])
        origin = placed.positions[0, 0] * (1.0, 1.0, 0.0)
        with self.server.atomic():
            self._stage.actors[0].pose(placed.positions[0] - origin, placed.rotations[0])
            self._stage.scroll(origin)
            words = f"going **{self.going}**; a key waits {self.controller.lag:.1f} s"
            if words != self.words.content:
                self.words.content = words
