"""`view`: play clips in the browser, with time, speed, following camera, and several clips side by side."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence

import viser

from gambol.drawing.scene import SceneView, name_figures, start_together
from gambol.fit.contact_file import GivenContacts
from gambol.fit.load import Source, as_clips
from gambol.fit.physics import Physics, estimate_drawn
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.studio.host import Live

_SPEEDS = ("0.1x", "0.25x", "0.5x", "1x", "2x", "4x")
_NARROW = 900
"""Width (pixels) of a window in which the panel would hide the figures."""


def view(
    clips: Source | Sequence[Source],
    *,
    apart: bool | None = None,
    physics: bool = False,
    contacts: GivenContacts | None = None,
    host: str = "127.0.0.1",
    port: int = 8080,
) -> Viewer:
    """Play clips in the browser, `apart` or in the world they share; `physics` adds forces, contacts and phases.

    `contacts` of a single clip replaces those found. Without `apart`, clips that start at one place, as before and
    after an edit, are put side by side.
    The page is served from another thread at `Viewer.url` until `Viewer.close()`; `Viewer.wait()` blocks until Ctrl-C.

    >>> gb.view("walk")  # doctest: +SKIP
    """
    motions = as_clips(clips)
    found = estimate_drawn(motions, physics, contacts)
    return Viewer(motions, host=host, port=port, apart=apart, physics=found)


class Viewer(Live):
    """Plays motions in browsers, from a thread of its own, until it is closed. Python reads and sets the controls too.

    It is its own engine: what advances is the time of the slider.
    """

    def __init__(
        self,
        motions: Sequence[Motion],
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        apart: bool | None = None,
        physics: Sequence[Physics] = (),
    ) -> None:
        clips = zip(name_figures(motions), motions, strict=True)
        names = "\n".join(f"- {name}: {len(m)} frames, {m.duration:.2f} s" for name, m in clips)
        super().__init__(self, "gambol view", names, host=host, port=port)
        self._stage = SceneView(self.server, motions, physics)
        self._duration = as_ensemble(motions).duration
        gui = self.server.gui
        end = max(0.01, math.ceil(100.0 * self._duration) / 100.0)
        self.time = gui.add_slider("Time (s)", 0.0, end, 0.01, 0.0)
        self.playing = gui.add_checkbox("Play", True)
        self.speed = gui.add_dropdown("Speed", _SPEEDS, initial_value="1x")
        self.follow = gui.add_checkbox("Follow", True)
        apart = start_together(motions) if apart is None else apart
        self.apart = gui.add_checkbox("Side by side", apart, visible=len(motions) > 1)
        for control in (self.follow, self.apart):
            control.on_update(lambda _: self.do(self._arrange))
        self._arrange()
        self.server.on_client_connect(_make_room)
        self._thread = threading.Thread(target=self.run, daemon=True)
        self._thread.start()

    def advance(self, seconds: float) -> None:
        """Move the time slider while it plays; start again after the end."""
        if self.playing.value:
            moved = self.time.value + seconds * float(self.speed.value[:-1])
            self.time.value = round(moved, 3) if moved <= self._duration else 0.0  # type: ignore[misc]

    def show(self) -> None:
        """Pose the figures as at the time of the slider."""
        self._stage.show(self.time.value, self.follow.value)

    def close(self) -> None:
        """Stop playing and serving."""
        self.stop()
        self._thread.join(timeout=5.0)

    def wait(self) -> None:
        """Serve until Ctrl-C."""
        try:
            while self._thread.is_alive():
                self._thread.join(timeout=1.0)
        finally:
            self.close()

    def _arrange(self) -> None:
        self._stage.arrange(self.apart.value)
        place, target = self._stage.viewpoint(self.follow.value)
        self.server.initial_camera.position, self.server.initial_camera.look_at = place, target
        for client in self.server.get_clients().values():
            client.camera.position, client.camera.look_at = place, target


def _make_room(client: viser.ClientHandle) -> None:
    """Fold the panel to its title in a narrow window; a click on it opens it."""
    if client.camera.image_width < _NARROW:
        client.gui.main_panel.minimize()
