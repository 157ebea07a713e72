"""`gambol family drive --view`: a page on which a jumping character is steered (L05 section 4.4.4)."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from gambol.drawing.scene import SceneView
from gambol.errors import InputError
from gambol.fit.rig import as_clip
from gambol.judge.recent import LIVE_SECONDS, RecentFrames
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.spacetime.families.controller import ControlFrame, Controller
from gambol.spacetime.families.family import Family
from gambol.studio.host import Live

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
    "Steer with the **arrow keys** or the buttons; **space** is straight on. Two jumps are planned ahead, "
    "so that a key takes effect after a while."
)


class _Jumping:
    """A controller as an engine; holds its latest frame."""

    def __init__(self, family: Family) -> None:
        self.controller = Controller(family)
        self.frame = self.controller.next(1)[0]
        self._time = self.frame.time
        start = Motion(family.character.skeleton, self.frame.q[None], 1.0 / self.controller.fps)
        self.recent = RecentFrames(as_clip(start), LIVE_SECONDS)

    def advance(self, seconds: float) -> None:
        """Compute the frames that are due."""
        self._time += seconds
        due = int((self._time - self.frame.time) * self.controller.fps)
        if due > 0:
            for frame in self.controller.next(due):
                self.recent.add(frame.q)
                self.frame = frame


class LiveDrive(Live):
    """Serves a character that is steered. Python reads and sets the controls too."""

    def __init__(self, family: Family, *, host: str = "127.0.0.1", port: int = 8080) -> None:
        self._jumping = _Jumping(family)
        super().__init__(self._jumping, "gambol family drive", _HOW, host=host, port=port)
        self._skeleton = family.character.skeleton
        fps = self._jumping.controller.fps
        self._stage = SceneView(self.server, [as_clip(Motion(self._skeleton, self.frame.q[None], 1.0 / fps))])
        hips = place(self._skeleton, self.frame.q[None]).positions[0, 0] * (0.0, 0.0, 1.0)
        camera = self.server.initial_camera
        camera.position, camera.look_at = hips + _VIEW, hips
        gui = self.server.gui
        self.pad = gui.add_button_group("Jump", tuple(_PADS))
        self.pad.on_click(lambda _: self.steer(self.pad.value))
        for direction, (_, key) in _PADS.items():
            gui.add_command(f"Jump {direction}", hotkey=key).on_trigger(partial(self._asked, direction))
        self.going = "straight"
        self.words = gui.add_markdown("")
        self.show()

    @property
    def frame(self) -> ControlFrame:
        """The latest frame."""
        return self._jumping.frame

    @property
    def recent(self) -> RecentFrames:
        """Of the jumps."""
        return self._jumping.recent

    def steer(self, direction: str) -> None:
        """Set the direction of the next jumps, from any thread."""
        self.do(partial(self._steer, direction))

    def _steer(self, direction: str) -> None:
        if direction not in _PADS:
            raise InputError(f"no direction '{direction}'", fix=f"directions: {', '.join(_PADS)}")
        self.going = direction
        self._jumping.controller.steer(_PADS[direction][0])

    def _asked(self, direction: str, _: object) -> None:
        self.steer(direction)

    def show(self) -> None:
        """Update the figure, the floor and the direction."""
        placed = place(self._skeleton, self.frame.q[None])
        origin = placed.positions[0, 0] * (1.0, 1.0, 0.0)
        self._stage.figures[0].pose(placed.positions[0] - origin, placed.rotations[0])
        self._stage.scroll(origin)
        words = f"direction **{self.going}**; a key takes effect after {self._jumping.controller.lag:.1f} s"
        if words != self.words.content:
            self.words.content = words
